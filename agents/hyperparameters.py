"""A learner's settings: read from a file, changed on the command line, checked before anything starts."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pontoon_gym.errors import BadArgument
from pontoon_gym.policies.network import ACTIVATIONS
from pontoon_gym.policies.policy import fields_of, parts_of

FOLDER = Path(__file__).parent / "settings"


class Limit(NamedTuple):
    """What a setting may be: numbers of a kind from least to most, or one of some words; a list of either, of words at
    least so many; true or false."""

    kind: type
    least: float = 0
    most: float = math.inf
    words: tuple[str, ...] = ()

    def allowed(self) -> str:
        """For a message."""
        if self.words:
            return f"{'a list of some of ' if self.kind is list else ''}{', '.join(self.words)}"
        if self.kind is bool:
            return "true, false"
        what = {int: "whole numbers", float: "numbers", list: "lists of whole numbers"}[self.kind]
        return f"{what} from {self.least:g} to {self.most:g}"

    def holds(self, value: Any) -> bool:
        """Whether a value of the right kind is within the limits."""
        if self.words:
            chosen = value if isinstance(value, list) else [value]
            enough = len(chosen) >= self.least
            return enough and len(set(map(str, chosen))) == len(chosen) and all(word in self.words for word in chosen)
        if self.kind is bool:
            return True
        numbers = value if isinstance(value, list) else [value]
        whole = self.kind is float or all(type(number) is int for number in numbers)
        return whole and 0 < len(numbers) <= 8 and all(self.least <= number <= self.most for number in numbers)


_FIELDS = tuple(dict.fromkeys(field for role in ("player", "banker") for field in fields_of(role)))
_PARTS = tuple(dict.fromkeys(part for role in ("player", "banker") for part in parts_of(role)))
_ROWS = {"rows": Limit(int, 1, 1 << 20), "steps": Limit(int, 1, 1 << 16)}
_EXPLORATION = {"exploration": Limit(float, 0, 1), "exploration_end": Limit(float, 0, 1)}
_NETWORK = {
    "learning_rate": Limit(float, 1e-9, 1),
    "rate_share": Limit(float, 0, 0.999),
    "hidden": Limit(list, 1, 8192),
    "activation": Limit(str, words=tuple(ACTIVATIONS)),
    "scale_decisions": Limit(int, 0, 1 << 24),
    "blind": Limit(list, words=_FIELDS),
    "threads": Limit(int, 1, 256),
}
_ACTOR_CRITIC = {
    **_ROWS,
    **_NETWORK,
    "gae_lambda": Limit(float, 0, 1),
    "value_weight": Limit(float, 0, 1000),
    "normalize_advantage": Limit(bool),
    "max_grad_norm": Limit(float, 1e-9, 1e12),
    "entropy": Limit(float, 0, 1000),
    "entropy_end": Limit(float, 0, 1000),
    "entropy_share": Limit(float, 1e-6, 1),
    "entropy_power": Limit(float, 0, 100),
}
_PPO = {
    **_ACTOR_CRITIC,
    "batch_size": Limit(int, 2, 1 << 24),
    "epochs": Limit(int, 1, 1000),
    "clip_range": Limit(float, 1e-6, 10),
}
_DQN = {
    **_ROWS,
    **_NETWORK,
    **_EXPLORATION,
    "exploration_share": Limit(float, 1e-6, 1),
    "gradient_steps": Limit(int, 1, 1 << 16),
    "batch_size": Limit(int, 2, 1 << 24),
    "buffer_size": Limit(int, 1, 1 << 28),
    "learning_starts": Limit(int, 0, 1 << 40),
    "tau": Limit(float, 1e-9, 1),
    "target_every": Limit(int, 1, 1 << 30),
    "reward_scale": Limit(float, 1e-9, 1e9),
}
_TABULAR = {
    **_ROWS,
    **_EXPLORATION,
    "trace": Limit(float, 0, 1),
    "step_power": Limit(float, 0, 1),
    "step_least": Limit(float, 0, 1),
    "parts": Limit(list, 1, words=_PARTS),
    "threads": Limit(int, 1, 256),
}

LIMITS: dict[str, dict[str, Limit]] = {
    "monte_carlo": {name: limit for name, limit in _TABULAR.items() if name != "trace"},
    "q_learning": _TABULAR,
    "expected_sarsa": _TABULAR,
    "maskable_ppo": _PPO,
    "ppo": _PPO,
    "a2c": _ACTOR_CRITIC,
    "dqn": _DQN,
    "qr_dqn": {**_DQN, "quantiles": Limit(int, 1, 1024)},
}
"""Every algorithm's settings."""


def settings_of(algorithm: str, role: str, file: str | None, changes: dict[str, str]) -> dict[str, Any]:
    """The settings of a learner for a role.

    Args:
        file: a TOML file like those in `agents/settings`; None is the algorithm's own.
        changes: texts by name, laid over the file's.

    Raises:
        BadArgument: an unreadable file, or a setting that is unknown, missing or out of its limits.
    """
    path = Path(file) if file else FOLDER / f"{algorithm}.toml"
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8")).get(role)
    except (OSError, ValueError, RecursionError) as error:
        raise BadArgument(f"no settings for a {role}: {error}", where=str(path)) from error
    if not isinstance(read, dict):
        raise BadArgument(f"no settings for a {role}: it has no table [{role}]", where=str(path))
    return checked_settings(algorithm, read, changes, str(path))


def checked_settings(algorithm: str, read: Mapping[str, Any], changes: Mapping[str, str], where: str) -> dict[str, Any]:
    """Settings with changes laid over them; raises as `settings_of`."""
    if algorithm not in LIMITS:
        raise BadArgument("no such algorithm", got=algorithm, allowed=", ".join(LIMITS), where=where)
    limits = LIMITS[algorithm]
    for name in {**read, **changes}:
        if name not in limits:
            raise BadArgument("no such setting", got=name, allowed=", ".join(limits))
    given = {**read, **{name: _value(name, text, limits[name]) for name, text in changes.items()}}
    missing = [name for name in limits if name not in given]
    if missing:
        raise BadArgument(f"settings that lack {', '.join(missing)}", where=where)
    return {name: _checked(name, given[name], limits[name]) for name in limits}


def _value(name: str, text: str, limit: Limit) -> Any:
    """The value that a text writes as TOML does; a word may go without quotes."""
    if limit.kind is str:
        return text
    try:
        return float(text) if limit.kind is float else tomllib.loads(f"x = {text}")["x"]
    except (ValueError, RecursionError):
        raise BadArgument(f"bad setting {name}", got=text, allowed=limit.allowed()) from None


def _checked(name: str, value: Any, limit: Limit) -> Any:
    if limit.kind is float and type(value) is int:
        with suppress(OverflowError):
            value = float(value)
    if type(value) is not limit.kind or not limit.holds(value):
        raise BadArgument(f"bad setting {name}", got=value, allowed=limit.allowed())
    return value
