"""Scripted rounds: cards and choices are written down as the rule book writes them, everything else follows.

`play` goes through the environment's front door and shows what a learner is shown. `Engine` plays all seats on the
kernels, for what no environment shows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import pontoon_gym  # noqa: F401  registers the environments
from pontoon_gym.cards import card_text, parse_cards
from pontoon_gym.engine import bank, deal, legal, rng, state
from pontoon_gym.engine.round import actions_of_turn, choose, clear_table, open_round
from pontoon_gym.engine.run.episode import open_episode
from pontoon_gym.names import action_name, action_number
from pontoon_gym.rules import Rules, RulesSource, Table

LETTER = re.compile(r"[STP]|[BW]\d")


def cards_of(*seats: str, then: str = "") -> str:
    """The dealing order of each seat's first two cards, from the banker's left, the banker last, then what is drawn.

    `cards_of("5S 6D", "TC 9C", then="KH")` is `"5S TC 6D 9C KH"`.
    """
    hands = [seat.split() for seat in seats]
    assert all(len(hand) == 2 for hand in hands)
    return " ".join([*(hand[0] for hand in hands), *(hand[1] for hand in hands), *then.split()])


def by_value(ranks: str) -> list[int]:
    """How many cards of value 1 (ace) to 10 there are: `by_value("A A K")` is `[2, 0, 0, 0, 0, 0, 0, 0, 0, 1]`."""
    values = [min("A23456789TJQK".index(rank), 9) for rank in ranks.split()]
    return [values.count(value) for value in range(10)]


class Script:
    """A policy that chooses what its letters say, one at each choice between several actions."""

    def __init__(self, role: str, rules: Rules, table: Table, letters: str) -> None:
        self.role, self.rules, self.table = role, rules, table
        self.letters = letters.split()

    def probabilities(self, observation: NDArray[np.float32], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        assert len(mask) == 1 and self.letters, f"the {self.role} is asked more often than the script says"
        action = action_number(self.letters.pop(0), self.table.buy_levels)
        assert mask[0, action], f"the {self.role} may not do what the script says"
        return np.eye(mask.shape[1])[[action]]


class Play:
    """An episode as its learner sees it: `do` plays on, `reward` is what all steps have paid.

    Args:
        cards: the top of the shoe in dealing order.
        rules: a preset's name or a text.
        role: `"player"` or `"banker"`, whose the choices are.
        seats: seats at the table; the last one banks.
        seat: the player's place from the banker's left; None draws it.
        banker: letters, or a rule of thumb's name; None for a banker bound by the rules.
        others: for each other player from the banker's left (each player, if the seat is drawn) letters or a rule
            of thumb's name. As nobody but the learner is asked where one action only is allowed, letters leave those
            out (a stake at a table of one level).
        shoe: counts of ranks, for a small shoe.
        kwargs: as `gymnasium.make` takes them.
    """

    def __init__(
        self,
        cards: str,
        rules: RulesSource = "home",
        *,
        role: str = "player",
        seats: int = 2,
        seat: int | None = 0,
        banker: str | None = None,
        others: Sequence[str] = (),
        shoe: dict[str, int] | None = None,
        stake_min: int = 1,
        stake_max: int = 1,
        stake_levels: int = 1,
        buy_levels: int = 2,
        observation: str = "dict",
        seed: int = 1,
        **kwargs: Any,
    ) -> None:
        self.rules = Rules.of(rules)
        self.table = Table.of(
            seats=seats, stake_min=stake_min, stake_max=stake_max, stake_levels=stake_levels, buy_levels=buy_levels
        )
        self.scripts: list[Script] = []
        self.others = list(others)
        if role == "player":
            kwargs |= {"seat": seat, "banker": None if banker is None else self._policy("banker", banker)}
            if seat is not None:
                self.others.insert(seat, "random")
        assert len(self.others) == seats - 1
        self.env = gymnasium.make(
            f"Pontoon/{role.title()}-v0",
            rules=self.rules.as_dict(),
            **self.table.as_dict(),
            players=[self._policy("player", one) for one in self.others],
            observation=observation,
            illegal="raise",
            **kwargs,
        )
        self.reward, self.rewards, self.over = 0.0, list[float](), False
        options = {"cards": cards} | ({} if shoe is None else {"shoe": shoe})
        self.observation, self.info = self.env.reset(seed=seed, options=options)

    def _policy(self, role: str, letters: str) -> str | Script:
        if not all(LETTER.fullmatch(letter) for letter in letters.split()):
            return letters
        self.scripts.append(Script(role, self.rules, self.table, letters))
        return self.scripts[-1]

    def do(self, choices: str) -> Play:
        """Choose by letters, each of which must be allowed. At the episode's end every script must be used up."""
        for letter in choices.split():
            assert not self.over, f"the episode is over, {letter} was not asked for"
            action = action_number(letter, self.table.buy_levels)
            self.observation, reward, self.over, _, self.info = self.env.step(action)
            self.rewards.append(float(reward))
            self.reward += float(reward)
        if self.over:
            unused = [script.letters for script in self.scripts if script.letters]
            assert not unused, f"never asked for: {unused}"
        return self

    @property
    def allowed(self) -> str:
        """What the learner may do now, by letters."""
        allowed = np.flatnonzero(self.info["action_mask"])
        return " ".join(action_name(int(action), self.table.buy_levels) for action in allowed)

    def sees(self, field: str) -> Any:
        """A field of the observation: a number, or a list of them."""
        numbers = [round(float(number)) for number in self.observation[field]]
        return numbers[0] if len(numbers) == 1 else numbers

    @property
    def record(self) -> list[str]:
        """The parts of the round's record."""
        return [part.strip() for part in self.env.unwrapped.record().split("|")]  # type: ignore[attr-defined]

    @property
    def dealt(self) -> str:
        """All cards dealt in the round, in order."""
        return self.record[3]

    @property
    def choices(self) -> str:
        """All choices of the round, in order, everybody's."""
        return self.record[4]

    @property
    def results(self) -> str:
        """Chips won by seat, from the banker's left, the banker last."""
        return self.record[5]


