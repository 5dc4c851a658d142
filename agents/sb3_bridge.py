"""The native vector environment as Stable-Baselines3 wants it: one process, masks answered from one array."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from pontoon_gym.envs.vector import PontoonVectorEnv
from pontoon_gym.errors import BadArgument


class SB3VecEnv(VecEnv):
    """A `PontoonVectorEnv` for Stable-Baselines3 and sb3-contrib.

    Episodes' rewards and lengths are in `info["episode"]` of the steps that end them, as SB3's Monitor puts them.

    Args:
        env: in SAME_STEP mode, with vector observations.

    Raises:
        BadArgument: another mode or observation.
    """

    def __init__(self, env: PontoonVectorEnv) -> None:
        if env.autoreset_mode != AutoresetMode.SAME_STEP or env.settings.observation != "vector":
            raise BadArgument(
                "the bridge needs another environment",
                got=(env.autoreset_mode.name, env.settings.observation),
                allowed="autoreset_mode SAME_STEP, observation vector",
            )
        self.env = env
        self._nothing: dict[str, Any] = {}
        self._actions: NDArray[np.int64] = np.zeros(env.num_envs, np.int64)
        self._rewards = np.zeros(env.num_envs)
        self._lengths = np.zeros(env.num_envs, np.int64)
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> VecEnvObs:
        """Begin an episode in every row, from the seed given to `seed` if there is one."""
        seed = self._seeds[0]
        observation, _ = self.env.reset(seed=seed)
        self._reset_seeds()
        self._rewards[:] = 0.0
        self._lengths[:] = 0
        vectors: NDArray[np.float32] = observation
        return vectors

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Observations, rewards, ends, and one info a row; rows that go on share one empty info."""
        observation, rewards, terminated, truncated, infos = self.env.step(self._actions)
        self._rewards += rewards
        self._lengths += 1
        ended = terminated | truncated
        told = [self._nothing] * self.num_envs
        for row in np.flatnonzero(ended):
            told[row] = {
                "terminal_observation": infos["final_obs"][row],
                "TimeLimit.truncated": bool(truncated[row]),
                "episode": {"r": float(self._rewards[row]), "l": int(self._lengths[row])},
            }
        self._rewards[ended] = 0.0
        self._lengths[ended] = 0
        return observation, rewards, ended, told

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
        """No row is wrapped, but Monitor's figures are there."""
        return [wrapper_class.__name__ == "Monitor"] * len(list(self._get_indices(indices)))
