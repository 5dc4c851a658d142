"""Deep learners on torch and Stable-Baselines3: MaskablePPO."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback

from agents.network import Layer, NetworkPolicy
from agents.sb3_bridge import SB3VecEnv
from pontoon_gym.envs.vector import PontoonVectorEnv

_ACTIVATIONS = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}

Told = dict[str, float]
"""What a learner tells between updates: steps, seconds, mean reward of the last episodes, entropy bonus."""


class MaskablePPOLearner:
    """Proximal policy optimisation over allowed actions only (Schulman et al. 2017; Huang and Ontañón 2022).

    Args:
        env: with vector observations, in SAME_STEP mode, one row for each of `settings["rows"]`.
        settings: as `agents/settings/maskable_ppo.toml` has them, one role's.
        seed: of the rows, the network and the order of its batches.
        device: a torch device.
    """

    algorithm = "maskable_ppo"

    def __init__(self, env: PontoonVectorEnv, settings: dict[str, Any], *, seed: int = 0, device: str = "cpu") -> None:
        self.env, self.settings, self.seed = env, settings, seed
        torch.set_num_threads(int(settings["threads"]))
        bridge = SB3VecEnv(env)
        bridge.seed(seed)
        rate = float(settings["learning_rate"])
        self.model = MaskablePPO(
            MaskableActorCriticPolicy,
            bridge,
            learning_rate=lambda left: rate * left,
            n_steps=int(settings["steps"]),
            batch_size=int(settings["batch_size"]),
            n_epochs=int(settings["epochs"]),
            gamma=1.0,
            gae_lambda=float(settings["gae_lambda"]),
            clip_range=float(settings["clip_range"]),
            ent_coef=float(settings["entropy"]),
            vf_coef=float(settings["value_weight"]),
            policy_kwargs={
                "net_arch": list(settings["hidden"]),
                "activation_fn": _ACTIVATIONS[settings["activation"]],
            },
            seed=seed,
            device=device,
        )

    def learn(
        self,
        steps: int,
        told: Callable[[Told], None] = lambda facts: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Learn from `steps` decisions, rounded up to whole updates. Returns their sum.

        Args:
            told: is called before each update.
            stop: is asked after each step of all rows; learning ends where it says yes.

        A KeyboardInterrupt goes through; the learner can be saved after it.
        """
        self.model.learn(steps, callback=_Tell(self.settings, steps, told, stop))
        return int(self.model.num_timesteps)

    @property
    def updates(self) -> int:
        """Updates of the network so far."""
        return int(self.model._n_updates)

    def policy(self, name: str = "network") -> NetworkPolicy:
        """What it has learned so far, as a policy of its own."""
        net: Any = self.model.policy
        linear = [m for m in (*net.mlp_extractor.policy_net, net.action_net) if isinstance(m, torch.nn.Linear)]
        layers: list[Layer] = [(_array(m.weight), _array(m.bias)) for m in linear]
        notes = {
            "algorithm": self.algorithm,
            "seed": self.seed,
            "steps": int(self.model.num_timesteps),
            "settings": self.settings,
            "versions": versions(),
        }
        settings = self.env.settings
        return NetworkPolicy(
            settings.role.name.lower(),
            settings.rules,
            settings.table,
            layers,
            activation=self.settings["activation"],
            name=name,
            notes=notes,
        )


class _Tell(BaseCallback):
    """Lowers the entropy bonus along the run and tells how it goes."""

    def __init__(
        self, settings: dict[str, Any], steps: int, told: Callable[[Told], None], stop: Callable[[], bool]
    ) -> None:
        super().__init__()
        self.settings, self.steps, self.told, self.start = settings, steps, told, time.perf_counter()
        self.stop = stop

    def _on_step(self) -> bool:
        return not self.stop()

    def _on_rollout_end(self) -> None:
        model: Any = self.model
        share = self.num_timesteps / (self.steps * float(self.settings["entropy_share"]))
        model.ent_coef = float(self.settings["entropy"]) * max(1.0 - share, 0.0)
        rewards = [episode["r"] for episode in model.ep_info_buffer]
        self.told(
            {
                "steps": self.num_timesteps,
                "seconds": round(time.perf_counter() - self.start, 3),
                "reward": float(np.mean(rewards)) if rewards else float("nan"),
                "entropy_bonus": model.ent_coef,
            }
        )


def _array(tensor: Any) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.detach().cpu().numpy().astype(np.float32).copy()
    return array


def versions() -> dict[str, str]:
    """Of everything that a trained policy depends on."""
    packages = ("pontoon-gym", "numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except ModuleNotFoundError:
            found[package] = "not installed"
    return found
