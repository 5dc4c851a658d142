"""The infostate key that a vector observation tells: the way back from `observe` to `infostate`.

So a policy that is a table can be asked with what an environment shows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.compiled import Record, int64, kernel, leaf, uint64
from pontoon_gym.engine.hand import AFTER, VALUES
from pontoon_gym.engine.state import MOST_BUYS, ORDERED
from pontoon_gym.engine.view.columns import STATES, Column
from pontoon_gym.engine.view.infostate import (
    PLAYER_WIDTHS,
    buy_level,
    done_key,
    fold,
    fold_banker,
    fold_lead,
    stake_level,
)
from pontoon_gym.engine.view.observe import A_BUST, A_PONTOON, A_TRICK
from pontoon_gym.names import Phase


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
    """The phase that an observation shows."""
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
        PLAYER_WIDTHS,
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
def lead_in(columns: NDArray[np.void], row: NDArray[np.float32]) -> tuple[int, int]:
    """How many plain hands, tricks and Pontoons an observation shows live, eight bits each, and the place of the lead.

    As `infostate.lead_of` finds them; −1 where no hand is live.
    """
    counts, lead, most = int64(0), int64(-1), int64(-1)
    for k in range(columns[Column.OTHER_COUNT]["width"]):
        state = get_state(row, columns, k)
        if get(row, columns, Column.OTHER_COUNT, k) == 0 or state == A_BUST:
            continue
        counts += 1 << (8 * ((state == A_TRICK) + 2 * (state == A_PONTOON)))
        chips = get_total_stake(row, columns, k, buys_of_one(columns))
        if chips > most:
            lead, most = k, chips
    return counts, lead


@leaf
def buys_of_one(columns: NDArray[np.void]) -> int:
    """The columns in which the buys of one hand of others stand."""
    return columns[Column.OTHER_BUYS]["width"] // columns[Column.OTHER_COUNT]["width"]


@kernel
def lead_key_of(r: Record, columns: NDArray[np.void], row: NDArray[np.float32]) -> int:
    """What a banker's observation shows of the players' hands, as `infostate.lead_key` has it."""
    counts, lead = lead_in(columns, row)
    if lead < 0:
        return 0
    is_all_known = get_count(row, columns, Column.OTHER_CARDS, VALUES * lead) == get(
        row, columns, Column.OTHER_COUNT, lead
    )
    if is_all_known:
        shown = get_composition(row, columns, Column.OTHER_CARDS, VALUES * lead)
    else:
        shown = get_code(row, columns, Column.OTHER_SHOWN, ORDERED * lead)
    stake = get(row, columns, Column.OTHER_STAKE, lead)
    bought, code = get_buys(r, row, columns, Column.OTHER_BUYS, buys_of_one(columns) * lead, stake)
    state = get_state(row, columns, lead)
    return fold_lead(counts, state, is_all_known, shown, stake_level(r, stake), bought, code)


@kernel
def banker_key_of(r: Record, columns: NDArray[np.void], row: NDArray[np.float32]) -> int:
    """The key that a banker's observation tells."""
    made = get_composition(row, columns, Column.CARDS, 0)
    drawable = get(row, columns, Column.DRAWABLE, 0)
    return fold_banker(get_phase(row, columns), made, drawable, lead_key_of(r, columns, row))


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
