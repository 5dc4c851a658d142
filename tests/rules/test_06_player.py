"""Section 6 of the rule book: a player's turn."""

from __future__ import annotations

import pytest

from tests.rules.play import Engine, Play, by_value, cards_of, play

BANKER = "TH 9H"
"""The banker's cards where they do not matter."""


def hand(cards: str, choices: str = "W0", rules: str = "home", then: str = "", **kwargs: object) -> Play:
    """A player's hand, after some choices."""
    return play(cards_of(cards, BANKER, then=then), choices, rules, **kwargs)


def watched(cards: str, letters: str, rules: str = "home,split=none", then: str = "", **kwargs: object) -> Play:
    """A player's hand as the banker sees it in the bank's own turn."""
    return play(cards_of(cards, BANKER, then=then), "", rules, role="banker", others=[letters], **kwargs)


def test_6_0_each_player_finishes_all_hands_before_the_next_begins() -> None:
    deal = cards_of("8S 8C", "5S 6S", "TH 9H", then="2S 3S TS TC KS")
    first = play(deal, "W0 P T S T S", seats=3, others=["T S"], banker="S")
    assert first.dealt == "8S 5S TH 8C 6S 9H 2S 3S TS TC KS"
    assert first.choices == "W0 W0 P T S T S T S S"
    assert first.results == "+2 +1 -3"


def test_6_1_a_pontoon_is_declared_and_has_no_choice() -> None:
    player = hand("AS KS", banker="S")
    assert (player.over, player.choices) == (True, "W0 S")  # the banker's is the only other choice


@pytest.mark.parametrize("rules", ["british", "casino6", "casino8", "blackjack"])
def test_6_1_in_every_game(rules: str) -> None:
    assert hand("KS AS", rules=rules).over


@pytest.mark.parametrize(
    ("cards", "rules", "allowed"),
    [
        ("TS 5S", "home", "S T B0 B1"),
        ("TS 4S", "home", "T B0 B1"),
        ("AS 4S", "home", "S T B0 B1"),  # soft counts at its best
        ("AS 3S", "home", "T B0 B1"),
        ("TS 5S", "home,stick_minimum=16", "T B0 B1"),
        ("TS 6S", "home,stick_minimum=16", "S T B0 B1"),
        ("2S 3S", "blackjack", "S T B0"),
    ],
)
def test_6_2_stick_with_at_least_stick_minimum(cards: str, rules: str, allowed: str) -> None:
    assert hand(cards, rules=rules).allowed == allowed


def test_6_2_who_sticks_gets_no_card() -> None:
    player = hand("TS 6S", "W0 S", banker="S")
    assert (player.over, player.dealt) == (True, "TS TH 6S 9H")


def test_6_3_twist_takes_one_card_face_up_for_no_stake() -> None:
    assert hand("TS 2S", "W0 T", then="3S").sees("total_stake") == 1
    banker = watched("TS 2S", "T S", then="3S")
    assert (banker.sees("other_count"), banker.sees("other_cards")) == (3, by_value("3"))


@pytest.mark.parametrize(
    ("cards", "then", "rules", "allowed"),
    [
        ("AS 5S", "5C", "home", "S T"),  # on 21 too
        ("TS 9S", "", "home,twist_under=20", "S T B0 B1"),
        ("TS JS", "", "home,twist_under=20,split=none", "S B0 B1"),
        ("AS 5S", "5C", "home,twist_under=21", "S"),
    ],
)
def test_6_3_twist_with_a_total_under_twist_under(cards: str, then: str, rules: str, allowed: str) -> None:
    assert hand(cards, "W0 T" if then else "W0", rules, then).allowed == allowed


def test_6_3_twist_below_trick_cards_cards() -> None:
    four = hand("2S 3S", "W0 T T", then="2C 2D 4S")
    assert (four.sees("count"), four.allowed) == (4, "T")
    assert four.do("T").over


def test_6_3_not_on_a_hand_finished_by_6_1_6_5_or_6_6() -> None:
    assert hand("AS KS").over
    assert hand("5S 6S", "W0 B0", "casino8,twist_after_double=no", "2S").over
    assert hand("AS AC", "W0 P", "casino8,split_aces_one_card=yes", "2S 3S").over


def test_6_4_buy_raises_the_stake_and_takes_one_card() -> None:
    player = hand("5S 6S", "W0 B1", then="KS", banker="S")
    assert (player.sees("count"), player.sees("total_stake"), player.sees("buys")) == (3, 3, [2, 0, 0])
    assert player.do("S").reward == 3


def test_6_4_the_card_lies_face_down_and_the_buyer_looks() -> None:
    assert hand("5S 6S", "W0 B0", then="4S").sees("cards") == by_value("5 6 4")
    banker = watched("5S 6S", "B0 S", then="4S")
    assert (banker.sees("other_count"), banker.sees("other_cards")) == (3, by_value(""))


