"""Networks as policies, and their files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("safetensors", reason="the extra `train` is not installed")

from pontoon_gym.envs.vector import PlayerVectorEnv
from pontoon_gym.errors import BadArgument, BadPolicyFile, StaleStrategy, UnknownPolicy
from pontoon_gym.policies.network import FORMAT, NetworkPolicy
from pontoon_gym.policies.resolve import resolve
from pontoon_gym.rules import Rules, Table

HOME, TABLE = Rules.of("home"), Table()


def small_network(**changes: Any) -> NetworkPolicy:
    chance = np.random.default_rng(1)
    width = PlayerVectorEnv(1, **TABLE.as_dict()).layout.size
    layers = [
        (chance.normal(size=(8, width)).astype(np.float32), np.zeros(8, np.float32)),
        (chance.normal(size=(TABLE.actions, 8)).astype(np.float32), np.zeros(TABLE.actions, np.float32)),
    ]
    given: dict[str, Any] = {"role": "player", "rules": HOME, "table": TABLE, "layers": layers, "notes": {"seed": 1}}
    return NetworkPolicy(**(given | changes))


def test_a_saved_network_loads_back_the_same(tmp_path: Path) -> None:
    made = small_network(name="it", activation="relu")
    back = NetworkPolicy.load(made.save(tmp_path / "it.safetensors"))
    assert (back.name, back.role, back.rules, back.table, back.activation) == ("it", "player", HOME, TABLE, "relu")
    assert back.notes == {"seed": 1}
    rows, allowed = np.random.default_rng(2).random((5, made.layers[0][0].shape[1])), np.ones((5, TABLE.actions), bool)
    assert (back.probabilities(rows, allowed) == made.probabilities(rows, allowed)).all()


def test_a_greedy_network_plays_the_allowed_action_of_most_weight(tmp_path: Path) -> None:
    drawn, made = small_network(), small_network(greedy=True)
    chance = np.random.default_rng(3)
    rows, allowed = chance.random((50, made.layers[0][0].shape[1])), chance.random((50, TABLE.actions)) < 0.5
    allowed[:, 1] |= ~allowed.any(axis=1)
    best = np.where(allowed, drawn.probabilities(rows, allowed), -1.0).argmax(axis=1)
    back = NetworkPolicy.load(made.save(tmp_path / "it.safetensors"))
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
    with pytest.raises(BadArgument, match="observations of network"):
        small_network().probabilities(np.zeros((1, 3)), np.ones((1, TABLE.actions), bool))
    rows = np.zeros((1, small_network().layers[0][0].shape[1]))
    for mask in (np.ones((1, 7), bool), np.ones(6, bool), np.zeros((1, 6), bool)):
        with pytest.raises(BadArgument, match="masks of network"):
            small_network().probabilities(rows, mask)
    with pytest.raises(StaleStrategy, match="split rank instead of none"):
        resolve(small_network(), "player", Rules.of("home", split="none"), TABLE)
    with pytest.raises(UnknownPolicy, match="no network file, or run folder with one"):
        NetworkPolicy.load(tmp_path / "it.safetensors")


def hostile_files(tmp_path: Path) -> dict[str, bytes]:
    good = small_network().save(tmp_path / "good.safetensors").read_bytes()
    length = int.from_bytes(good[:8], "little")
    header = json.loads(good[8 : 8 + length])

    def with_header(changed: dict[str, Any]) -> bytes:
        text = json.dumps(changed).encode()
        return len(text).to_bytes(8, "little") + text + good[8 + length :]

    facts = json.loads(header["__metadata__"]["pontoon"])

    def with_facts(**changes: Any) -> bytes:
        return with_header({**header, "__metadata__": {"pontoon": json.dumps({**facts, **changes})}})

    return {
        "empty": b"",
        "truncated": good[:-100],
        "long header": (1 << 60).to_bytes(8, "little") + good[8:],
        "noise": bytes(range(256)) * 4,
        "pickle": b"\x80\x04cos\nsystem\n(S'true'\ntR.",
        "other format": with_facts(format=FORMAT + "9"),
        "other digest": with_facts(rules_digest="0" * 12),
        "no layers": with_facts(layers=0),
        "many layers": with_facts(layers=10**9),
        "wrong role": with_facts(role="dealer"),
        "wrong rules": with_facts(rules={"packs": 99}),
        "no facts": with_header({k: v for k, v in header.items() if k != "__metadata__"}),
        "beyond the end": with_header({**header, "0.bias": {**header["0.bias"], "data_offsets": [0, 1 << 40]}}),
    }


def test_bad_files_are_refused_in_one_line(tmp_path: Path) -> None:
    for name, data in hostile_files(tmp_path).items():
        (tmp_path / "it.safetensors").write_bytes(data)
        with pytest.raises(BadPolicyFile) as caught:
            NetworkPolicy.load(tmp_path / "it.safetensors")
        assert "\n" not in str(caught.value), name
