"""The key of an infostate: one integer for all that a policy's lookup may depend on.

`KEYS` is its layout. In the heads-up game with one hand and tricks of up to five cards a key tells everything that its
seat knows and that bears on its choice (but for the suits of shown cards, where a bonus pays for them). Elsewhere it
stands for several infostates, an abstraction: a player's key leaves out the other players and the cards of their own
other hands, a banker's the smaller hands. Here a key is made from a live round, in `from_vector` from an observation.
"""

from __future__ import annotations

from pontoon_gym.compiled import Record, int64, kernel, leaf
from pontoon_gym.engine.bank import seat_at
from pontoon_gym.engine.hand import value
from pontoon_gym.engine.legal import buy_least, buy_most, level_of
from pontoon_gym.engine.settle import total_stake
from pontoon_gym.engine.view.observe import (
    A_BUST,
    A_PONTOON,
    A_TRICK,
    drawable,
    is_open,
    pair_flag,
    public_state,
    suit_flag,
)
from pontoon_gym.names import Buying, Phase, Role

KEYS: dict[Role, dict[str, int]] = {
    Role.PLAYER: {
        "phase": 2,  # names.Phase
        "cards": 12,  # composition of the hand in play (hand.AFTER)
        "shown": 12,  # its first three shown cards' values, in order; 0 where all cards lie up
        "drawable": 2,
        "stake": 4,  # level of the initial stake
        "bought": 3,  # number of buys
        "buys": 12,  # level of each, three bits, the first lowest
        "hands": 3,  # own hands
        "split": 4,  # value of the card that was split, 0 for a hand that came of no split
        "twisted": 1,
        "pair": 1,
        "upcard": 4,  # the banker's first card's value where it lies up
        "suits": 2,  # 1 one suit, 2 all spades, where a bonus pays for it
    },
    Role.BANKER: {
        "phase": 2,
        "cards": 12,
        "drawable": 2,
        "plain": 5,  # live hands that are neither trick nor Pontoon, at most 31
        "tricks": 3,  # at most 7
        "pontoons": 3,  # at most 7
        "lead": 3,  # what is known of the live hand with most at stake, of equal ones the first (observe.public_state)
        "open": 1,  # all its cards are known: `shown` is then its composition
        "shown": 12,  # else its first three shown cards' values, in order
        "stake": 4,
        "bought": 3,
        "buys": 12,
    },
}
"""The bits of an infostate key, most significant first."""
ALL_BITS = -1
"""Every bit of a key is asked for."""

PLAYER_WIDTHS = tuple(KEYS[Role.PLAYER].values())
_BANKER_WIDTHS = tuple(KEYS[Role.BANKER].values())
_LEAD_WIDTHS = _BANKER_WIDTHS[3:]
_OWN_WIDTHS = (*_BANKER_WIDTHS[:3], sum(_LEAD_WIDTHS))
_LEAD_BITS = (1 << sum(_LEAD_WIDTHS)) - 1
_PLAYER_DONE, _BANKER_DONE = (int(Phase.DONE) << sum(widths[1:]) for widths in (PLAYER_WIDTHS, _BANKER_WIDTHS))


def key_bits(role: Role, names: tuple[str, ...]) -> int:
    """The bits of a key that hold the named parts."""
    bits = 0
    for name, width in KEYS[role].items():
        bits = bits << width | ((1 << width) - 1 if name in names else 0)
    return bits


def unpack_key(role: Role, key: int) -> dict[str, int]:
    """The parts of an infostate key by name."""
    parts = {}
    for name, width in reversed(KEYS[role].items()):
        parts[name] = key & ((1 << width) - 1)
        key >>= width
    return dict(reversed(parts.items()))


def pack_key(role: Role, **parts: int) -> int:
    """The infostate key of some parts, the others 0."""
    key = 0
    for name, width in KEYS[role].items():
        key = key << width | parts.pop(name, 0)
    if parts:
        raise KeyError(f"no such part of a key: {', '.join(parts)}")
    return key


@leaf
def buy_level(r: Record, amount: int, bought: int, previous: int, stake: int) -> int:
    """The level of a hand's next buy (6.4, 9.3); a double has one level (6.5)."""
    if r["buying"] != Buying.BUY:
        return 0
    return level_of(amount, r["buy_levels"], buy_least(stake), buy_most(r, stake, bought, previous))


@kernel
def buys_code(r: Record, hand: Record) -> int:
    """The level of each buy, three bits each, the first lowest."""
    code, previous = int64(0), int64(0)
    for k in range(hand["bought"]):
        code |= buy_level(r, hand["buys"][k], k, previous, hand["stake"]) << (3 * k)
        previous = hand["buys"][k]
    return code