def play(cards: str, choices: str = "", rules: RulesSource = "home", **kwargs: Any) -> Play:
    """An episode in which the learner has made every choice; see `Play`."""
    return Play(cards, rules, **kwargs).do(choices)


class Engine:
    """A round straight on the kernels, all seats chosen for by letters (forced choices too)."""

    def __init__(
        self, cards: str, rules: RulesSource = "home", *, seats: int = 2, banker: int | None = None, **table: int
    ) -> None:
        self.rules, self.table = Rules.of(rules), Table.of(seats=seats, **table)
        self.game, self.rows = state.pack(self.rules, self.table), np.zeros(1, state.ROUND)
        self.r, self.s = self.game[0], self.rows[0]
        self.s["source"] = rng.seed_words(1)
        open_episode(self.r, self.s)
        if banker is not None:
            self.s["banker"] = banker
        assert deal.stack(self.s, np.array(parse_cards(cards), np.uint8)) == -1
        open_round(self.r, self.s)

    def do(self, choices: str) -> Engine:
        """Choose by letters for whoever's turn it is."""
        for letter in choices.split():
            assert letter in self.allowed.split()
            choose(self.r, self.s, action_number(letter, self.table.buy_levels))
        return self

    @property
    def allowed(self) -> str:
        """What the seat whose turn it is may do."""
        out = np.zeros(actions_of_turn(self.r, self.s), np.bool_)
        legal.mask(self.r, self.s, out)
        return " ".join(action_name(int(action), self.table.buy_levels) for action in np.flatnonzero(out))

    @property
    def results(self) -> list[float]:
        """Chips won by seat."""
        return [float(half) / 2 for half in self.s["result"][: self.table.seats]]

    @property
    def next_banker(self) -> int:
        """The seat that banks after this round."""
        return int(bank.next_banker(self.r, self.s))

    def clear_table(self) -> Engine:
        """Put the cards away."""
        clear_table(self.r, self.s)
        return self

    @property
    def is_shuffled(self) -> bool:
        """Whether every card lies in the shoe as if never seen."""
        return bool(self.s["fresh"] == self.s["size"])

    @property
    def under(self) -> str:
        """The used cards under the shoe, first to last."""
        start = int(self.s["head"] + self.s["pool"])
        places = (start + np.arange(int(self.s["under"]))) % state.RING
        return " ".join(card_text(int(card)) for card in self.s["shoe"][places])
