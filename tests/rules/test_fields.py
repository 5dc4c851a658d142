"""Each field of `Rules` changes the game: values of it, and what each does to one and the same scripted round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from pontoon_gym.errors import BadCards
from pontoon_gym.rules import PRESETS, Rules, specs
from tests.rules.play import Engine, Play, by_value, cards_of, play

Show = Callable[[Rules], Any]
"""What a round under some rules comes to."""


class Case(NamedTuple):
    """Rules of which one field is changed, what to look at, and what is seen under each value."""

    base: str
    show: Show
    outcomes: dict[Any, Any]


def asked(cards: str, choices: str, **kwargs: Any) -> Show:
    """What the learner may do after some choices."""

    def show(rules: Rules) -> str:
        played = play(cards, choices, rules, **kwargs)
        return "over" if played.over else played.allowed

    return show


def reward(cards: str, choices: str, **kwargs: Any) -> Show:
    """What the learner wins."""
    return lambda rules: play(cards, choices, rules, **kwargs).reward


def sees(field: str, cards: str, choices: str, **kwargs: Any) -> Show:
    """A field of the observation after some choices."""
    return lambda rules: play(cards, choices, rules, **kwargs).sees(field)


def holds(cards: str, seats: int = 2) -> Show:
    """Whether the shoe holds some cards."""

    def show(rules: Rules) -> bool:
        try:
            Play(cards, rules, seats=seats, others=["random"] * (seats - 2))
        except BadCards:
            return False
        return True

    return show


def pairs(rules: Rules) -> list[str]:
    """Which of three pairs may be split."""
    cards = ("AS AC", "KS KC", "KS QC")
    return [pair for pair in cards if "P" in play(cards_of(pair, BANKER), "W0", rules).allowed.split()]


def banks_next(rules: Rules) -> int:
    """Who banks after seat 1 of three had a Pontoon and seat 2 banked."""
    return Engine(cards_of("TS 9S", "AS KS", BANKER), rules, seats=3).do("W0 W0 S S").next_banker


def under(rules: Rules) -> str:
    """What lies under the shoe after a round."""
    return Engine(cards_of("TS 9S", BANKER), rules).do("W0 S S").clear_table().under


BANKER = "TH 9H"
THREE_SEATS = {"seats": 3, "others": ["S"]}

CASES = {
    "packs": Case("home", holds("5S 5S"), {1: False, 2: True, 0: True}),
    "second_pack_from": Case("home", holds("5S 5S", seats=6), {6: True, 7: False, 0: False}),
    "tens": Case("home", holds("TS"), {True: True, False: False}),
    "trick_cards": Case(
        "home", asked(cards_of("2S 3S", BANKER, then="2C 2D 4S"), "W0 T T T"), {5: "over", 0: "T", 6: "T"}
    ),
    "split_pontoon": Case(
        "home", asked(cards_of("AS AC", BANKER, then="KS 8C"), "W0 P"), {True: "S T B0 B1", False: "S T"}
    ),  # the second hand's 19, the first hand's 21
    "stake_after_first_card": Case("home", lambda rules: play("5S 9C", "", rules).dealt, {True: "5S 9C", False: "-"}),
    "players_face_up": Case(
        "home,split=none",
        sees("other_cards", cards_of("TS 9S", "TC 8C", BANKER), "W0", **THREE_SEATS),
        {False: by_value(""), True: by_value("T 8")},
    ),
    "banker_upcard": Case(
        "home", sees("banker_cards", cards_of("TS 9S", BANKER), "W0"), {False: by_value(""), True: by_value("T")}
    ),
    "peek": Case("home", asked(cards_of("TS 9S", "AH KH"), "W0"), {True: "over", False: "S T B0 B1"}),
    "banker_pontoon_loss": Case("home", reward(cards_of("TS 9S", "AH KH"), "W0"), {2.0: -2, 1.0: -1, 1.5: -1.5}),
    "banker_trick_loss": Case(
        "home",
        reward(cards_of("TS 9S", "2H 3H", then="2D 3D 4D"), "W0 S", banker="T T T"),
        {2.0: -2, 1.0: -1, 3.5: -3.5},
    ),
    "stick_minimum": Case(
        "home", asked(cards_of("TS 5S", BANKER), "W0"), {15: "S T B0 B1", 16: "T B0 B1", 0: "S T B0 B1"}
    ),
    "twist_under": Case(
        "home", asked(cards_of("TS 9S", BANKER), "W0"), {22: "S T B0 B1", 20: "S T B0 B1", 19: "S B0 B1"}
    ),
    "buying": Case("home", asked(cards_of("5S 6S", BANKER), "W0"), {"buy": "T B0 B1", "double": "T B0", "none": "T"}),
    "max_buys": Case("home", asked(cards_of("5S 6S", BANKER), "W0"), {3: "T B0 B1", 1: "T B0 B1", 0: "T"}),
    "buy_under": Case("home", asked(cards_of("TS 9S", BANKER), "W0"), {21: "S T B0 B1", 20: "S T B0 B1", 19: "S T"}),
    "buy_fifth_minimum": Case(
        "home", asked(cards_of("2S 3S", BANKER, then="2C 4C"), "W0 B0 B0"), {0: "T B0", 11: "T B0", 12: "T"}
    ),
    "buy_max": Case("home", reward(cards_of("5S 6S", BANKER, then="KS"), "W0 B1 S"), {2: 3, 3: 4, 10: 11}),
    "double_cards_max": Case(
        "casino8", asked(cards_of("2S 3S", BANKER, then="2C 3C"), "W0 T T"), {4: "T B0", 3: "T", 2: "T"}
    ),
    "twist_after_double": Case(
        "casino8", asked(cards_of("5S 6S", BANKER, then="2C"), "W0 B0"), {True: "T", False: "over"}
    ),
    "double_after_split": Case(
        "casino8", asked(cards_of("8S 8C", BANKER, then="2C 3C"), "W0 P"), {True: "T B0", False: "T"}
    ),
    "split": Case(
        "home",
        pairs,
        {
            "rank": ["AS AC", "KS KC"],
            "none": [],
            "aces": ["AS AC"],
            "value": ["AS AC", "KS KC", "KS QC"],
        },
    ),
    "max_hands": Case(
        "home",
        asked(cards_of("8S 8C", BANKER), "W0"),
        {4: "S T P B0 B1", 1: "S T B0 B1"},
    ),
    "split_aces_one_card": Case(
        "home", asked(cards_of("AS AC", BANKER, then="2C 3C"), "W0 P"), {False: "T B0 B1", True: "over"}
    ),
    "banker": Case(
        "home",
        asked(cards_of("TS 9S", "AH 6H"), "", role="banker", others=["S"]),
        {"free": "S T", "h17": "T", "s17": "S"},
    ),
    "ties": Case("home", reward(cards_of("TS 9S", BANKER), "W0 S"), {"banker": -1, "push": 0, "player": 1}),
    "pontoon_pays": Case("home", reward(cards_of("AS KS", BANKER), "W0"), {2.0: 2, 1.5: 1.5, 10.0: 10}),
    "trick_pays": Case(
        "home", reward(cards_of("2S 3S", BANKER, then="2C 2D 4S"), "W0 T T T"), {2.0: 2, 1.5: 1.5, 0.0: 0}
    ),
    "ace_king_pays": Case(
        "ace_high", asked(cards_of("AS AC", BANKER, then="KS 8C"), "W0 P"), {2.0: "S T B0 B1", 0.0: "S T"}
    ),  # the second hand's 19, the first hand's 21
    "sudden_death": Case(
        "home",
        asked(cards_of("TS 9S", "AS KS", BANKER), "W0", seats=3, others=[""]),
        {False: "S T B0 B1", True: "over"},
    ),
    "bonus": Case("home", reward(cards_of("6S 7S", BANKER, then="8S"), "W0 T S"), {"none": 1, "spanish21": 3}),
    "bank": Case("home", banks_next, {"pontoon": 1, "rotate": 0, "fixed": 2}),
    "reshuffle": Case("home", under, {"pontoon": "TS 9S TH 9H", "round": ""}),
    # Selling the bank is not played yet, sessions will do it: the field is stamped and does nothing else (11.3).
    "bank_sale": Case("home", lambda rules: rules.digest() == PRESETS["home"].digest(), {True: True, False: False}),
}


@pytest.mark.parametrize("field", Rules._fields)
def test_a_field_changes_the_game(field: str) -> None:
    base, show, outcomes = CASES[field]
    assert getattr(Rules.of(base), field) == next(iter(outcomes))
    for value, outcome in outcomes.items():
        assert show(Rules.of(base, **{field: value})) == outcome, value
    assert len({str(outcome) for outcome in outcomes.values()}) > 1


@pytest.mark.parametrize("field", Rules._fields)
def test_every_option_has_an_outcome_of_its_own(field: str) -> None:
    """Of fields that are named options or yes and no."""
    kind, spec = specs(Rules)[field]
    if kind is bool or spec.options:
        outcomes = CASES[field].outcomes
        assert set(outcomes) == set(spec.values(kind))
        assert len({str(outcome) for outcome in outcomes.values()}) == len(outcomes)


@pytest.mark.parametrize("field", Rules._fields)
def test_a_field_changes_the_digest(field: str) -> None:
    base, _, outcomes = CASES[field]
    assert len({Rules.of(base, **{field: value}).digest() for value in outcomes}) == len(outcomes)
