"""Section 11 of the rule book: after the round.

Sessions, in which the bank moves and is sold and chips run out, do not exist yet. Of 11.1 the kernel is tested that
will move the bank, of 11.3 to 11.5 what already holds.
"""

from __future__ import annotations

import pytest

from pontoon_gym.rules import Rules, Table
from tests.rules.play import Engine, Play, cards_of, play


def after(*seats: str, rules: str = "home", then: str = "", choices: str, banker: int | None = None) -> Engine:
    """A finished round; the cards stand from the banker's left, the banker last."""
    table = Engine(cards_of(*seats, then=then), rules, seats=len(seats), banker=banker)
    return table.do(choices)


def test_11_1_a_player_with_a_pontoon_banks_next() -> None:
    assert after("TS 9S", "AS KS", "TH 9H", choices="W0 W0 S S").next_banker == 1


def test_11_1_without_a_pontoon_the_bank_stays() -> None:
    assert after("TS 9S", "TC 9C", "TH 9H", choices="W0 W0 S S S").next_banker == 2


def test_11_1_not_if_the_banker_has_one() -> None:
    assert after("AS KS", "AH KH", choices="W0 S").next_banker == 1
    assert after("AS KS", "AH KH", rules="home,peek=no", choices="W0 S").next_banker == 1


def test_11_1_of_several_the_nearest_to_the_bankers_left() -> None:
    """Seat 1 banks; from the banker's left sit 2, 3 and 0."""
    table = after("TS 9S", "AS KS", "AC KC", "TH 9H", choices="W0 W0 W0 S S", banker=1)
    assert table.next_banker == 3


def test_11_1_a_pontoon_on_a_split_hand_does_not_take_the_bank() -> None:
    table = after("AS AC", "TH 9H", then="KS KC", choices="W0 P S")
    assert table.results == [4, -4]
    assert table.next_banker == 1


def test_11_1_a_three_card_21_does_not_either() -> None:
    assert after("7S 7C", "TH 9H", then="7D", choices="W0 T S S").next_banker == 1


@pytest.mark.parametrize(("banker", "following"), [(0, 1), (1, 2), (2, 0)])
def test_11_1_rotate_is_the_next_seat_clockwise(banker: int, following: int) -> None:
    """The second player's Pontoon changes nothing."""
    table = after("TS 9S", "AS KS", "TH 9H", rules="rotating", choices="W0 W0 S S", banker=banker)
    assert table.next_banker == following


def test_11_1_rotate_goes_on_after_the_bankers_pontoon() -> None:
    assert after("TS 9S", "AH KH", rules="rotating", choices="W0 S").next_banker == 0


@pytest.mark.parametrize("rules", ["casino6", "casino8", "blackjack", "home,bank=fixed"])
def test_11_1_fixed_is_never(rules: str) -> None:
    assert after("AS KS", "TH 9H", rules=rules, choices="W0 S").next_banker == 1


def test_11_1_by_sudden_death_too() -> None:
    assert after("TS 9S", "AS KS", "TH 9H", rules="sudden_death", choices="W0 W0 S").next_banker == 1


def test_11_2_used_cards_go_under_the_shoe_in_order() -> None:
    """The second player's bust at once, then the first player's hand, the banker's last."""
    deal = cards_of("TS 9S", "TC 6C", "TH 2H", then="KC 7H")
    table = Engine(deal, seats=3).do("W0 W0 S T T S").clear_table()
    assert table.under == "TC 6C KC TS 9S TH 2H 7H"
    assert not table.is_shuffled


def test_11_2_a_seats_hands_in_order_of_play_each_in_the_order_received() -> None:
    deal = cards_of("8S 8C", "TC 9C", "TH 9H", then="2S 3S 4S 2D 7C")
    table = Engine(deal, seats=3).do("W0 W0 P B0 T S T S S S").clear_table()
    assert table.under == "8S 2S 4S 2D 8C 3S 7C TC 9C TH 9H"


def test_11_2_a_bust_of_the_banker_goes_under_with_the_rest() -> None:
    deal = cards_of("TS 9S", "TH 6H", then="KH")
    assert Engine(deal).do("W0 S T").clear_table().under == "TS 9S TH 6H KH"


