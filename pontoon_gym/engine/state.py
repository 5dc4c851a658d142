"""The records that kernels work on: the rules packed as numbers, a hand, a round.

A round is one fixed-size record for every table, so that one compilation serves all. Sessions will add their chips
per seat to `ROUND`; a seat's number never changes, only `banker` moves.

A card's byte holds the card (`hand.FACE`) and two flags: KNOWN, that every seat saw it before in this shoe (8.3),
and SHOWN, that it lies face up (8.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.cards import MOST_SHOE, PACK, TEN, parse_shoe
from pontoon_gym.errors import BadCards
from pontoon_gym.rules import Rules, Table, specs

MOST_SEATS, MOST_HANDS = 9, 4
MOST_CARDS = 22
"""Cards of the longest hand: 21 aces and the card that busts it."""
MOST_BUYS = 4
MOST_ACTIONS = 27
"""STICK, TWIST, SPLIT, eight buys and sixteen stakes."""
ORDERED = 3
"""How many of a hand's shown cards, from the first on, are kept in order: what a trick leaves room for."""
RING = 1024
"""Places of the ring that the shoe lies in, a power of two: 468 cards at most, behind them those just dealt. A round
that dealt more than the rest, 556 cards, could no longer tell its first ones; nine seats splitting to four hands of
five deal 165."""
LOG = 800
"""Choices of the longest round: one for each card beyond the deal, each hand and each stake at most."""

KNOWN, SHOWN = 64, 128

GAME = np.dtype(
    [(name, "i8") for name in Rules._fields + Table._fields]
    + [(name, "i8") for name in ("most_hands", "most_buys", "first_stake", "actions")]
    + [("rounds", "i8"), ("role", "i8"), ("seat", "i8"), ("size", "i8"), ("pack", "u1", MOST_SHOE)],
    align=True,
)
"""Rules and table as kernels read them: yes is 1, options are their enumeration's numbers, rates count half stakes;
then what `Rules` and `Table` say of themselves by these names. `rounds` is rounds per episode; `role` is the learner's
`names.Role`, −1 if nobody learns; `seat` their place from the banker's left, −1 if drawn each episode; `pack` holds the
`size` cards of a full shoe."""

HAND = np.dtype(
    [
        ("counts", "i8"),  # its cards by value (hand.card_count)
        ("public", "i8"),  # those whose value everybody knows, likewise (8.1)
        ("stake", "i4"),  # the initial stake, chips
        ("buys", "i4", MOST_BUYS),  # what each buy or double added, chips
        ("made", "i2"),  # its composition (hand.AFTER), −1 if it is bust
        ("shown", "i2"),  # the values of its first ORDERED shown cards in order, four bits each, the first lowest
        ("count", "i1"),  # cards held
        ("hard", "i1"),  # total with every ace 1
        ("aces", "i1"),
        ("bought", "i1"),  # buys or doubles made
        ("twists", "i1"),
        ("split", "i1"),  # 1 for a hand that came of a split
        ("kind", "i1"),  # names.HandKind
        ("done", "i1"),  # 1 once nothing more is to be chosen on it
        ("cards", "u1", MOST_CARDS),  # in the order received
    ],
    align=True,
)
"""One hand. A seat's hands stand in order of play (6.6). All but stakes and choices follows from its cards: it is kept
because most of what is asked of a hand asks for it."""

