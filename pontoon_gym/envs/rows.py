"""Rows of rounds with one learner each: what the single and the vector environments stand on."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.cards import card_text, parse_cards
from pontoon_gym.engine.legal import clause_of
from pontoon_gym.engine.rng import seed_words
from pontoon_gym.engine.run import batch as kernels
from pontoon_gym.engine.run.episode import CUT, ENDED, LEARNER, OVER, UNBEGUN
from pontoon_gym.engine.run.step import RESUME, SETUP, SHOWN, SKIP, is_long
from pontoon_gym.engine.state import RING, ROUND, pack, set_shoe, shoe_asked
from pontoon_gym.engine.view.columns import Game, Layout, layout
from pontoon_gym.envs.settings import Settings
from pontoon_gym.errors import BadArgument, BadCards, BadRecord, EpisodeOver, IllegalAction
from pontoon_gym.names import action_name
from pontoon_gym.policies.seating import Seating
from pontoon_gym.records import check_row, write
from pontoon_gym.render import text


class Seen(NamedTuple):
    """What learners see after a step or reset of `n` rows, in arrays of its own.

    vectors: float32 of shape (n, columns), no columns where keys are observed. finals: the same at ends of episodes
    after which the next began in the same step, 0 in other rows; no rows without autoreset.
    """

    vectors: NDArray[np.float32]
    finals: NDArray[np.float32]


class Rows:
    """`n` rows, each a round with its own stream of chance, played to the learner's next choice.

    Args:
        settings: what is played.
        seating: who plays the other seats.
        n: number of rows.
        autoreset: a row whose episode ends begins the next in the same step.
        threads: slices of rows that run at once.
        most_steps: so many actions truncate an episode; 0: none do.

    Attributes:
        setup: what all rows have in common, `SETUP` of shape (1,).
        rounds: `ROUND` of shape (n,).
        shown: what the last step gave, `SHOWN` of shape (n,); its status is UNBEGUN before a row's first reset.
        masks: what each learner may do, bool of shape (n, actions).
    """

    def __init__(
        self,
        settings: Settings,
        seating: Seating,
        n: int,
        *,
        autoreset: bool = False,
        threads: int = 1,
        most_steps: int = 0,
    ) -> None:
        rules, table, role = settings.rules, settings.table, settings.role
        self.settings, self.seating, self.n, self.autoreset = settings, seating, n, autoreset
        self.layout: Layout = layout(Game(rules, table, role, settings.memory))
        self.keyed = settings.observation == "situation"
        self.setup = np.zeros(1, SETUP)
        seat = -1 if settings.seat is None else settings.seat
        self.setup["game"] = pack(rules, table, rounds=settings.rounds, role=role, seat=seat)
        self.setup["seats"][0, : table.seats] = seating.seats
        self.setup["sight"] = self.layout.plain if settings.observation == "dict" else self.layout.sight
        self.setup["keyed"], self.setup["autoreset"] = self.keyed, autoreset
        self.setup["random_illegal"], self.setup["most_steps"] = settings.illegal == "random", most_steps
        self.setup["illegal_penalty"] = settings.illegal_penalty
        self.setup["illegal_limit"] = settings.illegal_limit
        self.rounds = _blank(n)
        self.shown = np.zeros(n, SHOWN)
        self.shown["status"] = UNBEGUN
        self.masks = np.ones((n, settings.actions), np.bool_)
        edges = np.linspace(0, n, min(threads, n) + 1).astype(int)
        self.slices = [slice(a, b) for a, b in itertools.pairwise(edges.tolist())]
        self._pool: ThreadPoolExecutor | None = None
        self._pool_of = 0

    @property
    def game(self) -> NDArray[np.void]:
        """Rules and table as kernels read them, `GAME` of shape (1,)."""
        game: NDArray[np.void] = self.setup["game"]
        return game

    @property
    def status(self) -> NDArray[np.int64]:
        """Why each row stands (`engine.run.episode`), int64 of shape (n,)."""
        status: NDArray[np.int64] = self.shown["status"]
        return status

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}

    def _seed(self, seeds: Iterable[int | None]) -> None:
        """Give each row its own stream; None leaves a row's stream as it is."""
        for i, seed in enumerate(seeds):
            if seed is not None:
                self.rounds[i]["source"] = seed_words(seed)
                self.rounds[i]["episode"] = 0

    def open(
        self, which: NDArray[np.bool_], seeds: Iterable[int | None], options: Mapping[str, Any] | None = None
    ) -> None:
        """Open an episode in each row of `which`, with `options` "cards" and "shoe" as the environments have them.

        Args:
            seeds: of each row; None where its stream goes on.

        Raises `BadCards` before any row moves.
        """
        game = self._game_with_shoe(options)
        cards = self._cards_to_stack(game, options)
        before = self.rounds[which].copy()
        self._seed(seeds)
        kernels.begin_rows(game, self.rounds, which)
        missing = int(kernels.stack_rows(self.rounds, which, cards)) if len(cards) else -1
        if missing >= 0:
            self.rounds[which] = before
            raise BadCards("the shoe does not hold a card to be stacked", got=card_text(int(cards[missing])))
        kernels.deal_rows(game, self.rounds, which)

    def reset(
        self, which: NDArray[np.bool_], seeds: Iterable[int | None], options: Mapping[str, Any] | None = None
    ) -> Seen:
        """Open an episode in each row of `which`, and play to the learner's first choice."""
        self.open(which, seeds, options)
        self.shown[which] = np.zeros((), SHOWN)
        self.shown["illegal"] = self.shown["round_over"] = False
        seen = self.blank()
        self._run_on(which, seen)
        if not which.all():
            kernels.show_rows(self.setup, self.rounds, ~which, self.shown, self.masks, seen.vectors)
        return seen

    def first_wrong(self, actions: NDArray[np.int64], *, strict: bool, over: bool = False) -> int:
        """The first row that cannot take its action, or −1; see `engine.run.batch.first_wrong`."""
        return int(kernels.first_wrong(actions, self.shown, self.masks, strict, over))

    def step(self, actions: NDArray[np.int64]) -> Seen:
        """Take each row's action, none of which may be wrong, and play to the learner's next choice."""
        seen = self.blank()
        if self._play(actions, seen):
            self._run_on(self.ask(), seen)
        return seen

    def ask(self) -> NDArray[np.bool_]:
        """Let outside policies choose once in every row that waits for one; says in which (`Seating.answer`)."""
        return self.seating.answer(self.game, self.rounds, self.status)

    def blank(self) -> Seen:
        """New arrays for a step or reset of all rows."""
        columns, finals = 0 if self.keyed else self.layout.size, self.n if self.autoreset else 0
        return Seen(np.empty((self.n, columns), np.float32), np.zeros((finals, columns), np.float32))

    def record(self, row: int) -> str:
        """The canonical text of a row's round as it stands, every dealt card in it, face down or not.

        Raises `EpisodeOver` before the first reset.
        """
        return write(self.settings.rules, self.settings.table, self._begun(row))

    def picture(self, row: int) -> str:
        """A row's round as its learner sees it, as text. Raises `EpisodeOver` before the first reset."""
        s = self._begun(row)
        return text.picture(self.settings.rules, self.settings.table, s, int(s["agent"]))

    def frame(self, row: int) -> NDArray[np.uint8]:
        """The same drawn: uint8 of shape (height, 640, 3), of one height for every round. Raises `EpisodeOver`."""
        # Pillow belongs to an optional extra.
        from pontoon_gym.render import picture

        s = self._begun(row)
        return picture.picture(self.settings.rules, self.settings.table, s, int(s["agent"]))

    def get_state(self) -> dict[str, Any]:
        """All that the future of the rows depends on once there was a reset, to be given to `set_state`."""
        return {"made_for": self._made_for(), "rows": self.rounds.tobytes()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from where `get_state` was called. Raises `BadArgument` for anything else than its answer."""
        held = self._read_state(state)
        for i, row in enumerate(held):
            try:
                self._check_row(row)
            except BadRecord as fault:
                raise BadArgument(f"not a state of this environment, in row {i}: {fault}") from None
        self.rounds[:] = held
        self.shown[:] = np.zeros((), SHOWN)
        self.shown["status"] = [self._stands(row) for row in held]
        self.masks[:] = True
        begun = self.status != UNBEGUN
        kernels.show_rows(self.setup, self.rounds, begun, self.shown, self.masks, self.blank().vectors)

    def _read_state(self, state: Mapping[str, Any]) -> NDArray[np.void]:
        """The rows of a state, `ROUND` of shape (n,), of which nothing is known yet. Raises `BadArgument`."""
        if not isinstance(state, Mapping) or set(state) != {"made_for", "rows"}:
            raise BadArgument("not a state of this environment", got=state, allowed="what get_state returned")
        if state["made_for"] != self._made_for():
            raise BadArgument("not a state of this environment", got=state["made_for"], allowed=str(self._made_for()))
        try:
            held = np.frombuffer(state["rows"], self.rounds.dtype).copy()
        except (TypeError, ValueError) as error:
            raise BadArgument(f"not a state of this environment: {error}") from error
        if held.shape != self.rounds.shape:
            raise BadArgument("not a state of this environment", got=len(held), allowed=f"{self.n} rows")
        return held

    def _check_row(self, s: np.void) -> None:
        """Raise `BadRecord` unless play can have come to a row here."""
        if s["episode"] == 0:
            if s.tobytes() != _blank(1).tobytes():
                raise BadRecord("before the first reset there is nothing in a row")
            return
        check_row(self.settings.rules, self.settings.table, self.game[0], s)
        if (s["over"] == CUT) != (s["illegal"] >= self.setup["illegal_limit"][0]):
            raise BadRecord("an episode ends with its last forbidden action", got=int(s["illegal"]))

    def _stands(self, s: np.void) -> int:
        """Why a row stands, between two steps."""
        if s["episode"] == 0:
            return UNBEGUN
        return OVER if s["over"] or is_long(self.setup[0], s) else LEARNER

    def _made_for(self) -> list[object]:
        """What a state of these rows depends on."""
        settings = self.settings
        return [settings.role.name, settings.rules.digest(), settings.table.digest(), settings.seat, settings.rounds]

    def close(self) -> None:
        """End the threads; a further step starts them again."""
        if self._pool is not None and self._pool_of == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def _begun(self, row: int) -> Any:
        if self.rounds[row]["episode"] == 0:
            raise EpisodeOver("there is no round yet: call reset first")
        return self.rounds[row]

    def _run_on(self, which: NDArray[np.bool_], seen: Seen) -> None:
        """Play rows on, asking outside policies as often as they are needed."""
        while self._play(np.where(which, RESUME, SKIP), seen):
            which = self.seating.answer(self.game, self.rounds, np.where(which, self.status, LEARNER))

    def _play(self, actions: NDArray[np.int64], seen: Seen) -> int:
        """Let the kernel play, on each slice of rows in a thread of its own; how many rows wait for outside."""
        if len(self.slices) == 1:
            arrays: Any = (self.rounds, actions, self.shown, self.masks, *seen)
            return int(kernels.step_rows(self.setup, *self.seating.lookups, *arrays))
        if self._pool is None or self._pool_of != os.getpid():
            # The child of a fork has none of its parent's threads.
            self._pool = ThreadPoolExecutor(len(self.slices) - 1, thread_name_prefix="pontoon")
            self._pool_of = os.getpid()
        others = [self._pool.submit(self._play_slice, part, actions, seen) for part in self.slices[1:]]
        # To wake a thread takes as long as a hundred rows: this one works too.
        return self._play_slice(self.slices[0], actions, seen) + sum(other.result() for other in others)

    def _play_slice(self, part: slice, actions: NDArray[np.int64], seen: Seen) -> int:
        parts: Any = (array[part] for array in (self.rounds, actions, self.shown, self.masks, *seen))
        return int(kernels.step_rows(self.setup, *self.seating.lookups, *parts))

    def _cards_to_stack(self, game: NDArray[np.void], options: Mapping[str, Any] | None) -> NDArray[np.uint8]:
        """The cards that options ask to stack, uint8. Raises `BadCards`."""
        cards = np.array(parse_cards((options or {}).get("cards", ())), np.uint8)
        most = RING - int(game["size"][0]) if self.settings.rules.packs == 0 else int(game["size"][0])
        if len(cards) > most:
            raise BadCards("too many cards to stack", got=len(cards), allowed=f"at most {most}")
        return cards

    def _game_with_shoe(self, options: Mapping[str, Any] | None) -> NDArray[np.void]:
        """The packed game, with another shoe if the options have one. Raises `BadArgument`, `BadCards`."""
        if options is None:
            return self.game
        if not isinstance(options, Mapping):
            raise BadArgument("options of a reset must be a mapping", got=options)
        for name in options:
            if name not in ("cards", "shoe"):
                raise BadArgument("no such option of a reset", got=name, allowed="cards, shoe")
        if "shoe" not in options:
            return self.game
        cards = shoe_asked(self.settings.rules, self.settings.table.seats, options["shoe"])
        game = self.game.copy()
        set_shoe(game, cards)
        return game


def _blank(n: int) -> NDArray[np.void]:
    """Rows as they are before their first reset, `ROUND` of shape (n,)."""
    rows = np.zeros(n, ROUND)
    rows["over"] = ENDED
    return rows


def illegal_action(rows: Rows, row: int, number: int) -> IllegalAction:
    """The error for an action that a row's round forbids, with the round's record."""
    levels = rows.settings.table.buy_levels
    allowed = ", ".join(action_name(int(a), levels) for a in np.flatnonzero(rows.masks[row]))
    clause = clause_of(int(rows.rounds[row]["phase"]), number, levels)
    return IllegalAction(
        "an action that the rules forbid now",
        got=action_name(number, levels),
        allowed=allowed,
        where=f"clause {clause} in {rows.record(row)}",
    )