def test_6_4_a_bust_shows_at_once() -> None:
    second = play(
        cards_of("TS 6S", "9C 9D", BANKER, then="KS"), "W0", "home,split=none", seats=3, seat=1, others=["B0"]
    )
    assert second.sees("other_cards") == by_value("T 6 K")
    assert second.sees("other_state") == [0, 0, 0, 0, 1]


def test_6_4_buys_come_before_twists() -> None:
    assert hand("2S 3S", "W0 T", then="4S").allowed == "T"
    assert hand("2S 3S", "W0 B0", then="4S").allowed == "T B0"
    assert hand("2S 3S", "W0 B0 T", then="4S 5S").allowed == "T"


@pytest.mark.parametrize(("rules", "allowed"), [("home", "T B0"), ("home,max_buys=2", "T"), ("home,max_buys=0", "T")])
def test_6_4_fewer_than_max_buys(rules: str, allowed: str) -> None:
    twice = "W0 B0 B0" if rules != "home,max_buys=0" else "W0 T T"
    assert hand("2S 3S", twice, rules, "2C 2D").allowed == allowed


def test_6_4_three_buys_and_no_fourth() -> None:
    """Without a trick a hand of five cards goes on."""
    player = hand("2S 3S", "W0 B0 B0 B0", "home,trick_cards=0", "2C 2D 3C")
    assert (player.sees("total"), player.sees("bought"), player.allowed) == (12, 3, "T")


@pytest.mark.parametrize(
    ("cards", "then", "rules", "allowed"),
    [
        ("TS 5S", "5C", "home", "S T B0"),  # 20
        ("AS 5S", "5C", "home", "S T"),  # 21
        ("AS 5S", "5C", "home,buy_under=22", "S T B0"),
        ("2S 8S", "2C", "home,buy_under=12", "T"),  # 12
        ("2S 8S", "AC", "home,buy_under=12", "S T"),  # soft 21
        ("2S 6S", "3C", "home,buy_under=12", "T B0"),  # 11
    ],
)
def test_6_4_a_total_under_buy_under(cards: str, then: str, rules: str, allowed: str) -> None:
    assert hand(cards, "W0 B0", rules, then).allowed == allowed


@pytest.mark.parametrize(
    ("then", "rules", "allowed"),
    [
        ("2C 4C", "home", "T B0"),  # 11 on four cards
        ("2C 4C", "home,buy_fifth_minimum=12", "T"),
        ("2C 5C", "home,buy_fifth_minimum=12", "T B0"),  # 12
    ],
)
def test_6_4_a_fifth_card_needs_buy_fifth_minimum(then: str, rules: str, allowed: str) -> None:
    assert hand("2S 3S", "W0 B0 B0", rules, then).allowed == allowed


def test_6_4_buy_fifth_minimum_is_for_the_fifth_card_only() -> None:
    assert hand("2S 3S", "W0 B0", "home,buy_fifth_minimum=12", "2C").allowed == "T B0"


CHIPS = {"stake_min": 4, "stake_max": 4, "buy_levels": 3}


@pytest.mark.parametrize(("rules", "most"), [("home", 8), ("home,buy_max=1", 4), ("home,buy_max=5", 20)])
def test_6_4_the_first_buy_is_from_the_initial_stake_to_buy_max_times_it(rules: str, most: int) -> None:
    player = hand("2S 3S", "W0", rules, **CHIPS)
    assert (player.sees("buy_least"), player.sees("buy_most")) == (4, most)


@pytest.mark.parametrize(("choice", "added"), [("B0", 4), ("B1", 6), ("B2", 8)])
def test_6_4_later_buys_are_from_the_initial_stake_to_the_previous_buy(choice: str, added: int) -> None:
    player = hand("2S 3S", f"W0 {choice}", then="2C", **CHIPS)
    assert player.sees("buys") == [added, 0, 0]
    assert (player.sees("buy_least"), player.sees("buy_most")) == (4, added)


def test_6_4_buys_can_only_fall() -> None:
    """From 8 to 6 to 5: of the levels 4, 5 and 6 the middle one."""
    player = hand("2S 3S", "W0 B2 B1 B1", "home,trick_cards=0", "2C 2D 3C", **CHIPS)
    assert player.sees("buys") == [8, 6, 5]
    assert player.sees("total_stake") == 23


def test_6_5_double_adds_exactly_the_initial_stake_and_takes_one_card() -> None:
    player = hand("5S 6S", "W1 B0", "casino8", "KS", stake_max=6, stake_levels=2)
    assert (player.sees("count"), player.sees("total_stake")) == (3, 12)
    assert player.do("S").results == "+12 -12"


