"""A slow, literal Pontoon, written only from the rule book; the numbers in comments are its clauses.

It exists to be compared with the fast engine on random rounds, so it shares no code with it.
Cards are 0..51: rank = card // 4 (0 ace, 1 two, ..., 9 ten, 10 J, 11 Q, 12 K), suit = card % 4 (3 = spades).
No chip limits (11.4 with chips = 0) and no bank sale: those belong to a session, not to a round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

STICK, TWIST, SPLIT, FIRST_BUY = 0, 1, 2, 3  # actions
ACE, TEN, KING, SPADES = 0, 9, 12, 3  # ranks, and a suit

Rules = Mapping[str, object]
Choose = Callable[[int, int, list[int]], int]
Shuffle = Callable[[list[int]], list[int]]


@dataclass
class Hand:
    stake: int  # the initial stake
    cards: list[int] = field(default_factory=list)
    buys: list[int] = field(default_factory=list)
    twists: int = 0
    kind: str = "total"
    total: int = 0
    split: bool = False  # came out of a split
    finished: bool = False


@dataclass
class Result:
    """What a round leaves behind. `shoe` (reshuffle="pontoon", not endless; else empty) holds every card in the
    order of 11.2; where `shuffled` is true that order means nothing, all of it is to be shuffled."""

    payoffs: list[Fraction]
    hands: list[list[Hand]]  # by seat, in order of play
    shoe: list[int]
    shuffled: bool
    log: list[tuple[int, int, list[int], int]]


def _num(rules: Rules, name: str) -> Fraction:
    return Fraction(str(rules[name]))  # exact: rates are multiples of 1/2 (10.3)


def _word(rules: Rules, name: str, *known: str) -> str:
    value = rules[name]
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} should be one of {known}, not {value!r}")
    return value


def value_of(card: int) -> int:
    """1.3, an ace counted 1."""
    return min(card // 4 + 1, 10)


def total_of(cards: list[int]) -> tuple[int, bool]:
    """1.4: the best total, and whether it is soft."""
    hard = sum(value_of(card) for card in cards)
    soft = any(card // 4 == ACE for card in cards) and hard + 10 <= 21
    return (hard + 10 if soft else hard), soft


def kind_of(rules: Rules, cards: list[int], split: bool) -> str:
    """Section 2 and 12.3."""
    if total_of(cards)[0] > 21:
        return "bust"  # 2.5
    if sorted(value_of(card) for card in cards) == [1, 10]:
        if not split:
            return "pontoon"  # 2.1
        if _num(rules, "ace_king_pays") > 0 and any(card // 4 == KING for card in cards):
            return "ace_king"  # 12.3
        if rules["split_pontoon"]:
            return "pontoon"  # 2.6
    if 0 < _num(rules, "trick_cards") <= len(cards):
        return "trick"  # 2.2
    return "total"


def is_pair(rules: Rules, cards: list[int]) -> bool:
    """6.6: exactly two cards that are a pair in the sense of `split`."""
    how = _word(rules, "split", "rank", "value", "aces", "none")
    if how == "none" or len(cards) != 2:
        return False
    first, second = cards
    if how == "value":
        return value_of(first) == value_of(second)
    return first // 4 == second // 4 and (how == "rank" or first // 4 == ACE)


def levels(least: int, most: int, count: int) -> list[int]:
    """9.3: the amounts of the levels 0 .. count - 1."""
    if count == 1:
        return [least]
    return [least + math.floor(Fraction(i * (most - least), count - 1) + Fraction(1, 2)) for i in range(count)]


def allowed_levels(amounts: list[int]) -> list[int]:
    """9.3: of levels with equal amounts only the lowest index is allowed."""
    return [i for i, amount in enumerate(amounts) if amount not in amounts[:i]]


def full_shoe(rules: Rules, seats: int) -> list[int]:
    """1.1, 1.2: all cards of the shoe, sorted; one pack for an endless shoe."""
    packs = int(_num(rules, "packs")) or 1
    if rules["packs"] != 0 and 0 < _num(rules, "second_pack_from") <= seats:
        packs += 1
    return sorted([card for card in range(52) if rules["tens"] or card // 4 != TEN] * packs)


def win_rate(rules: Rules, hand: Hand) -> Fraction:
    """What the hand is paid when it wins: section 10, and the bonuses of 12.1."""
    spanish = _word(rules, "bonus", "none", "spanish21") == "spanish21"
    if hand.kind == "pontoon":
        return _num(rules, "pontoon_pays")
    if hand.kind == "ace_king":
        return _num(rules, "ace_king_pays")
    if hand.kind == "trick":
        return Fraction(3) if spanish and hand.total == 21 else _num(rules, "trick_pays")
    if spanish and sorted(value_of(card) for card in hand.cards) in ([6, 7, 8], [7, 7, 7]):
        suits = {card % 4 for card in hand.cards}
        return Fraction(3) if suits == {SPADES} else Fraction(2) if len(suits) == 1 else Fraction(3, 2)
    return Fraction(1)


def settle(rules: Rules, hand: Hand, banker: Hand) -> Fraction:
    """The table of section 10, in units of the hand's total stake; ties by 10.1."""
    win = win_rate(rules, hand)
    pontoon_loss, trick_loss = _num(rules, "banker_pontoon_loss"), _num(rules, "banker_trick_loss")
    ties = _word(rules, "ties", "banker", "push", "player")
    if hand.kind == "bust":
        return Fraction(-1)
    if banker.kind == "bust":
        return win
    if banker.kind == "pontoon":
        tie, loss = hand.kind == "pontoon", pontoon_loss
    elif hand.kind == "pontoon":
        return win
    elif banker.kind == "trick":
        tie, loss = hand.kind == "trick", trick_loss
    elif hand.kind in ("trick", "ace_king") or hand.total > banker.total:
        return win
    else:
        tie, loss = hand.total == banker.total, Fraction(1)
    if tie and ties == "player":
        return win
    return Fraction(0) if tie and ties == "push" else -loss


