"""A run's truth: all that it was asked for, and what it was made with, as its `config.json` keeps it."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from agents.algorithms import Task, learner_class, make_learner
from agents.hyperparameters import checked_settings
from agents.learner import Horizon, Learner
from pontoon_gym.errors import BadArgument, checked_path
from pontoon_gym.files import digest, facts_of, folders_with, is_file, text_of, write_bytes
from pontoon_gym.policies.metadata import read_rules
from pontoon_gym.policies.resolve import digest_of
from pontoon_gym.rules import Rules, Table

FORMAT = "pontoon-run/5"
PACKAGES = ("pontoon-gym", "numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")
"""What a trained policy depends on."""
CONFIG, CHECKPOINT = "config.json", "checkpoint.npz"
"""What a run's folder keeps this in, and its learner."""
EVALUATIONS = 20
"""Exact regrets along a run, if nothing else is asked for."""


class Config(NamedTuple):
    """What a run was asked for, and what it was made with.

    Attributes:
        algorithm: a name in `algorithms.ALGORITHMS`.
        role: who learns, `"player"` or `"banker"`.
        rules, table: the game.
        settings: all of the algorithm's, by name.
        banker, players: the others by name or path; None or none are the usual ones (`Task.of`).
        seed: of all that is drawn.
        steps, rounds: how long to learn (`Horizon`), in all.
        evaluations: exact regrets along the run.
        device: a torch device.
        opponents: what tells each of the others from another of its name (`resolve.digest_of`), by name.
        versions: of Python and of the packages that a policy depends on.
        started: when it began, ISO 8601.
        start_from: the folder of a run whose learner's weights, or table, it began with; None for none.
        start_digest: of that learner's file, as it was then.
        earlier: how long to learn at first, and then, before `steps` and `rounds` (a run that was made longer).
    """

    algorithm: str
    role: str
    rules: Rules
    table: Table
    settings: Mapping[str, Any]
    banker: str | None = None
    players: tuple[str, ...] = ()
    seed: int = 0
    steps: int | None = None
    rounds: int | None = None
    evaluations: int = EVALUATIONS
    device: str = "cpu"
    opponents: Mapping[str, str] = {}
    versions: Mapping[str, str] = {}
    started: str = ""
    start_from: str | None = None
    start_digest: str = ""
    earlier: tuple[Horizon, ...] = ()

    @property
    def horizon(self) -> Horizon:
        """How long to learn, in all."""
        return Horizon(self.steps, self.rounds)

    @property
    def horizons(self) -> tuple[Horizon, ...]:
        """How long to learn, one after another. What is to fall along a run falls along each of them, so a run is the
        same whether it was made longer at its end or before."""
        return *self.earlier, self.horizon

    def longer(self, horizon: Horizon) -> Config:
        """The same, to be learned for longer. Raises `BadArgument` for less, or for what the run does not count."""
        for unit, asked in horizon._asdict().items():
            before = getattr(self, unit)
            if asked is not None and (before is None or asked < before):
                allowed = "nothing" if before is None else f"more than {before}"
                raise BadArgument(f"a run can only be made longer: bad --{unit}", got=asked, allowed=allowed)
        return self._replace(**horizon._asdict(), earlier=self.horizons)

    def task(self) -> Task:
        """What is to be learned. Raises as `Task.of`."""
        return Task.of(self.role, self.rules, self.table, self.banker, self.players)

    def learner(self, task: Task) -> Learner:
        """The learner that the run begins with. Raises as `make_learner`, and `BadArgument` for bad settings or a
        budget below one update: a round takes a decision or more, so an update may be as many rounds."""
        made = learner_class(self.algorithm)
        settings = checked_settings(made.limits, self.settings, "the run's configuration")
        least = made.update_steps(settings)
        for unit, budget in self.horizon._asdict().items():
            if budget is not None and budget < least:
                allowed = f"{least:,} or more, or smaller updates (--set rows=... or --set steps=...)"
                raise BadArgument(
                    f"{self.algorithm} learns from {least:,} decisions at once", got=f"{budget} {unit}", allowed=allowed
                )
        return make_learner(self.algorithm, task, settings, seed=self.seed, device=self.device)

    def stamped(self) -> Config:
        """The same, made with what is here now."""
        started = datetime.now(UTC).isoformat(timespec="seconds")
        start = self.start_now()[1] if self.start_from else ""
        return self._replace(opponents=self._digests(), versions=versions(), started=started, start_digest=start)

    def start_now(self) -> tuple[Path, str]:
        """The file that it begins with, and its digest today. Raises `BadArgument` if there is none."""
        assert self.start_from is not None
        path = checked_path(self.start_from) / CHECKPOINT
        if not is_file(path):
            inside = folders_with(path.parent, CHECKPOINT)
            raise BadArgument("no learner to start from in this folder", got=self.start_from, allowed=inside)
        return path, digest(path.read_bytes())

    def start(self, learner: Learner) -> int:
        """Let a learner begin with what another run has learned; returns from how many decisions.

        Raises `BadArgument`: there is nothing any more, or something else than when the run began, or of another game,
        algorithm or network.
        """
        path, found = self.start_now()
        if found != self.start_digest:
            raise BadArgument("what the run starts from has changed since it began", got=found, where=str(path))
        theirs = Config.read(path.with_name(CONFIG))
        for name in ("rules", "table"):
            if differences := getattr(theirs, name).differences(getattr(self, name)):
                other = {field: value for field, (value, _) in differences.items()}
                raise BadArgument(f"it cannot start from a run of another {name}", got=other, where=str(path.parent))
        return learner.start_from(path)

    def changes(self) -> list[str]:
        """What is not as it was when the run began. Raises `BadArgument` for another opponent, by its digest."""
        if self.opponents != (digests := self._digests()):
            raise BadArgument("an opponent's file has changed since the run began", got=digests)
        now = versions()
        return [f"{name} {old} is now {now.get(name)}" for name, old in self.versions.items() if now.get(name) != old]

    def _digests(self) -> dict[str, str]:
        return {name: digest_of(name) for name in (self.banker, *self.players) if name}

    def write(self, path: Path) -> None:
        """Write it as JSON. Raises `BadArgument` if it cannot."""
        facts = {"format": FORMAT, **self._asdict(), "rules": self.rules.as_dict(), "table": self.table.as_dict()}
        facts["earlier"] = [horizon._asdict() for horizon in self.earlier]
        facts["rules_digest"] = self.rules.digest()
        write_bytes(path, (json.dumps(facts, indent=1) + "\n").encode())

    @classmethod
    def read(cls, path: Path) -> Config:
        """What `write` wrote. Raises `BadArgument` if there is nothing, something else, or another version's."""
        try:
            facts: dict[str, Any] = facts_of(text_of(path.read_bytes()))
            said = facts.get("format")
        except (OSError, ValueError, AttributeError, RecursionError) as error:
            inside = folders_with(path.parent, path.name)
            raise BadArgument(f"no run in this folder: {error}", allowed=inside, where=str(path.parent)) from error
        if said != FORMAT:
            raise BadArgument(
                "the run was begun by another version: train it anew", got=said, allowed=FORMAT, where=str(path)
            )
        try:
            return _read(facts)
        except KeyError as error:
            raise BadArgument(f"a run that does not say its {error.args[0]}", where=str(path)) from error
        except (ValueError, TypeError) as error:
            raise BadArgument(f"a run's configuration is damaged: {error}", where=str(path)) from error