@pytest.mark.parametrize("cards", ["2S 3S", "TS 9S", "AS 5S"])
def test_6_5_on_any_total(cards: str) -> None:
    assert "B0" in hand(cards, rules="casino8").allowed


def test_6_5_on_21_too() -> None:
    assert hand("AS 5S", "W0 T", "casino8", "5C").allowed == "S T B0"
    assert hand("AS 5S", "W0 T", "casino8,twist_under=17", "5C").allowed == "S B0"


def test_6_5_holding_at_most_double_cards_max_cards() -> None:
    assert hand("2S 3S", "W0 T T", "casino8", "2C 3C").allowed == "T B0"  # 4 cards; also after twists
    assert hand("2S 3S", "W0 T T", "casino8,double_cards_max=3", "2C 3C").allowed == "T"
    assert hand("2S 3S", "W0 T T T", "casino8,trick_cards=0", "2C 3C 2D").allowed == "T"  # 5 cards


def test_6_5_max_buys_times_a_hand() -> None:
    assert hand("2S 3S", "W0 B0", "casino8", "2C").allowed == "T"
    assert hand("2S 3S", "W0 B0", "casino8,max_buys=2", "2C").allowed == "T B0"
    twice = hand("2S 3S", "W0 B0 B0", "casino8,max_buys=2", "2C 2D")
    assert (twice.allowed, twice.sees("total_stake")) == ("T", 3)


def test_6_5_the_hand_may_go_on_or_is_finished() -> None:
    assert hand("5S 6S", "W0 B0", "casino8", "2S").allowed == "T"
    assert hand("5S 6S", "W0 B0", "casino8,twist_after_double=no", "2S").over


def test_6_5_after_a_split_where_double_after_split() -> None:
    assert hand("8S 8C", "W0 P", "casino8", "2S 3S").allowed == "T B0"
    assert hand("8S 8C", "W0 P", "casino8,double_after_split=no", "2S 3S").allowed == "T"


def test_6_5_with_buying_none_neither() -> None:
    assert hand("5S 6S", rules="home,buying=none").allowed == "T"


@pytest.mark.parametrize(
    ("split", "pairs"),
    [
        ("rank", {"KS KC", "AS AC", "8S 8C"}),
        ("value", {"KS KC", "KS QS", "TS JS", "AS AC", "8S 8C"}),
        ("aces", {"AS AC"}),
        ("none", set()),
    ],
)
def test_6_6_what_is_a_pair(split: str, pairs: set[str]) -> None:
    cards = ["KS KC", "KS QS", "TS JS", "AS AC", "8S 8C", "8S 9S"]
    assert {pair for pair in cards if "P" in hand(pair, rules=f"home,split={split}").allowed.split()} == pairs


@pytest.mark.parametrize(
    ("rules", "kings", "king_queen"),
    [("british", True, False), ("home", True, False), ("casino6", True, True), ("casino8", True, True)],
)
def test_6_6_pairs_of_the_presets(rules: str, kings: bool, king_queen: bool) -> None:
    assert ("P" in hand("KS KC", rules=rules).allowed) is kings
    assert ("P" in hand("KS QC", rules=rules).allowed) is king_queen


def test_6_6_exactly_two_cards() -> None:
    assert "P" not in hand("4S 4C", "W0 T", then="4D").allowed
    assert "P" not in hand("4S 4C", "W0 B0", then="4D").allowed


def test_6_6_a_second_stake_equal_to_the_first() -> None:
    player = hand("8S 8C", "W1 P", then="2S 3S", stake_max=6, stake_levels=2)
    assert (player.sees("stake"), player.sees("own_stake")) == (6, [6, 0, 0])


def test_6_6_the_pair_is_shown() -> None:
    second = play(cards_of("8S 8C", "9C 9D", BANKER, then="TS JS"), "W0", seats=3, seat=1, others=["P S S"])
    assert second.sees("other_cards") == by_value("8") + by_value("8") + [0] * 20
    assert second.sees("other_count") == [2, 2, 0, 0]


def test_6_6_the_first_dealt_card_stays_and_this_hand_gets_its_card_first() -> None:
    first = hand("TS JS", "W0 P", "casino8", "2S 3S")
    assert first.sees("hand") == 0
    assert first.sees("cards") == by_value("T 2")
    assert first.sees("own_cards") == by_value("J 3") + [0] * 10


def test_6_6_the_new_hand_comes_right_after_before_later_hands() -> None:
    """8 8 is split to 8 8 and 8 5; the first of them again, to 8 2, 8 3, and then 8 5."""
    player = hand("8S 8C", "W0 P P", then="8D 5S 2S 3S TS TC TD")
    assert (player.sees("hand"), player.sees("hands"), player.sees("cards")) == (0, 3, by_value("8 2"))
    assert player.do("T S").sees("cards") == by_value("8 3")
    assert player.do("T S").sees("cards") == by_value("8 5")
    assert player.sees("hand") == 2


