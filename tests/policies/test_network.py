"""Networks as policies, and their files."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from pontoon_gym.errors import BadArgument, BadPolicyFile, StaleStrategy, UnknownPolicy
from pontoon_gym.policies.metadata import archive_bytes, read_archive
from pontoon_gym.policies.network import FORMAT, NetworkPolicy
from pontoon_gym.policies.resolve import resolve
from pontoon_gym.rules import Rules, Table
from tests.policies.hostile import MARK, hostile_archives, hostile_facts, with_facts
from tests.policies.samples import HOME, TABLE, small_network


def test_a_saved_network_loads_back_the_same(tmp_path: Path) -> None:
    made = small_network(name="it", activation="relu")
    back = NetworkPolicy.load(made.save(tmp_path / "it.npz"))
    assert (back.name, back.role, back.rules, back.table, back.activation) == ("it", "player", HOME, TABLE, "relu")
    assert back.notes == {"seed": 1}
    rows, allowed = np.random.default_rng(2).random((5, made.layers[0][0].shape[1])), np.ones((5, TABLE.actions), bool)
    assert (back.probabilities(rows, allowed) == made.probabilities(rows, allowed)).all()


def test_a_greedy_network_plays_the_allowed_action_of_most_weight(tmp_path: Path) -> None:
    drawn, made = small_network(), small_network(greedy=True)
    rng = np.random.default_rng(3)
    rows, allowed = rng.random((50, made.layers[0][0].shape[1])), rng.random((50, TABLE.actions)) < 0.5
    allowed[:, 1] |= ~allowed.any(axis=1)
    best = np.where(allowed, drawn.probabilities(rows, allowed), -1.0).argmax(axis=1)
    back = NetworkPolicy.load(made.save(tmp_path / "it.npz"))
    for policy in (made, back):
        assert (policy.probabilities(rows, allowed) == np.eye(TABLE.actions)[best]).all()


def test_what_a_network_refuses(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="no such activation"):
        small_network(activation="step")
    with pytest.raises(BadArgument, match="last layer"):
        small_network(table=Table(buy_levels=5))
    nan = np.full((6, 4), np.nan, np.float32)
    with pytest.raises(BadArgument, match="finite"):
        small_network(layers=[(nan, np.zeros(6, np.float32))])
    with pytest.raises(BadArgument, match="do not fit"):
        small_network(layers=[*small_network().layers, (np.zeros((6, 4), np.float32), np.zeros(6, np.float32))])
    with pytest.raises(BadArgument, match="a network is saved as"):
        small_network().save(tmp_path / "it.pt")
    with pytest.raises(BadArgument, match="notes of a network must be JSON-able"):
        small_network(notes={"it": object()}).save(tmp_path / "it.npz")
    with pytest.raises(BadArgument, match="observations of policy"):
        small_network().probabilities(np.zeros((1, 3)), np.ones((1, TABLE.actions), bool))
    rows = np.zeros((1, small_network().layers[0][0].shape[1]))
    for mask in (np.ones((1, 7), bool), np.ones(6, bool), np.zeros((1, 6), bool)):
        with pytest.raises(BadArgument, match="masks of policy"):
            small_network().probabilities(rows, mask)
    with pytest.raises(StaleStrategy, match="split rank instead of none"):
        resolve(small_network(), "player", Rules.of("home", split="none"), TABLE)
    with pytest.raises(UnknownPolicy, match="no network file"):
        NetworkPolicy.load(tmp_path / "it.npz")


def with_array(good: bytes, **changes: Any) -> bytes:
    """An archive with other arrays."""
    facts, arrays = read_archive(good)
    return archive_bytes(facts, arrays | changes)


def hostile_files() -> dict[str, tuple[bytes, str]]:
    """Files by name, and what the refusal says."""
    with TemporaryDirectory() as folder:
        good = small_network().save(Path(folder) / "it.npz").read_bytes()
    return {
        **hostile_archives(good),
        **hostile_facts(good, FORMAT),
        "no layers": (with_facts(good, layers=0), "it has 0 layers"),
        "half a layer": (with_facts(good, layers=2.0), "its layers must be of the kind int: 2.0"),
        "a layer unsaid": (with_facts(good, layers=1), "it holds more than its layers: weights1, bias1"),
        "whole numbers": (with_array(good, bias0=np.zeros(8, np.int64)), "a layer must hold real numbers: int64"),
        "complex numbers": (with_array(good, bias0=np.zeros(8, np.complex64)), "must hold real numbers: complex64"),
        "a number too large": (with_array(good, bias0=np.full(8, 1e300)), "must be finite"),
        "another width": (with_array(good, weights0=np.zeros((8, 4), np.float32)), "reads 4 columns; an observation"),
        "greedy in words": (with_facts(good, greedy="yes"), "its greedy must be of the kind bool: 'yes'"),
        "another fact": (with_facts(good, Greedy=True), "it says what no such file does: 'Greedy'"),
        "many layers": (with_facts(good, layers=10**9), "it has 1000000000 layers"),
        "a layer too many": (with_facts(good, layers=3), "weights2"),
        "another activation": (with_facts(good, activation="step"), "no such activation"),
        "a table of more buys": (
            with_facts(good, table=Table(buy_levels=3).as_dict(), table_digest=Table(buy_levels=3).digest()),
            "a network's last layer",
        ),
    }


HOSTILE = hostile_files()


@pytest.mark.parametrize("name", HOSTILE)
def test_bad_files_are_refused_in_one_line(tmp_path: Path, name: str) -> None:
    data, message = HOSTILE[name]
    (tmp_path / "it.npz").write_bytes(data)
    with pytest.raises(BadPolicyFile) as caught:
        NetworkPolicy.load(tmp_path / "it.npz")
    assert "cannot read the network file" in str(caught.value) and message in str(caught.value)
    assert "\n" not in str(caught.value) and not MARK.exists()


def test_an_archive_saved_by_numpy_is_the_same_network(tmp_path: Path) -> None:
    made = small_network(name="it")
    path = made.save(tmp_path / "IT.NPZ")
    arrays = {name: array.astype(">f8") if array.dtype.kind == "f" else array for name, array in np.load(path).items()}
    np.savez(path, **dict(sorted(arrays.items())))
    back = NetworkPolicy.load(path)
    assert (back.name, back.notes) == (made.name, made.notes)
    for (weights, bias), (mine, my_bias) in zip(back.layers, made.layers, strict=True):
        assert weights.dtype == np.float32 and (weights == mine).all() and (bias == my_bias).all()
    assert type(resolve(path, "player", HOME, TABLE)) is NetworkPolicy
