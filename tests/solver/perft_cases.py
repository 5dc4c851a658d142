"""The frozen integers of `perft.json`: how many lines of play there are at some tables with some shoes.

Definitions stand at the head of `pontoon_gym/engine/perft.py`; the last seat banks, result is seat 0's.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from pontoon_gym import Rules, Table
from pontoon_gym.cards import parse_cards, parse_shoe
from tests import reference

FILE = Path(__file__).with_name("perft.json")


class Case(NamedTuple):
    """One count and what it is of."""

    name: str
    rules: Rules
    table: Table
    shoe: list[int]  # the full shoe: cards 0..51, sorted
    depth: int | None
    ended: int
    open: int
    result: int

    @property
    def lines(self) -> int:
        """How many there are to visit."""
        return self.ended + self.open


def perft_cases(most: float = float("inf")) -> list[Case]:
    """The cases of at most so many lines, in the order of the file."""
    cases = [_case(**entry) for entry in json.loads(FILE.read_text(encoding="utf-8"))]
    return [case for case in cases if case.lines <= most]


def _case(
    name: str, rules: str, table: dict[str, int], shoe: object, depth: int | None, counts: dict[str, int]
) -> Case:
    """A case from an entry of the file; its shoe is counts of ranks, a text of cards, or null for the rules' own."""
    parsed, seated = Rules.of(rules), Table.of(table)
    if shoe is None:
        cards = reference.full_shoe(parsed.as_dict(), seated.seats)
    else:
        cards = parse_shoe(shoe) if isinstance(shoe, dict) else sorted(parse_cards(str(shoe)))
    return Case(name, parsed, seated, cards, depth, **counts)
