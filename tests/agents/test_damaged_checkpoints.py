"""A learner's file that was damaged, or changed on purpose: refused in one line, or learned on from, never a crash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("sb3_contrib", reason="the extra `train` is not installed")

from agents.learner import DIGEST, FACTS, Horizon
from pontoon_gym.errors import BadArgument, PontoonError
from pontoon_gym.files import digest_of_arrays, pack_arrays, unpack_arrays
from tests.agents.learners import learner
from tests.scale import SCALE, scaled

ALGORITHMS = ["q_learning", "monte_carlo", "dqn", "qr_dqn", "maskable_ppo", "a2c"]
Members = dict[str, NDArray[Any]]
pytestmark = [
    pytest.mark.skipif(SCALE < 1, reason="learning needs the compiler"),
    pytest.mark.usefixtures("short_updates"),
]


def saved(algorithm: str, path: Path) -> Members:
    """A file's members."""
    made = learner(algorithm)
    made.learn(Horizon(steps=600))
    return unpack_arrays(made.save(path), 1 << 30)


def signed(members: Members) -> bytes:
    """Members as a file that says that it is whole."""
    found = {name: array for name, array in members.items() if name != DIGEST}
    return pack_arrays({**found, DIGEST: np.frombuffer(digest_of_arrays(found).encode(), np.uint8)}, compressed=False)


def with_facts(members: Members, **changes: Any) -> Members:
    facts = json.loads(members[FACTS].tobytes())
    return {**members, FACTS: np.frombuffer(json.dumps({**facts, **changes}).encode(), np.uint8)}


def refusal(algorithm: str, path: Path, data: bytes) -> str:
    """What is said of a file, nothing if it is learned on from."""
    path.write_bytes(data)
    made = learner(algorithm)
    try:
        made.load(path)
    except BadArgument as fault:
        assert "\n" not in str(fault)
        return str(fault)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # of weights that are numbers, but absurdly large
            for _ in range(2):
                made.update(0.5)
            made.policy()
    except PontoonError as fault:
        assert "learning broke down" in str(fault) or "weights of a network must be finite" in str(fault)
    return ""


@pytest.mark.parametrize("algorithm", ["q_learning", "dqn"])
def test_a_file_that_is_not_as_it_was_written_is_refused(algorithm: str, tmp_path: Path) -> None:
    path = tmp_path / "it"
    members = saved(algorithm, path)
    good = signed(members)
    rng = np.random.default_rng(0)
    for n in range(scaled(6)):
        data = bytearray(good)
        if n % 3:
            data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
            refusal(algorithm, path, bytes(data))  # a bit of the archive itself may tell nothing
        else:
            assert refusal(algorithm, path, bytes(data[: rng.integers(len(data))]))
    members["env_rows"] = members["env_rows"].copy()
    members["env_rows"][0] ^= 1
    assert "not as it was written" in refusal(algorithm, path, pack_arrays(members))


@pytest.mark.parametrize("algorithm", ["q_learning", "dqn", "maskable_ppo"])
def test_what_is_wrong_in_a_file_is_said_in_one_line(algorithm: str, tmp_path: Path) -> None:
    path = tmp_path / "it"
    members = saved(algorithm, path)
    assert refusal(algorithm, path, signed(members)) == ""
    assert "not a learner's file" in refusal(algorithm, path, b"")
    assert "not a learner's file" in refusal(algorithm, path, b"\x80\x04cos\nsystem\n(S'true'\ntR.")
    assert "lacks env_rows" in refusal(algorithm, path, signed({k: a for k, a in members.items() if k != "env_rows"}))
    assert "has more" in refusal(algorithm, path, signed({**members, "more": members["env_rows"]}))
    short = {**members, "env_rows": members["env_rows"][:-1]}
    assert "env_rows has another shape" in refusal(algorithm, path, signed(short))
    assert "not a learner's file" in refusal(algorithm, path, signed(with_facts(members, facts={})))
    older = refusal(algorithm, path, signed(with_facts(members, format="pontoon-learner/2")))
    assert "saved as pontoon-learner/2 by another version" in older
    with pytest.raises(BadArgument, match="no learner's file"):
        learner(algorithm).load(tmp_path / "none")


def test_a_damaged_table_or_network_is_not_begun_with(tmp_path: Path) -> None:
    path = tmp_path / "it"

    def start(algorithm: str, members: Members) -> None:
        path.write_bytes(signed(members))
        learner(algorithm, seed=3).start_from(path)

    table = saved("q_learning", path)
    start("q_learning", table)
    at = np.flatnonzero(table["counts"].any(axis=1))
    twice = table["keys"].copy()
    twice[at[0]] = twice[at[1]]
    network = saved("maskable_ppo", path)
    start("maskable_ppo", network)
    weights = next(name for name in network if name.startswith("weights."))
    for algorithm, members, message in (
        ("q_learning", {**table, "keys": twice}, "keys that cannot be"),
        ("q_learning", {**table, "keys": table["keys"][:-1]}, "another size"),
        ("q_learning", {**table, "values": table["values"].astype(np.float32)}, "values has another shape or type"),
        ("q_learning", {name: array for name, array in table.items() if name != "counts"}, "counts|another size"),
        ("maskable_ppo", {**network, weights: network[weights] * np.nan}, "is not finite"),
        ("maskable_ppo", {**network, weights: network[weights][:-1]}, "another shape or type"),
        ("maskable_ppo", {name: array for name, array in network.items() if name != weights}, f"lacks {weights}"),
    ):
        with pytest.raises(BadArgument, match=message):
            start(algorithm, members)


def wild(rng: np.random.Generator, value: Any) -> Any:
    """Something else in place of a fact."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        name = list(value)[rng.integers(len(value))]
        return {**value, name: wild(rng, value[name])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.integers(len(value))
        return [*value[:at], wild(rng, value[at]), *value[at + 1 :]]
    return [None, -1, 0, 1, 10**6, 2**70, 0.5, "x", [], {}, True, float("nan")][rng.integers(12)]


def tampered(rng: np.random.Generator, members: Members) -> Members:
    """One thing is other than it was, and the digest says that it is as it should be."""
    name = list(members)[rng.integers(len(members))]
    if name in (FACTS, DIGEST) or rng.random() < 0.3:
        facts = json.loads(members[FACTS].tobytes())
        name = list(facts)[rng.integers(len(facts))]
        return with_facts(members, **{name: wild(rng, facts[name])})
    array = members[name].copy()
    kind = rng.integers(4)
    if kind == 0:
        return {**members, name: array.reshape(-1)[: array.size // 2]}
    if kind == 1:
        return {**members, name: array.astype([np.float64, np.int16, np.bool_, np.complex128][rng.integers(4)])}
    if array.size and array.dtype != np.bool_:
        span = np.finfo(array.dtype) if array.dtype.kind == "f" else np.iinfo(array.dtype)
        near = array.flat[rng.integers(array.size)]
        array.flat[rng.integers(array.size)] = [span.min, span.max, 0, 1, near, span.max // 2][rng.integers(6)]
    return {**members, name: array}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_tampered_file_is_refused_or_learned_on_from(algorithm: str, tmp_path: Path) -> None:
    """Indices in it reach compiled code, which checks none."""
    path = tmp_path / "it"
    members = saved(algorithm, path)
    rng = np.random.default_rng(1)
    for _ in range(scaled(8)):
        refusal(algorithm, path, signed(tampered(rng, members)))
