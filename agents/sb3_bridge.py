"""The native vector environment as Stable-Baselines3 wants it, and what that lacks: value learning with masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from sb3_contrib import QRDQN
from sb3_contrib.qrdqn.policies import QRDQNPolicy, QuantileNetwork
from stable_baselines3 import DQN
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork

from pontoon_gym.envs.vector import PontoonVectorEnv
from pontoon_gym.errors import BadArgument


class Scaling(NamedTuple):
    """What is made of an observation before a network sees it: `(observation - mean) * factor`.

    Attributes:
        mean, factor: float32 of shape (columns,). A column of factor 0 is not seen.
    """

    mean: NDArray[np.float32]
    factor: NDArray[np.float32]


def drawn(masks: NDArray[Any], numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """One of the allowed actions of each row, all equally likely; int64 of shape (n,).

    Args:
        numbers: uniform on [0, 1), of the masks' shape.
    """
    # The numbers of allowed actions are above 0 and alike: each action is equally likely to have the largest.
    actions: NDArray[np.int64] = (masks * (1.0 - numbers)).argmax(axis=1)
    return actions


LEAST_DEVIATION = 0.05
"""Columns that hardly ever differ are scaled as if their deviation were this."""


def scaling(env: PontoonVectorEnv, *, decisions: int, blind: Sequence[str] = (), seed: int = 0) -> Scaling:
    """Scale the columns of an environment to mean 0 and deviation 1 under random play; the environment is reset.

    Without it what is rare (a pair, a split hand) is a small number, and a network learns last what it means.

    Args:
        decisions: about how many are played; 0 leaves the columns as they are.
        blind: fields (`engine.view.columns.FIELDS`) that are not to be seen; those that the layout lacks are ignored.
        seed: of the rounds and the choices.
    """
    mean, factor = np.zeros(env.layout.size), np.ones(env.layout.size)
    if decisions:
        rng = np.random.default_rng(seed)
        seen = [env.reset(seed=seed)[0]]
        for _ in range(decisions // env.num_envs):
            masks = env.action_masks()
            seen.append(env.step(drawn(masks, rng.random(masks.shape)))[0])
        shown = np.concatenate(seen, dtype=np.float64)
        mean, factor = shown.mean(axis=0), 1.0 / np.maximum(shown.std(axis=0), LEAST_DEVIATION)
    for view in env.layout.views:
        if view.name in blind:
            factor[view.start : view.start + view.width] = 0.0
    return Scaling(mean.astype(np.float32), factor.astype(np.float32))


class SB3VecEnv(VecEnv):
    """A `PontoonVectorEnv` for Stable-Baselines3 and sb3-contrib: one process, masks answered from one array.

    Episodes' rewards and lengths are in `info["episode"]` of the steps that end them, as SB3's Monitor puts them.

    Args:
        env: in SAME_STEP mode, with vector observations.
        masked: observations end in the mask of allowed actions, one column each (`MaskedDQN`).
        reward_scale: rewards are multiplied by it; those in `info["episode"]` are not.
        scaling: what is made of observations; None leaves them as they are.

    Attributes:
        rounds, paid: episodes that ended, and the sum of their rewards.

    Raises:
        BadArgument: another mode or observation.
    """

    def __init__(
        self,
        env: PontoonVectorEnv,
        *,
        masked: bool = False,
        reward_scale: float = 1.0,
        scaling: Scaling | None = None,
    ) -> None:
        if env.autoreset_mode != AutoresetMode.SAME_STEP or env.settings.observation != "vector":
            raise BadArgument(
                "the bridge needs another environment",
                got=(env.autoreset_mode.name, env.settings.observation),
                allowed="autoreset_mode SAME_STEP, observation vector",
            )
        self.env, self.masked, self.reward_scale, self.scaling = env, masked, reward_scale, scaling
        self.rounds, self.paid = 0, 0.0
        self._nothing: dict[str, Any] = {}
        self._actions: NDArray[np.int64] = np.zeros(env.num_envs, np.int64)
        self._rewards = np.zeros(env.num_envs)
        self._lengths = np.zeros(env.num_envs, np.int64)
        columns = env.layout.size + (env.settings.actions if masked else 0)
        bounds = (0.0, 1.0) if scaling is None else (-np.inf, np.inf)
        super().__init__(env.num_envs, Box(*bounds, (columns,), np.float32), env.single_action_space)

    def reset(self) -> VecEnvObs:
        """Begin an episode in every row, from the seed given to `seed` if there is one."""
        seed = self._seeds[0]
        observation, _ = self.env.reset(seed=seed)
        self._reset_seeds()
        self._rewards[:] = 0.0
        self._lengths[:] = 0
        return self._shown(observation, self.env.action_masks())

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Observations, rewards, ends, and one info a row; rows that go on share one empty info."""
        observation, rewards, terminated, truncated, infos = self.env.step(self._actions)
        self._rewards += rewards
        self._lengths += 1
        ended = terminated | truncated
        given = [self._nothing] * self.num_envs
        final = self._shown(infos["final_obs"], infos["final_info"]["action_mask"])
        for row in np.flatnonzero(ended):
            given[row] = {
                "terminal_observation": final[row],
                "TimeLimit.truncated": bool(truncated[row]),
                "episode": {"r": float(self._rewards[row]), "l": int(self._lengths[row])},
            }
        self.rounds += int(ended.sum())
        self.paid += float(self._rewards[ended].sum())
        self._rewards[ended] = 0.0
        self._lengths[ended] = 0
        return self._shown(observation, self.env.action_masks()), rewards * self.reward_scale, ended, given

    def _shown(self, observation: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.float32]:
        if self.scaling is not None:
            observation = (observation - self.scaling.mean) * self.scaling.factor
        if not self.masked:
            return observation
        return np.concatenate([observation, masks.astype(np.float32)], axis=1)

    def get_state(self) -> dict[str, NDArray[Any]]:
        """What the rows' future here depends on, beside the environment's own state."""
        return {
            "bridge_rewards": self._rewards,
            "bridge_lengths": self._lengths,
            "bridge_sums": np.array([self.rounds, self.paid]),
        }

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from where `get_state` was called."""
        self._rewards[:], self._lengths[:] = state["bridge_rewards"], state["bridge_lengths"]
        self.rounds, self.paid = int(state["bridge_sums"][0]), float(state["bridge_sums"][1])

    def action_masks(self) -> NDArray[np.bool_]:
        """The allowed actions of all rows, bool of shape (rows, actions)."""
        return self.env.action_masks()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def has_attr(self, attr_name: str) -> bool:
        """Whether the rows have an attribute; masks are found so."""
        return hasattr(self.env, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute once for each row asked."""
        return [getattr(self.env, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Rows have no attributes of their own. Raises `BadArgument`."""
        raise BadArgument("rows of one environment have no attributes of their own", got=attr_name)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """`action_masks` of the rows asked; rows have no other method. Raises `BadArgument`."""
        if method_name != "action_masks":
            raise BadArgument("rows of one environment have no such method", got=method_name, allowed="action_masks")
        masks = self.action_masks()
        return masks if indices is None else masks[self._get_indices(indices)]  # type: ignore[return-value,call-overload]

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """No row is wrapped, but the figures of SB3's Monitor are there."""
        return [wrapper_class.__name__ == "Monitor"] * len(list(self._get_indices(indices)))


# --- value learning that respects masks --------------------------------------------------------------------------

FORBIDDEN = -1e8
"""The value of a forbidden action: below any that a round can pay."""


class WithoutMask(BaseFeaturesExtractor):
    """The columns of an observation before its mask."""

    def __init__(self, observation_space: Box, actions: int) -> None:
        super().__init__(observation_space, observation_space.shape[0] - actions)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Float32 of shape (n, columns − actions)."""
        return observations[:, : self.features_dim]


class MaskedQNetwork(QNetwork):
    """Action values; those of forbidden actions are FORBIDDEN, so that no maximum is theirs."""

    def forward(self, obs: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        """Float32 of shape (n, actions)."""
        return super().forward(obs).masked_fill(obs[:, self.features_dim :] == 0.0, FORBIDDEN)


class MaskedQuantileNetwork(QuantileNetwork):
    """Quantiles of what actions will pay; those of forbidden actions are FORBIDDEN."""

    def forward(self, obs: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        """Float32 of shape (n, quantiles, actions)."""
        return super().forward(obs).masked_fill((obs[:, self.features_dim :] == 0.0)[:, None, :], FORBIDDEN)


class MaskedDQNPolicy(DQNPolicy):
    """A `DQNPolicy` of masked networks."""

    def make_q_net(self) -> QNetwork:
        """The network, learning or target."""
        made = self._update_features_extractor(self.net_args, features_extractor=None)
        return MaskedQNetwork(**made).to(self.device)


class MaskedQRDQNPolicy(QRDQNPolicy):
    """A `QRDQNPolicy` of masked networks."""

    def make_quantile_net(self) -> QuantileNetwork:
        """The network, learning or target."""
        made = self._update_features_extractor(self.net_args, features_extractor=None)
        return MaskedQuantileNetwork(**made).to(self.device)


class _ExploresAllowed:
    """Each row explores on its own, among its allowed actions only."""

    def _sample_action(self: Any, learning_starts: int, action_noise: Any = None, n_envs: int = 1) -> Any:
        observation = self._last_obs
        mask = observation[:, -int(self.action_space.n) :]
        rate = 1.0 if self.num_timesteps < learning_starts else self.exploration_rate
        greedy, _ = self.policy.predict(observation, deterministic=True)
        tried = drawn(mask, np.random.random(mask.shape))
        actions = np.where(np.random.random(n_envs) < rate, tried, greedy)
        return actions, actions


class MaskedDQN(_ExploresAllowed, DQN):
    """DQN (V. Mnih and others, 2015) on observations that end in a mask: its targets take the maximum over allowed
    actions, and so do its choices."""


class MaskedQRDQN(_ExploresAllowed, QRDQN):
    """QR-DQN (W. Dabney and others, 2018) likewise."""