ROUND = np.dtype(
    [
        # What every step reads comes first and close together: rows are many, and memory is slow.
        ("deals", "u8", 4),  # the cards' stream, so that an episode's shoe does not depend on what is chosen
        ("gain", "i8"),  # half chips of the agent's rounds settled since its last step
        ("phase", "i2"),  # names.Phase
        ("banker", "i2"),  # seats, from 0
        ("turn", "i2"),
        ("hand", "i2"),  # the hand of `turn` in play
        ("agent", "i2"),  # the learner's seat, −1 for none
        ("sudden", "i2"),  # the seat that sudden death paid, −1 for none (12.4)
        ("steps", "i4"),  # the learner's actions in this episode
        ("size", "i2"),  # cards of the shoe
        ("endless", "i2"),  # 1: draws are with replacement (1.1)
        ("head", "i2"),  # place in the ring of the next card
        ("pool", "i2"),  # cards from `head` on that can be dealt
        ("stacked", "i2"),  # how many of those lie in a fixed order; the rest is unshuffled, drawn at random
        ("fresh", "i2"),  # how many of those nobody has seen since the last shuffle
        ("under", "i2"),  # used cards lying behind the pool, in order (11.2)
        ("carried", "i2"),  # 1: the shoe was not shuffled before this round (11.2)
        ("dealt", "i2"),  # cards dealt in this round; they lie behind `head`
        ("logged", "i2"),  # choices made in this round
        ("over", "i2"),  # not 0 between an episode's end and the next reset: ENDED or CUT (`engine.run.episode`)
        ("hands_of", "i2", MOST_SEATS),  # hands each seat holds
        ("seen", "i2", 10),  # cards by value that lie used, each seen by all since the last shuffle (8.3)
        ("choices", "u8", 4),  # the stream of policies that randomise
        ("source", "u8", 4),  # the row's own stream; each episode branches the other two from it
        ("episode", "i8"),  # episodes begun since the seed
        ("round", "i8"),  # rounds of the episode that have been settled
        ("illegal", "i4"),  # actions of this episode that were forbidden, and paid for
        ("result", "i8", MOST_SEATS),  # half chips won in this round, by seat; set by settlement
        ("log", "u1", LOG),  # the choices of this round
        ("shoe", "u1", RING),
        ("hands", HAND, (MOST_HANDS, MOST_SEATS)),  # a seat's hands in order of play are its column
    ],
    align=True,
)
"""One seat of chance: a round, its shoe, and what carries over to the next."""

_FIELDS: Any = ROUND.fields
HOT = (*range(0, _FIELDS["log"][1] + 1, 64), *(_FIELDS[name][1] + at for name in ("shoe", "hands") for at in (0, 64)))
"""Where in a `ROUND` lie the lines of memory, of 64 bytes, that a step at a table of two always reads."""

Array = NDArray[np.void]


def pack(rules: Rules, table: Table, *, rounds: int = 1, role: int = -1, seat: int = -1) -> Array:
    """Rules, table and who learns as kernels read them: one row of `GAME`."""
    game = np.zeros(1, GAME)
    for name, value in rules.as_dict().items():
        game[name] = _number(name, value)
    for name, value in table.as_dict().items():
        game[name] = value
    game["most_hands"], game["most_buys"] = rules.most_hands, rules.most_buys
    game["first_stake"], game["actions"] = table.first_stake, table.actions
    game["rounds"], game["role"], game["seat"] = rounds, role, seat
    set_shoe(game, full_shoe(rules, table.seats))
    return game


def _number(name: str, value: bool | int | float | str) -> int:
    kind, spec = specs(Rules)[name]
    if spec.options is not None:
        return int(spec.options[str(value).upper()])
    return round(2 * float(value)) if kind is float else int(value)


def full_shoe(rules: Rules, seats: int) -> list[int]:
    """The cards of a full shoe at a table of so many seats, sorted (1.1, 1.2)."""
    packs = rules.packs
    if packs and 0 < rules.second_pack_from <= seats:
        packs += 1
    cards = [card for card in range(PACK) if rules.tens or card // 4 != TEN]
    return sorted(cards * max(packs, 1))


def shoe_asked(rules: Rules, seats: int, counts: Mapping[str, int]) -> list[int]:
    """The cards of a shoe given as counts of ranks, in place of the rules' own; sorted.

    Raises `BadCards` for ranks that do not exist and for too few or too many cards.
    """
    cards, sizes = parse_shoe(counts), rules.shoe_sizes(seats)
    if len(cards) not in sizes:
        allowed = f"{sizes[0]} to {sizes[-1]} cards"
        raise BadCards("bad number of cards in a shoe", got=len(cards), allowed=allowed)
    return cards


def set_shoe(game: Array, cards: list[int]) -> None:
    """Make `cards` the full shoe of a packed game (in place)."""
    game["size"] = len(cards)
    game["pack"][0, : len(cards)] = cards
