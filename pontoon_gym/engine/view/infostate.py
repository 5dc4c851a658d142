"""The infostate key: one integer for all that a table of choices may depend on.

`KEYS` is its layout. In the heads-up game with one hand and tricks of up to five cards a key tells everything that its
seat knows and that bears on its choice (but for the suits of shown cards, where a bonus pays for them). At fuller
tables a player's key leaves out the other players, and a banker's the smaller hands. A key is made from a live round,
or from a vector observation, so that a table can be asked with either.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, kernel, leaf, uint64
from pontoon_gym.engine.bank import seat_at
from pontoon_gym.engine.hand import AFTER, VALUES, value
from pontoon_gym.engine.legal import buy_least, buy_most, level_of
from pontoon_gym.engine.settle import total_stake
from pontoon_gym.engine.state import MOST_BUYS, ORDERED
from pontoon_gym.engine.view.columns import STATES, Column
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

_PLAYER_WIDTHS = tuple(KEYS[Role.PLAYER].values())
_BANKER_WIDTHS = tuple(KEYS[Role.BANKER].values())
_LEAD_WIDTHS = _BANKER_WIDTHS[3:]
_OWN_WIDTHS = (*_BANKER_WIDTHS[:3], sum(_LEAD_WIDTHS))
_LEAD_BITS = (1 << sum(_LEAD_WIDTHS)) - 1
_PLAYER_DONE, _BANKER_DONE = (int(Phase.DONE) << sum(widths[1:]) for widths in (_PLAYER_WIDTHS, _BANKER_WIDTHS))


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


# --- from a live round -------------------------------------------------------------------------------------------


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
        _PLAYER_WIDTHS,
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


@kernel
def lead_key(r: Record, s: Record) -> int:
    """What a banker's key tells of the players' hands."""
    counts, seat, h = lead_of(r, s)
    plain, tricks, pontoons = min(counts & 255, 31), min((counts >> 8) & 255, 7), min(counts >> 16, 7)
    if seat < 0:
        return 0
    lead = s["hands"][h, seat]
    return fold(
        (
            plain,
            tricks,
            pontoons,
            int64(public_state(lead)),
            int64(is_open(lead)),
            int64(hand_code(lead)),
            int64(stake_level(r, lead["stake"])),
            int64(lead["bought"]),
            int64(buys_code(r, lead)),
        ),
        _LEAD_WIDTHS,
    )


@leaf
def banker_key(r: Record, s: Record, asked: int) -> int:
    """The key of the banker in his turn; what it tells of the players' hands is left out if no bit of it is `asked`."""
    own = s["hands"][0, s["banker"]]
    told = lead_key(r, s) if asked & _LEAD_BITS else int64(0)
    return fold((int64(s["phase"]), int64(own["made"]), int64(drawable(s)), told), _OWN_WIDTHS)


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


# --- from a vector observation -----------------------------------------------------------------------------------


@kernel
def get(row: NDArray[np.float32], columns: NDArray[np.void], field: int, k: int) -> int:
    """The k-th number of a field, unscaled; 0 where the layout lacks the field."""
    column = columns[field]
    if k >= column["width"]:
        return 0
    return int64(np.rint(row[column["start"] + uint64(k)] * column["divisor"]))


@kernel
def get_composition(row: NDArray[np.float32], columns: NDArray[np.void], field: int, at: int) -> int:
    """The composition of the ten counts by value from column `at` of a field; 0 if they are bust."""
    made = 0
    for v in range(VALUES):
        for _ in range(get(row, columns, field, at + v)):
            made = AFTER[made, v] if made >= 0 else -1
    return max(made, 0)


@kernel
def get_count(row: NDArray[np.float32], columns: NDArray[np.void], field: int, at: int) -> int:
    """How many cards those ten counts make."""
    count = 0
    for v in range(VALUES):
        count += get(row, columns, field, at + v)
    return count


@kernel
def get_code(row: NDArray[np.float32], columns: NDArray[np.void], field: int, at: int) -> int:
    """The values of shown cards in order, four bits each."""
    code = 0
    for k in range(ORDERED):
        code |= get(row, columns, field, at + k) << (4 * k)
    return code


@kernel
def get_phase(row: NDArray[np.float32], columns: NDArray[np.void]) -> int:
    """The phase told."""
    for phase in range(4):
        if get(row, columns, Column.PHASE, phase):
            return phase
    return Phase.DONE


@kernel
def get_upcard(row: NDArray[np.float32], columns: NDArray[np.void]) -> int:
    """The value of the banker's one card lying up, 0 for none."""
    for v in range(VALUES):
        if get(row, columns, Column.BANKER_CARDS, v):
            return v + 1
    return 0


