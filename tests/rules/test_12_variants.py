"""Section 12 of the rule book: variants."""

from __future__ import annotations

import pytest

from pontoon_gym.engine.state import SHOWN
from pontoon_gym.errors import BadCards, BadRules
from pontoon_gym.rules import Rules
from tests.rules.play import Engine, Play, cards_of, play


def test_12_1_spanish_has_no_tens() -> None:
    with pytest.raises(BadCards):
        Play("TS", "spanish")


SPANISH = "spanish,packs=3"
"""Three packs, so that 7-7-7 comes in one suit."""


@pytest.mark.parametrize(
    ("cards", "drawn", "paid"),
    [
        ("6S 7C", "8S", 1.5),
        ("8C 6D", "7H", 1.5),  # in any order
        ("7S 8H", "6D", 1.5),
        ("6C 7C", "8C", 2),
        ("8H 7H", "6H", 2),
        ("6D 8D", "7D", 2),
        ("6S 7S", "8S", 3),
        ("7C 7D", "7H", 1.5),
        ("7D 7D", "7D", 2),
        ("7S 7S", "7S", 3),
        ("6S 6S", "9S", 1),  # 21 of other cards
        ("5S 8S", "8S", 1),
        ("KS AS", "", 2),
    ],
)
def test_12_1_bonuses(cards: str, drawn: str, paid: float) -> None:
    choices = "W0 T S" if drawn else "W0"
    assert play(cards_of(cards, "KH 9H", then=drawn), choices, SPANISH, banker="S").reward == paid


def test_12_1_only_a_21() -> None:
    assert play(cards_of("6S 7S", "KH 8H", then="6S"), "W0 T S", SPANISH, banker="S").reward == 1


def test_12_1_of_exactly_three_cards() -> None:
    """6 7 A 7 is 21 on four."""
    assert play(cards_of("6S 7S", "KH 9H", then="AS 7S"), "W0 T T S", SPANISH, banker="S").reward == 1


@pytest.mark.parametrize(("drawn", "paid"), [("2C 4D QC", 3), ("2C 4D 9C", 2)])
def test_12_1_a_five_card_trick_of_exactly_21(drawn: str, paid: float) -> None:
    """2 3 2 4 and a queen are 21, and a 9 makes 20."""
    assert play(cards_of("2S 3S", "KH 9H", then=drawn), "W0 T T T", "spanish", banker="S").reward == paid


def test_12_1_split_hands_too() -> None:
    deal = cards_of("7S 7S", "KH 9H", then="7S 7C 7S 7D")
    player = play(deal, "W0 P T S T S", "spanish,packs=6", banker="S")
    assert player.reward == 4.5  # in spades 3, in several suits 3:2


def test_12_1_on_the_total_stake() -> None:
    assert play(cards_of("6S 7S", "KH 9H", then="8S"), "W0 B1 S", "spanish", banker="S").reward == 9


def test_12_1_when_the_hand_wins() -> None:
    """A 21 of the banker's ties, the bank's trick and a Pontoon found late win: ranking is unchanged."""
    tie = cards_of("6S 7S", "5H 6H", then="8S KH")
    assert play(tie, "W0 T S", "spanish", banker="T S").reward == -1
    assert play(tie, "W0 T S", "spanish,ties=push", banker="T S").reward == 0
    assert play(tie, "W0 T S", "spanish,ties=player", banker="T S").reward == 3
    trick = cards_of("6S 7S", "2H 3H", then="8S 2D 3D 4D")
    assert play(trick, "W0 T S", "spanish", banker="T T T").reward == -2
    late = cards_of("6S 7S", "AH KH", then="8S")
    assert play(late, "W0 T S", "spanish,peek=no").reward == -2


def test_12_1_none_without_the_bonus() -> None:
    assert play(cards_of("6S 7S", "KH 9H", then="8S"), "W0 T S", "home", banker="S").reward == 1


def test_12_2_malaysian() -> None:
    expected = {"banker": ("s17", "free"), "pontoon_pays": (1.5, 2.0), "ties": ("player", "banker")}
    assert Rules.of("malaysian").differences(Rules.of("home")) == expected


def test_12_2_the_banker_draws_to_16_and_stands_on_all_17s() -> None:
    assert play(cards_of("TS 8S", "TH 6H", then="5H"), "W0 S", "malaysian").reward == -1
    assert play(cards_of("TS 8S", "AH 6H", then="4H"), "W0 S", "malaysian").reward == 1


def test_12_2_ties_win_at_their_own_rate() -> None:
    assert play(cards_of("TS 9S", "TH 9H"), "W0 S", "malaysian").reward == 1
    assert play(cards_of("AS KS", "AH KH"), "W0", "malaysian").reward == 1.5
    tricks = cards_of("2S 3S", "2H 3H", then="2C 3C 4C 2D 3D 4D")
    assert play(tricks, "W0 T T T", "malaysian").reward == 2


