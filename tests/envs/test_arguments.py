"""Every bad argument is refused in one line, whichever class is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pontoon_gym import Rules, Table
from pontoon_gym.errors import (
    BadArgument,
    BadPolicyFile,
    BadRules,
    BadTable,
    PontoonError,
    StaleStrategy,
    UnknownPolicy,
)
from pontoon_gym.policies.baselines import baseline
from tests.envs.helpers import ROLES, SINGLES, VECTORS, Wobbly, equal

HOME, TABLE = Rules.of("home"), Table.of(stake_max=10, stake_levels=2)

BOTH: list[tuple[type[PontoonError], dict[str, Any]]] = [
    (BadRules, {"rules": "foo"}),
    (BadRules, {"rules": "home,split=foo"}),
    (BadRules, {"rules": "home,foo=1"}),
    (BadRules, {"rules": "home,split"}),
    (BadRules, {"rules": "home,pa\ncks=1"}),
    (BadRules, {"rules": ""}),
    (BadRules, {"rules": {"foo": 1}}),
    (BadRules, {"rules": {"packs": 9}}),
    (BadRules, {"rules": {"packs": 1.5}}),
    (BadRules, {"rules": {"tens": 1}}),
    (BadRules, {"rules": {"twist_under": 10}}),
    (BadRules, {"rules": None}),
    (BadRules, {"rules": 5}),
    *((BadTable, {"seats": seats}) for seats in (0, 1, 10, 2.5, -2, "2", True, None)),
    *((BadTable, {"stake_min": stake}) for stake in (0, -1, 1.5, 11, "1", True, None)),
    *((BadTable, {"stake_max": stake}) for stake in (0, -1, 10.5, 1_000_001, "9", True, None)),
    *((BadTable, {"stake_levels": levels}) for levels in (0, 17, 1.5, "2", True, None)),
    *((BadTable, {"buy_levels": levels}) for levels in (0, 9, 1.5, "2", True, None)),
    (BadTable, {"stake_min": 5, "stake_max": 4}),
    *((BadArgument, {"rounds": rounds}) for rounds in (0, -1, 1.5, "1", True, None)),
    *((BadArgument, {"memory": memory}) for memory in ("yes", 1, 0, None)),
    *((BadArgument, {"observation": kind}) for kind in ("foo", "", "Vector", None, 1, ["vector"])),
    *((BadArgument, {"illegal": what}) for what in ("x", "", None, True)),
    *((BadArgument, {"illegal_limit": what}) for what in (0, -1, 1.0, True, None, "9", 1 << 40)),
    *((BadArgument, {"illegal_penalty": what}) for what in (-0.5, float("nan"), float("inf"), True, None, "1")),
    *((BadArgument, {"render_mode": mode}) for mode in ("foo", "", 1, True)),
    (UnknownPolicy, {"players": "foo"}),
    (UnknownPolicy, {"players": "stand17"}),
    (UnknownPolicy, {"players": "no such\nfile.npz"}),
    (UnknownPolicy, {"seats": 3, "players": ["thumb", "foo"]}),
    (BadArgument, {"players": 5}),
    (BadArgument, {"players": []}),
    (BadArgument, {"players": ["thumb", "thumb"]}),
    (BadArgument, {"seats": 4, "players": ["thumb", "thumb"]}),
    (StaleStrategy, {"players": Wobbly("banker", HOME, TABLE)}),
    (StaleStrategy, {"players": Wobbly("player", Rules.of("british"), TABLE)}),
    (StaleStrategy, {"players": Wobbly("player", HOME, TABLE._replace(stake_max=9))}),
]

PLAYER: list[tuple[type[PontoonError], dict[str, Any]]] = [
    *((BadArgument, {"seat": seat}) for seat in (1, -1, 0.0, "0", False)),
    (BadArgument, {"seats": 5, "seat": 4}),
    (UnknownPolicy, {"banker": "foo"}),
    (UnknownPolicy, {"banker": "thumb"}),
    (BadArgument, {"banker": 17}),
    (BadArgument, {"rules": "casino8", "banker": "stand17"}),
    (BadArgument, {"rules": "malaysian", "banker": Wobbly("banker", HOME, TABLE)}),
    (StaleStrategy, {"banker": Wobbly("player", HOME, TABLE)}),
    (StaleStrategy, {"banker": Wobbly("banker", Rules.of("home,split=none"), TABLE)}),
]

BANKER: list[tuple[type[PontoonError], dict[str, Any]]] = [
    (BadArgument, {"seat": 0}),
    (BadArgument, {"banker": "stand17"}),
    (BadArgument, {"banker": Wobbly("banker", HOME, TABLE)}),
]

VECTOR: list[tuple[type[PontoonError], dict[str, Any]]] = [
    *((BadArgument, {"num_envs": n}) for n in (0, -1, 1.5, "3", True, None)),
    *((BadArgument, {"threads": n}) for n in (0, -1, 1.5, "2", True, None)),
    *((BadArgument, {"autoreset_mode": mode}) for mode in ("x", "", None, 0)),
]


def name_of(argument: Any) -> str:
    """A readable name of a case."""
    return argument.__name__ if isinstance(argument, type) else str(argument)[:60]


def refuses(fault: type[PontoonError], make: Any, given: dict[str, Any]) -> str:
    """The message of the refusal, which is one line."""
    with pytest.raises(fault) as caught:
        make(**given)
    message = str(caught.value)
    assert message
    assert "\n" not in message
    return message


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("fault", "given"), BOTH, ids=name_of)
def test_both_roles_refuse(role: str, fault: type[PontoonError], given: dict[str, Any]) -> None:
    alone = refuses(fault, SINGLES[role], given)
    assert refuses(fault, VECTORS[role], {"num_envs": 2, **given}) == alone


@pytest.mark.parametrize(("fault", "given"), PLAYER, ids=name_of)
def test_the_player_refuses(fault: type[PontoonError], given: dict[str, Any]) -> None:
    assert refuses(fault, SINGLES["player"], given) == refuses(fault, VECTORS["player"], given)


@pytest.mark.parametrize(("fault", "given"), BANKER, ids=name_of)
def test_the_banker_refuses(fault: type[PontoonError], given: dict[str, Any]) -> None:
    assert refuses(fault, SINGLES["banker"], given) == refuses(fault, VECTORS["banker"], given)


@pytest.mark.parametrize(("fault", "given"), VECTOR, ids=name_of)
def test_the_vector_class_refuses(fault: type[PontoonError], given: dict[str, Any]) -> None:
    refuses(fault, VECTORS["player"], given)


def test_messages_say_what_was_got_and_what_is_allowed() -> None:
    assert "got 10; allowed: 2 to 9 [clause 3.1]" in refuses(BadTable, SINGLES["player"], {"seats": 10})
    assert "got 'foo'; allowed: vector, dict, situation" in refuses(
        BadArgument, SINGLES["player"], {"observation": "foo"}
    )
    bound = refuses(BadArgument, SINGLES["player"], {"rules": "casino8", "banker": "chase"})
    assert "clause 7.2" in bound


def test_a_stale_policy_is_told_which_fields_differ() -> None:
    stale = {"banker": baseline("stand17", "banker", Rules.of("home,trick_pays=3"), TABLE._replace(seats=3))}
    message = refuses(StaleStrategy, SINGLES["player"], stale)
    assert "trick_pays 3.0 instead of 2.0" in message
    assert "seats 3 instead of 2" in message


def test_a_strategy_file_is_a_policy(tmp_path: Path) -> None:
    path = baseline("stand19", "banker", HOME, TABLE).save(tmp_path / "stand19.npz")
    for given in (path, str(path)):
        assert SINGLES["player"](banker=given).seating.policies[-1].name == "stand19"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no table"])
def test_a_bad_strategy_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.npz"
    path.write_bytes(content)
    refuses(BadPolicyFile, SINGLES["player"], {"banker": str(path)})


def test_a_folder_is_no_strategy_file(tmp_path: Path) -> None:
    refuses(UnknownPolicy, SINGLES["player"], {"banker": tmp_path})


def test_what_is_no_keyword_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        SINGLES["player"](colour="red")


OF_NUMPY: dict[str, Any] = {
    "seats": np.uint8(4),
    "stake_max": np.int64(20),
    "stake_levels": np.array(3),
    "rounds": np.int32(2),
    "memory": np.True_,
    "illegal_limit": np.int64(7),
    "illegal_penalty": np.float32(0.5),
}


@pytest.mark.parametrize("role", ROLES)
def test_numbers_of_numpy_are_those_of_python(role: str) -> None:
    env = SINGLES[role]({"packs": np.int64(2), "tens": np.False_}, **OF_NUMPY)
    other = SINGLES[role]({"packs": 2, "tens": False}, **{name: value.item() for name, value in OF_NUMPY.items()})
    assert env.settings == other.settings and repr(env.settings) == repr(other.settings)
    assert equal(env.reset(seed=np.uint16(3)), other.reset(seed=3))
    rows = VECTORS[role](np.int64(2), threads=np.int64(2), max_episode_steps=np.array(5), **OF_NUMPY)
    for seed in (np.int64(3), np.array(3), np.array([3, 4]), np.array([3, 4], np.uint8), [np.int64(3), np.array(4)]):
        assert equal(rows.reset(seed=seed), VECTORS[role](2, **OF_NUMPY).reset(seed=[3, 4]))
        assert rows.record(np.int64(1)) == rows.record(1)


@pytest.mark.parametrize("name", OF_NUMPY)
def test_what_is_wrong_is_wrong_in_numpy_too(name: str) -> None:
    for wrong in (np.float64(-1.0), np.array([1]), np.int64(-1), np.True_ if name != "memory" else np.int64(1)):
        with pytest.raises((BadArgument, BadTable), match=f"bad {name}"):
            SINGLES["player"](**{name: wrong})


@pytest.mark.parametrize("seed", [np.True_, np.float64(3), np.int64(-1), np.array([1.5, 2.0]), np.array([[1, 2]] * 2)])
def test_what_is_no_seed_is_none_in_numpy_either(seed: Any) -> None:
    with pytest.raises(BadArgument, match="bad seed"):
        VECTORS["player"](2).reset(seed=seed)
    with pytest.raises(BadArgument, match="bad seed"):
        SINGLES["player"]().reset(seed=seed)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_given_seat_is_taken(seat: int) -> None:
    env = SINGLES["player"](seats=4, seat=seat, observation="dict")
    assert all(env.reset(seed=s)[0]["seat"] == seat for s in range(5))


def test_without_a_seat_every_place_is_drawn() -> None:
    env = SINGLES["player"](seats=4, observation="dict")
    assert {int(env.reset(seed=s)[0]["seat"][0]) for s in range(40)} == {0, 1, 2}


@pytest.mark.parametrize("seeds", [[], (), [1], [1, 2, 3]])
def test_one_seed_a_row(seeds: Any) -> None:
    with pytest.raises(BadArgument, match="one seed a row"):
        VECTORS["player"](2).reset(seed=seeds)


@pytest.mark.parametrize("row", [-1, 2, "x", None, 0.0, True])
def test_records_are_of_rows_that_are_there(row: Any) -> None:
    env = VECTORS["player"](2)
    env.reset(seed=0)
    with pytest.raises(BadArgument, match="bad row"):
        env.record(row)


@pytest.mark.parametrize("given", [{"banker": np.array([1, 2])}, {"players": np.array(["thumb"])}])
def test_an_array_is_no_policy(given: dict[str, Any]) -> None:
    with pytest.raises(BadArgument, match="must be a name, a file or a policy"):
        SINGLES["player"](**given)


@pytest.mark.parametrize("state", [np.array([1, 2]), np.float64(2), None, [], "x"])
def test_what_is_no_state(state: Any) -> None:
    with pytest.raises(BadArgument, match="not a state"):
        SINGLES["player"]().set_state(state)
