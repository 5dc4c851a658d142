"""The canonical one-line text of a round and of a session: write, parse, replay through the engine.

    pontoon/1 | home,split=none | seats=2 banker=1 stakes=1-10/2 buys=2 | 5S 9C 6D 8H QC | W0 B1 S S | +3 -3

Six parts: version; rules (`Rules.text`); table: seats, the banker's seat from 0, least and most stake / levels, buy
levels; cards in the order dealt; choices in the order made (`names.action_name`), whose they are the engine knows;
chips won by seat, `...` if the round is not over. `-` stands for no card and no choice. A table may go on with
`shoe=AC,AD,5S`, the cards of a shoe other than the rules' own, and `carried=yes`, not shuffled before (11.2).
A session is its rounds' lines, first to last. Of all spellings that `parse` reads, `Record.text` writes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from pontoon_gym.cards import card_text, parse_cards
from pontoon_gym.engine import deal, legal, rng, state
from pontoon_gym.engine.hand import FACE
from pontoon_gym.engine.round import actions_of_turn, choose, clear_table, open_round
from pontoon_gym.engine.run.episode import open_episode
from pontoon_gym.errors import BadArgument, BadCards, BadRecord, BadRules, BadTable
from pontoon_gym.names import SPLIT, STICK, HandKind, Phase, action_name, action_number
from pontoon_gym.rules import Rules, Table

VERSION = "pontoon/1"
LONGEST = 10_000
"""Characters of a line; the longest round takes about 8,000."""

_NOTHING, _UNFINISHED = "-", "..."
_TABLE = re.compile(
    r"seats=(?P<seats>[2-9]) banker=(?P<banker>[0-8])"
    r" stakes=(?P<stake_min>[0-9]{1,7})-(?P<stake_max>[0-9]{1,7})/(?P<stake_levels>[0-9]{1,2})"
    r" buys=(?P<buy_levels>[1-8])( shoe=(?P<shoe>[^ ]+))?(?P<carried> carried=yes)?"
)
_TABLE_LIKE = "seats=2 banker=1 stakes=1-10/2 buys=2 shoe=AC,AD,5S carried=yes"
_RESULT = re.compile(r"[+-]?[0-9]{1,12}(\.5)?")


class Record(NamedTuple):
    """A round, finished or not, as its text says it; `replay` tells whether it can have happened."""

    rules: Rules
    table: Table
    banker: int  # seat, from 0
    cards: tuple[int, ...]  # 0..51, in the order dealt
    choices: tuple[int, ...]  # actions, in the order chosen
    results: tuple[int, ...] | None  # half chips won, by seat; None if the round is not over
    shoe: tuple[int, ...]  # all cards of the shoe, sorted
    carried: bool  # the shoe was not shuffled before this round (11.2)

    def text(self) -> str:
        """The canonical line."""
        seats, least, most, levels, buys = self.table
        table = f"seats={seats} banker={self.banker} stakes={least}-{most}/{levels} buys={buys}"
        if list(self.shoe) != state.full_shoe(self.rules, seats):
            table += f" shoe={','.join(map(card_text, self.shoe))}"
        table += " carried=yes" * self.carried
        cards = " ".join(map(card_text, self.cards)) or _NOTHING
        choices = _names(self.choices, self.table) or _NOTHING
        return " | ".join((VERSION, self.rules.text(), table, cards, choices, _results_text(self.results)))


def write(rules: Rules, table: Table, s: np.void) -> str:
    """The line of the round in `s`, a row of `state.ROUND`; see `record_of`."""
    return record_of(rules, table, s).text()


def record_of(rules: Rules, table: Table, s: np.void) -> Record:
    """The record of the round in `s`, a row of `state.ROUND`, up to its next decision or its end.

    Raises `BadArgument` if the table has been cleared (11.2), so that the round is gone, or if so many cards were dealt
    that the first of them lie no longer in the ring.
    """
    dealt = int(s["dealt"])
    if not s["endless"] and dealt + s["pool"] + s["under"] > state.RING:
        raise BadArgument("more cards were dealt than a record can tell", got=dealt)
    shoe = _all_cards(s, table.seats)
    if len(shoe) != s["size"] or (s["endless"] and s["head"] != s["size"] + dealt):
        raise BadArgument("a round must be recorded before its table is cleared")
    results = tuple(s["result"][: table.seats].tolist()) if s["phase"] == Phase.DONE else None
    cards = tuple(int(deal.dealt_card(s, i)) for i in range(dealt))
    choices = tuple(s["log"][: s["logged"]].tolist())
    return Record(rules, table, int(s["banker"]), cards, choices, results, tuple(shoe), bool(s["carried"]))


def _all_cards(s: np.void, seats: int) -> list[int]:
    """The shoe: the cards in the ring and those in hands, but players' busts, which lie in the ring too (11.2)."""
    if s["endless"]:
        return sorted(s["shoe"][: s["size"]].tolist())
    cards = _coming(s, int(s["pool"] + s["under"]))
    for seat in range(seats):
        for hand in s["hands"][: s["hands_of"][seat], seat]:
            if seat == s["banker"] or hand["kind"] != HandKind.BUST:
                cards += (hand["cards"][: hand["count"]] & FACE).tolist()
    return sorted(cards)