@leaf
def stake_level(r: Record, stake: int) -> int:
    """The level of an initial stake; 0 before it is made."""
    return level_of(stake, r["stake_levels"], r["stake_min"], r["stake_max"]) if stake > 0 else 0


@leaf
def split_value(hand: Record) -> int:
    """The value of the card that was split to make a hand, its first one (6.6); 0 for any other hand."""
    return value(hand["cards"][0]) if hand["split"] else 0


@leaf
def fold(parts: tuple[int, ...], widths: tuple[int, ...]) -> int:
    """Pack parts into a key, the first most significant."""
    key = int64(0)
    for k in range(len(parts)):
        key = (key << widths[k]) | parts[k]
    return key


@kernel
def player_key(r: Record, s: Record) -> int:
    """The key of the player whose turn it is."""
    hand = s["hands"][s["hand"], s["turn"]]
    bank = s["hands"][0, s["banker"]]
    return fold(
        (
            int64(s["phase"]),
            int64(hand["made"]),
            int64(0 if r["players_face_up"] else hand["shown"]),
            int64(drawable(s)),
            int64(stake_level(r, hand["stake"])),
            int64(hand["bought"]),
            int64(buys_code(r, hand)),
            int64(s["hands_of"][s["turn"]]),
            int64(split_value(hand)),
            int64(hand["twists"] > 0),
            int64(pair_flag(r, hand)),
            int64(bank["shown"] & 15),
            int64(suit_flag(r, hand)),
        ),
        PLAYER_WIDTHS,
    )


@kernel
def hand_code(hand: Record) -> int:
    """How a hand's cards look to others: its composition if all are known, else its shown cards in order."""
    return hand["made"] if is_open(hand) else hand["shown"]


@leaf
def lead_of(r: Record, s: Record) -> tuple[int, int, int]:
    """How many plain hands, tricks and Pontoons are live, each number packed in eight bits, and where the lead is.

    Returns the packed numbers, and the seat and place of the live hand with most at stake, −1 if there is none.
    """
    counts, most, lead_seat, lead_hand = int64(0), int64(-1), int64(-1), int64(-1)
    for where in range(r["seats"] - 1):
        seat = seat_at(r, s, where)
        for h in range(s["hands_of"][seat]):
            hand = s["hands"][h, seat]
            state = public_state(hand)
            if state == A_BUST:
                continue
            counts += 1 << (8 * ((state == A_TRICK) + 2 * (state == A_PONTOON)))
            if total_stake(hand) > most:
                most, lead_seat, lead_hand = total_stake(hand), seat, h
    return counts, lead_seat, lead_hand


@leaf
def fold_lead(counts: int, state: int, is_all_known: bool, shown: int, stake: int, bought: int, buys: int) -> int:
    """The parts of a banker's key that describe the players' hands; `counts` as `lead_of` packs them."""
    plain, tricks, pontoons = min(counts & 255, 31), min((counts >> 8) & 255, 7), min(counts >> 16, 7)
    return fold(
        (
            int64(plain),
            int64(tricks),
            int64(pontoons),
            int64(state),
            int64(is_all_known),
            int64(shown),
            int64(stake),
            int64(bought),
            int64(buys),
        ),
        _LEAD_WIDTHS,
    )


@leaf
def fold_banker(phase: int, made: int, left: int, lead: int) -> int:
    """A banker's key from the parts that describe their own hand, and from what `fold_lead` made."""
    return fold((int64(phase), int64(made), int64(left), int64(lead)), _OWN_WIDTHS)


@kernel
def lead_key(r: Record, s: Record) -> int:
    """The part of a banker's key that describes the players' hands."""
    counts, seat, h = lead_of(r, s)
    if seat < 0:
        return 0
    lead = s["hands"][h, seat]
    level = stake_level(r, lead["stake"])
    return fold_lead(
        counts, public_state(lead), is_open(lead), hand_code(lead), level, lead["bought"], buys_code(r, lead)
    )


@leaf
def banker_key(r: Record, s: Record, asked: int) -> int:
    """The key of the banker whose turn it is; the players' hands are left out if no bit of that part is `asked`."""
    own = s["hands"][0, s["banker"]]
    lead = lead_key(r, s) if asked & _LEAD_BITS else int64(0)
    return fold_banker(s["phase"], own["made"], drawable(s), lead)


@leaf
def done_key(banker: bool) -> int:
    """The key of a round's end: nothing but the phase."""
    return _BANKER_DONE if banker else _PLAYER_DONE


@kernel
def key_of_turn(r: Record, s: Record, banker: bool, asked: int) -> int:
    """The key of the seat whose turn it is, or of a round's end for a role.

    Args:
        asked: the bits that anybody looks at (`ALL_BITS`); others may be left 0.
    """
    if s["phase"] == Phase.DONE:
        return done_key(banker)
    return banker_key(r, s, asked) if banker else player_key(r, s)
