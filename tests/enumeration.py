"""The whole round for two, counted out in fractions: slow, exact, and written from the rule book alone.

One player against one banker, from the deal to the settlement, over every card that can come. Nothing of the engine
or of the solver is used, so that what they say can be held against what is said here.

Three questions are answered, each as the player's mean result of a round in units of the least stake: `expectation`
(both sides play given policies), `best_player` (the player plays as well as anyone can against a given banker) and
`best_banker` (the banker as well as anyone can against a given player, inferring the hidden cards).

How it counts. The shoe is a uniformly random order of its cards, and nobody's choice before the banker's turn depends
on a card that only the banker has. So the chance that the player gets certain cards, in the order in which they ask for
them, and the banker certain others is that of any equally many places of the shoe holding them, and the banker's hidden
cards may be drawn after the player's: they stay in the pool from which the player draws, while `left` counts without
them. Where the banker's Pontoon ends the round at once (5.1) the bank's two cards are weighed when they are drawn:
pairs that are a Pontoon count in the settlement of 5.1 and nowhere else. Weights are never rescaled by what has been
excluded.

Cards that cannot be told apart by the rules are one kind: suits are kept for sixes, sevens and eights under a bonus
(12.1), every other card is seen by the policies as a club.

What the rule book leaves open is read so: an up card lies up as soon as it is dealt, before a stake that follows the
first card (`UP_BEFORE_STAKE`); a split takes two cards, so two must be left; bust hands count among the hands of
`max_hands`; a split A-K is an ace and a king; a doubled card is a bought card (8.1); the fifth card of 6.4 is the
fifth whatever `trick_cards` says, but the bonus for "a five-card trick" is for any trick of 21.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import gcd, lcm
from typing import Any, NamedTuple, TypeVar

from pontoon_gym.names import BUY, SPLIT, STICK, TWIST
from pontoon_gym.rules import Rules, Table

Chances = dict[int, Fraction]
"""How likely each action is; actions that never happen may be left out."""

ENDLESS = 1_000_000
"""What `left` is in views where cards are drawn with replacement."""

UP_BEFORE_STAKE = True
"""Whether a stake made after the first card (3.3) is made in sight of the banker's up card (4.2)."""

ACE, KING = 0, 12
NATURAL = "pontoon"


class PlayerView(NamedTuple):
    """All that a player knows and that matters, in the order it happened."""

    phase: str  # "stake" or "play"
    cards: tuple[int, ...]  # the hand in play in the order received; at the stake one card or none
    shown: tuple[bool, ...]  # for each of those cards whether it lies face up (8.1)
    stake: int  # the hand's initial stake in chips, 0 before it is made
    buys: tuple[int, ...]  # chips of each buy or double of this hand
    twists: int
    hands: int  # hands the player holds now, bust ones too
    split: bool  # this hand came of a split
    others: tuple[tuple[int, ...], ...]  # cards of the player's other hands, in order of play
    upcard: int  # the banker's up card, -1 for none
    left: int  # cards that can still be dealt
    allowed: tuple[int, ...]


class PublicHand(NamedTuple):
    """What everybody knows of a finished hand of the player (8.1)."""

    shown: tuple[int, ...]  # the cards lying up, in the order received: all of a trick or bust, a Pontoon's ace
    count: int  # type: ignore[assignment]
    stake: int
    buys: tuple[int, ...]
    twists: int
    split: bool
    state: str  # "live", "trick", "pontoon", "ace_king" or "bust"


class BankerView(NamedTuple):
    """All that the banker knows at a choice."""

    cards: tuple[int, ...]  # the bank's own, in the order received
    hands: tuple[PublicHand, ...]
    left: int
    allowed: tuple[int, ...]


PlayerPolicy = Callable[[PlayerView], Chances]
"""A player. It may promise (`promise`) `plain=True`: the order of the hand's cards, which of them are shown and the
other hands make no difference to it. Equal infostates are then counted once."""

BankerPolicy = Callable[[BankerView], Chances]
"""A banker. It may promise `blind=True`: it looks only at its own cards, their order apart, and the number left; or
`glance=f`: of the player's hands it looks only at `f(hand)` of each, and `f` never reads `shown`."""

Policy = TypeVar("Policy", bound=Callable[..., Chances])


def promise(policy: Policy, **promises: object) -> Policy:
    """The policy, with promises on what it does not look at."""
    for name, value in promises.items():
        setattr(policy, name, value)
    return policy


# ---------------------------------------------------------------------------------------------------------- counting


