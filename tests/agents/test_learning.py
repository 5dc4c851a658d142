"""Learning, and the policy that is left."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the extra `train` is not installed")

import torch

from agents.deep import MaskablePPOLearner
from agents.network import FORMAT, NetworkPolicy
from pontoon_gym.baselines import baseline
from pontoon_gym.casting import policy_of
from pontoon_gym.envs.vector import BankerVectorEnv, PlayerVectorEnv
from pontoon_gym.errors import BadArgument, BadPolicyFile, StaleStrategy, UnknownPolicy
from pontoon_gym.evaluation import match
from pontoon_gym.rules import Rules, Table
from tests.scale import SCALE, scaled

ROOT = Path(__file__).parents[2]
HOME, TABLE = Rules.of("home"), Table()


def settings(role: str = "player", **changes: Any) -> dict[str, Any]:
    shipped = tomllib.loads((ROOT / "agents/settings/maskable_ppo.toml").read_text())[role]
    return shipped | {"rows": 16, "steps": 16, "batch_size": 64, "epochs": 2, "hidden": [16]} | changes


def learner(seed: int = 3, **changes: Any) -> MaskablePPOLearner:
    asked = settings(**changes)
    return MaskablePPOLearner(PlayerVectorEnv(asked["rows"], **TABLE.as_dict(), illegal="raise"), asked, seed=seed)


def test_the_policy_left_is_the_network_trained() -> None:
    made = learner()
    assert made.learn(512) == 512
    policy = made.policy("it")
    env = PlayerVectorEnv(64, **TABLE.as_dict())
    observation, _ = env.reset(seed=1)
    masks = env.action_masks()
    with torch.no_grad():
        chances = made.model.policy.get_distribution(torch.as_tensor(observation), masks).distribution.probs
    assert np.abs(policy.probabilities(observation, masks) - chances.numpy()).max() < 1e-6
    assert (policy.probabilities(observation, masks)[~masks] == 0).all()


def test_the_same_seed_learns_the_same() -> None:
    first, second, other = learner(), learner(), learner(seed=4)
    for made in (first, second, other):
        made.learn(256)
    same = zip(first.policy().layers, second.policy().layers, strict=True)
    assert all((a[0] == b[0]).all() and (a[1] == b[1]).all() for a, b in same)
    assert (first.policy().layers[0][0] != other.policy().layers[0][0]).any()


def test_the_entropy_bonus_falls_to_nothing() -> None:
    told: list[dict[str, float]] = []
    learner(entropy=0.05, entropy_share=0.5).learn(1024, told.append)
    bonuses = [facts["entropy_bonus"] for facts in told]
    assert [facts["steps"] for facts in told] == [256, 512, 768, 1024]
    assert bonuses == pytest.approx([0.025, 0.0, 0.0, 0.0])


@pytest.mark.skipif(SCALE < 1, reason="learning needs the compiler's speed")
def test_a_player_and_a_banker_learn_to_beat_chance() -> None:
    """Far beyond what noise could do: random play loses more than half a stake to both."""
    asked = settings(rows=64, steps=32, batch_size=512, epochs=4, hidden=[32])
    player = MaskablePPOLearner(PlayerVectorEnv(64, **TABLE.as_dict(), illegal="raise"), asked, seed=1)
    player.learn(60_000)
    report = match(
        HOME,
        TABLE,
        [baseline("random", "player", HOME, TABLE), player.policy("learned")],
        [baseline("stand17", "banker", HOME, TABLE)],
        scaled(50_000),
    )
    gained = report.contestants[1].difference
    assert gained is not None and gained.low > 0.5
    banker = MaskablePPOLearner(BankerVectorEnv(64, **TABLE.as_dict(), illegal="raise"), asked, seed=1)
    banker.learn(60_000)
    bankers = [baseline("random", "banker", HOME, TABLE), banker.policy("learned")]
    thumb = baseline("thumb", "player", HOME, TABLE)
    gained = match(HOME, TABLE, [thumb], bankers, scaled(50_000), judged="banker").contestants[1].difference
    assert gained is not None and gained.low > 0.1


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
        policy_of(small_network(), "player", Rules.of("home", split="none"), TABLE)
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
