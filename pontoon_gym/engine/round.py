"""From one decision to the next: the order of a round (clauses 3.3, 4, 5.1, 6, 7, 12.4).

A round always stands at a decision of the seat `turn`, or is done. `act` does what that seat chose and `move_on`
carries the round to the next decision. `run.episode.play_on` answers for every seat that a table plays, and for every
seat with one action only, until the learner or an outside policy has to choose.
"""

from __future__ import annotations

from pontoon_gym.compiled import Record, kernel, leaf
from pontoon_gym.engine.act import act, clear_hand, declare, receive, show
from pontoon_gym.engine.bank import place, round_ends_at_once, seat_at, turn_up
from pontoon_gym.engine.deal import dealt_by, put_under, shuffle
from pontoon_gym.engine.legal import is_finished_ace
from pontoon_gym.engine.settle import settle
from pontoon_gym.names import BANKER_ACTIONS, HandKind, Phase, Reshuffle


@kernel
def open_round(r: Record, s: Record) -> None:
    """Deal until the first stake is asked for (3.3, 4.1)."""
    s["dealt"] = s["logged"] = 0
    s["sudden"] = -1
    for seat in range(r["seats"]):
        s["hands_of"][seat] = 1
        s["result"][seat] = 0
        clear_hand(s["hands"][0, seat])
    s["phase"] = Phase.STAKE
    deal_for_phase(r, s)
    s["turn"], s["hand"] = seat_at(r, s, 0), 0


@kernel
def deal_for_phase(r: Record, s: Record) -> None:
    """Deal until every seat has the cards that it has before the stakes, or before play (3.3, 4.1)."""
    for n in range(s["hands"][0, s["banker"]]["count"], dealt_by(r, s["phase"])):
        deal_one_each(r, s, n == 0)


@kernel
def deal_one_each(r: Record, s: Record, first: bool) -> None:
    """One card to each seat from the banker's left, the banker last (4.1, 4.2)."""
    for where in range(r["seats"]):
        seat = seat_at(r, s, where)
        face_up = r["banker_upcard"] > 0 and first if seat == s["banker"] else r["players_face_up"] > 0
        receive(r, s, s["hands"][0, seat], face_up)


@kernel
def after_stake(r: Record, s: Record) -> None:
    """The next seat stakes; after the last the deal is completed and the banker looks (4.1, 5.1, 12.4)."""
    s["turn"] = seat_at(r, s, place(r, s, s["turn"]) + 1)
    if s["turn"] != s["banker"]:
        return
    s["phase"] = Phase.PLAY
    deal_for_phase(r, s)
    if round_ends_at_once(r, s):
        if s["sudden"] >= 0:
            declare(s["hands"][0, s["sudden"]])
        ask_banker(s)
        return
    s["turn"], s["hand"] = seat_at(r, s, 0), 0
    seek_hand(r, s)


@kernel
def seek_hand(r: Record, s: Record) -> None:
    """Go on to the next hand that has a choice, or to the banker (6, 7.1)."""
    while s["turn"] != s["banker"]:
        while s["hand"] < s["hands_of"][s["turn"]]:
            if has_choice(r, s["hands"][s["hand"], s["turn"]]):
                return
            s["hand"] += 1
        s["turn"], s["hand"] = seat_at(r, s, place(r, s, s["turn"]) + 1), 0
    ask_banker(s)


@leaf
def has_choice(r: Record, hand: Record) -> bool:
    """Whether the hand in play is to be asked; declares a Pontoon or A-K, and finishes a split ace (6.1, 6.6, 12.3)."""
    if hand["done"]:
        return False
    if hand["kind"] == HandKind.PONTOON:
        declare(hand)
    elif hand["kind"] == HandKind.ACE_KING:
        show(hand)
        hand["done"] = 1
    elif is_finished_ace(r, hand["split"] > 0, hand["count"], hand["cards"][0]):
        hand["done"] = 1
    return hand["done"] == 0


@kernel
def ask_banker(s: Record) -> None:
    """The banker turns their cards up and is asked (7.2)."""
    s["phase"] = Phase.BANKER
    s["turn"], s["hand"] = s["banker"], 0
    turn_up(s)


@leaf
def after_banker(r: Record, s: Record) -> None:
    """The banker is asked again unless they stuck, are bust or have a trick (7.2, 7.3)."""
    if s["hands"][0, s["banker"]]["done"]:
        settle(r, s)
        s["phase"] = Phase.DONE


@leaf
def move_on(r: Record, s: Record) -> None:
    """Carry the round from what was just done to the next decision, or to its end."""
    if s["phase"] == Phase.STAKE:
        after_stake(r, s)
    elif s["phase"] == Phase.PLAY:
        seek_hand(r, s)
    else:
        after_banker(r, s)


@leaf
def choose(r: Record, s: Record, action: int) -> None:
    """The seat whose turn it is chooses an action, which must be allowed."""
    act(r, s, action)
    move_on(r, s)


@kernel
def clear_table(r: Record, s: Record) -> None:
    """Put the round's cards under the shoe, and shuffle if that is due (11.2)."""
    pontoon = False
    for where in range(r["seats"]):
        seat = seat_at(r, s, where)
        for h in range(s["hands_of"][seat]):
            hand = s["hands"][h, seat]
            pontoon |= hand["kind"] == HandKind.PONTOON
            if seat == s["banker"] or hand["kind"] != HandKind.BUST:
                put_under(s, hand)
    s["carried"] = 1
    if pontoon or r["reshuffle"] == Reshuffle.ROUND or s["endless"]:
        shuffle(s)


@leaf
def actions_of_turn(r: Record, s: Record) -> int:
    """How many actions the seat whose turn it is has."""
    return BANKER_ACTIONS if s["turn"] == s["banker"] else r["actions"]