@cache
def value_of(cards: tuple[int, ...]) -> tuple[int, bool]:
    """The total of some cards and whether it is soft (1.4)."""
    hard = sum(points(card) for card in cards)
    soft = hard <= 11 and any(card // 4 == ACE for card in cards)
    return hard + 10 * soft, soft


def points(card: int) -> int:
    """What a card counts, an ace as one (1.3)."""
    return min(card // 4 + 1, 10)


def is_natural(cards: Sequence[int]) -> bool:
    """Two cards, an ace and a ten-valued card (2.1)."""
    return len(cards) == 2 and sorted(points(card) for card in cards) == [1, 10]


def levels(least: int, most: int, count: int) -> list[tuple[int, int]]:
    """Index and amount of each level that is allowed (9.3)."""
    amounts: dict[int, int] = {}
    for i in range(count):
        rise = (2 * i * (most - least) + count - 1) // (2 * (count - 1)) if count > 1 else 0
        amounts.setdefault(least + rise, i)
    return [(i, amount) for amount, i in amounts.items()]


# How the banker ends: bust, a total as it is, or one of these. All totals lie between.
BUST, TRICK, PONTOON = 0, 22, 23


class Outlook(NamedTuple):
    """What can be expected, in whole numbers of equally likely cases."""

    cases: int
    halves: int  # the player's result in half chips, summed over the cases
    ends: dict[int, int]  # in how many of them the banker ends so; a Pontoon shown at once is in none

    def chips(self) -> Fraction:
        """The player's mean result in chips."""
        return Fraction(self.halves, 2 * self.cases)


def blend(parts: Sequence[tuple[int, Outlook]], cases: int) -> Outlook:
    """The outlook before one of some outlooks comes true, each in so many of the cases."""
    common = lcm(*(part.cases for _, part in parts))
    halves, ends = 0, dict[int, int]()
    for n, part in parts:
        n *= common // part.cases
        halves += n * part.halves
        for end, likely in part.ends.items():
            ends[end] = ends.get(end, 0) + n * likely
    divisor = gcd(common * cases, halves, *ends.values())
    return Outlook(common * cases // divisor, halves // divisor, {end: n // divisor for end, n in ends.items()})


class Stock(NamedTuple):
    """The cards that nobody has seen, by kind, and those that have come back."""

    pool: tuple[int, ...]  # the shoe, together with the banker's hidden cards
    hidden: int  # how many of the pool are the banker's
    refill: tuple[int, ...]  # busts that were shuffled in when the shoe was empty
    under: tuple[int, ...]  # busts lying under the shoe, first under first


class Hand(NamedTuple):
    """One hand of the player."""

    cards: tuple[int, ...]
    shown: tuple[bool, ...]
    stake: int
    buys: tuple[int, ...] = ()
    twists: int = 0
    split: bool = False
    state: str = ""  # as in PublicHand, empty until the hand is finished

    @property
    def total(self) -> int:
        return value_of(self.cards)[0]

    @property
    def staked(self) -> int:
        return self.stake + sum(self.buys)


class Spot(NamedTuple):
    """Where a round stands in the player's turn."""

    stock: Stock
    up: int  # the banker's up card or -1
    hands: tuple[Hand, ...]
    at: int  # the hand in play; their number when all are finished
    told: tuple[tuple[int, int], ...] = ()  # hand and action of each of the player's choices, which all have seen

    @property
    def hand(self) -> Hand:
        return self.hands[self.at]


class Opening(NamedTuple):
    """What there is when the stake is made."""

    stock: Stock
    first: int  # the player's first card or -1
    up: int


class House:
    """The rules at a table with a shoe: what may be done, what comes of it and what it pays."""

    def __init__(self, rules: Rules, table: Table, shoe: Sequence[int]) -> None:
        self.rules, self.table = rules, table
        self.endless = rules.packs == 0
        if len(shoe) < (1 if self.endless else 4):
            raise ValueError(f"too few cards for a deal: {len(shoe)}")
        merged = [self._kind(card) for card in shoe]
        self.kinds = sorted(set(merged))
        self.size = len(shoe)
        self.full = Stock(tuple(merged.count(kind) for kind in self.kinds), 2, self._none(), ())
        self.index = {kind: i for i, kind in enumerate(self.kinds)}
        self.most_hands = self._most_hands()
        used = (self.most_hands + 1) * rules.trick_cards
        self.enough = self.endless or self.most_hands == 1 or 0 < used <= self.size
        """Whether the shoe never runs out while busts lie under it."""
        self._draws: dict[Stock, tuple[int, list[tuple[int, int, Stock]]]] = {}
        self._mass: dict[tuple[Stock, int], Fraction] = {}
        self._rates: dict[tuple[str, tuple[int, ...], int], int] = {}

    def _kind(self, card: int) -> int:
        """The card as it is seen: with its suit only where that can pay."""
        return card if self.rules.bonus != "none" and card // 4 in (5, 6, 7) else card // 4 * 4

    def _none(self) -> tuple[int, ...]:
        return (0,) * len(self.kinds)

    def _most_hands(self) -> int:
        """An upper bound of the hands that the player can come to hold."""
        if self.rules.split == "none" or self.endless:
            return self.rules.max_hands if self.rules.split != "none" else 1
        most = 1
        for kind in self.kinds:
            mates = sum(n for k, n in zip(self.kinds, self.full.pool, strict=True) if self.is_pair((kind, k)))
            most = max(most, min(mates, self.rules.max_hands))
        return most

    # -- the shoe

    def left(self, stock: Stock) -> int:
        """How many cards can still be dealt."""
        if self.endless:
            return ENDLESS
        return sum(stock.pool) - stock.hidden + sum(stock.refill) + len(stock.under)

    def counted(self, stock: Stock) -> Hashable:
        """All of the shoe that makes a difference: of busts that are never dealt again only their number."""
        if self.endless:
            return stock.hidden
        return (stock._replace(under=()), len(stock.under)) if self.enough else stock

    def draws(self, stock: Stock) -> tuple[int, list[tuple[int, int, Stock]]]:
        """What the next card can be: a number of equal cases, and for each card how many of them, and the rest."""
        if stock not in self._draws:
            self._draws[stock] = self._next_card(stock)
        return self._draws[stock]

    def _next_card(self, stock: Stock) -> tuple[int, list[tuple[int, int, Stock]]]:
        if self.endless or sum(stock.pool) > stock.hidden:
            return self._from_pool(stock, 0)
        if not any(stock.refill) and stock.under:
            if self.rules.reshuffle == "pontoon":  # 11.2: unshuffled, first under first
                return 1, [(stock.under[0], 1, stock._replace(under=stock.under[1:]))]
            stock = stock._replace(refill=tuple(stock.under.count(kind) for kind in self.kinds), under=())
        rests = _drawn(stock.refill)
        return sum(stock.refill), [(self.kinds[i], n, stock._replace(refill=rest)) for i, n, rest in rests]

    def _from_pool(self, stock: Stock, revealed: int) -> tuple[int, list[tuple[int, int, Stock]]]:
        """A card of the pool, which may be one of the banker's that is turned up."""
        cases = []
        for i, n, rest in _drawn(stock.pool):
            pool = stock.pool if self.endless else rest
            cases.append((self.kinds[i], n, stock._replace(pool=pool, hidden=stock.hidden - revealed)))
        return sum(stock.pool), cases

    def bankers(self, stock: Stock, up: int) -> Iterator[tuple[tuple[int, ...], int, int, Stock]]:
        """The banker's two cards in the order received, how many of how many cases, and the rest."""
        if up >= 0:
            cases, holes = self._from_pool(stock, 1)
            for hole, n, rest in holes:
                yield (up, hole), n, cases, rest
            return
        cases, firsts = self._from_pool(stock, 1)
        for first, n, between in firsts:
            more, seconds = self._from_pool(between, 1)
            for second, m, rest in seconds:
                yield (first, second), n * m, cases * more, rest

    def mass(self, stock: Stock, up: int) -> Fraction:
        """How likely it is that the banker does not end the round with a Pontoon at once (5.1)."""
        if not self.rules.peek:
            return Fraction(1)
        if (stock, up) not in self._mass:
            ends = [Fraction(n, cases) for cards, n, cases, _ in self.bankers(stock, up) if is_natural(cards)]
            self._mass[stock, up] = 1 - sum(ends, Fraction(0))
        return self._mass[stock, up]

    # -- the deal

    def openings(self) -> Iterator[tuple[Fraction, Opening]]:
        """What there can be when the stake is made (3.3, 4.1)."""
        if not self.rules.stake_after_first_card:
            yield Fraction(1), Opening(self.full, -1, -1)
            return
        cases, firsts = self.draws(self.full)
        for first, n, stock in firsts:
            for chance, rest, up in self._turned_up(stock, UP_BEFORE_STAKE):
                yield Fraction(n, cases) * chance, Opening(rest, first, up)

    def _turned_up(self, stock: Stock, now: bool) -> Iterator[tuple[Fraction, Stock, int]]:
        """The banker's up card, if there is one and it is dealt now."""
        if not (self.rules.banker_upcard and now):
            yield Fraction(1), stock, -1
            return
        cases, cards = self._from_pool(stock, 1)
        for card, n, rest in cards:
            yield Fraction(n, cases), rest, card

    def stake_view(self, opening: Opening) -> PlayerView:
        cards = () if opening.first < 0 else (opening.first,)
        shown = tuple(self.rules.players_face_up for _ in cards)
        left = ENDLESS if self.endless else self.size - 2 * len(cards)
        return PlayerView("stake", cards, shown, 0, (), 0, 1, False, (), opening.up, left, tuple(self.stakes()))

    def stakes(self) -> dict[int, int]:
        """The chips of each stake that is allowed."""
        table = self.table
        amounts = levels(table.stake_min, table.stake_max, table.stake_levels)
        return {BUY + table.buy_levels + i: amount for i, amount in amounts}

    def dealt(self, opening: Opening, action: int) -> Iterator[tuple[Fraction, Spot]]:
        """What two cards the player can come to hold after a stake."""
        stake, face = self.stakes()[action], self.rules.players_face_up
        cases, firsts = (1, [(opening.first, 1, opening.stock)]) if opening.first >= 0 else self.draws(opening.stock)
        for first, n, stock in firsts:
            for chance, rest, up in self._turned_up(stock, opening.up < 0):
                more, seconds = self.draws(rest)
                for second, m, end in seconds:
                    hand = Hand((first, second), (face, face), stake)
                    spot = Spot(end, opening.up if up < 0 else up, (hand,), 0, ((-1, action),))
                    yield Fraction(n * m, cases * more) * chance, self.begun(spot)

    def at_once(self, spot: Spot) -> Fraction:
        """What the player gets by the banker's Pontoon at the deal, times its chance (5.1)."""
        hand, rules = spot.hand, self.rules
        rate = -Fraction(rules.banker_pontoon_loss)
        if hand.state == NATURAL:
            rate = self._tie(rate, Fraction(rules.pontoon_pays))
        return (1 - self.mass(spot.stock, spot.up)) * rate * hand.stake

    # -- the player's turn

    def is_pair(self, cards: Sequence[int]) -> bool:
        """Whether two cards may be split (6.6)."""
        first, second = cards
        return {
            "none": False,
            "aces": first // 4 == second // 4 == ACE,
            "rank": first // 4 == second // 4,
            "value": points(first) == points(second),
        }[self.rules.split]

    def allowed(self, spot: Spot) -> dict[int, int]:
        """Each action that is allowed in the hand in play, with the chips it adds (6.2 to 6.6)."""
        rules, hand, left = self.rules, spot.hand, self.left(spot.stock)
        total, count = hand.total, len(hand.cards)
        actions: dict[int, int] = {}
        if total >= rules.stick_minimum or not left:
            actions[STICK] = 0
        if not left:
            return actions
        if total < rules.twist_under:
            actions[TWIST] = 0
        if count == 2 and left >= 2 and len(spot.hands) < rules.max_hands and self.is_pair(hand.cards):
            actions[SPLIT] = hand.stake
        if len(hand.buys) >= rules.max_buys:
            return actions
        if rules.buying == "double":
            if count <= rules.double_cards_max and (rules.double_after_split or not hand.split):
                actions[BUY] = hand.stake
        elif rules.buying == "buy" and not hand.twists and self._may_buy(total, count):
            most = hand.buys[-1] if hand.buys else rules.buy_max * hand.stake
            for i, amount in levels(hand.stake, most, self.table.buy_levels):
                actions[BUY + i] = amount
        return actions

    def _may_buy(self, total: int, count: int) -> bool:
        """Whether a hand of so many cards may buy on its total (6.4)."""
        return total < self.rules.buy_under and (count != 4 or total >= self.rules.buy_fifth_minimum)

    def view(self, spot: Spot) -> PlayerView:
        """What the player sees at a choice."""
        hand = spot.hand
        others = tuple(other.cards for i, other in enumerate(spot.hands) if i != spot.at)
        return PlayerView(
            "play",
            hand.cards,
            hand.shown,
            hand.stake,
            hand.buys,
            hand.twists,
            len(spot.hands),
            hand.split,
            others,
            spot.up,
            self.left(spot.stock),
            tuple(sorted(self.allowed(spot))),
        )

    def after(self, spot: Spot, action: int) -> tuple[int, list[tuple[int, Spot]]]:
        """What can come of an action: a number of equal cases, and how many of them lead where."""
        hand, face = spot.hand, self.rules.players_face_up
        told = (*spot.told, (spot.at, action))
        if action == STICK:
            return 1, [(1, self._with(spot, hand._replace(state="live"), spot.stock, told))]
        if action == SPLIT:
            return self._split(spot, told)
        chips = self.allowed(spot)[action]
        cases, cards = self.draws(spot.stock)
        spots = []
        for card, n, stock in cards:
            grown = hand._replace(cards=(*hand.cards, card))
            if action == TWIST:
                grown = grown._replace(shown=(*hand.shown, True), twists=hand.twists + 1)
            else:
                grown = grown._replace(shown=(*hand.shown, face), buys=(*hand.buys, chips))
            state = self._state(grown)
            if not state and action != TWIST and self.rules.buying == "double" and not self.rules.twist_after_double:
                state = "live"
            if state == "bust":  # 6.8
                under = stock.under + grown.cards
                stock = stock._replace(under=under if self.rules.reshuffle == "pontoon" else tuple(sorted(under)))
            spots.append((n, self._with(spot, grown._replace(state=state), stock, told)))
        return cases, spots

    def _split(self, spot: Spot, told: tuple[tuple[int, int], ...]) -> tuple[int, list[tuple[int, Spot]]]:
        """The two hands of a pair, each with its second card, this one first (6.6)."""
        hand, face = spot.hand, self.rules.players_face_up
        spots = []
        cases, cards = self.draws(spot.stock)
        more = 1
        for card, n, stock in cards:
            more, seconds = self.draws(stock)
            for second, m, rest in seconds:
                here = Hand((hand.cards[0], card), (True, face), hand.stake, split=True)
                new = Hand((hand.cards[1], second), (True, face), hand.stake, split=True)
                hands = (*spot.hands[: spot.at], here, new, *spot.hands[spot.at + 1 :])
                spots.append((n * m, self.begun(Spot(rest, spot.up, hands, spot.at, told))))
        return cases * more, spots

    def _with(self, spot: Spot, hand: Hand, stock: Stock, told: tuple[tuple[int, int], ...]) -> Spot:
        hands = (*spot.hands[: spot.at], hand, *spot.hands[spot.at + 1 :])
        return Spot(stock, spot.up, hands, spot.at, told)

    def begun(self, spot: Spot) -> Spot:
        """The spot as the hand in play begins its turn: it may be finished already."""
        if spot.at == len(spot.hands):
            return spot
        return self._with(spot, spot.hand._replace(state=self._state(spot.hand)), spot.stock, spot.told)

    def next_hand(self, spot: Spot) -> Spot:
        """The spot after a finished hand."""
        return self.begun(spot._replace(at=spot.at + 1))

    def _state(self, hand: Hand) -> str:
        """What finishes a hand without a choice, or nothing (6.1, 6.6, 6.8, 6.9, 12.3)."""
        rules, cards = self.rules, hand.cards
        if hand.total > 21:
            return "bust"
        if rules.trick_cards and len(cards) == rules.trick_cards:
            return "trick"
        if is_natural(cards):
            if not hand.split or rules.split_pontoon:
                return NATURAL
            if rules.ace_king_pays and {card // 4 for card in cards} == {ACE, KING}:
                return "ace_king"
        if hand.split and rules.split_aces_one_card and len(cards) == 2 and cards[0] // 4 == ACE:
            return "live"
        return ""

    # -- the banker's turn

    def public(self, hand: Hand) -> PublicHand:
        """What everybody knows of a finished hand (8.1)."""
        if self.rules.players_face_up or hand.state in ("bust", "trick", "ace_king"):
            shown = hand.cards
        else:
            pairs = zip(hand.cards, hand.shown, strict=True)
            shown = tuple(card for card, up in pairs if up or (hand.state == NATURAL and card // 4 == ACE))
        return PublicHand(shown, len(hand.cards), hand.stake, hand.buys, hand.twists, hand.split, hand.state)

    def banker_sits(self, hands: Sequence[Hand]) -> bool:
        """Whether the banker does not play: no live hand (7.1) or sudden death (12.4)."""
        sudden = self.rules.sudden_death and any(hand.state == NATURAL and not hand.split for hand in hands)
        return sudden or all(hand.state == "bust" for hand in hands)

    def banker_may_draw(self, cards: tuple[int, ...], left: int) -> bool:
        """Whether the banker has a choice, being neither bust nor at a trick (7.2, 7.3, 1.5)."""
        return left > 0 and (self.rules.trick_cards == 0 or len(cards) < self.rules.trick_cards)

    def banker_end(self, cards: tuple[int, ...]) -> int:
        """How the banker ends on these cards, not a Pontoon."""
        total = value_of(cards)[0]
        if total > 21:
            return BUST
        return TRICK if self.rules.trick_cards and len(cards) == self.rules.trick_cards else total

    # -- the settlement

    def pays(self, hand: Hand, end: int) -> int:
        """Half chips to the player for a hand when the banker ends so (10)."""
        key = (hand.state, hand.cards, end)
        if key not in self._rates:
            self._rates[key] = int(2 * self._rate(hand, end))  # 10.3: rates are multiples of a half
        return self._rates[key] * hand.staked

    def _rate(self, hand: Hand, end: int) -> Fraction:
        rules = self.rules
        pontoon_loss, trick_loss = -Fraction(rules.banker_pontoon_loss), -Fraction(rules.banker_trick_loss)
        if hand.state == "bust":
            return Fraction(-1)
        if hand.state == NATURAL:
            pays = Fraction(rules.pontoon_pays)
            return self._tie(pontoon_loss, pays) if end == PONTOON else pays
        if end == PONTOON:
            return pontoon_loss
        if hand.state == "trick":
            pays = Fraction(3) if rules.bonus != "none" and hand.total == 21 else Fraction(rules.trick_pays)
            return self._tie(trick_loss, pays) if end == TRICK else pays
        if end == TRICK:
            return trick_loss
        if hand.state == "ace_king":
            return Fraction(rules.ace_king_pays)
        pays = self._bonus(hand.cards)
        if hand.total == end:
            return self._tie(Fraction(-1), pays)
        return pays if hand.total > end else Fraction(-1)

    def _tie(self, loses: Fraction, wins: Fraction) -> Fraction:
        """What a tie is settled at (10.1)."""
        return {"banker": loses, "push": Fraction(0), "player": wins}[self.rules.ties]

    def _bonus(self, cards: tuple[int, ...]) -> Fraction:
        """What a total wins: more for 6-7-8 and 7-7-7 where there is a bonus (12.1)."""
        ranks = sorted(card // 4 + 1 for card in cards)
        if self.rules.bonus == "none" or ranks not in ([6, 7, 8], [7, 7, 7]):
            return Fraction(1)
        suits = {card % 4 for card in cards}
        return Fraction(3) if suits == {3} else Fraction(2) if len(suits) == 1 else Fraction(3, 2)


def _drawn(counts: tuple[int, ...]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Each kind there is, how many, and the counts with one of it gone."""
    for i, n in enumerate(counts):
        if n:
            yield i, n, (*counts[:i], n - 1, *counts[i + 1 :])


def _checked(chances: Chances, allowed: Sequence[int]) -> list[tuple[int, Fraction]]:
    """The actions that can happen, if the chances are chances."""
    if any(chance < 0 or (chance and action not in allowed) for action, chance in chances.items()):
        raise ValueError(f"chances {chances} where {tuple(allowed)} is allowed")
    if sum(chances.values()) != 1:
        raise ValueError(f"chances that do not add up to one: {chances}")
    return [(action, Fraction(chance)) for action, chance in chances.items() if chance]


# ------------------------------------------------------------------------------------------------------- the banker


def _bound(rules: Rules) -> BankerPolicy:
    """The banker whom 7.2 binds."""

    def policy(view: BankerView) -> Chances:
        total, soft = value_of(view.cards)
        draws = total <= 16 or (rules.banker == "h17" and soft and total == 17)
        return {TWIST if draws and TWIST in view.allowed else STICK: Fraction(1)}

    return promise(policy, blind=True)


class Bank:
    """The banker's turn under a fixed policy: how likely each end of it is."""

    def __init__(self, house: House, policy: BankerPolicy | None) -> None:
        if house.rules.banker != "free":
            policy = _bound(house.rules)
        elif policy is None:
            raise ValueError("a free banker needs a policy")
        self.house, self.policy = house, policy
        glance = getattr(policy, "glance", None)
        self.glance: Callable[[PublicHand], Hashable] | None = glance
        if getattr(policy, "blind", False):
            self.glance = lambda hand: None
        self._spreads: dict[Hashable, Outlook] = {}
        self._chances: dict[Hashable, list[tuple[int, Fraction]]] = {}

    @property
    def promised(self) -> bool:
        """Whether the order of cards makes no difference to the banker."""
        return self.glance is not None

    def glances(self, hands: Sequence[Hand]) -> tuple[Hashable, ...]:
        """All that the banker looks at in the player's finished hands."""
        publics = (self.house.public(hand) for hand in hands)
        return tuple(publics) if self.glance is None else tuple(self.glance(hand) for hand in publics)

    def spread(self, spot: Spot) -> Outlook:
        """How likely each end is when all the player's hands are finished."""
        if self.house.banker_sits(spot.hands):
            mass = self.house.mass(spot.stock, spot.up)
            return Outlook(mass.denominator, 0, {BUST: mass.numerator})
        looks = self.glances(spot.hands)
        if not self.promised:
            return self._count(spot, looks)
        key = (self.house.counted(spot.stock), spot.up, looks)
        if key not in self._spreads:
            self._spreads[key] = self._count(spot, looks)
        return self._spreads[key]

    def _count(self, spot: Spot, looks: tuple[Hashable, ...]) -> Outlook:
        """The spread, card by card for all hands of the banker at once, in whole numbers of cases."""
        house = self.house
        publics = tuple(house.public(hand) for hand in spot.hands)
        tally: dict[tuple[int, int], int] = {}
        level: dict[tuple[tuple[int, ...], Stock, int], int] = {}
        for cards, n, cases, rest in house.bankers(spot.stock, spot.up):
            if not is_natural(cards):
                _add(level, (self._order(cards), rest, cases), n)
            elif not house.rules.peek:
                _add(tally, (PONTOON, cases), n)
        while level:
            deeper: dict[tuple[tuple[int, ...], Stock, int], int] = {}
            for (cards, stock, cases), n in level.items():
                end = house.banker_end(cards)
                if end in (BUST, TRICK):
                    _add(tally, (end, cases), n)
                    continue
                for action, chance in self._choice(cards, stock, publics, looks):
                    weight, scale = n * chance.numerator, cases * chance.denominator
                    if action == STICK:
                        _add(tally, (end, scale), weight)
                        continue
                    more, draws = house.draws(stock)
                    for card, m, rest in draws:
                        _add(deeper, (self._order((*cards, card)), rest, scale * more), weight * m)
            level = deeper
        return blend([(n, Outlook(cases, 0, {end: 1})) for (end, cases), n in tally.items()], 1)

    def _order(self, cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(cards)) if self.promised else cards

    def _choice(
        self, cards: tuple[int, ...], stock: Stock, publics: tuple[PublicHand, ...], looks: tuple[Hashable, ...]
    ) -> list[tuple[int, Fraction]]:
        left = self.house.left(stock)
        allowed = (STICK, TWIST) if self.house.banker_may_draw(cards, left) else (STICK,)
        key = (cards, left, looks)
        if self.promised and key in self._chances:
            return self._chances[key]
        chances = _checked(self.policy(BankerView(cards, publics, left, allowed)), allowed)
        if self.promised:
            self._chances[key] = chances
        return chances


def _add(counts: dict[Any, int], key: Hashable, n: int) -> None:
    counts[key] = counts.get(key, 0) + n


# ------------------------------------------------------------------------------------------------------- the player


class Turn:
    """The player's turn against a fixed banker, under a policy or, without one, at its best."""

    def __init__(self, house: House, bank: Bank, policy: PlayerPolicy | None) -> None:
        self.house, self.bank, self.policy = house, bank, policy
        self.plain = bank.promised and (policy is None or bool(getattr(policy, "plain", False)))
        self._known: dict[Hashable, Outlook] = {}

    def worth(self, spot: Spot) -> Outlook:
        """What to expect of the hand in play and later ones.

        The banker's ends are what the hands before are settled with; for the first hand nobody asks, and they are
        left out while it has choices to make.
        """
        house = self.house
        if spot.at == len(spot.hands):
            return self.bank.spread(spot)
        hand = spot.hand
        if hand.state:
            later = self.worth(house.next_hand(spot))
            halves = sum(n * house.pays(hand, end) for end, n in later.ends.items())
            return later._replace(halves=later.halves + halves)
        if not self.plain:
            return self._choice(spot)
        key = self._key(spot)
        if key not in self._known:
            self._known[key] = self._choice(spot)
        return self._known[key]

    def _choice(self, spot: Spot) -> Outlook:
        view = self.house.view(spot)
        if self.policy is None:
            return max((self._action(spot, action) for action in view.allowed), key=Outlook.chips)
        chances = _checked(self.policy(view), view.allowed)
        cases = lcm(*(chance.denominator for _, chance in chances))
        return blend([(int(chance * cases), self._action(spot, action)) for action, chance in chances], cases)

    def _action(self, spot: Spot, action: int) -> Outlook:
        cases, spots = self.house.after(spot, action)
        parts = [(n, self.worth(after)) for n, after in spots]
        if not spot.at:
            parts = [(n, part._replace(ends={})) for n, part in parts]
        return blend(parts, cases)

    def _key(self, spot: Spot) -> Hashable:
        """All that makes a difference to what follows, for policies that keep their promises."""
        house, hand = self.house, spot.hand
        ordered = len(hand.cards) == 2 or not (house.enough or house.rules.reshuffle == "round")
        done = spot.hands[: spot.at]
        return (
            house.counted(spot.stock),
            spot.up,
            hand.cards if ordered else (hand.cards[0] if hand.split else -1, *sorted(hand.cards)),
            (hand.stake, hand.buys, hand.twists, hand.split),
            tuple(later.cards for later in spot.hands[spot.at + 1 :]),
            self.bank.glances(done),
            house.banker_sits(done),
        )


def expectation(
    rules: Rules, table: Table, shoe: Sequence[int], player: PlayerPolicy, banker: BankerPolicy | None
) -> Fraction:
    """The player's mean result, in least stakes, when both play as given. A bound banker's policy is not asked."""
    house = House(rules, table, shoe)
    turn = Turn(house, Bank(house, banker), player)
    mean = Fraction(0)
    for chance, opening in house.openings():
        view = house.stake_view(opening)
        for action, likely in _checked(player(view), view.allowed):
            mean += chance * likely * _staked(turn, opening, action)
    return mean / table.stake_min


def best_player(rules: Rules, table: Table, shoe: Sequence[int], banker: BankerPolicy | None) -> Fraction:
    """The player's mean result, in least stakes, with best play against a banker. Raises `ValueError` with splits.

    They know their cards, what is public, and how the banker plays.
    """
    if rules.split != "none" and rules.max_hands > 1:
        raise ValueError("the best player is found only where nothing is split")
    house = House(rules, table, shoe)
    turn = Turn(house, Bank(house, banker), None)
    mean = Fraction(0)
    for chance, opening in house.openings():
        mean += chance * max(_staked(turn, opening, action) for action in house.stakes())
    return mean / table.stake_min


def _staked(turn: Turn, opening: Opening, action: int) -> Fraction:
    """The mean result, in chips, after a stake."""
    mean = Fraction(0)
    for chance, spot in turn.house.dealt(opening, action):
        mean += chance * (turn.house.at_once(spot) + turn.worth(spot).chips())
    return mean


# -------------------------------------------------------------------------------------------------- the best banker


class Guess(NamedTuple):
    """What the banker cannot tell from other such: the player's hands and the cards that are left."""

    stock: Stock
    hands: tuple[Hand, ...]


def best_banker(
    rules: Rules, table: Table, shoe: Sequence[int], player: PlayerPolicy, *, history: bool = False
) -> Fraction:
    """The player's mean result, in least stakes, when the banker plays best against a given player.

    The banker knows the bank's own cards and what `BankerView` shows, and infers the rest from how the player plays.
    With `history` the order of all choices is remembered too, which says more where a hand may double after a twist or
    be split again. A bound banker plays as the rules say.
    """
    if rules.banker != "free":
        return expectation(rules, table, shoe, player, None)
    house = House(rules, table, shoe)
    mean = Fraction(0)
    known: dict[tuple[int, Hashable, Hashable], dict[Guess, Fraction]] = {}
    for weight, start in _starts(house, player):
        mean += weight * house.at_once(start)
        for likely, spot in _finished(house, player, start, weight):
            if house.banker_sits(spot.hands):
                pays = Fraction(sum(house.pays(hand, BUST) for hand in spot.hands), 2)
                mean += likely * house.mass(spot.stock, spot.up) * pays
                continue
            seen = (spot.up, tuple(house.public(hand) for hand in spot.hands), spot.told if history else ())
            guesses = known.setdefault(seen, {})
            guess = Guess(spot.stock, tuple(_settled(hand) for hand in spot.hands))
            guesses[guess] = guesses.get(guess, Fraction(0)) + likely
    for group, guesses in known.items():
        mean += _Inference(house, group[0], guesses).value()
    return mean / table.stake_min


def _starts(house: House, player: PlayerPolicy) -> Iterator[tuple[Fraction, Spot]]:
    """Every deal of two cards to the player, and how likely it is."""
    for chance, opening in house.openings():
        view = house.stake_view(opening)
        for action, likely in _checked(player(view), view.allowed):
            for further, spot in house.dealt(opening, action):
                yield chance * likely * further, spot


def _finished(house: House, player: PlayerPolicy, spot: Spot, weight: Fraction) -> Iterator[tuple[Fraction, Spot]]:
    """Every way in which the player can finish all hands, and how likely it is."""
    if spot.at == len(spot.hands):
        yield weight, spot
    elif spot.hand.state:
        yield from _finished(house, player, house.next_hand(spot), weight)
    else:
        view = house.view(spot)
        for action, chance in _checked(player(view), view.allowed):
            cases, spots = house.after(spot, action)
            for n, after in spots:
                yield from _finished(house, player, after, weight * chance * n / cases)


def _settled(hand: Hand) -> Hand:
    """The hand as far as its settlement goes."""
    return Hand(tuple(sorted(hand.cards)), (), hand.staked, state=hand.state, split=hand.split)


class _Inference:
    """The banker at best with what is known of the player's hands."""

    def __init__(self, house: House, up: int, guesses: dict[Guess, Fraction]) -> None:
        self.house, self.up, self.guesses = house, up, guesses
        returned = any(guess.stock.under or any(guess.stock.refill) for guess in guesses)
        self.loose = house.enough or not returned
        """Whether the order in which cards come to the bank says nothing: none have come back to the shoe. The weight
        of a guess is then that of so many cards in a given order, whichever it is."""
        self._known: dict[tuple[int, ...], Fraction] = {}

    def value(self) -> Fraction:
        """The player's mean result, in chips, times how likely the guesses are."""
        house = self.house
        hands: dict[tuple[int, ...], dict[Guess, Fraction]] = {}
        mean = Fraction(0)
        for guess, weight in self.guesses.items():
            for cards, n, cases, rest in house.bankers(guess.stock, self.up):
                likely = weight * Fraction(n, cases)
                if not is_natural(cards):
                    _gather(hands.setdefault(cards, {}), Guess(rest, guess.hands), likely)
                elif not house.rules.peek:
                    mean += likely * self._pays(guess, PONTOON)
        return mean + sum(self._best(cards, held) for cards, held in hands.items())

    def _best(self, cards: tuple[int, ...], guesses: dict[Guess, Fraction]) -> Fraction:
        """The least that the player can be held to."""
        if not self.loose:
            return self._choice(cards, guesses)
        key = tuple(sorted(cards))
        if key not in self._known:
            self._known[key] = self._choice(cards, guesses)
        return self._known[key]

    def _choice(self, cards: tuple[int, ...], guesses: dict[Guess, Fraction]) -> Fraction:
        house = self.house
        end = house.banker_end(cards)
        stick = sum((weight * self._pays(guess, end) for guess, weight in guesses.items()), Fraction(0))
        left = {house.left(guess.stock) for guess in guesses}
        assert len(left) == 1, "the number of cards left is public"
        if end in (BUST, TRICK) or not house.banker_may_draw(cards, left.pop()):
            return stick
        drawn: dict[int, dict[Guess, Fraction]] = {}
        for guess, weight in guesses.items():
            cases, draws = house.draws(guess.stock)
            for card, n, rest in draws:
                _gather(drawn.setdefault(card, {}), Guess(rest, guess.hands), weight * n / cases)
        twist = sum((self._best((*cards, card), held) for card, held in drawn.items()), Fraction(0))
        return min(stick, twist)

    def _pays(self, guess: Guess, end: int) -> Fraction:
        return Fraction(sum(self.house.pays(hand, end) for hand in guess.hands), 2)


def _gather(weights: dict[Guess, Fraction], guess: Guess, weight: Fraction) -> None:
    weights[guess] = weights.get(guess, Fraction(0)) + weight


# --------------------------------------------------------------------------------------------- policies of clause 14


def thumb(rules: Rules, table: Table) -> PlayerPolicy:
    """The player who follows the rules of thumb."""

    def policy(view: PlayerView) -> Chances:
        if view.phase == "stake":
            return {min(view.allowed): Fraction(1)}
        if SPLIT in view.allowed and view.cards[0] // 4 == view.cards[1] // 4 and view.cards[0] // 4 in (ACE, 7):
            return {SPLIT: Fraction(1)}
        total, soft = value_of(view.cards)
        buys = [action for action in view.allowed if action >= BUY]
        if total <= 11:
            wishes = [*reversed(buys), TWIST, STICK]
        elif total <= 14 or (total <= 16 and soft and len(view.cards) in (3, 4)):
            wishes = [TWIST, STICK]
        else:
            wishes = [STICK, TWIST]
        return {next(action for action in wishes if action in view.allowed): Fraction(1)}

    return promise(policy, plain=True)


def stick15(rules: Rules, table: Table) -> PlayerPolicy:
    """The player who sticks as soon as the rules allow and only twists before."""

    def policy(view: PlayerView) -> Chances:
        if view.phase == "stake":
            return {min(view.allowed): Fraction(1)}
        return {STICK if STICK in view.allowed else TWIST: Fraction(1)}

    return promise(policy, plain=True)


def stand(total: int) -> BankerPolicy:
    """The banker who stands on a total or more, soft or hard, whatever the table shows."""

    def policy(view: BankerView) -> Chances:
        draws = value_of(view.cards)[0] < total and TWIST in view.allowed
        return {TWIST if draws else STICK: Fraction(1)}

    return promise(policy, blind=True)


def chase() -> BankerPolicy:
    """The banker who stands on 17, but draws on for a trick where only that still wins."""

    def policy(view: BankerView) -> Chances:
        live = {hand.state for hand in view.hands} - {"bust"}
        draws = value_of(view.cards)[0] < 17 or ("trick" in live and live <= {"trick", NATURAL})
        return {TWIST if draws and TWIST in view.allowed else STICK: Fraction(1)}

    return promise(policy, glance=lambda hand: hand.state)


def _uniform(allowed: tuple[int, ...]) -> Chances:
    return {action: Fraction(1, len(allowed)) for action in allowed}


def random_player(view: PlayerView) -> Chances:
    """The player who takes any allowed action as likely as another."""
    return _uniform(view.allowed)


def random_banker(view: BankerView) -> Chances:
    """The banker who takes any allowed action as likely as another."""
    return _uniform(view.allowed)


promise(random_player, plain=True)
promise(random_banker, blind=True)
