"""Doing what was chosen (clauses 3.3, 6, 7): each kernel changes one round, and none asks whether it may."""

from __future__ import annotations

from pontoon_gym.cards import KING
from pontoon_gym.compiled import Record, kernel
from pontoon_gym.engine.deal import draw, put_under
from pontoon_gym.engine.hand import FACE, best_total, kind, value
from pontoon_gym.engine.legal import buy_least, level, next_buy_most
from pontoon_gym.engine.state import LOG, SHOWN
from pontoon_gym.names import BUY, SPLIT, STICK, TWIST, Buying, HandKind, Phase


@kernel
def clear_hand(hand: Record) -> None:
    """An empty place for cards."""
    hand["stake"] = hand["bought"] = hand["twists"] = hand["count"] = hand["hard"] = hand["aces"] = 0
    hand["split"] = hand["done"] = 0
    hand["buys"][:] = 0
    hand["kind"] = HandKind.TOTAL


@kernel
def classify(r: Record, hand: Record) -> None:
    """Name the hand's kind anew (2)."""
    king = False
    for i in range(min(hand["count"], 2)):
        king |= (hand["cards"][i] & FACE) // 4 == KING
    total = best_total(hand["hard"], hand["aces"])
    hand["kind"] = kind(r, total, hand["count"], hand["split"] > 0, king)


@kernel
def take(r: Record, hand: Record, card: int) -> None:
    """Add a card's byte to a hand."""
    hand["cards"][hand["count"]] = card
    hand["count"] += 1
    hand["hard"] += value(card)
    hand["aces"] += value(card) == 1
    classify(r, hand)


@kernel
def receive(r: Record, s: Record, hand: Record, face_up: bool) -> None:
    """Deal a hand its next card."""
    take(r, hand, draw(r, s) | (SHOWN if face_up else 0))


@kernel
def show(hand: Record) -> None:
    """Turn a hand's cards up."""
    for i in range(hand["count"]):
        hand["cards"][i] |= SHOWN


@kernel
def close(s: Record, hand: Record) -> None:
    """Finish a hand that its last card finished: bust or a trick, it is shown (6.8, 6.9, 7.3).

    A player's bust goes under the shoe at once, the banker's with the rest at the end (11.2).
    """
    if hand["kind"] == HandKind.BUST or hand["kind"] == HandKind.TRICK:
        show(hand)
        hand["done"] = 1
    if hand["kind"] == HandKind.BUST and s["phase"] == Phase.PLAY:
        put_under(s, hand)


@kernel
def stake(r: Record, s: Record, i: int) -> None:
    """Put down stake level i (3.3, 9.3)."""
    s["hands"][s["turn"], 0]["stake"] = level(i, r["stake_levels"], r["stake_min"], r["stake_max"])


@kernel
def twist(r: Record, s: Record, hand: Record) -> None:
    """One card face up (6.3)."""
    hand["twists"] += 1
    receive(r, s, hand, True)
    close(s, hand)


@kernel
def buy(r: Record, s: Record, hand: Record, i: int) -> None:
    """Buy level i, or double: one card, face down where cards are hidden (6.4, 6.5)."""
    bought = hand["bought"]
    hand["buys"][bought] = level(i, r["buy_levels"], buy_least(hand["stake"]), next_buy_most(r, hand))
    hand["bought"] += 1
    receive(r, s, hand, r["players_face_up"] > 0)
    close(s, hand)
    if r["buying"] == Buying.DOUBLE and not r["twist_after_double"]:
        hand["done"] = 1


@kernel
def split(r: Record, s: Record) -> None:
    """Split the hand in play (6.6): its second card starts a hand right after it, and both get a card."""
    seat, at = s["turn"], s["hand"]
    hands = s["hands"][seat]
    for h in range(s["hands_of"][seat], at + 1, -1):
        hands[h] = hands[h - 1]
    s["hands_of"][seat] += 1
    old, new = hands[at], hands[at + 1]
    first, second, chips = old["cards"][0], old["cards"][1], old["stake"]
    start_split_hand(r, old, first, chips)
    start_split_hand(r, new, second, chips)
    receive(r, s, old, r["players_face_up"] > 0)
    receive(r, s, new, r["players_face_up"] > 0)


@kernel
def start_split_hand(r: Record, hand: Record, card: int, chips: int) -> None:
    """A new hand of one shown card with its own stake (6.6, 6.7)."""
    clear_hand(hand)
    hand["stake"] = chips
    hand["split"] = 1
    take(r, hand, card | SHOWN)


@kernel
def log(s: Record, action: int) -> None:
    """Write a choice down."""
    s["log"][min(s["logged"], LOG - 1)] = action
    s["logged"] += 1


@kernel
def act(r: Record, s: Record, action: int) -> None:
    """Do what the seat whose turn it is has chosen."""
    log(s, action)
    hand = s["hands"][s["turn"], s["hand"]]
    if s["phase"] == Phase.STAKE:
        stake(r, s, action - BUY - r["buy_levels"])
    elif action == STICK:
        hand["done"] = 1
    elif action == TWIST:
        twist(r, s, hand)
    elif action == SPLIT:
        split(r, s)
    else:
        buy(r, s, hand, action - BUY)
