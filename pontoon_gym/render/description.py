"""A round in words, as one seat sees it: all that a picture may show.

What lies face down for the viewer stays so (8.1): every card goes through `_cards`, every total and kind through
`_worth`. A picture only arranges what stands here; it does not read the round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pontoon_gym.cards import card_sign
from pontoon_gym.compiled import Record
from pontoon_gym.engine.bank import seat_at
from pontoon_gym.engine.deal import cards_left
from pontoon_gym.engine.hand import FACE, best_total, is_soft
from pontoon_gym.engine.legal import buy_least, level, mask, next_buy_most
from pontoon_gym.engine.round import actions_of_turn
from pontoon_gym.engine.settle import settle_hand, total_stake
from pontoon_gym.engine.view.observe import A_PONTOON, LIVE, is_open, lies_up, public_state
from pontoon_gym.engine.view.words import action_word, buy_word, packed, stake_word
from pontoon_gym.names import BUY, HandKind, Phase
from pontoon_gym.rules import Rules, Table

DOWN = ""
"""A card that lies face down for the viewer."""
_TRICKS = ("", "", "", "three", "four", "five", "six", "seven", "eight", "nine")


class HandDescription(NamedTuple):
    """A hand; "" is what is not known or not yet so.

    cards: faces such as `"10♣"` in the order received, `DOWN` for those that the viewer may not know.
    stake: the initial stake, each buy in order, and their sum: `"1+2=3"`.
    kind, worth: of a hand that the viewer knows, as `"soft 17"`; else None and "".
    activity: `"to stake"` or `"in play"` of the hand whose turn it is, `"stuck"` of one that waits.
    result: what it won in chips, with its sign.
    """

    cards: tuple[str, ...]
    stake: str
    kind: HandKind | None
    worth: str
    activity: str
    is_turn: bool
    result: str


class SeatDescription(NamedTuple):
    """A seat with its hands in order of play; `in_all` is what it won where it split."""

    name: str
    is_viewer: bool
    hands: tuple[HandDescription, ...]
    in_all: str


class Description(NamedTuple):
    """A round: seats from the banker's left, the banker last.

    notes tell what ended a round before its time, choices what the viewer may do now.
    """

    rules: str
    round: str
    shoe: str
    seats: tuple[SeatDescription, ...]
    notes: tuple[str, ...]
    choices: tuple[str, ...]


def describe(rules: Rules, table: Table, s: Record, viewer: int) -> Description:
    """The round `s` as the seat `viewer` sees it.

    Players are numbered by seat, from 1. The banker sees their own cards once they are turned up.

    Args:
        rules, table: those that `s` is played by.
        s: one row of `state.ROUND`; it is only read.
        viewer: a seat, from 0.
    """
    r = packed(rules, table)
    return Description(
        rules_words(rules),
        _round(s),
        "endless shoe" if s["endless"] else f"{cards_left(s)} cards left",
        tuple(_seat(r, s, int(seat_at(r, s, where)), viewer) for where in range(table.seats)),
        _notes(s, viewer),
        _choices(r, s) if s["phase"] != Phase.DONE and not s["over"] and s["turn"] == viewer else (),
    )


def rules_words(rules: Rules) -> str:
    """The rules' name, with room to break a line at."""
    return rules.text().replace(",", ", ")


def _round(s: Record) -> str:
    # The end of an episode's last round has been counted already.
    counted = s["over"] and s["phase"] == Phase.DONE
    return f"round {s['round'] + 1 - counted}"


def _notes(s: Record, viewer: int) -> tuple[str, ...]:
    """What ended a round before its time."""
    if s["phase"] in (Phase.BANKER, Phase.DONE) and s["sudden"] >= 0:
        return (f"sudden death pays {_name(s, s['sudden'], viewer)}; all other stakes go back",)
    return ()


# --- a seat and its hands ----------------------------------------------------------------------------------------


def _seat(r: Record, s: Record, seat: int, viewer: int) -> SeatDescription:
    """A seat's hands in order of play, and where it split, what it won in all."""
    hands = int(s["hands_of"][seat])
    in_all = _chips(s["result"][seat]) if s["phase"] == Phase.DONE and hands > 1 else ""
    described = tuple(_hand(r, s, seat, h, viewer) for h in range(hands))
    return SeatDescription(_name(s, seat, viewer), seat == viewer, described, in_all)


def _name(s: Record, seat: int, viewer: int) -> str:
    if seat == s["banker"]:
        return "you, banker" if seat == viewer else "banker"
    return "you" if seat == viewer else f"player {seat + 1}"