_KINDS: dict[str, Any] = {
    "algorithm": str,
    "role": str,
    "rules": dict,
    "table": dict,
    "settings": dict,
    "banker": str | None,
    "players": list,
    "seed": int,
    "steps": int | None,
    "rounds": int | None,
    "evaluations": int,
    "device": str,
    "opponents": dict,
    "versions": dict,
    "started": str,
    "start_from": str | None,
    "start_digest": str,
    "earlier": list,
}
"""What each fact is in JSON."""


def _read(facts: Mapping[str, Any]) -> Config:
    """A configuration from JSON. Raises `KeyError`, `ValueError` or `TypeError` for anything else."""
    wrong = [name for name, kind in _KINDS.items() if not isinstance(facts[name], kind)]
    if wrong:
        raise ValueError(f"what it says of {', '.join(wrong)} cannot be")
    rules = read_rules(facts)
    said = {name: facts[name] for name in _KINDS}
    read = {"rules": rules, "table": Table.of(facts["table"]), "players": tuple(facts["players"])}
    return Config(**{**said, **read, "earlier": tuple(_horizon(**one) for one in facts["earlier"])})


def _horizon(steps: int | None, rounds: int | None) -> Horizon:
    """Raises `TypeError` for budgets that are no whole numbers."""
    if not isinstance(steps, int | None) or not isinstance(rounds, int | None):
        raise TypeError("what it says of earlier cannot be")
    return Horizon(steps, rounds)


def versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Of Python and of packages, by default those that a trained policy depends on."""
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
