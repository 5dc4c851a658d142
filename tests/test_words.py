"""Infostates and actions in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pontoon_gym import action_names, describe
from pontoon_gym.engine.hand import COMPOSITIONS
from pontoon_gym.engine.view.infostate import done_key, pack_key
from pontoon_gym.envs.banker import BankerEnv
from pontoon_gym.envs.player import PlayerEnv
from pontoon_gym.errors import PontoonError
from pontoon_gym.names import BUY, Phase, Role

WIDE = {"stake_max": 10, "stake_levels": 2, "buy_levels": 3}


def shown(env: Any, cards: str, *actions: int) -> int:
    """The key that an environment shows after some actions, the top of the shoe being stacked."""
    key = env.reset(options={"cards": cards})[0]
    for action in actions:
        key = env.step(action)[0]
    return int(key)


def player(**asked: Any) -> PlayerEnv:
    return PlayerEnv(observation="situation", illegal="raise", **asked)


@pytest.mark.parametrize(
    ("asked", "cards", "actions", "words"),
    [
        ({}, "5S 9C", (), "5 (5), the stake"),
        ({}, "5S 9C 6D 8H", (5,), "5 6 (11)"),
        ({}, "8S 9C 8D 8H", (5,), "8 8 (16), a pair"),
        ({}, "5S 9C 6D 8H AC", (5, 4), "A 5 6 (12), bought at level 1"),
        ({}, "5S 9C 6D 8H AC", (5, 1), "A 5 6 (12), twisted, shown A"),
        ({}, "AS 9C 6D 8H", (5,), "A 6 (soft 17)"),
        (WIDE, "5S 9C 6D 8H", (7,), "5 6 (11), stake level 1"),
        ({"rules": "blackjack"}, "5S 9C 6D 8H", (5,), "5 6 (11), banker shows 9"),
    ],
)
def test_what_a_player_s_infostate_is_called(asked: Any, cards: str, actions: Any, words: str) -> None:
    env = player(**asked)
    table = {name: asked[name] for name in asked if name != "rules"}
    assert describe(shown(env, cards, *actions), asked.get("rules", "home"), table) == words


def test_what_a_banker_s_infostate_is_called() -> None:
    env = BankerEnv(observation="situation", players="stick15")
    assert describe(shown(env, "9S 5C TD 8H")) == "5 8 (13), against a live hand showing nothing"


def test_the_end_of_a_round_is_called_so() -> None:
    assert describe(done_key(True)) == describe(done_key(False)) == "the round is over"


NAMES = ("stick", "twist", "split")


@pytest.mark.parametrize(
    ("actions", "buys"),
    [
        ((6,), ("buy 1", "buy 2", "buy 2")),
        ((7,), ("buy 10", "buy 15", "buy 20")),
        ((7, BUY + 1), ("buy 10", "buy 13", "buy 15")),
        ((7, BUY + 1, BUY), ("buy 10", "buy 10", "buy 10")),
    ],
)
def test_buys_are_called_by_the_chips_that_the_key_tells(actions: Any, buys: Any) -> None:
    env = player(**WIDE)
    key = shown(env, "2S 9C 2D 8H 2C 2H", *actions)
    assert action_names("home", WIDE, key) == (*NAMES, *buys, "stake 1", "stake 10")


def test_a_picture_calls_them_the_same() -> None:
    env = player(**WIDE, render_mode="ansi")
    key = shown(env, "2S 9C 2D 8H 2C 2H", 7, BUY + 1)
    names = np.array(action_names("home", WIDE, key))[env.action_masks()].tolist()
    assert names == ["twist", "buy 10", "buy 13", "buy 15"]
    assert all(name in env.render() for name in names)


def test_without_a_key_buys_are_called_by_level() -> None:
    assert action_names() == (*NAMES, "buy level 0", "buy level 1", "stake 1")
    assert action_names("casino8", {"buy_levels": 1}) == (*NAMES, "double level 0", "stake 1")
    at_stake = pack_key(Role.PLAYER, phase=Phase.STAKE, hands=1)
    assert action_names("home", WIDE, at_stake) == action_names("home", WIDE)
    assert action_names(key=pack_key(Role.BANKER, phase=Phase.BANKER)) == ("stick", "twist")


@pytest.mark.parametrize("key", [-1, 1 << 62, "14", None, 1.0, True, [], len(COMPOSITIONS) << 48])
def test_what_is_no_key(key: Any) -> None:
    for ask in (lambda: describe(key), lambda: action_names(key=key if key is not None else [])):
        with pytest.raises(PontoonError, match="no infostate") as caught:
            ask()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", [{"rules": "homely"}, {"rules": None}, {"table": 3}, {"table": {"seats": 1}}])
def test_what_is_no_game(given: dict[str, Any]) -> None:
    for ask in (lambda: describe(0, **given), lambda: action_names(**given)):
        with pytest.raises(PontoonError):
            ask()
