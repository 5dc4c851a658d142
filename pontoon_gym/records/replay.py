"""A record played through the engine: whether the rules allow it to have happened, and the round where it ends."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pontoon_gym.cards import card_text
from pontoon_gym.engine import deal, legal, rng, state
from pontoon_gym.engine.round import actions_of_turn, choose, open_round
from pontoon_gym.engine.run.episode import open_episode
from pontoon_gym.errors import BadRecord
from pontoon_gym.names import SPLIT, STICK, Phase
from pontoon_gym.records.record import Record, names_of, parse, results_text
from pontoon_gym.records.row import coming


def replay(source: Record | str) -> np.void:
    """Play a record through the engine: the round where the record ends, a row of `state.ROUND`.

    The shoe is taken as shuffled before the round; `replay_session` knows better. Raises `BadRecord` if the text
    cannot be read, a choice was not allowed, other cards must have come, or the settlement is not the recorded one;
    with the choice, the clause and the record.
    """
    return list(steps(source))[-1]


def steps(source: Record | str) -> Iterator[np.void]:
    """The round at each decision and where the record ends: one row of `state.ROUND`, changed in place.

    Raises `BadRecord` as `replay` does, once it gets to the fault.
    """
    record = parse(source) if isinstance(source, str) else source
    r, s = sit_down(record)
    s["carried"] = record.carried
    return play(r, s, record)


def sit_down(record: Record) -> tuple[np.void, np.void]:
    """A table with a full shoe: rules as kernels read them, and a round not yet dealt."""
    game, rows = state.pack(record.rules, record.table), np.zeros(1, state.ROUND)
    state.set_shoe(game, list(record.shoe))
    rows["source"] = rng.seed_words(0)
    open_episode(game[0], rows[0])
    return game[0], rows[0]


def play(r: np.void, s: np.void, record: Record) -> Iterator[np.void]:
    """Deal and play a record; gives the round before each choice and where the record ends."""
    s["banker"], s["dealt"] = record.banker, 0
    _stack(s, record)
    open_round(r, s)
    _check_cards(s, record, 0)
    for number, action in enumerate(record.choices, 1):
        yield s
        _check_choice(r, s, record, number)
        _shuffle_busts_in(s, record, action)
        dealt = int(s["dealt"])
        choose(r, s, action)
        _check_cards(s, record, dealt)
    _check_end(s, record)
    yield s


def _stack(s: np.void, record: Record) -> None:
    """Lay the recorded cards on top as far as the pool goes, but below cards whose order is known."""
    dealt, known = int(s["dealt"]), coming(s, int(s["stacked"]))
    most = state.RING - int(s["size"]) if s["endless"] else int(s["pool"])
    cards = known + list(record.cards[dealt + len(known) : dealt + most])
    at = deal.stack(s, np.array(cards, np.uint8))
    if at >= 0:
        raise fault(record, f"card {dealt + at + 1} cannot come", "1.1", got=card_text(cards[at]))


def _shuffle_busts_in(s: np.void, record: Record, action: int) -> None:
    """Before a choice that takes more than the pool has, as `deal.draw` would, but in the recorded order (1.5)."""
    # One card may be left for a split's first hand: nothing goes under the shoe before the second gets its card.
    takes = 0 if action == STICK else 1 + (action == SPLIT)
    if record.rules.reshuffle == "round" and s["pool"] < takes:
        s["pool"] += s["under"]
        s["under"] = 0
        _stack(s, record)


def _check_cards(s: np.void, record: Record, first: int) -> None:
    """The cards dealt from the `first` on are the recorded ones."""
    for i in range(first, s["dealt"]):
        if i >= len(record.cards):
            raise fault(record, f"card {i + 1}, dealt after choice {s['logged']}, is missing", "4.1, 6")
        got, due = card_text(record.cards[i]), card_text(deal.dealt_card(s, i))
        if got != due:
            raise fault(record, f"card {i + 1} cannot come", "1.5, 11.2", got=got, allowed=due)


def _check_choice(r: np.void, s: np.void, record: Record, number: int) -> None:
    """Choice `number`, from 1, is asked for and allowed."""
    action, mask = record.choices[number - 1], np.zeros(actions_of_turn(r, s), np.bool_)
    if s["phase"] != Phase.DONE:
        legal.mask(r, s, mask)
    allowed = np.flatnonzero(mask).tolist()
    if action not in allowed:
        what = f"choice {number}, of seat {s['turn']}, is not allowed"
        names = names_of(allowed, record.table) or "nothing, the round is over"
        clause = legal.clause_of(int(s["phase"]), action, record.table.buy_levels)
        raise fault(record, what, clause, got=names_of([action], record.table), allowed=names)


def _check_end(s: np.void, record: Record) -> None:
    """All recorded cards came, and the settlement is the recorded one (10)."""
    dealt, over = int(s["dealt"]), s["phase"] == Phase.DONE
    if dealt < len(record.cards):
        raise fault(record, f"card {dealt + 1} is left over", "6, 7", got=card_text(record.cards[dealt]))
    due = tuple(s["result"][: record.table.seats].tolist()) if over else None
    if record.results != due:
        what = "wrong results" if over else f"wrong results, seat {s['turn']} has yet to choose"
        raise fault(record, what, "7, 10", got=results_text(record.results), allowed=results_text(due))


def fault(record: Record, what: str, clause: str, **said: str) -> BadRecord:
    return BadRecord(what, where=f"clause {clause} in {record.text()}", **said)
