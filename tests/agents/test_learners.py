"""What holds of every learner: it repeats itself, goes on from its file, respects masks, and learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the extra `train` is not installed")

from agents.algorithms import ALGORITHMS, make_learner
from agents.learner import Horizon, Learner
from pontoon_gym.engine.state import ROUND
from pontoon_gym.envs.vector import BankerVectorEnv, PlayerVectorEnv
from pontoon_gym.errors import BadArgument
from pontoon_gym.evaluation.judge import Contest, match
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.policies.policy import bits_of_parts
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import Rules, Table
from tests.agents.learners import HOME, TABLE, learner, settings, task
from tests.scale import SCALE, scaled

pytestmark = pytest.mark.usefixtures("short_updates")

ANY = pytest.mark.parametrize("algorithm", ALGORITHMS)
ROLES = pytest.mark.parametrize("role", ["player", "banker"])
SHORT = Horizon(steps=600)


def saved_policy(made: Learner, path: Path) -> bytes:
    policy: Any = made.policy("it")
    return bytes(policy.save(path.with_suffix(".npz")).read_bytes())


@ANY
@ROLES
def test_the_same_seed_learns_the_same(algorithm: str, role: str, tmp_path: Path) -> None:
    made = [learner(algorithm, task(role), seed) for seed in (3, 3, 4)]
    found = []
    for i, one in enumerate(made):
        one.learn(SHORT)
        found.append(saved_policy(one, tmp_path / str(i)))
    assert found[0] == found[1] != found[2]
    assert made[0].steps >= 600 and made[0].rounds > 20


@ANY
def test_a_learner_goes_on_from_its_file_as_if_it_had_not_stopped(algorithm: str, tmp_path: Path) -> None:
    whole = learner(algorithm)
    whole.learn(SHORT)
    # The rows' own random numbers and libraries' global ones must come from the file.
    begun, other = learner(algorithm), learner(algorithm)
    begun.learn(SHORT, stop=lambda: begun.steps >= 300)
    assert 0 < begun.steps < whole.steps
    begun.save(tmp_path / "it", {"lines": 3})
    other.update(0.0)
    np.random.seed(0)
    assert other.load(tmp_path / "it") == {"lines": 3}
    assert (other.steps, other.rounds) == (begun.steps, begun.rounds)
    other.learn(SHORT)
    assert saved_policy(other, tmp_path / "a") == saved_policy(whole, tmp_path / "b")


@pytest.mark.parametrize("algorithm", ["q_learning", "maskable_ppo", "dqn"])
def test_runs_of_different_seeds_share_no_deals(algorithm: str) -> None:
    """Rows are seeded one after the other: with the run's own seed row 1 of run 3 would be row 0 of run 4."""
    dealt = []
    for seed in (3, 4, 100):
        rows = np.frombuffer(learner(algorithm, seed=seed).env.get_state()["rows"], ROUND)
        dealt.append({row.tobytes() for row in rows["source"]})
    assert all(len(rows) == 16 for rows in dealt)
    assert not dealt[0] & dealt[1] and not dealt[0] & dealt[2]


@ANY
def test_what_is_told_after_each_update(algorithm: str) -> None:
    updates: list[dict[str, float]] = []
    made = learner(algorithm)
    made.learn(SHORT, updates.append)
    assert updates[-1]["steps"] == made.steps and updates[-1]["rounds"] == made.rounds
    assert [facts["steps"] for facts in updates] == sorted({facts["steps"] for facts in updates})
    assert all(np.isfinite(facts["reward"]) for facts in updates)


@ANY
@ROLES
def test_a_policy_left_respects_masks_and_is_greedy(algorithm: str, role: str) -> None:
    made = learner(algorithm, task(role))
    made.learn(SHORT)
    kind = PlayerVectorEnv if role == "player" else BankerVectorEnv
    env = kind(64, **TABLE.as_dict())
    observation, _ = env.reset(seed=1)
    masks = env.action_masks()
    chances = made.probabilities(observation, masks)
    assert chances.shape == masks.shape and (chances[~masks] == 0).all()
    policy = made.policy()
    if not isinstance(policy, Strategy):
        assert (chances.max(axis=1) == 1.0).all()
    else:  # but at random where it has never been
        infostates, _ = kind(64, observation="situation", **TABLE.as_dict()).reset(seed=1)
        known = np.isin(infostates & bits_of_parts(role, made.settings["parts"]), policy.keys)
        assert known.any() and (chances[known].max(axis=1) == 1.0).all()


@ANY
@pytest.mark.parametrize(
    ("rules", "table"),
    [
        ("home", {"seats": 5}),
        ("british", {"stake_max": 10, "stake_levels": 3, "buy_levels": 3}),
        ("casino8", {"seats": 9}),
        ("spanish", {}),
    ],
)
def test_any_game_can_be_learned(algorithm: str, rules: str, table: dict[str, int]) -> None:
    made = learner(algorithm, task("player", Rules.of(rules), Table.of(table)))
    made.learn(Horizon(steps=300))
    assert made.steps >= 300


def test_a_horizon_ends_with_the_first_of_its_two_ends() -> None:
    assert Horizon(steps=100).share(50, 10**9) == 0.5
    assert Horizon(rounds=100).share(10**9, 50) == 0.5
    assert Horizon(steps=100, rounds=100).share(90, 50) == 0.9
    made = learner("q_learning")
    made.learn(Horizon(rounds=200))
    assert 200 <= made.rounds < 400


