"""Every algorithm by name, one line each; what is to be learned; and a learner of it.

An algorithm is its class, a file in `settings/`, and its line here. torch is loaded when a deep one is asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gymnasium.vector import AutoresetMode

from agents.hyperparameters import read_settings
from agents.learner import Learner, Plan
from pontoon_gym.envs.vector import BankerVectorEnv, PlayerVectorEnv, PontoonVectorEnv
from pontoon_gym.errors import BadArgument, MissingExtra
from pontoon_gym.policies.policy import Policy
from pontoon_gym.policies.resolve import PolicySource, resolve
from pontoon_gym.policies.seating import DEFAULT_PLAYER, banker_of
from pontoon_gym.rules import Rules, Table

ALGORITHMS: dict[str, str] = {
    "monte_carlo": "agents.tabular:MonteCarloLearner",
    "q_learning": "agents.tabular:QLearner",
    "expected_sarsa": "agents.tabular:ExpectedSarsaLearner",
    "maskable_ppo": "agents.deep:MaskablePPOLearner",
    "ppo": "agents.deep:PPOLearner",
    "a2c": "agents.deep:A2CLearner",
    "dqn": "agents.deep:DQNLearner",
    "qr_dqn": "agents.deep:QRDQNLearner",
}
"""The module and the class of each learner."""

SETTINGS = Path(__file__).parent / "settings"


class Task(NamedTuple):
    """What is to be learned.

    Attributes:
        role: `"player"` or `"banker"`.
        rules, table: the game.
        banker: whom a player plays against; None where the rules bind the banker.
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

        Raises as `policies.resolve.resolve`, and `BadArgument` for the policy of a banker whom the rules bind, or of
        players beside the only one.
        """
        if role == "player" and players and table.seats == 2:
            raise BadArgument("nobody sits beside the only player: leave the players out", got=players)
        names = players or ([DEFAULT_PLAYER] if role == "banker" else [])
        others = [resolve(name, "player", rules, table) for name in names]
        return cls(role, rules, table, banker_of(banker, rules, table) if role == "player" or banker else None, others)

    @property
    def opponent(self) -> Policy | None:
        """The other side's policy, heads-up."""
        return self.banker if self.role == "player" else self.players[0] if self.players else None


def learner_class(algorithm: str) -> type[Learner]:
    """The class that declares an algorithm. Raises `BadArgument` for none, `MissingExtra` for a deep one without it."""
    if algorithm not in ALGORITHMS:
        raise BadArgument("no such algorithm", got=algorithm, allowed=", ".join(ALGORITHMS))
    module, _, name = ALGORITHMS[algorithm].partition(":")
    try:
        found: type[Learner] = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise MissingExtra(f"{algorithm} needs the extra: pip install '.[train]' in a clone ({error})") from error
    return found


def settings_of(algorithm: str, role: str, file: str | None, changes: Mapping[str, str]) -> dict[str, Any]:
    """The settings of an algorithm for a role, from a file (None: its own in `settings/`), with changes.

    Raises `BadArgument` as `hyperparameters.read_settings`, and as `learner_class`.
    """
    path = Path(file) if file else SETTINGS / f"{algorithm}.toml"
    return read_settings(learner_class(algorithm).limits, path, role, changes)


def environment(made: type[Learner], task: Task, settings: Mapping[str, Any]) -> PontoonVectorEnv:
    """The rows of rounds in which a learner of this class learns a task."""
    players = list(task.players)
    given: dict[str, Any] = {
        **task.table.as_dict(),
        "rules": task.rules,
        "banker": task.banker,
        "players": players[0] if len(players) == 1 else players or None,
        "observation": made.observation,
        "illegal": made.illegal,
        "threads": made.env_threads(settings),
        "autoreset_mode": AutoresetMode.SAME_STEP,
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
    made = learner_class(algorithm)
    env = environment(made, task, settings)
    try:
        return made(env, Plan(algorithm, settings, seed, device))
    except BadArgument:
        raise
    except (RuntimeError, AssertionError, ValueError) as error:
        raise BadArgument(f"the learner cannot be made: {error}", got=device) from error
