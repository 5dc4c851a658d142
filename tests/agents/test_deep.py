"""Deep learners: what is left is what was trained, and masks are respected where the library has none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the extra `train` is not installed")

import torch

from agents.algorithms import Task, make_learner
from agents.deep import DeepLearner
from agents.learner import Horizon
from agents.sb3_bridge import FORBIDDEN, SB3VecEnv
from pontoon_gym.envs.vector import PlayerVectorEnv
from pontoon_gym.errors import BadArgument
from pontoon_gym.rules import Table
from tests.agents.learners import TABLE, learner, settings, task

pytestmark = pytest.mark.usefixtures("short_updates")


def deep_of(algorithm: str, of: Task, **changes: Any) -> DeepLearner:
    made = learner(algorithm, of, **changes)
    assert isinstance(made, DeepLearner)
    return made


def deep(algorithm: str, **changes: Any) -> DeepLearner:
    return deep_of(algorithm, task(), **changes)


def seen(rows: int = 64) -> tuple[Any, Any]:
    """Observations and masks in mid-round."""
    env = PlayerVectorEnv(rows, **TABLE.as_dict())
    env.reset(seed=1)
    for _ in range(2):
        observation, *_ = env.step(env.action_masks().argmax(axis=1))
    return observation, env.action_masks()


@pytest.mark.parametrize("algorithm", ["maskable_ppo", "ppo", "a2c"])
def test_the_policy_left_prefers_what_the_network_trained_prefers(algorithm: str) -> None:
    made = deep(algorithm)
    made.learn(Horizon(steps=512))
    observation, masks = seen()
    net = made.model.policy
    scaled = torch.as_tensor((observation - made.scaling.mean) * made.scaling.factor)
    with torch.no_grad():
        features = net.mlp_extractor.forward_actor(net.extract_features(scaled))
        logits = net.action_net(features).numpy()
    best = np.where(masks, logits, -np.inf).argmax(axis=1)
    assert (made.probabilities(observation, masks).argmax(axis=1) == best).all()


@pytest.mark.parametrize("algorithm", ["dqn", "qr_dqn"])
def test_the_policy_left_is_the_trained_values_best(algorithm: str) -> None:
    made = deep(algorithm)
    made.learn(Horizon(steps=1024))
    observation, masks = seen()
    scaled = (observation - made.scaling.mean) * made.scaling.factor
    with_mask = np.concatenate([scaled, masks.astype(np.float32)], axis=1)
    best, _ = made.model.policy.predict(with_mask, deterministic=True)
    assert (made.probabilities(observation, masks).argmax(axis=1) == best).all()
    assert masks[np.arange(len(best)), best].all()


@pytest.mark.parametrize("algorithm", ["dqn", "qr_dqn"])
def test_no_maximum_is_a_forbidden_action_s(algorithm: str) -> None:
    made = deep(algorithm)
    observation, masks = seen()
    with_mask = torch.as_tensor(np.concatenate([observation, masks.astype(np.float32)], axis=1))
    for net in (made.model.q_net, made.model.q_net_target) if algorithm == "dqn" else (made.model.quantile_net_target,):
        with torch.no_grad():
            values = net(with_mask).numpy()
        values = values if algorithm == "dqn" else values.mean(axis=1)
        assert (values[~masks] == FORBIDDEN).all() and (values[masks] > -100).all()
        assert masks[np.arange(len(masks)), values.argmax(axis=1)].all()


@pytest.mark.parametrize("algorithm", ["dqn", "qr_dqn"])
def test_exploration_draws_every_allowed_action_alike_and_no_other(algorithm: str) -> None:
    """20,000 draws; each share within five standard errors, a false alarm once in 100,000 runs."""
    made = deep(algorithm)
    mask = np.array([1, 0, 1, 0, 1, 0], np.float32)
    n = 20_000
    made.model._last_obs = np.tile(np.concatenate([np.zeros(made.env.layout.size, np.float32), mask]), (n, 1))
    actions, stored = made.model._sample_action(10**9, n_envs=n)
    share = np.bincount(actions, minlength=6) / n
    assert (stored == actions).all() and (share[mask == 0] == 0).all()
    assert np.abs(share[mask == 1] - 1 / 3).max() < 5 * np.sqrt(2 / 9 / n)
    made.model.exploration_rate = 0.25
    greedy, _ = made.model.policy.predict(made.model._last_obs[:1], deterministic=True)
    chosen, _ = made.model._sample_action(0, n_envs=n)
    assert abs((chosen != greedy[0]).mean() - 0.25 * 2 / 3) < 5 * np.sqrt(0.14 / n)


def test_columns_are_scaled_as_random_play_shows_them() -> None:
    made, rng, parts = deep("maskable_ppo", scale_decisions=4096), np.random.default_rng(1), []
    for _ in range(64):
        masks = made.bridge.action_masks()
        parts.append(made.bridge.step((masks * (1.0 - rng.random(masks.shape))).argmax(axis=1))[0])
    observation = np.concatenate(parts)
    mean, spread = observation.mean(axis=0), observation.std(axis=0)
    assert np.abs(mean).max() < 0.35 and spread.max() < 1.35  # of 1,024 observations, beside 4,096
    fields = {view.name: slice(view.start, view.start + view.width) for view in made.env.layout.views}
    for name in ("cards", "total", "soft", "count", "pair"):
        assert (spread[fields[name]] > 0.65).all(), name
    assert (observation[:, fields["limits"]] == 0.0).all()  # what never differs tells nothing


def test_scaling_can_be_left_out_and_does_not_bear_on_the_rounds_played() -> None:
    plain, scaled = deep("maskable_ppo", scale_decisions=0, blind=[]), deep("maskable_ppo", blind=[])
    assert (plain.scaling.mean == 0).all() and (plain.scaling.factor == 1).all()
    seen_first = plain.model._last_obs
    assert scaled.model._last_obs == pytest.approx((seen_first - scaled.scaling.mean) * scaled.scaling.factor)
    for _ in range(20):
        actions = plain.bridge.action_masks().argmax(axis=1)
        shown, *came = plain.bridge.step(actions)
        rescaled, *alike = scaled.bridge.step(actions)
        assert rescaled == pytest.approx((shown - scaled.scaling.mean) * scaled.scaling.factor)
        assert (came[0] == alike[0]).all() and (came[1] == alike[1]).all()


@pytest.mark.parametrize("algorithm", ["maskable_ppo", "dqn"])
def test_a_blind_network_answers_alike_whatever_a_field_says(algorithm: str) -> None:
    made = deep(algorithm, blind=["shown", "one_suit"])  # the second is no field of this game
    made.learn(Horizon(steps=512))
    observation, masks = seen()
    (shown,) = (view for view in made.env.layout.views if view.name == "shown")
    other = observation.copy()
    other[:, shown.start : shown.start + shown.width] = np.random.default_rng(0).random((len(other), shown.width))
    policy = made.policy()
    policy.greedy = False
    assert (policy.probabilities(observation, masks) == policy.probabilities(other, masks)).all()
    assert (policy.layers[0][0][:, shown.start : shown.start + shown.width] == 0).all()


@pytest.mark.parametrize("algorithm", ["maskable_ppo", "ppo", "a2c"])
def test_great_gains_are_not_made_smaller_unless_asked(algorithm: str) -> None:
    """By batch they would be, and costly actions would look worse than they are."""
    model = deep(algorithm).model
    assert model.normalize_advantage is False and model.max_grad_norm > 1e6
    asked = deep(algorithm, normalize_advantage=True, max_grad_norm=0.5).model
    assert asked.normalize_advantage is True and asked.max_grad_norm == 0.5


def test_what_changes_along_a_run() -> None:
    updates: list[dict[str, float]] = []
    bonus = {"entropy": 0.05, "entropy_end": 0.01, "entropy_share": 0.5, "entropy_power": 2.0}
    made = deep("maskable_ppo", **bonus, learning_rate=0.1, rate_share=0.5)
    made.learn(Horizon(steps=512), updates.append)
    assert [facts["steps"] for facts in updates] == [128, 256, 384, 512]
    assert [facts["entropy_bonus"] for facts in updates] == pytest.approx([0.05, 0.02, 0.01, 0.01])
    assert [facts["learning_rate"] for facts in updates] == pytest.approx([0.1, 0.1, 0.1, 0.05])
    assert made.model.policy.optimizer.param_groups[0]["lr"] == pytest.approx(0.05)


def test_exploration_falls_along_a_run() -> None:
    updates: list[dict[str, float]] = []
    made = deep("dqn", exploration=1.0, exploration_end=0.2, exploration_share=0.5)
    made.learn(Horizon(steps=512), updates.append)
    assert [facts["exploration"] for facts in updates] == pytest.approx([1.0, 0.6, 0.2, 0.2])
    assert made.model.exploration_rate == pytest.approx(0.2)


def test_other_learners_random_numbers_do_not_bear_on_one_s_own() -> None:
    alone, beside, other = deep("maskable_ppo"), deep("maskable_ppo"), deep("dqn")
    alone.learn(Horizon(steps=400))
    before = torch.get_rng_state(), np.random.get_state()[1].copy()
    beside.learn(Horizon(steps=400), on_update=lambda figures: other.update(0.0) and None)
    assert all((a[0] == b[0]).all() for a, b in zip(alone.policy().layers, beside.policy().layers, strict=True))
    assert (torch.get_rng_state() == before[0]).all() and (np.random.get_state()[1] == before[1]).all()


def test_illegal_actions_are_penalised_where_the_algorithm_knows_no_mask() -> None:
    for algorithm, treatment in (("ppo", "penalty"), ("a2c", "penalty"), ("maskable_ppo", "raise"), ("dqn", "raise")):
        assert deep(algorithm).env.illegal == treatment


def test_rewards_are_scaled_for_the_model_only() -> None:
    env = PlayerVectorEnv(8, **TABLE.as_dict(), illegal="raise", autoreset_mode="SAME_STEP")
    bridge = SB3VecEnv(env, masked=True, reward_scale=0.1)
    bridge.seed(1)
    bridge.reset()
    paid = summed = 0.0
    for _ in range(20):
        seen, rewards, ends, infos = bridge.step(env.action_masks().argmax(axis=1))
        paid += float(rewards[ends].sum())
        summed += sum(info["episode"]["r"] for info, end in zip(infos, ends, strict=True) if end)
        assert (seen[:, env.layout.size :] == env.action_masks()).all()
    assert summed != 0.0 and summed == pytest.approx(10 * paid) == pytest.approx(bridge.paid)


def test_rewards_are_multiples_of_the_greatest_stake_to_a_model() -> None:
    wide = task(table=Table.of(stake_max=10, stake_levels=2))
    assert [deep_of(name, wide).bridge.reward_scale for name in ("maskable_ppo", "dqn")] == [0.1, pytest.approx(0.01)]
    assert [deep(name).bridge.reward_scale for name in ("maskable_ppo", "dqn")] == [1.0, 0.1]


@pytest.mark.parametrize(
    ("algorithm", "changes"),
    [
        ("a2c", {"rows": 1, "steps": 1}),
        ("ppo", {"rows": 1, "steps": 1}),
        ("maskable_ppo", {"rows": 5, "steps": 13, "batch_size": 64}),
    ],
)
def test_no_batch_of_one_decision_is_begun(algorithm: str, changes: dict[str, int]) -> None:
    """Its advantages have no standard deviation."""
    with pytest.raises(BadArgument, match="rows times steps must leave no batch of one decision"):
        learner(algorithm, task(), **changes)


def test_a_device_that_cannot_calculate_is_refused() -> None:
    with pytest.raises(BadArgument, match="the learner cannot be made"):
        make_learner("dqn", task(), settings("dqn"), device="meta")


def test_what_breaks_down_is_one_line() -> None:
    made = deep("maskable_ppo")
    with torch.no_grad():
        made.model.policy.action_net.weight.fill_(np.nan)
    with pytest.raises(BadArgument, match="learning broke down") as caught:
        made.update(0.0)
    assert "\n" not in str(caught.value)
