"""Every line of play counted a second time, on `reference.py` alone: written apart from the engine's count.

A line is walked by replay: the round is played from the start under a script of event numbers; where the script
ends the first option is taken and written down, and after the round the last event with an option left moves on.
An event is a card or a choice. The reference's code plays; only two things are hung into it: `choose` (the callback
it has anyway) and the card on top of the shoe, which is chosen from the cards whose order nobody knows and moved to
the front just before the reference takes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from tests import reference as R


class Stop(Exception):
    """The events of this run are used up."""


class Walk:
    """The script, and where we are in it. An entry is [option taken, number of options]."""

    def __init__(self, depth: int) -> None:
        self.depth, self.at, self.skipped = depth, 0, 0
        self.script: list[list[int]] = []

    def event(self, options: int, may_end: bool) -> int:
        """The option of the next event. `may_end`: it may be the last of the round."""
        if self.at == self.depth:
            raise Stop
        if self.at == len(self.script):
            if not may_end and self.at + 1 == self.depth:  # each option leaves the round open: no need to play them
                self.skipped = options
                raise Stop
            self.script.append([0, options])
        entry = self.script[self.at]
        assert entry[1] == options
        self.at += 1
        return entry[0]

    def advance(self) -> bool:
        """The next script; whether there is one."""
        while self.script and self.script[-1][0] + 1 == self.script[-1][1]:
            self.script.pop()
        if self.script:
            self.script[-1][0] += 1
        self.at, self.skipped = 0, 0
        return bool(self.script)


class Round(R._Round):
    """A round whose choices and cards a walk decides."""

    def __init__(self, rules: Mapping[str, object], seats: int, shoe: list[int], walk: Walk) -> None:
        super().__init__(rules, seats, seats - 1, shoe, self.pick, lambda cards: cards)
        self.distinct = sorted(set(shoe))
        self.unknown = len(shoe)  # so many cards at the front of the shoe lie in an unknown order
        self.walk, self.bankers_turn = walk, False

    def play_banker(self) -> None:
        self.bankers_turn = True
        super().play_banker()

    def pick(self, seat: int, number: int, allowed: list[int]) -> int:
        # After all others the banker is still asked.
        return allowed[self.walk.event(len(allowed), seat == self.banker)]

    def give(self, hand: R.Hand) -> None:
        card = self.choose_card(sorted(set(self.front())))
        if self.endless:
            self.shoe = [card]
        else:
            # Equal cards are the same event, any of them will do: the first comes to the front.
            self.shoe.remove(card)
            self.shoe.insert(0, card)
            self.unknown = max(self.unknown - 1, 0)
        super().give(hand)

    def front(self) -> list[int]:
        """The cards of which any may come next."""
        if self.endless:
            return self.distinct
        if not self.shoe and self.busts:  # 1.5, shuffled in: an unknown order again
            self.shoe, self.busts = self.busts, []
            self.unknown = len(self.shoe)
        return self.shoe[: self.unknown] if self.unknown else self.shoe[:1]

    def choose_card(self, options: list[int]) -> int:
        return options[self.walk.event(len(options), self.bankers_turn)]


def count(
    rules: Mapping[str, object], table: Mapping[str, int], shoe: list[int], depth: int | None = None
) -> tuple[int, int, int]:
    """Lines ended, lines still open after `depth` events, and the half chips that seat 0 won in the ended ones."""
    stakes = R.levels(table["stake_min"], table["stake_max"], table["stake_levels"])
    walk = Walk(-1 if depth is None else depth)
    ended = still_open = 0
    result = Fraction(0)
    while True:
        try:
            payoffs = Round(rules, table["seats"], shoe, walk).play(stakes, table["buy_levels"])
        except Stop:
            still_open += walk.skipped or 1
        else:
            ended += 1
            result += 2 * payoffs[0]
        if not walk.advance():
            break
    assert result.denominator == 1
    return ended, still_open, int(result)
