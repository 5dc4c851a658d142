"""A run's folder: what was asked, how it went, where it stands, what came out.

`config.json` (the command, rules, table, settings, versions), `log.csv` (a line an update), `curve.csv` and `curve.png`
(the learning curve), `checkpoint.npz` (from which it goes on), `policy.npz`.
"""

from __future__ import annotations

import csv
import io
import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import IO, Any

from agents.hyperparameters import checked_settings
from agents.training.curves import Curve, Panel, draw
from pontoon_gym.errors import BadArgument
from pontoon_gym.files import write_bytes
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.policies.policy import Policy
from pontoon_gym.policies.resolve import POLICY_FILE
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import Rules, Table

CONFIG, LOG, CURVE, PICTURE, CHECKPOINT = "config.json", "log.csv", "curve.csv", "curve.png", "checkpoint.npz"
EVENTS = "tensorboard"
"""The folder of what TensorBoard reads."""
FILES = (CONFIG, LOG, CURVE, PICTURE, CHECKPOINT, POLICY_FILE)
LOCK = ".lock"
PACKAGES = ("pontoon-gym", "numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")
"""What a trained policy depends on."""

ASKED: dict[str, Any] = {
    "command": list,
    "algorithm": str,
    "role": str,
    "seed": int,
    "settings": dict,
    "banker": str | None,
    "players": list | None,
    "opponents": dict,
    "versions": dict,
    "rules_digest": str,
    "table_digest": str,
}
"""What a configuration says, at the least."""

Line = dict[str, float]


