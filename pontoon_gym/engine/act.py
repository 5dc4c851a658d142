"""Doing what was chosen (clauses 3.3, 6, 7): each kernel changes one round, and none asks whether it may."""

from __future__ import annotations

from pontoon_gym.cards import KING
from pontoon_gym.compiled import Record, int64, kernel, leaf
from pontoon_gym.engine.deal import draw, put_under
from pontoon_gym.engine.hand import AFTER, FACE, kind, one_card, total_of, value
from pontoon_gym.engine.legal import buy_least, level, next_buy_most
from pontoon_gym.engine.state import LOG, MOST_BUYS, ORDERED, SHOWN
from pontoon_gym.names import BUY, SPLIT, STICK, TWIST, Buying, HandKind, Phase


@leaf
def clear_hand(hand: Record) -> None:
    """An empty place for cards."""
    hand["counts"] = hand["public"] = 0
    hand["stake"] = 0
    for k in range(MOST_BUYS):
        hand["buys"][k] = 0
    hand["made"] = hand["shown"] = 0
    hand["count"] = hand["hard"] = hand["aces"] = 0
    hand["bought"] = hand["twists"] = hand["split"] = hand["done"] = 0
    hand["kind"] = HandKind.TOTAL


@leaf
def is_king(card: int) -> bool:
    """Whether a card's byte is a king."""
    return (card & FACE) // 4 == KING


@leaf
def classify(r: Record, hand: Record) -> None:
    """Name the hand's kind anew (2)."""
    king = False
    if hand["split"] and hand["count"] == 2:
        king = is_king(hand["cards"][0]) or is_king(hand["cards"][1])
    hand["kind"] = kind(r, total_of(hand), int64(hand["count"]), hand["split"] > 0, king)


@leaf
def take(r: Record, hand: Record, card: int) -> None:
    """Add a card's byte to a hand."""
    v = value(card)
    hand["cards"][hand["count"]] = card
    hand["count"] += 1
    hand["hard"] += v
    hand["aces"] += v == 1
    hand["counts"] += one_card(v)
    hand["made"] = AFTER[hand["made"], v - 1]
    if card & SHOWN:
        hand["public"] += one_card(v)
        tell(hand, v)
    classify(r, hand)


@leaf
def tell(hand: Record, v: int) -> None:
    """Note the value of a hand's next shown card."""
    shown = int64(hand["shown"])
    if shown < 1 << (4 * ORDERED - 4):
        # Behind those that are noted: values are above 0.
        place = 0 if shown == 0 else 1 if shown < 16 else 2
        hand["shown"] = shown | (v << (4 * place))


@kernel
def receive(r: Record, s: Record, hand: Record, face_up: bool) -> None:
    """Deal a hand its next card."""
    take(r, hand, draw(r, s) | (SHOWN if face_up else 0))


@kernel
def show(hand: Record) -> None:
    """Turn a hand's cards up."""
    hand["public"] = hand["counts"]
    hand["shown"] = 0
    for i in range(hand["count"]):
        hand["cards"][i] |= SHOWN
        tell(hand, value(hand["cards"][i]))


@kernel
def declare(hand: Record) -> None:
    """A Pontoon is declared: its ace is shown (6.1, 8.1), so that both its cards are known by value."""
    hand["done"] = 1
    hand["public"] = hand["counts"]
    hand["shown"] = 0
    for i in range(2):
        if value(hand["cards"][i]) == 1:
            hand["cards"][i] |= SHOWN
        if hand["cards"][i] & SHOWN:
            tell(hand, value(hand["cards"][i]))


@leaf
def close(s: Record, hand: Record) -> None:
    """Finish a hand that its last card finished: bust or a trick, it is shown (6.8, 6.9, 7.3).

    A player's bust goes under the shoe at once, the banker's with the rest at the end (11.2).
    """
    if hand["kind"] == HandKind.BUST or hand["kind"] == HandKind.TRICK:
        show(hand)
        hand["done"] = 1
    if hand["kind"] == HandKind.BUST and s["phase"] == Phase.PLAY:
        put_under(s, hand)


@leaf
def stake(r: Record, s: Record, i: int) -> None:
    """Put down stake level i (3.3, 9.3)."""
    s["hands"][0, s["turn"]]["stake"] = level(i, r["stake_levels"], r["stake_min"], r["stake_max"])


@leaf
def twist(r: Record, s: Record, hand: Record) -> None:
    """One card face up (6.3)."""
    hand["twists"] += 1
    receive(r, s, hand, True)
    close(s, hand)


@leaf
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
    hands = s["hands"]
    for h in range(s["hands_of"][seat], at + 1, -1):
        hands[h, seat] = hands[h - 1, seat]
    s["hands_of"][seat] += 1
    old, new = hands[at, seat], hands[at + 1, seat]
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


@leaf
def log(s: Record, action: int) -> None:
    """Write a choice down."""
    s["log"][min(s["logged"], LOG - 1)] = action
    s["logged"] += 1


@leaf
def act(r: Record, s: Record, action: int) -> None:
    """Do what the seat whose turn it is has chosen."""
    log(s, action)
    hand = s["hands"][s["hand"], s["turn"]]
    if s["phase"] == Phase.STAKE:
        stake(r, s, action - r["first_stake"])
    elif action == STICK:
        hand["done"] = 1
    elif action == TWIST:
        twist(r, s, hand)
    elif action == SPLIT:
        split(r, s)
    else:
        buy(r, s, hand, action - BUY)