def _coming(s: np.void, count: int) -> list[int]:
    """The cards in the next `count` places of the ring."""
    return [int(s["shoe"][(s["head"] + i) % state.RING]) for i in range(count)]


def _names(actions: Iterable[int], table: Table) -> str:
    return " ".join(action_name(action, table.buy_levels) for action in actions)


def _results_text(results: Iterable[int] | None) -> str:
    if results is None:
        return _UNFINISHED
    return " ".join(f"{half / 2:+.1f}".removesuffix(".0") if half else "0" for half in results)


def parse(text: str) -> Record:
    """The record that a line says, not replayed.

    Raises `BadRecord` if it is cut off, too long, of another version, or names what does not exist.
    """
    if len(text) > LONGEST:
        raise BadRecord("a record is too long", got=len(text), allowed=f"{LONGEST} characters")
    if not text.isascii() or len(text.strip().splitlines()) != 1:
        raise BadRecord("a record is one line of ASCII", got=text[:80])
    version, *parts = (part.strip() for part in text.split("|"))
    if version != VERSION:
        raise BadRecord("unknown version of a record", got=version[:80], allowed=VERSION)
    if len(parts) != 5:
        raise BadRecord("a record is version | rules | table | cards | choices | results", got=text[:80])
    try:
        return _read(*("" if part == _NOTHING else part for part in parts))
    except (BadRules, BadTable, BadCards) as fault:
        raise BadRecord(str(fault)) from None


def _read(rules_text: str, table_text: str, cards: str, choices: str, results: str) -> Record:
    rules, tokens = Rules.of(rules_text), _read_tokens(table_text)
    carried, banker, shoe = bool(tokens.pop("carried")), int(tokens.pop("banker")), tokens.pop("shoe")
    table = Table.of({name: int(token) for name, token in tokens.items()})
    if banker >= table.seats:
        raise BadRecord("no such seat for the banker", got=banker, allowed=f"0 to {table.seats - 1}")
    if carried and (rules.packs == 0 or rules.reshuffle == "round"):
        raise BadRecord("these rules never carry a shoe over", got="carried=yes", where="clauses 1.1, 11.2")
    dealt, chosen, won = parse_cards(cards), _read_choices(choices, table), _read_results(results, table.seats)
    return Record(rules, table, banker, tuple(dealt), chosen, won, _read_shoe(shoe, rules, table.seats), carried)


def _read_tokens(part: str) -> dict[str, str]:
    """What a table's text says: its fields, and `banker`, `shoe` and `carried`."""
    known = [token.partition("=")[0] for token in _TABLE_LIKE.split()]
    for token in part.split():
        if token.partition("=")[0] not in known:
            raise BadRecord(f"{VERSION} knows no such token of a table", got=token, allowed=" ".join(known))
    found = _TABLE.fullmatch(" ".join(part.split()))
    if found is None:
        raise BadRecord("bad table", got=part, allowed=f"in this order {_TABLE_LIKE}, the last two if need be")
    return found.groupdict()


def _read_choices(part: str, table: Table) -> tuple[int, ...]:
    numbers = []
    for name in part.split():
        number = action_number(name, table.buy_levels)
        if not 0 <= number < table.actions:
            raise BadRecord("no such choice", got=name, allowed=_names(range(table.actions), table))
        numbers.append(number)
    return tuple(numbers)


def _read_results(part: str, seats: int) -> tuple[int, ...] | None:
    """Half chips by seat."""
    if part == _UNFINISHED:
        return None
    texts = part.split()
    if len(texts) != seats or not all(map(_RESULT.fullmatch, texts)):
        raise BadRecord("bad results", got=part, allowed=f"{seats} of chips, as +2, -1.5 or 0, or {_UNFINISHED}")
    return tuple(int(2 * float(text)) for text in texts)


def _read_shoe(text: str | None, rules: Rules, seats: int) -> tuple[int, ...]:
    """The shoe's cards, enough for the deal (4.1)."""
    shoe = state.full_shoe(rules, seats) if text is None else sorted(parse_cards(text.split(",")))
    sizes = rules.shoe_sizes(seats)
    if len(shoe) not in sizes:
        raise BadRecord("bad number of cards in shoe=", got=len(shoe), allowed=f"{sizes[0]} to {sizes[-1]}")
    return tuple(shoe)


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
    r, s = _sit_down(record)
    s["carried"] = record.carried
    return _play(r, s, record)


