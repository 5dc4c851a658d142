"""The canonical one-line text of a round: write it, parse it.

    pontoon/1 | home,split=none | seats=2 banker=1 stakes=1-10/2 buys=2 | 5S 9C 6D 8H QC | W0 B1 S S | +3 -3

Six parts: version; rules (`Rules.text`); table: seats, the banker's seat from 0, least and most stake / levels, buy
levels; cards in the order dealt; choices in the order made (`names.action_name`), whose they are the engine knows;
chips won by seat, `...` if the round is not over. `-` stands for no card and no choice. A table may go on with
`shoe=AC,AD,5S`, the cards of a shoe other than the rules' own, and `carried=yes`, not shuffled before (11.2).
Of all spellings that `parse` reads, `Record.text` writes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from pontoon_gym.cards import card_text, parse_cards
from pontoon_gym.engine import state
from pontoon_gym.errors import BadCards, BadRecord, BadRules, BadTable
from pontoon_gym.names import action_name, action_number
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
        choices = names_of(self.choices, self.table) or _NOTHING
        return " | ".join((VERSION, self.rules.text(), table, cards, choices, results_text(self.results)))


def names_of(actions: Iterable[int], table: Table) -> str:
    return " ".join(action_name(action, table.buy_levels) for action in actions)


def results_text(results: Iterable[int] | None) -> str:
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
    rules, tokens = _read_rules(rules_text), _read_tokens(table_text)
    carried, banker, shoe = bool(tokens.pop("carried")), int(tokens.pop("banker")), tokens.pop("shoe")
    table = Table.of({name: int(token) for name, token in tokens.items()})
    if banker >= table.seats:
        raise BadRecord("no such seat for the banker", got=banker, allowed=f"0 to {table.seats - 1}")
    if carried and (rules.packs == 0 or rules.reshuffle == "round"):
        raise BadRecord("these rules never carry a shoe over", got="carried=yes", where="clauses 1.1, 11.2")
    dealt, chosen, won = parse_cards(cards), _read_choices(choices, table), _read_results(results, table.seats)
    return Record(rules, table, banker, tuple(dealt), chosen, won, _read_shoe(shoe, rules, table.seats), carried)


@lru_cache(maxsize=64)
def _read_rules(text: str) -> Rules:
    # Records come by the thousand under the same rules.
    return Rules.of(text)


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
            raise BadRecord("no such choice", got=name, allowed=names_of(range(table.actions), table))
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