def test_a_file_of_another_learner_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "it"
    learner("q_learning").save(path)
    for other, what in (
        (learner("monte_carlo"), "algorithm"),
        (learner("q_learning", seed=4), "seed"),
        (learner("q_learning", trace=0.5), "settings"),
        (learner("q_learning", task("banker")), "settings"),
        (learner("q_learning", task(rules=Rules.of("british"))), "rules_digest"),
        (learner("q_learning", task(table=Table.of(stake_max=2, stake_levels=2))), "table_digest"),
    ):
        with pytest.raises(BadArgument, match=f"a learner of another {what}"):
            other.load(path)


def learned(made: Learner) -> list[Any]:
    """What a learner's policy is made of."""
    policy = made.policy()
    if isinstance(policy, Strategy):
        order = np.argsort(policy.keys)
        return [policy.keys[order], policy.weights[order]]
    assert isinstance(policy, NetworkPolicy)
    return [array for layer in policy.layers for array in layer]


@ANY
@ROLES
def test_a_learner_begins_with_what_another_has_learned(
    algorithm: str, role: str, tmp_path: Path, short_updates: None
) -> None:
    """With its weights alone: counters, optimiser, memory and chance are its own."""
    first, other = learner(algorithm, task(role)), learner(algorithm, task(role), seed=9, rows=32)
    first.learn(Horizon(steps=600))
    fresh = other.state()
    assert other.start_from(first.save(tmp_path / "first")) == first.steps
    for mine, theirs in zip(learned(other), learned(first), strict=True):
        assert np.array_equal(mine, theirs)
    assert (other.steps, other.rounds) == (0, 0)
    facts, arrays = other.state()
    assert facts == fresh.facts
    taken = ("keys", "values", "counts", "filled", "weights.", "scaling.", "last_obs")
    for name, array in fresh.arrays.items():
        assert name.startswith(taken) or np.array_equal(arrays[name], array), name
    other.learn(Horizon(steps=600))
    again = learner(algorithm, task(role), seed=9, rows=32)
    again.load(other.save(tmp_path / "other"))
    for made in (other, again):
        made.learn(Horizon(steps=1200))
    for mine, theirs in zip(learned(again), learned(other), strict=True):
        assert np.array_equal(mine, theirs)


def test_a_large_table_is_taken_over_by_a_small_learner(tmp_path: Path) -> None:
    first, other = learner("q_learning", rows=4096, exploration=1.0), learner("q_learning", rows=1)
    first.learn(Horizon(steps=400_000))
    other.start_from(first.save(tmp_path / "first"))
    assert len(learned(other)[0]) > 2048 and np.array_equal(learned(other)[0], learned(first)[0])
    other.learn(Horizon(steps=64))


@pytest.mark.parametrize(
    ("algorithm", "other", "message"),
    [
        ("q_learning", {}, "another algorithm: got 'q_learning'; allowed: monte_carlo"),
        ("q_learning", {"parts": ["cards"]}, "another parts"),
        ("maskable_ppo", {"hidden": [8]}, r"another hidden: got \[16\]; allowed: \[8\]"),
        ("maskable_ppo", {"blind": []}, "another blind"),
        ("dqn", {"reward_scale": 0.5}, "another reward_scale: got 0.1; allowed: 0.5"),
        ("qr_dqn", {"quantiles": 7}, "another quantiles: got 5; allowed: 7"),
    ],
)
def test_what_a_learner_cannot_begin_with(algorithm: str, other: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = learner(algorithm).save(tmp_path / "it")
    made = learner(algorithm if other else "monte_carlo", **other)
    with pytest.raises(BadArgument, match=f"a learner of {message}"):
        made.start_from(path)


def test_a_table_is_not_learned_on_another_device() -> None:
    with pytest.raises(BadArgument, match="q_learning learns on the processor: got 'cuda'"):
        make_learner("q_learning", task(), settings("q_learning"), device="cuda")


@pytest.mark.skipif(SCALE < 1, reason="learning needs the compiler's speed")
@ANY
@ROLES
def test_every_learner_beats_chance_soon(algorithm: str, role: str) -> None:
    """Far beyond what noise could do: a player who plays at random loses more than half a stake."""
    # Tables have yet to meet every infostate, and who knows no mask has to learn what is allowed first.
    fewer = {"maskable_ppo": 60_000, "dqn": 60_000, "qr_dqn": 60_000, "ppo": 150_000, "a2c": 150_000}
    steps = fewer.get(algorithm, 300_000)
    changes = {"rows": 64, "hidden": [32], "batch_size": 256, "steps": 4, "learning_starts": 2000}
    shipped = settings(algorithm, role)
    made = learner(algorithm, task(role), 1, **{name: v for name, v in changes.items() if name in shipped})
    made.learn(Horizon(steps=steps))
    drawn = baseline("random", role, HOME, TABLE)
    if role == "player":
        players, bankers = [drawn, made.policy()], [baseline("stand17", "banker", HOME, TABLE)]
    else:
        players, bankers = [baseline("thumb", "player", HOME, TABLE)], [drawn, made.policy()]
    report = match(HOME, TABLE, Contest(players, bankers, judged=role), scaled(50_000))
    gained = report.contestants[1].difference
    assert gained is not None and gained.low > (0.5 if role == "player" else 0.03)
