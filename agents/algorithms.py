"""Every algorithm by name: its learner, and the environment that it learns in."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from agents.learner import Learner
from pontoon_gym.envs.vector import BankerVectorEnv, PlayerVectorEnv, PontoonVectorEnv
from pontoon_gym.errors import BadArgument, MissingExtra
from pontoon_gym.policies.policy import Policy
from pontoon_gym.policies.resolve import PolicySource, resolve
from pontoon_gym.policies.seating import DEFAULT_PLAYER, banker_of
from pontoon_gym.rules import Rules, Table


class Algorithm(NamedTuple):
    """A learner and its environment.

    Attributes:
        module, learner: where its class is.
        observation: what the environment shows it.
        illegal: what the environment does about forbidden actions.
    """

    module: str
    learner: str
    observation: str = "vector"
    illegal: str = "raise"

    @property
    def is_deep(self) -> bool:
        """Whether it learns a network, with torch."""
        return self.module == "agents.deep"


ALGORITHMS: dict[str, Algorithm] = {
    "monte_carlo": Algorithm("agents.tabular", "MonteCarloLearner", "situation"),
    "q_learning": Algorithm("agents.tabular", "QLearner", "situation"),
    "expected_sarsa": Algorithm("agents.tabular", "ExpectedSarsaLearner", "situation"),
    "maskable_ppo": Algorithm("agents.deep", "MaskablePPOLearner"),
    "ppo": Algorithm("agents.deep", "PPOLearner", illegal="penalty"),
    "a2c": Algorithm("agents.deep", "A2CLearner", illegal="penalty"),
    "dqn": Algorithm("agents.deep", "DQNLearner"),
    "qr_dqn": Algorithm("agents.deep", "QRDQNLearner"),
}


class Task(NamedTuple):
    """What is to be learned.

    Attributes:
        role: `"player"` or `"banker"`.
        rules, table: the game.
        banker: whom a player plays against; None where the rules bind him.
        players: whom a banker plays against, or who sits beside a player: none for the environment's own, one for
            all, or one a place.
    """

    role: str
    rules: Rules
    table: Table
    banker: Policy | None = None
    players: Sequence[Policy] = ()

    @classmethod
    def of(
        cls,
        role: str,
        rules: Rules,
        table: Table,
        banker: PolicySource | None = None,
        players: Sequence[PolicySource] | None = None,
    ) -> Task:
        """What a side is to learn against others by name, path or object; without them the usual ones.

        Raises as `policies.resolve.resolve`, and `BadArgument` for a banker whom the rules bind.
        """
        names = players or ([DEFAULT_PLAYER] if role == "banker" else [])
        others = [resolve(name, "player", rules, table) for name in names]
        return cls(role, rules, table, banker_of(banker, rules, table) if role == "player" or banker else None, others)

    @property
    def opponent(self) -> Policy | None:
        """The other side's policy, heads-up."""
        return self.banker if self.role == "player" else self.players[0] if self.players else None


def environment(algorithm: str, task: Task, settings: dict[str, Any]) -> PontoonVectorEnv:
    """The rows of rounds in which an algorithm learns a task."""
    asked, players = ALGORITHMS[algorithm], list(task.players)
    given: dict[str, Any] = {
        **task.table.as_dict(),
        "rules": task.rules,
        "banker": task.banker,
        "players": players[0] if len(players) == 1 else players or None,
        "observation": asked.observation,
        "illegal": asked.illegal,
        "threads": 1 if asked.is_deep else settings["threads"],
    }
    kind = PlayerVectorEnv if task.role == "player" else BankerVectorEnv
    return kind(settings["rows"], **given)


def make_learner(
    algorithm: str, task: Task, settings: dict[str, Any], *, seed: int = 0, device: str = "cpu"
) -> Learner:
    """A learner of a task.

    Raises:
        MissingExtra: a deep one without the extra `train`.
        BadArgument: a device that is not there, or settings that do not fit each other.
    """
    asked = ALGORITHMS[algorithm]
    if device != "cpu" and not asked.is_deep:
        raise BadArgument(f"{algorithm} learns a table, on the processor", got=device, allowed="cpu")
    env = environment(algorithm, task, settings)
    try:
        made = getattr(importlib.import_module(asked.module), asked.learner)
    except ImportError as error:
        raise MissingExtra(f"{algorithm} needs the extra: pip install -e '.[train]' ({error})") from error
    try:
        learner: Learner = made(env, settings, seed=seed, **({"device": device} if asked.is_deep else {}))
    except BadArgument:
        raise
    except (RuntimeError, AssertionError, ValueError) as error:
        raise BadArgument(f"the learner cannot be made: {error}", got=device) from error
    return learner