@kernel
def get_buys(
    r: Record, row: NDArray[np.float32], columns: NDArray[np.void], field: int, at: int, stake: int
) -> tuple[int, int]:
    """How many buys a hand made, and their levels, from the columns from `at` on."""
    bought, code, previous = int64(0), int64(0), int64(0)
    for k in range(min(MOST_BUYS, columns[field]["width"] - at)):
        amount = get(row, columns, field, at + k)
        if k >= r["most_buys"] or amount == 0:
            break
        code |= buy_level(r, amount, bought, previous, stake) << (3 * bought)
        bought, previous = bought + 1, amount
    return bought, code


@kernel
def player_key_of(r: Record, columns: NDArray[np.void], row: NDArray[np.float32]) -> int:
    """The key that a player's observation tells."""
    stake = get(row, columns, Column.STAKE, 0)
    bought, code = get_buys(r, row, columns, Column.BUYS, 0, stake)
    suited = get(row, columns, Column.ONE_SUIT, 0) + get(row, columns, Column.ONE_SUIT, 1)
    return fold(
        (
            int64(get_phase(row, columns)),
            int64(get_composition(row, columns, Column.CARDS, 0)),
            int64(0 if r["players_face_up"] else get_code(row, columns, Column.SHOWN, 0)),
            int64(get(row, columns, Column.DRAWABLE, 0)),
            int64(stake_level(r, stake)),
            int64(bought),
            int64(code),
            int64(get(row, columns, Column.HANDS, 0)),
            int64(get(row, columns, Column.SPLIT, 0) * get(row, columns, Column.SHOWN, 0)),
            int64(get(row, columns, Column.TWISTS, 0) > 0),
            int64(get(row, columns, Column.PAIR, 0)),
            int64(get_upcard(row, columns)),
            int64(suited),
        ),
        _PLAYER_WIDTHS,
    )


@kernel
def get_state(row: NDArray[np.float32], columns: NDArray[np.void], k: int) -> int:
    """What is known of the hand at place k among others (observe.public_state)."""
    for state in range(STATES):
        if get(row, columns, Column.OTHER_STATE, STATES * k + state):
            return state
    return A_BUST


@kernel
def get_total_stake(row: NDArray[np.float32], columns: NDArray[np.void], k: int, most_buys: int) -> int:
    """What lies on the hand at place k among others, chips."""
    chips = get(row, columns, Column.OTHER_STAKE, k)
    for b in range(most_buys):
        chips += get(row, columns, Column.OTHER_BUYS, most_buys * k + b)
    return chips


@kernel
def banker_key_of(r: Record, columns: NDArray[np.void], row: NDArray[np.float32]) -> int:
    """The key that a banker's observation tells."""
    places = columns[Column.OTHER_COUNT]["width"]
    most_buys = columns[Column.OTHER_BUYS]["width"] // places
    plain = tricks = pontoons = 0
    lead, most = -1, -1
    for k in range(places):
        state = get_state(row, columns, k)
        if get(row, columns, Column.OTHER_COUNT, k) == 0 or state == A_BUST:
            continue
        tricks += state == A_TRICK
        pontoons += state == A_PONTOON
        plain += state != A_TRICK and state != A_PONTOON
        chips = get_total_stake(row, columns, k, most_buys)
        if chips > most:
            lead, most = k, chips
    state = is_all_known = shown = stake = bought = code = 0
    if lead >= 0:
        state = get_state(row, columns, lead)
        known = get_count(row, columns, Column.OTHER_CARDS, VALUES * lead)
        is_all_known = known == get(row, columns, Column.OTHER_COUNT, lead)
        if is_all_known:
            shown = get_composition(row, columns, Column.OTHER_CARDS, VALUES * lead)
        else:
            shown = get_code(row, columns, Column.OTHER_SHOWN, ORDERED * lead)
        stake = get(row, columns, Column.OTHER_STAKE, lead)
        bought, code = get_buys(r, row, columns, Column.OTHER_BUYS, most_buys * lead, stake)
    return fold(
        (
            int64(get_phase(row, columns)),
            int64(get_composition(row, columns, Column.CARDS, 0)),
            int64(get(row, columns, Column.DRAWABLE, 0)),
            int64(min(plain, 31)),
            int64(min(tricks, 7)),
            int64(min(pontoons, 7)),
            int64(state),
            int64(is_all_known),
            int64(shown),
            int64(stake_level(r, stake)),
            int64(bought),
            int64(code),
        ),
        _BANKER_WIDTHS,
    )


@kernel
def keys_of(
    game: NDArray[np.void], columns: NDArray[np.void], banker: bool, rows: NDArray[np.float32], out: NDArray[np.int64]
) -> None:
    """The keys that vector observations tell; fills `out`, int64 of shape (n,), for rows of shape (n, columns)."""
    r = game[0]
    for i in range(len(rows)):
        if get_phase(rows[i], columns) == Phase.DONE:
            out[i] = done_key(banker)
        elif banker:
            out[i] = banker_key_of(r, columns, rows[i])
        else:
            out[i] = player_key_of(r, columns, rows[i])