def _hand(r: Record, s: Record, seat: int, h: int, viewer: int) -> HandDescription:
    hand = s["hands"][h, seat]
    # A banker whose cards are not turned up has not looked at them either (3.4), or is not asked yet (8.2).
    own = bool(seat == viewer and seat != s["banker"])
    is_turn = bool(s["phase"] != Phase.DONE and seat == s["turn"] and h == s["hand"])
    kind = HandKind(hand["kind"]) if _is_known(hand, own) else None
    worth = "" if kind is None else _worth(hand, kind)
    return HandDescription(
        _cards(hand, own), _stake(hand), kind, worth, _activity(s, hand, is_turn), is_turn, _result(r, s, seat, h)
    )


def _cards(hand: Record, own: bool) -> tuple[str, ...]:
    """A hand's cards in the order received, as the viewer sees them."""
    cards = hand["cards"][: hand["count"]]
    faces = [card_sign(int(card & FACE)) if lies_up(hand, i, own) else DOWN for i, card in enumerate(cards)]
    if public_state(hand) == A_PONTOON:
        # Only its ace is shown (8.1), not whether the ace came first.
        faces.sort(key=lambda face: face == DOWN)
    return tuple(faces)


def _is_known(hand: Record, own: bool) -> bool:
    """Whether the viewer knows what a hand is worth."""
    return bool(hand["count"] > 0 and (own or is_open(hand)))


def _worth(hand: Record, kind: HandKind) -> str:
    """Total and kind of a hand that the viewer knows."""
    total = best_total(hand["hard"], hand["aces"])
    if kind == HandKind.PONTOON:
        return "Pontoon"
    if kind == HandKind.ACE_KING:
        return "A-K"
    if kind == HandKind.TRICK:
        return f"{_TRICKS[hand['count']]}-card trick {total}"
    if kind == HandKind.BUST:
        return f"bust {total}"
    return f"soft {total}" if is_soft(hand["hard"], hand["aces"]) else f"{total}"


def _activity(s: Record, hand: Record, is_turn: bool) -> str:
    """Whether a hand is being played, or waits for the settlement."""
    if is_turn:
        return "to stake" if s["phase"] == Phase.STAKE else "in play"
    waits = s["phase"] != Phase.DONE and hand["done"] and public_state(hand) == LIVE
    return "stuck" if waits else ""


def _stake(hand: Record) -> str:
    """The initial stake, each buy in order, and their sum."""
    if not hand["stake"]:
        return ""
    return _sum_of([hand["stake"], *hand["buys"][: hand["bought"]]], total_stake(hand))


def _sum_of(chips: Sequence[int], total: int) -> str:
    return "+".join(map(str, chips)) + (f"={total}" if len(chips) > 1 else "")


def longest_stake(rules: Rules, table: Table) -> str:
    """At least as long a stake as a viewer ever reads."""
    buys = [rules.buy_max * table.stake_max] * rules.most_buys
    return _sum_of([table.stake_max, *buys], table.stake_max + sum(buys))


def _result(r: Record, s: Record, seat: int, h: int) -> str:
    """What a hand won, in chips."""
    if s["phase"] != Phase.DONE:
        return ""
    return _chips(settle_hand(r, s, seat, h) if s["hands_of"][seat] > 1 else s["result"][seat])


def _chips(half_chips: int) -> str:
    return f"{half_chips / 2:+.1f}".removesuffix(".0") if half_chips else "0"


# --- choices -----------------------------------------------------------------------------------------------------


def _choices(r: Record, s: Record) -> tuple[str, ...]:
    """What the seat whose turn it is may do, in words, in the order of the actions."""
    allowed = np.zeros(int(actions_of_turn(r, s)), np.bool_)
    mask(r, s, allowed)
    return tuple(_choice(r, s, int(action)) for action in np.flatnonzero(allowed))


def _choice(r: Record, s: Record, action: int) -> str:
    """An action in words, with its amount in chips."""
    if action < BUY:
        return action_word(action)
    i = action - BUY - r["buy_levels"]
    if i >= 0:
        return stake_word(r, int(i))
    hand = s["hands"][s["hand"], s["turn"]]
    return buy_word(r, level(action - BUY, r["buy_levels"], buy_least(hand["stake"]), next_buy_most(r, hand)))


def longest_choices(rules: Rules, table: Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """At least as many choices, with at least as long amounts, as a viewer ever has: of stakes, and in play."""
    r = packed(rules, table)
    stakes = tuple(stake_word(r, i) for i in range(table.stake_levels))
    buys = (buy_word(r, rules.buy_max * table.stake_max),) * table.buy_levels
    return stakes, (*map(action_word, range(BUY)), *buys)