class Run:
    """The folder of one training run.

    Args:
        path: a folder that can be written.

    Attributes:
        log, curve: lines of the files of these names.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log: list[Line] = []
        self.curve: list[Line] = []
        self._lock: IO[str] | None = None

    def claim(self) -> None:
        """Keep other processes out of the folder for as long as this one lives; a killed one keeps nobody out.

        Raises `BadArgument` if one is there. Where the system knows no such locks nobody is kept out.
        """
        try:
            import fcntl
        except ImportError:
            return
        lock = (self.path / LOCK).open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise BadArgument("another process trains in this folder", where=str(self.path)) from None
        self._lock = lock
        for name in FILES:
            for left in self.path.glob(f"{name}.*.partial"):  # of a process that was killed while it wrote
                left.unlink()

    def begin(self, rules: Rules, table: Table, asked: dict[str, Any]) -> None:
        """Write down what the run depends on. An earlier run's policy is set aside and its other files are removed,
        so that the folder does not lie."""
        if (self.path / POLICY_FILE).is_file():
            (self.path / POLICY_FILE).replace(self.path / f"previous-{POLICY_FILE}")
        for name in (CONFIG, LOG, CURVE, PICTURE, CHECKPOINT):
            (self.path / name).unlink(missing_ok=True)
        for events in (self.path / EVENTS).glob("events.out.tfevents.*"):
            events.unlink()
        facts = {
            **asked,
            "rules": rules.text(),
            "rules_fields": rules.as_dict(),
            "rules_digest": rules.digest(),
            "table": table.as_dict(),
            "table_digest": table.digest(),
            "versions": versions(),
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        write_bytes(self.path / CONFIG, (json.dumps(facts, indent=1) + "\n").encode())

    def config(self) -> dict[str, Any]:
        """What `begin` wrote. Raises `BadArgument` if there is nothing, or something else."""
        try:
            facts: dict[str, Any] = json.loads((self.path / CONFIG).read_text(encoding="utf-8"))
            missing = [name for name, kind in ASKED.items() if not isinstance(facts[name], kind)]
            if missing:
                raise ValueError(f"what it says of {', '.join(missing)} cannot be")
        except KeyError as error:
            raise BadArgument(f"no run to resume: it does not say its {error.args[0]}", where=str(self.path)) from error
        except (OSError, ValueError, TypeError) as error:
            raise BadArgument(f"no run to resume: {error}", where=str(self.path)) from error
        return facts

    def settings(self) -> dict[str, Any]:
        """The settings that the run began with. Raises `BadArgument`."""
        facts = self.config()
        return checked_settings(facts["algorithm"], facts["settings"], {}, str(self.path / CONFIG))

    def changes(self, opponents: dict[str, str]) -> list[str]:
        """What is not as it was when the run began. Raises `BadArgument` for another opponent, by its file's digest."""
        facts, now = self.config(), versions()
        if facts["opponents"] != opponents:
            raise BadArgument("an opponent's file has changed since the run began", got=opponents)
        return [
            f"{name} {old} is now {now.get(name)}" for name, old in facts["versions"].items() if now.get(name) != old
        ]

    @classmethod
    def of(cls, path: Path) -> Run:
        """A run as it stands in its folder. Raises `BadArgument` for damaged files."""
        run = cls(path)
        run.log, run.curve = (_read(path / name) for name in (LOG, CURVE))
        return run

    def resume(self, lines: int, points: int) -> None:
        """Go on after so many lines of the log and points of the curve; later ones are taken back."""
        self.log, self.curve = (_read(self.path / name, most) for name, most in ((LOG, lines), (CURVE, points)))
        for name, kept in ((LOG, self.log), (CURVE, self.curve)):
            write_bytes(self.path / name, _csv(kept, header=True))

    def add_log(self, line: Line) -> None:
        """Add a line to the log."""
        _append(self.path / LOG, self.log, line)

    def add_point(self, point: Line) -> None:
        """Add a point to the learning curve."""
        _append(self.path / CURVE, self.curve, point)

    def flush(self) -> None:
        """See to it that the files' lines outlast the machine."""
        for name in (LOG, CURVE):
            if (self.path / name).is_file():
                with (self.path / name).open("ab") as file:
                    os.fsync(file.fileno())

    def draw(self, name: str) -> bool:
        """Draw the learning curve: exact regret where it is known, else the mean reward. False without matplotlib."""
        if self.curve:
            rounds, y = [point["rounds"] for point in self.curve], [point["regret"] for point in self.curve]
            panel = Panel(name, "rounds", "exact regret, least stakes", [Curve(name, rounds, y)], log_up=min(y) > 0.0)
        else:
            rounds, y = [line["rounds"] for line in self.log], _smooth([line["reward"] for line in self.log])
            panel = Panel(name, "rounds", "mean reward of a round, least stakes", [Curve(name, rounds, y)])
        return draw(self.path / PICTURE, [panel])

    def save(self, policy: Policy) -> Path:
        """Keep what was learned."""
        assert isinstance(policy, NetworkPolicy | Strategy)
        return policy.save(self.path / POLICY_FILE)


def versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Of Python and of packages, by default those that a trained policy depends on."""
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def _csv(lines: Sequence[Line], *, header: bool) -> bytes:
    text = io.StringIO()
    if lines:
        writer = csv.DictWriter(text, list(lines[0]))
        if header:
            writer.writeheader()
        writer.writerows(lines)
    return text.getvalue().encode()


def _append(path: Path, lines: list[Line], line: Line) -> None:
    with path.open("ab") as file:
        file.write(_csv([line], header=not lines))
    lines.append(line)


def _read(path: Path, lines: int | None = None) -> list[Line]:
    """The first lines of such a file, or all of them. Raises `BadArgument` if it has fewer, or others."""
    if not path.is_file() and not lines:
        return []
    try:
        with path.open(newline="", encoding="utf-8") as file:
            found = list(islice(csv.DictReader(file), lines))
        if len(found) < (lines or 0):
            raise ValueError(f"it has {len(found)} lines instead of {lines}")
        return [{name: _number(text) for name, text in row.items()} for row in found]
    except (OSError, ValueError, TypeError, AttributeError, csv.Error) as error:
        raise BadArgument(f"a run's file is damaged: {error}", where=str(path)) from error


def _number(text: str) -> float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _smooth(values: Sequence[float], window: int = 20) -> list[float]:
    return [sum(values[max(i - window, 0) : i + 1]) / (min(i, window) + 1) for i in range(len(values))]