def _sit_down(record: Record) -> tuple[np.void, np.void]:
    """A table with a full shoe: rules as kernels read them, and a round not yet dealt."""
    game, rows = state.pack(record.rules, record.table), np.zeros(1, state.ROUND)
    state.set_shoe(game, list(record.shoe))
    rows["source"] = rng.seed_words(0)
    open_episode(game[0], rows[0])
    return game[0], rows[0]


def _play(r: np.void, s: np.void, record: Record) -> Iterator[np.void]:
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
    dealt, known = int(s["dealt"]), _coming(s, int(s["stacked"]))
    most = state.RING - int(s["size"]) if s["endless"] else int(s["pool"])
    cards = known + list(record.cards[dealt + len(known) : dealt + most])
    at = deal.stack(s, np.array(cards, np.uint8))
    if at >= 0:
        raise _fault(record, f"card {dealt + at + 1} cannot come", "1.1", got=card_text(cards[at]))


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
            raise _fault(record, f"card {i + 1}, dealt after choice {s['logged']}, is missing", "4.1, 6")
        got, due = card_text(record.cards[i]), card_text(deal.dealt_card(s, i))
        if got != due:
            raise _fault(record, f"card {i + 1} cannot come", "1.5, 11.2", got=got, allowed=due)


def _check_choice(r: np.void, s: np.void, record: Record, number: int) -> None:
    """Choice `number`, from 1, is asked for and allowed."""
    action, mask = record.choices[number - 1], np.zeros(actions_of_turn(r, s), np.bool_)
    if s["phase"] != Phase.DONE:
        legal.mask(r, s, mask)
    allowed = np.flatnonzero(mask).tolist()
    if action not in allowed:
        what = f"choice {number}, of seat {s['turn']}, is not allowed"
        names = _names(allowed, record.table) or "nothing, the round is over"
        clause = legal.clause_of(int(s["phase"]), action, record.table.buy_levels)
        raise _fault(record, what, clause, got=_names([action], record.table), allowed=names)


def _check_end(s: np.void, record: Record) -> None:
    """All recorded cards came, and the settlement is the recorded one (10)."""
    dealt, over = int(s["dealt"]), s["phase"] == Phase.DONE
    if dealt < len(record.cards):
        raise _fault(record, f"card {dealt + 1} is left over", "6, 7", got=card_text(record.cards[dealt]))
    due = tuple(s["result"][: record.table.seats].tolist()) if over else None
    if record.results != due:
        what = "wrong results" if over else f"wrong results, seat {s['turn']} has yet to choose"
        raise _fault(record, what, "7, 10", got=_results_text(record.results), allowed=_results_text(due))


def _fault(record: Record, what: str, clause: str, **said: str) -> BadRecord:
    return BadRecord(what, where=f"clause {clause} in {record.text()}", **said)


def write_session(rounds: Iterable[Record]) -> str:
    """The text of a session."""
    return "\n".join(record.text() for record in rounds)


def parse_session(text: str) -> tuple[Record, ...]:
    """The rounds of a session, first to last, not replayed.

    Raises `BadRecord`, with the number of the round, if a line cannot be read or cannot come after the one before.
    """
    rounds: list[Record] = []
    for number, line in enumerate(text.strip().split("\n"), 1):
        with _round(number):
            record = parse(line)
            before = rounds[-1] if rounds else record._replace(results=())
            if before.results is None:
                raise BadRecord("the round before is not over")
            if (before.rules, before.table, before.shoe) != (record.rules, record.table, record.shoe):
                raise BadRecord("other rules, another table or another shoe than the round before")
            rounds.append(record)
    return tuple(rounds)


def replay_session(source: str | Iterable[Record]) -> list[np.void]:
    """Play a session through the engine, cards carried from round to round (11.2): each round where it ends.

    Who banks is as recorded. Raises `BadRecord` as `parse_session` and `replay` do, or if a record says wrongly
    whether its shoe was carried.
    """
    rounds = parse_session(source if isinstance(source, str) else write_session(source))
    r, s = _sit_down(rounds[0])
    ends: list[np.void] = []
    for number, record in enumerate(rounds, 1):
        with _round(number):
            _check_shoe(s, record)
            ends.append(list(_play(r, s, record))[-1].copy())
            clear_table(r, s)
            s["round"] += 1
    return ends


def _check_shoe(s: np.void, record: Record) -> None:
    """The record says rightly whether its shoe was carried."""
    carried = bool(s["carried"])
    if carried != record.carried:
        raise _fault(record, "wrong state of the shoe", "11.2", allowed="carried=yes" if carried else "no carried=yes")


@contextmanager
def _round(number: int) -> Iterator[None]:
    """Say in which round of a session, from 1, a fault is."""
    try:
        yield
    except BadRecord as fault:
        raise BadRecord(f"round {number} of the session: {fault}") from None