SPLIT_ACE_KING = cards_of("AS AC", "TH 9H", then="KC 8C")
"""Split, the first ace gets a king, the second an 8: 19, as the banker has."""


@pytest.mark.parametrize("king", ["KC", "KD", "KH", "KS"])
def test_12_3_a_split_ace_king_is_finished_and_pays(king: str) -> None:
    player = play(cards_of("AS AC", "TH 9H", then=f"{king} 8C"), "W0 P", "ace_high", banker="S")
    assert (player.sees("hand"), player.sees("total")) == (1, 19)
    assert player.do("S").reward == 2 - 1


def test_12_3_the_king_may_come_first() -> None:
    """Of split kings the first gets an ace."""
    player = play(cards_of("KS KC", "TH 9H", then="AC 9C"), "W0 P", "ace_high", banker="S")
    assert player.sees("hand") == 1
    assert player.do("S").reward == 2 - 1


@pytest.mark.parametrize("ten", ["TC", "JC", "QC"])
def test_12_3_other_ten_valued_cards_make_a_plain_21(ten: str) -> None:
    player = play(cards_of("AS AC", "TH 9H", then=f"{ten} 8C"), "W0 P", "ace_high", banker="S")
    assert (player.sees("hand"), player.sees("total"), player.allowed) == (0, 21, "S T")
    assert player.do("S S").reward == 1 - 1


def test_12_3_it_is_shown() -> None:
    table = Engine(SPLIT_ACE_KING, "ace_high").do("W0 P")
    cards = table.s["hands"][0, 0]["cards"]
    assert [int(card) & SHOWN for card in cards[:2]] == [SHOWN, SHOWN]


def test_12_3_it_never_takes_the_bank_and_never_causes_a_shuffle() -> None:
    table = Engine(SPLIT_ACE_KING, "ace_high").do("W0 P S S")
    assert table.next_banker == 1
    assert not table.clear_table().is_shuffled


def test_12_3_ace_king_pays_zero_is_off() -> None:
    rules = "ace_high,ace_king_pays=0"
    player = play(SPLIT_ACE_KING, "W0 P", rules, banker="S")
    assert (player.sees("hand"), player.allowed) == (0, "S T")
    assert player.do("S S").reward == 1 - 1


def test_12_3_an_unsplit_ace_king_is_a_pontoon_for_both_sides() -> None:
    assert play(cards_of("AS KS", "TH 9H"), "W0", "ace_high").reward == 2
    assert play(cards_of("TS 9S", "AH KH"), "W0", "ace_high").reward == -2


def test_12_3_needs_split_pontoon_off() -> None:
    with pytest.raises(BadRules, match="ace_king_pays needs split_pontoon off"):
        Rules.of("home", ace_king_pays=2)


def test_12_4_sudden_death_pays_the_first_pontoon_and_ends_the_round() -> None:
    deal = cards_of("TS 6S", "AS KS", "AC KC", "TH 9H")
    first = play(deal, "W0", "sudden_death", seats=4, others=["", ""])
    assert first.over
    assert first.results == "0 +2 0 -2"
    assert first.choices == "W0 W0 W0 S"  # nobody plays


def test_12_4_by_pontoon_pays() -> None:
    assert play(cards_of("AS KS", "TH 9H"), "W0", "sudden_death,pontoon_pays=3").reward == 3


def test_12_4_not_against_the_bankers_pontoon() -> None:
    deal = cards_of("TS 6S", "AS KS", "AH KH")
    assert play(deal, "W0", "sudden_death", seats=3, others=[""]).results == "-2 -2 +4"


def test_12_4_without_a_pontoon_the_round_goes_on() -> None:
    assert play(cards_of("TS 9S", "TH 8H"), "W0 S", "sudden_death", banker="S").reward == 1


def test_12_4_a_pontoon_made_later_does_not_count() -> None:
    player = play(cards_of("AS AC", "TH 9H", then="KS 8C"), "W0 P", "sudden_death", banker="S")
    assert not player.over
    assert player.do("S").reward == 2 - 1


def test_12_4_bank_and_cards_go_by_section_11() -> None:
    table = Engine(cards_of("AS KS", "TH 9H"), "sudden_death").do("W0 S")
    assert table.next_banker == 0
    assert table.clear_table().is_shuffled


def test_12_4_needs_peek() -> None:
    with pytest.raises(BadRules, match="sudden_death needs peek"):
        Rules.of("sudden_death", peek=False)


def test_12_5_rotating() -> None:
    assert Rules.of("rotating").differences(Rules.of("home")) == {"bank": ("rotate", "pontoon")}
    table = Engine(cards_of("TS 9S", "TC 9C", "TH 9H"), "rotating", seats=3).do("W0 W0 S S S")
    assert table.next_banker == 0
