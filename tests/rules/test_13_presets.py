"""Section 13 of the rule book: presets."""

from __future__ import annotations

import pytest

from pontoon_gym.rules import PRESETS

EVERYWHERE = {
    "tens": True,
    "trick_cards": 5,
    "banker_upcard": False,
    "stick_minimum": 15,
    "twist_under": 22,
    "buy_under": 21,
    "buy_fifth_minimum": 0,
    "buy_max": 2,
    "double_cards_max": 4,
    "twist_after_double": True,
    "double_after_split": True,
    "split_aces_one_card": False,
    "split_pontoon": True,
    "peek": True,
    "pontoon_pays": 2.0,
    "trick_pays": 2.0,
    "ties": "banker",
    "ace_king_pays": 0.0,
    "sudden_death": False,
    "bonus": "none",
}
HOME = EVERYWHERE | {
    "packs": 1,
    "second_pack_from": 6,
    "stake_after_first_card": True,
    "players_face_up": False,
    "split": "rank",
    "max_hands": 4,
    "buying": "buy",
    "max_buys": 3,
    "banker": "free",
    "banker_pontoon_loss": 2.0,
    "banker_trick_loss": 2.0,
    "bank": "pontoon",
    "bank_sale": True,
    "reshuffle": "pontoon",
}
CASINO8 = EVERYWHERE | {
    "packs": 8,
    "second_pack_from": 0,
    "stake_after_first_card": False,
    "players_face_up": True,
    "split": "value",
    "max_hands": 3,
    "buying": "double",
    "max_buys": 1,
    "banker": "h17",
    "banker_pontoon_loss": 1.0,
    "banker_trick_loss": 1.0,
    "bank": "fixed",
    "bank_sale": False,
    "reshuffle": "round",
}
BLACKJACK = CASINO8 | {
    "packs": 0,
    "max_hands": 4,
    "banker": "s17",
    "trick_cards": 0,
    "stick_minimum": 0,
    "banker_upcard": True,
    "split_pontoon": False,
    "double_cards_max": 2,
    "twist_after_double": False,
    "split_aces_one_card": True,
    "pontoon_pays": 1.5,
    "ties": "push",
}
EXPECTED = {
    "british": HOME | {"second_pack_from": 0, "max_hands": 2, "banker_trick_loss": 1.0},
    "home": HOME,
    "casino6": CASINO8 | {"packs": 6, "max_hands": 4},
    "casino8": CASINO8,
    "blackjack": BLACKJACK,
    "spanish": HOME | {"tens": False, "bonus": "spanish21"},
    "malaysian": HOME | {"banker": "s17", "pontoon_pays": 1.5, "ties": "player"},
    "ace_high": HOME | {"split_pontoon": False, "ace_king_pays": 2.0},
    "sudden_death": HOME | {"sudden_death": True},
    "rotating": HOME | {"bank": "rotate"},
}


def test_13_0_there_are_ten() -> None:
    assert set(PRESETS) == set(EXPECTED)


@pytest.mark.parametrize("preset", EXPECTED)
def test_13_0_preset(preset: str) -> None:
    assert PRESETS[preset].as_dict() == EXPECTED[preset]
