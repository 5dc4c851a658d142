"""Deep learners on torch and Stable-Baselines3: MaskablePPO, PPO, A2C, and DQN and QR-DQN that respect the mask.

How each keeps to allowed actions: MaskablePPO draws from allowed actions only. PPO and A2C know no masks: they pay a
stake for each forbidden choice while they learn (`illegal="penalty"`). DQN and QR-DQN maximise and explore over allowed
actions only. The policy that any of them leaves respects the mask.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.logger import Logger

from agents.hyperparameters import Limit, Limits
from agents.learner import EXPLORATION, ROWS, Figures, Learner, Plan, State, env_state, restore_env
from agents.sb3_bridge import (
    MaskedDQN,
    MaskedDQNPolicy,
    MaskedQRDQN,
    MaskedQRDQNPolicy,
    SB3VecEnv,
    Scaling,
    WithoutMask,
    scaling,
)
from pontoon_gym.envs.vector import PontoonVectorEnv
from pontoon_gym.errors import BadArgument
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.network import ACTIVATIONS, Layer, NetworkPolicy
from pontoon_gym.policies.policy import fields_of

_ACTIVATIONS = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}
UPDATE_STEPS = 1 << 14
"""Decisions between two looks at how a value learner does."""

MOST_UPDATES = 1 << 40
"""More gradient steps than an optimiser ever counts."""
_FIELDS = tuple(dict.fromkeys(field for role in ("player", "banker") for field in fields_of(role)))
_BATCH = {"batch_size": Limit("decisions of a gradient step", int, 2, 1 << 24)}


class DeepLearner(Learner):
    """A model of Stable-Baselines3 that learns; see `Learner`. On a graphics card a run cannot be repeated exactly.

    The learning rate stays for the share `rate_share` of the run, then falls evenly to 0.
    """

    limits: ClassVar[Limits] = {
        **ROWS,
        "learning_rate": Limit("at first", float, 1e-9, 1),
        "rate_share": Limit("share of the run after which the learning rate falls to 0", float, 0, 0.999),
        "hidden": Limit("units of the hidden layers", list, 1, 8192),
        "activation": Limit("of the hidden layers", str, words=tuple(ACTIVATIONS)),
        "scale_decisions": Limit("decisions at random by which columns are scaled; 0: they are not", int, 0, 1 << 24),
        "blind": Limit("fields that the network does not see", list, words=_FIELDS),
        "threads": Limit("threads of torch", int, 1, 256),
    }
    devices = True
    growing: ClassVar[tuple[str, ...]] = ("moments.",)
    learned = ("weights.", "scaling.")
    shape: ClassVar[tuple[str, ...]] = ("hidden", "activation", "blind")
    counters: ClassVar[tuple[str, ...]] = ("num_timesteps", "_n_updates", "_episode_num")
    """The model's numbers that its future depends on."""

    def __init__(self, env: PontoonVectorEnv, plan: Plan) -> None:
        super().__init__(env, plan)
        torch.set_num_threads(int(self.settings["threads"]))
        torch.zeros(1, device=plan.device).item()  # a device that cannot calculate is found out before anything begins
        self.rate = float(self.settings["learning_rate"])
        self._rng: Any = None
        self.scaling = scaling(
            env, decisions=int(self.settings["scale_decisions"]), blind=self.settings["blind"], seed=self.rows_seed
        )
        self.bridge = self._bridge()
        shape = {
            "net_arch": list(self.settings["hidden"]),
            "activation_fn": _ACTIVATIONS[self.settings["activation"]],
        }
        common = {"gamma": 1.0, "learning_rate": self._rate_now, "seed": plan.seed, "device": plan.device}
        with self._own_rng():
            self.model: Any = self._make(shape, common)
            self.model.set_logger(Logger(None, []))
            self.bridge.seed(self.rows_seed)  # the model has seeded it anew
            # As `learn` would: the rows begin now, and every later call goes on.
            self.model._setup_learn(0)

    @contextmanager
    def _own_rng(self) -> Iterator[None]:
        """The libraries' global random generators are this learner's own for a while: others do not change what it
        learns."""
        others = torch.get_rng_state(), np.random.get_state(), random.getstate()
        if self._rng is not None:
            torch.set_rng_state(self._rng[0])
            np.random.set_state(self._rng[1])
        try:
            yield
        finally:
            self._rng = torch.get_rng_state(), np.random.get_state()
            torch.set_rng_state(others[0])
            np.random.set_state(others[1])
            random.setstate(others[2])

    def _bridge(self) -> SB3VecEnv:
        return SB3VecEnv(self.env, reward_scale=self._in_most_stakes(), scaling=self.scaling)

    def _in_most_stakes(self) -> float:
        """The factor that makes rewards, in least stakes, multiples of the greatest stake. A value's errors grow with
        the stake; without it they would drown all other gradients."""
        table = self.env.settings.table
        return table.stake_min / table.stake_max

    def _make(self, shape: dict[str, Any], common: dict[str, Any]) -> Any:
        """The model."""
        raise NotImplementedError

    def _linear(self) -> list[Any]:
        """The layers from observation to preferences, torch modules."""
        raise NotImplementedError

    def _schedule(self, share: float) -> Figures:
        """Set what changes along the run; returns it."""
        raise NotImplementedError

    def _rate_now(self, left: float) -> float:
        return self.rate

    def update(self, share: float) -> Figures:
        """Play and learn until the model's next pause."""
        rounds, paid = self.bridge.rounds, self.bridge.paid
        held = float(self.settings["rate_share"])
        self.rate = float(self.settings["learning_rate"]) * min((1.0 - share) / (1.0 - held), 1.0)
        scheduled = self._schedule(share)
        try:
            with self._own_rng():
                self.model.learn(self.update_steps(self.settings), log_interval=None, reset_num_timesteps=False)
        except (RuntimeError, ValueError) as error:
            raise BadArgument(f"learning broke down: {error}", got=self.settings) from error
        self.steps, self.rounds = int(self.model.num_timesteps), self.bridge.rounds
        reward = (self.bridge.paid - paid) / max(self.rounds - rounds, 1)
        return {"reward": reward, "learning_rate": self.rate, **scheduled}

    def policy(self, name: str = "learned") -> NetworkPolicy:
        """See `Learner.policy`."""
        layers: list[Layer] = [(_array(m.weight), _array(m.bias)) for m in self._linear()]
        return self._network(layers, name)

    def _network(self, layers: list[Layer], name: str) -> NetworkPolicy:
        """The policy of layers that see scaled observations; the policy's own first layer sees them as they are."""
        game = self.env.settings
        (weights, bias), *later = layers
        unscaled = weights * self.scaling.factor.astype(np.float64)
        shift = bias - unscaled @ self.scaling.mean.astype(np.float64)
        layers = [(unscaled.astype(np.float32), shift.astype(np.float32)), *later]
        metadata = Metadata(game.role.name.lower(), game.rules, game.table, name, self.notes())
        return NetworkPolicy(metadata, layers, activation=self.settings["activation"], greedy=True)

    def state(self) -> State:
        """See `Learner.state`."""
        facts, arrays = env_state(self.env)
        model = self.model
        arrays |= self.bridge.get_state()
        arrays |= {f"scaling.{name}": array for name, array in self.scaling._asdict().items()}
        arrays |= {f"weights.{name}": _numpy(tensor) for name, tensor in model.policy.state_dict().items()}
        moments = model.policy.optimizer.state_dict()["state"]
        arrays |= {f"moments.{i}.{name}": _numpy(t) for i, of in moments.items() for name, t in of.items()}
        arrays |= {"last_obs": model._last_obs, "last_starts": np.asarray(model._last_episode_starts)}
        arrays["torch_rng"] = self._rng[0].numpy()
        kind, words, *rest = self._rng[1]
        arrays["numpy_rng"] = np.asarray(words)
        counters = {name: getattr(model, name) for name in self.counters}
        return State({**facts, "counters": counters, "numpy_rng": [kind, *rest]}, arrays)

    def restore(self, state: State) -> None:
        """See `Learner.restore`."""
        facts, arrays = state
        model = self.model
        rng = _checked_rng(facts["numpy_rng"], arrays)
        moments = _moments(arrays)
        _check_moments(moments, list(model.policy.parameters()))
        restore_env(self.env, state)
        self.bridge.set_state(arrays)
        self._restore_network(arrays)
        optimizer = model.policy.optimizer
        optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
        model._last_obs, model._last_episode_starts = arrays["last_obs"].copy(), arrays["last_starts"].copy()
        for name in self.counters:
            setattr(model, name, type(getattr(model, name))(facts["counters"][name]))
        self._rng = rng

    def take_over(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """See `Learner.take_over`: all weights, and the scaling of columns with which they were learned."""
        self._restore_network(arrays)
        with self._own_rng():
            self.bridge.seed(self.rows_seed)
            self.model._last_obs = self.bridge.reset()  # the same rows, scaled so

    def _restore_network(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Weights and scaling as `state` has them."""
        tensors = {name: torch.as_tensor(array) for name, array in arrays.items() if name.startswith("weights.")}
        weights = {name.removeprefix("weights."): tensor for name, tensor in tensors.items()}
        self.model.policy.load_state_dict(weights)
        self.scaling = self.bridge.scaling = Scaling(*(arrays[f"scaling.{name}"].copy() for name in Scaling._fields))


class ActorCriticLearner(DeepLearner):
    """A policy and a value network on the last steps of all rows.

    The libraries normalise advantages and clip gradients by batch; the shipped settings do not. A costly action is
    taken for its rare great gains, and made smaller they would let it look worse than it is.

    The bonus for entropy falls to `entropy_end` over the share `entropy_share` of the run, as the `entropy_power`-th
    power of what is left of that share.
    """

    limits: ClassVar[Limits] = {
        **DeepLearner.limits,
        "gae_lambda": Limit("of generalised advantage estimation", float, 0, 1),
        "value_weight": Limit("weight of the value's error in the loss", float, 0, 1000),
        "normalize_advantage": Limit("whether advantages are normalised by batch", bool),
        "max_grad_norm": Limit("gradients are clipped to this norm", float, 1e-9, 1e12),
        "entropy": Limit("bonus for entropy, at first", float, 0, 1000),
        "entropy_end": Limit("the same at the end", float, 0, 1000),
        "entropy_share": Limit("share of the run over which the bonus falls", float, 1e-6, 1),
        "entropy_power": Limit("1 lets the bonus fall evenly, 2 ever more slowly", float, 0, 100),
    }

    def _bridge(self) -> SB3VecEnv:
        many = int(self.settings["rows"]) * int(self.settings["steps"])
        if many == 1 or many % int(self.settings.get("batch_size", many)) == 1:
            raise BadArgument("rows times steps must leave no batch of one decision", got=many)
        return super()._bridge()

    def _linear(self) -> list[Any]:
        net = self.model.policy
        return [m for m in (*net.mlp_extractor.policy_net, net.action_net) if isinstance(m, torch.nn.Linear)]

    def _schedule(self, share: float) -> Figures:
        left = max(1.0 - share / float(self.settings["entropy_share"]), 0.0)
        first, last = float(self.settings["entropy"]), float(self.settings["entropy_end"])
        bonus = last + (first - last) * left ** float(self.settings["entropy_power"])
        self.model.ent_coef = bonus
        return {"entropy_bonus": bonus}

    def _shared(self) -> dict[str, Any]:
        return {
            "n_steps": int(self.settings["steps"]),
            "gae_lambda": float(self.settings["gae_lambda"]),
            "vf_coef": float(self.settings["value_weight"]),
            "normalize_advantage": bool(self.settings["normalize_advantage"]),
            "max_grad_norm": float(self.settings["max_grad_norm"]),
        }


class PPOLearner(ActorCriticLearner):
    """Proximal policy optimisation (J. Schulman and others, 2017); forbidden choices cost a stake each."""

    illegal = "penalty"
    limits: ClassVar[Limits] = {
        **ActorCriticLearner.limits,
        **_BATCH,
        "epochs": Limit("passes over the decisions of an update", int, 1, 1000),
        "clip_range": Limit("of the ratio of new to old probabilities, around 1", float, 1e-6, 10),
    }
    kind: ClassVar[Any] = PPO

    def _make(self, shape: dict[str, Any], common: dict[str, Any]) -> Any:
        own = {
            "batch_size": int(self.settings["batch_size"]),
            "n_epochs": int(self.settings["epochs"]),
            "clip_range": float(self.settings["clip_range"]),
        }
        return self.kind("MlpPolicy", self.bridge, policy_kwargs=shape, **own, **self._shared(), **common)


class MaskablePPOLearner(PPOLearner):
    """PPO that draws from allowed actions only (S. Huang and S. Ontañón, 2022)."""

    illegal = "raise"
    kind = MaskablePPO


class A2CLearner(ActorCriticLearner):
    """Advantage actor-critic (V. Mnih and others, 2016, without its asynchrony); forbidden choices cost a stake."""

    illegal = "penalty"

    def _make(self, shape: dict[str, Any], common: dict[str, Any]) -> Any:
        own = self._shared()
        return A2C("MlpPolicy", self.bridge, policy_kwargs=shape, use_rms_prop=False, **own, **common)


class DQNLearner(DeepLearner):
    """DQN that maximises and explores over allowed actions only (`sb3_bridge.MaskedDQN`)."""

    limits: ClassVar[Limits] = {
        **DeepLearner.limits,
        **EXPLORATION,
        "exploration_share": Limit("share of the run over which exploration falls", float, 1e-6, 1),
        "gradient_steps": Limit("batches of an update", int, 1, 1 << 16),
        **_BATCH,
        "buffer_size": Limit("decisions remembered", int, 1, 1 << 28),
        "learning_starts": Limit("decisions, drawn at random, before anything is learned", int, 0, 1 << 40),
        "tau": Limit("share of the network that its target takes over", float, 1e-9, 1),
        "target_every": Limit("decisions of a row between two times of that", int, 1, 1 << 30),
        "reward_scale": Limit("rewards are multiplied by it", float, 1e-9, 1e9),
    }
    kind: ClassVar[Any] = MaskedDQN
    net: ClassVar[Any] = MaskedDQNPolicy
    shape = (*DeepLearner.shape, "reward_scale")
    counters = (*DeepLearner.counters, "_n_calls", "exploration_rate")
    growing = (*DeepLearner.growing, "memory.")
    memory: ClassVar[tuple[str, ...]] = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")
    """The arrays of the model's replay buffer."""

    def _bridge(self) -> SB3VecEnv:
        scale = float(self.settings["reward_scale"]) * self._in_most_stakes()
        return SB3VecEnv(self.env, masked=True, reward_scale=scale, scaling=self.scaling)

    def _make(self, shape: dict[str, Any], common: dict[str, Any]) -> Any:
        rows = int(self.settings["rows"])
        extractor = {
            "features_extractor_class": WithoutMask,
            "features_extractor_kwargs": {"actions": self.env.settings.actions},
        }
        return self.kind(
            self.net,
            self.bridge,
            policy_kwargs=shape | extractor | self._net_settings(),
            batch_size=int(self.settings["batch_size"]),
            buffer_size=int(self.settings["buffer_size"]),
            learning_starts=int(self.settings["learning_starts"]),
            train_freq=int(self.settings["steps"]),
            gradient_steps=int(self.settings["gradient_steps"]),
            tau=float(self.settings["tau"]),
            target_update_interval=rows * int(self.settings["target_every"]),
            **common,
        )

    def _net_settings(self) -> dict[str, Any]:
        return {}

    def _linear(self) -> list[Any]:
        return [m for m in self.model.policy.q_net.q_net if isinstance(m, torch.nn.Linear)]

    def _schedule(self, share: float) -> Figures:
        first, last = float(self.settings["exploration"]), float(self.settings["exploration_end"])
        exploration = first + (last - first) * min(share / float(self.settings["exploration_share"]), 1.0)
        self.model.exploration_rate = exploration
        self.model.exploration_schedule = lambda left: exploration
        return {"exploration": exploration}

    @classmethod
    def update_steps(cls, settings: Mapping[str, Any]) -> int:
        """See `Learner.update_steps`: whole cycles of playing and learning."""
        cycle = super().update_steps(settings)
        return cycle * max(UPDATE_STEPS // cycle, 1)

    def state(self) -> State:
        """See `Learner.state`."""
        facts, arrays = super().state()
        buffer = self.model.replay_buffer
        filled = buffer.buffer_size if buffer.full else buffer.pos
        arrays |= {f"memory.{name}": getattr(buffer, name)[:filled] for name in self.memory}
        return State({**facts, "memory": [int(buffer.pos), bool(buffer.full)]}, arrays)

    def restore(self, state: State) -> None:
        """See `Learner.restore`."""
        buffer = self.model.replay_buffer
        kept = {name: state.arrays[f"memory.{name}"] for name in self.memory}
        place, full = state.facts["memory"]
        self._check_memory(kept, int(place), bool(full))
        super().restore(state)
        for name, array in kept.items():
            getattr(buffer, name)[: len(array)] = array
        buffer.pos, buffer.full = int(place), bool(full)

    def _check_memory(self, kept: Mapping[str, NDArray[Any]], place: int, full: bool) -> None:
        """Raise `ValueError` unless decisions remembered are such as this learner remembers."""
        buffer = self.model.replay_buffer
        filled = buffer.buffer_size if full else place
        if not 0 <= place < buffer.buffer_size or any(len(array) != filled for array in kept.values()):
            raise ValueError("its memory has another size than it says")
        if ((kept["actions"] < 0) | (kept["actions"] >= self.env.settings.actions)).any():
            raise ValueError("its memory has an action that does not exist")


class QRDQNLearner(DQNLearner):
    """QR-DQN that maximises and explores over allowed actions only (`sb3_bridge.MaskedQRDQN`)."""

    limits: ClassVar[Limits] = {**DQNLearner.limits, "quantiles": Limit("quantiles of each action", int, 1, 1024)}
    shape = (*DQNLearner.shape, "quantiles")
    kind = MaskedQRDQN
    net = MaskedQRDQNPolicy

    def _net_settings(self) -> dict[str, Any]:
        return {"n_quantiles": int(self.settings["quantiles"])}

    def _linear(self) -> list[Any]:
        return [m for m in self.model.policy.quantile_net.quantile_net if isinstance(m, torch.nn.Linear)]

    def policy(self, name: str = "learned") -> NetworkPolicy:
        """See `Learner.policy`: the mean of quantiles is a linear layer too."""
        *hidden, last = [(_array(m.weight), _array(m.bias)) for m in self._linear()]
        quantiles = int(self.settings["quantiles"])
        weights, bias = (part.reshape(quantiles, -1, *part.shape[1:]).mean(axis=0) for part in last)
        return self._network([*hidden, (weights, bias)], name)


def _moments(arrays: Mapping[str, NDArray[Any]]) -> dict[int, dict[str, Any]]:
    """What an optimiser remembers of each parameter, from the arrays `moments.NUMBER.NAME`."""
    moments: dict[int, dict[str, Any]] = {}
    for full, array in arrays.items():
        if full.startswith("moments."):
            _, i, name = full.split(".")
            moments.setdefault(int(i), {})[name] = torch.as_tensor(array)
    return moments


def _checked_rng(said: Sequence[Any], arrays: Mapping[str, NDArray[Any]]) -> Any:
    """The states of both libraries' random generators. Raises for those that they do not take."""
    kind, place, *rest = said
    words = arrays["numpy_rng"]
    if not 0 <= place <= len(words):
        raise ValueError("its random generator is another")
    states = torch.as_tensor(arrays["torch_rng"]), (kind, words, place, *rest)
    torch.Generator().set_state(states[0])
    np.random.RandomState().set_state(states[1])
    return states


def _check_moments(moments: Mapping[int, Mapping[str, Any]], weights: Sequence[Any]) -> None:
    """Raise `ValueError` unless each is of one of the weights and of its shape, or a number."""
    for i, of in moments.items():
        for name, tensor in of.items():
            if tensor.shape not in ((), weights[i].shape) or tensor.dtype != torch.float32:
                raise ValueError(f"moment {name} of weight {i} has another shape or type")
            if tensor.shape == () and not 0.0 <= tensor.item() < MOST_UPDATES:
                raise ValueError(f"moment {name} of weight {i} cannot be")


def _numpy(tensor: Any) -> NDArray[Any]:
    array: NDArray[Any] = torch.as_tensor(tensor).detach().cpu().numpy().copy()
    return array


def _array(tensor: Any) -> NDArray[np.float32]:
    return _numpy(tensor).astype(np.float32)