@pytest.mark.parametrize(("rules", "hands"), [("british", 2), ("home", 4), ("casino6", 4), ("casino8", 3)])
def test_6_6_up_to_max_hands(rules: str, hands: int) -> None:
    """Nothing but eights comes."""
    player = hand("8S 8C", "W0", f"{rules},packs=6", "8D 8H 8S 8C 8D 8H 8S 8C")
    for _ in range(hands - 1):
        assert "P" in player.allowed.split()
        player.do("P")
    assert player.sees("cards") == by_value("8 8")
    assert "P" not in player.allowed.split()


def test_6_6_a_later_hand_may_split_again() -> None:
    player = hand("8S 8C", "W0 P T S P", then="2S 8D TS 3S 4S")
    assert (player.sees("hand"), player.sees("hands"), player.sees("cards")) == (1, 3, by_value("8 3"))


def test_6_6_split_aces_get_one_card_and_are_finished() -> None:
    player = hand("AS AC", "W0 P", "home,split_aces_one_card=yes", "2S 3S", banker="S")
    assert (player.over, player.dealt, player.reward) == (True, "AS TH AC 9H 2S 3S", -2)


def test_6_6_split_aces_with_one_card_do_not_split_again() -> None:
    player = hand("AS AC", "W0 P", "home,split_aces_one_card=yes", "AD 3S", banker="S")
    assert (player.over, player.dealt) == (True, "AS TH AC 9H AD 3S")


def test_6_6_else_split_aces_are_played() -> None:
    assert hand("AS AC", "W0 P", "home", "AD 3S").allowed == "T P B0 B1"


def test_6_7_a_split_hand_is_a_new_hand_with_its_own_stake_and_history() -> None:
    """The first hand buys and twists; the second begins anew."""
    player = hand("8S 8C", "W0 P B1 T", then="2S 2C 3S 5S", banker="S")
    assert (player.sees("total"), player.sees("total_stake"), player.allowed) == (18, 3, "S T")
    player.do("S")
    assert (player.sees("bought"), player.sees("twists"), player.sees("total_stake")) == (0, 0, 1)
    assert player.allowed == "T B0 B1"


def test_6_7_it_buys_doubles_twists_and_sticks() -> None:
    bought = hand("8S 8C", "W0 P B1 S B0 S", then="3S 3C KS QS", banker="S")
    assert (bought.choices, bought.reward) == ("W0 P B1 S B0 S S", 5)  # 3 and 2
    doubled = hand("8S 8C", "W0 P B0 S T S", "casino8", "3S 3C KS QS")
    assert doubled.reward == 3


def test_6_8_a_bust_hand_is_shown_and_its_total_stake_is_lost() -> None:
    banker = watched("TS 2S", "B1", then="KS")
    assert banker.sees("other_cards") == by_value("T 2 K")
    assert banker.sees("other_state") == [0, 0, 0, 0, 1]
    assert banker.do("S").results == "-3 +3"


def test_6_8_its_cards_go_under_the_shoe_at_once() -> None:
    table = Engine(cards_of("TS 2S", "9C 9D", BANKER, then="KS"), seats=3).do("W0 W0 T")
    assert table.under == "TS 2S KS"


def test_6_8_the_seats_next_hand_plays() -> None:
    player = hand("8S 8C", "W0 P T", then="5S 3S TS")
    assert (player.over, player.sees("hand"), player.sees("cards")) == (False, 1, by_value("8 3"))


def test_6_9_a_trick_is_shown_and_finished() -> None:
    banker = watched("2S 3S", "B0 B0 T", then="2C 2D 4S")
    assert banker.choices == "W0 B0 B0 T"  # no stick
    assert banker.sees("other_cards") == by_value("2 3 2 2 4")
    assert banker.sees("other_state") == [0, 1, 0, 0, 0]


@pytest.mark.parametrize("rules", ["casino6", "casino8"])
def test_6_9_in_the_casino_too(rules: str) -> None:
    assert hand("2S 3S", "W0 T T T", rules, "2C 2D 4S").over


@pytest.mark.parametrize(("rules", "allowed"), [("home", "S T B0 B1"), ("casino8", "S T B0"), ("blackjack", "S T B0")])
def test_6_10_no_insurance_and_no_surrender(rules: str, allowed: str) -> None:
    """Against an ace there are the usual choices, and the action space has no others."""
    player = play(cards_of("TS 6S", "AH 9H"), "W0", rules)
    assert player.allowed == allowed
    assert player.env.action_space.n == 6  # stick, twist, split, two buys, one stake