class _Round:
    def __init__(self, rules: Rules, seats: int, banker: int, shoe: list[int], pick: Choose, shuffle: Shuffle) -> None:
        self.rules, self.banker, self.choose, self.shuffle, self.shoe = rules, banker, pick, shuffle, list(shoe)
        self.busts: list[int] = []  # bust cards kept apart, only with reshuffle="round" (1.5)
        self.endless = rules["packs"] == 0
        self.by_round = _word(rules, "reshuffle", "pontoon", "round") == "round"
        self.buying = _word(rules, "buying", "buy", "double", "none")
        self.buy_levels = 1  # set by play()
        self.log: list[tuple[int, int, list[int], int]] = []
        self.hands: list[list[Hand]] = [[Hand(stake=0)] for _ in range(seats)]
        self.players = [(banker + step) % seats for step in range(1, seats)]  # from the banker's left

    def ask(self, seat: int, number: int, allowed: list[int]) -> int:
        action = self.choose(seat, number, list(allowed))
        if action not in allowed:
            raise ValueError(f"seat {seat}, hand {number}: {action} is not one of {allowed}")
        self.log.append((seat, number, allowed, action))
        return action

    def can_deal(self, cards: int) -> bool:
        return self.endless or len(self.shoe) + len(self.busts) >= cards  # 1.5

    def give(self, hand: Hand) -> None:
        if not self.shoe and self.busts:  # 1.5: the busts are shuffled in
            self.shoe, self.busts = list(self.shuffle(list(self.busts))), []
        if not self.shoe:
            raise RuntimeError("no card left to deal")
        hand.cards.append(self.shoe.pop(0))
        hand.total = total_of(hand.cards)[0]
        hand.kind = kind_of(self.rules, hand.cards, hand.split)
        hand.finished = hand.kind != "total"  # 6.1, 6.8, 6.9, 12.3; 7.3

    def lay_under(self, cards: list[int]) -> None:
        """11.2: used cards go under the shoe."""
        if not self.endless:
            (self.busts if self.by_round else self.shoe).extend(cards)

    def deal_to_all(self) -> None:
        for seat in [*self.players, self.banker]:  # 4.1
            self.give(self.hands[seat][0])

    def make_stakes(self, amounts: list[int]) -> None:
        """3.3: in turn from the banker's left."""
        first = FIRST_BUY + self.buy_levels
        for seat in self.players:
            action = self.ask(seat, 0, [first + i for i in allowed_levels(amounts)])
            self.hands[seat][0].stake = amounts[action - first]

    def buy_amounts(self, hand: Hand) -> list[int]:
        """6.4, 6.5: the price of each buy level."""
        if self.buying == "double":
            return [hand.stake]
        most = hand.buys[-1] if hand.buys else math.floor(_num(self.rules, "buy_max") * hand.stake)
        return levels(hand.stake, most, self.buy_levels)

    def may_buy(self, hand: Hand) -> bool:
        """6.4, 6.5, apart from there being a card."""
        if self.buying == "none" or len(hand.buys) >= _num(self.rules, "max_buys"):
            return False
        if self.buying == "double":
            may_after_split = not hand.split or bool(self.rules["double_after_split"])
            return len(hand.cards) <= _num(self.rules, "double_cards_max") and may_after_split
        if len(hand.cards) == 4 and hand.total < _num(self.rules, "buy_fifth_minimum"):
            return False
        return hand.twists == 0 and hand.total < _num(self.rules, "buy_under")

    def allowed(self, seat: int, hand: Hand) -> list[int]:
        """Section 6, for a hand that is not finished."""
        if not self.can_deal(1):
            return [STICK]  # 1.5
        actions = [STICK] if hand.total >= _num(self.rules, "stick_minimum") else []  # 6.2
        if hand.total < _num(self.rules, "twist_under"):
            actions.append(TWIST)  # 6.3; a hand of trick_cards cards is finished already
        room = len(self.hands[seat]) < _num(self.rules, "max_hands")
        if is_pair(self.rules, hand.cards) and room and self.can_deal(2):
            actions.append(SPLIT)  # 6.6
        if self.may_buy(hand):
            actions.extend(FIRST_BUY + i for i in allowed_levels(self.buy_amounts(hand)))
        return actions

    def split(self, seat: int, number: int) -> None:
        """6.6: the first-dealt card stays, the new hand comes right after; this hand gets its card first."""
        hand = self.hands[seat][number]
        kept, moved = hand.cards
        hand.cards, hand.split = [kept], True
        new = Hand(stake=hand.stake, cards=[moved], split=True)
        self.hands[seat].insert(number + 1, new)
        for one in (hand, new):
            self.give(one)
            if kept // 4 == ACE and self.rules["split_aces_one_card"]:
                one.finished = True

    def play_hand(self, seat: int, number: int) -> None:
        hand = self.hands[seat][number]
        while not hand.finished:
            action = self.ask(seat, number, self.allowed(seat, hand))
            if action == STICK:
                hand.finished = True
            elif action == TWIST:
                hand.twists += 1
                self.give(hand)
            elif action == SPLIT:
                self.split(seat, number)
            else:
                hand.buys.append(self.buy_amounts(hand)[action - FIRST_BUY])
                self.give(hand)
                if self.buying == "double" and not self.rules["twist_after_double"]:
                    hand.finished = True  # 6.5
        if hand.kind == "bust":
            self.lay_under(hand.cards)  # 6.8

    def banker_allowed(self, hand: Hand) -> list[int]:
        """7.2."""
        how, (total, soft) = _word(self.rules, "banker", "free", "h17", "s17"), total_of(hand.cards)
        if not self.can_deal(1):
            return [STICK]  # 1.5
        if how == "free":
            return [STICK, TWIST]
        return [TWIST] if total <= 16 or (how == "h17" and total == 17 and soft) else [STICK]

    def play_banker(self) -> None:
        """Section 7."""
        hand = self.hands[self.banker][0]
        nobody_live = all(one.kind == "bust" for seat in self.players for one in self.hands[seat])
        if nobody_live or hand.kind == "pontoon":  # 7.1, 7.3: nothing to choose (9.4)
            self.ask(self.banker, 0, [STICK])
            return
        while not hand.finished and self.ask(self.banker, 0, self.banker_allowed(hand)) == TWIST:
            hand.twists += 1
            self.give(hand)

    def play(self, stakes: list[int], buy_levels: int) -> list[Fraction]:
        """The round from the deal to the settlement."""
        self.buy_levels = buy_levels
        if self.rules["stake_after_first_card"]:  # 3.3, 4.1
            self.deal_to_all()
            self.make_stakes(stakes)
        else:
            self.make_stakes(stakes)
            self.deal_to_all()
        self.deal_to_all()
        banker = self.hands[self.banker][0]
        payoffs = [Fraction(0) for _ in self.hands]
        natural = [seat for seat in self.players if self.hands[seat][0].kind == "pontoon"]
        if self.rules["peek"] and banker.kind == "pontoon":  # 5.1; the last column of 10 says the same
            self.ask(self.banker, 0, [STICK])
            for seat in self.players:
                payoffs[seat] = self.hands[seat][0].stake * settle(self.rules, self.hands[seat][0], banker)
        elif self.rules["sudden_death"] and natural:  # 12.4
            self.ask(self.banker, 0, [STICK])
            payoffs[natural[0]] = self.hands[natural[0]][0].stake * _num(self.rules, "pontoon_pays")
        else:
            for seat in self.players:
                for number, _ in enumerate(self.hands[seat]):  # a split makes the list longer as it goes
                    self.play_hand(seat, number)
            self.play_banker()
            for seat in self.players:
                for hand in self.hands[seat]:
                    payoffs[seat] += (hand.stake + sum(hand.buys)) * settle(self.rules, hand, banker)
        payoffs[self.banker] = -sum(payoffs, Fraction(0))  # 9.1
        return payoffs

    def clear_away(self) -> tuple[list[int], bool]:
        """11.2: the shoe after the round, and whether all is to be shuffled."""
        if self.endless or self.by_round:
            return [], True
        for seat in self.players:
            for hand in self.hands[seat]:
                self.lay_under(hand.cards if hand.kind != "bust" else [])  # busts went under at once
        self.lay_under(self.hands[self.banker][0].cards)
        return self.shoe, any(hand.kind == "pontoon" for hands in self.hands for hand in hands)


def play_round(
    rules: Rules, seats: int, banker: int, stake_min: int, stake_max: int, stake_levels: int, buy_levels: int,
    shoe: list[int], choose: Choose, shuffle: Shuffle,
) -> Result:  # fmt: skip
    """Play one round from the deal to the settlement."""
    table = _Round(rules, seats, banker, shoe, choose, shuffle)
    payoffs = table.play(levels(stake_min, stake_max, stake_levels), buy_levels)
    return Result(payoffs, table.hands, *table.clear_away(), table.log)


def next_banker(rules: Rules, seats: int, banker: int, result: Result) -> int:
    """11.1; 5.2: a banker with a Pontoon keeps a bank that goes by Pontoons."""
    how = _word(rules, "bank", "pontoon", "rotate", "fixed")
    if how == "rotate":
        return (banker + 1) % seats
    if how == "pontoon" and result.hands[banker][0].kind != "pontoon":
        for step in range(1, seats):
            hands = result.hands[(banker + step) % seats]
            if len(hands) == 1 and hands[0].kind == "pontoon":  # unsplit
                return (banker + step) % seats
    return banker