def test_11_2_first_under_is_first_dealt_again() -> None:
    """Nine cards, five of which the first round deals; the player's bust lies before the banker's hand."""
    shoe = {"T": 4, "2": 4, "9": 1}
    deal = cards_of("TC 2C", "TD 9C", then="TH") + " TS 2D 2H 2S"
    player = play(deal, "W0 T", shoe=shoe, rounds=3)
    assert player.do("W0").dealt == "TS 2D 2H 2S"  # under the shoe: TC 2C TH, TD 9C
    assert player.do("T").dealt == "2C TH"  # TC made the player bust; under the shoe: TS 2H TC, 2D 2S
    assert player.do("W0").dealt == "2C TH TD 9C"
    assert player.do("T").dealt == "2C TH TD 9C TS"
    assert (player.over, player.reward) == (True, -3)


def test_11_2_a_pontoon_shuffles_all() -> None:
    assert Engine(cards_of("AS KS", "TH 9H")).do("W0 S").clear_table().is_shuffled
    assert Engine(cards_of("TS 9S", "AH KH")).do("W0 S").clear_table().is_shuffled  # the banker's too
    split = Engine(cards_of("AS AC", "TH 9H", then="KS 5C")).do("W0 P S S").clear_table()
    assert split.is_shuffled


def test_11_2_a_shuffled_shoe_is_no_longer_carried() -> None:
    pontoon = play(cards_of("AS KS", "TH 9H"), "W0", rounds=2)
    assert "carried=yes" not in pontoon.record[2]
    plain = play(cards_of("TS 9S", "TH 9H"), "W0 S", rounds=2)
    assert "carried=yes" in plain.record[2]


def test_11_2_after_a_shuffle_any_card_may_come_next() -> None:
    """Of eight cards the first round deals four: the next begins with one of eight after a shuffle, else of four."""
    shuffled, carried = set(), set()
    for seed in range(50):
        shoe = {"A": 1, "T": 2, "9": 5}
        shuffled.add(play("AC TD TC 9C", "W0", shoe=shoe, rounds=2, seed=seed).dealt.split()[0])
        shoe = {"T": 3, "9": 3, "2": 2}
        carried.add(play("TC TD 9C 9D", "W0 S", shoe=shoe, rounds=2, seed=seed).dealt.split()[0])
    assert shuffled == {"AC", "TC", "TD", "9C", "9D", "9H", "9S"}  # one of the nines twice
    assert carried == {"TH", "9H", "2C", "2D"}


@pytest.mark.parametrize("rules", ["casino8", "home,reshuffle=round"])
def test_11_2_reshuffle_round_is_a_fresh_shoe_each_round(rules: str) -> None:
    assert Engine(cards_of("TS 9S", "TH 9H"), rules).do("W0 S S").clear_table().is_shuffled


def test_11_3_the_bank_is_not_sold_yet() -> None:
    """`bank_sale` is kept for sessions: it changes the rules' digest and no round."""
    assert Rules.of("home").bank_sale
    assert Rules.of("home", bank_sale=False).digest() != Rules.of("home").digest()
    for rules in ("home", "home,bank_sale=no"):
        player = play(cards_of("TS 9S", "TH 8H"), "W0 S", rules, rounds=2)
        assert player.env.action_space.n == 6  # stick, twist, split, two buys, one stake
        assert (player.reward, player.allowed) == (1, "W0")


def test_11_4_chips_are_no_field_of_rules_or_table() -> None:
    assert "chips" not in Rules._fields + Table._fields


@pytest.mark.parametrize("rules", ["home", "casino8"])
def test_11_4_a_running_score_has_no_limit(rules: str) -> None:
    """Thirty lost ties in a row at the most that may be staked: the shoe holds nothing but nines."""
    player = Play("", rules, shoe={"9": 120}, rounds=30, stake_max=1_000_000, stake_levels=2)
    for _ in range(30):
        player.do("W1 S")
    assert (player.reward, player.over) == (-30_000_000, True)


def test_11_4_a_split_and_buys_need_no_chips() -> None:
    deal = cards_of("8S 8C", "TH 9H", then="3S 3C KS KC")
    player = play(deal, "W0 P B1 S B1 S", banker="S", stake_min=1_000_000, stake_max=1_000_000)
    assert player.results == "+6000000 -6000000"


def test_11_5_an_episode_ends_after_its_number_of_rounds() -> None:
    deal = " ".join([cards_of("TS 9S", "TH 8H"), cards_of("TC 9C", "TD 8D"), cards_of("JC 9D", "JD 8C")])
    player = play(deal, "W0 S W0 S", rounds=3)
    assert (player.over, player.allowed) == (False, "W0")
    player.do("W0 S")
    assert (player.over, player.rewards) == (True, [0, 1, 0, 1, 0, 1])
