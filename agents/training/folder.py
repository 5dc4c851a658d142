"""A run's folder: what was asked, how it went, where it stands, what came out.

`config.json` (all that it was asked for, `training.config`), `log.csv` (a line an update), `curve.csv` and `curve.png`
(the learning curve), `checkpoint.npz` (from which it goes on), `policy.npz`; `earlier-N` holds a run that was there
before.
"""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path

from agents.training.board import EVENTS
from agents.training.config import CHECKPOINT, CONFIG, Config
from agents.training.curves import Curve, Panel, draw
from pontoon_gym.errors import BadArgument
from pontoon_gym.files import write_bytes
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.policies.policy import Policy
from pontoon_gym.policies.resolve import POLICY_FILE
from pontoon_gym.policies.tabular import Strategy

LOG, CURVE, PICTURE = "log.csv", "curve.csv", "curve.png"
FILES = (CONFIG, LOG, CURVE, PICTURE, CHECKPOINT, POLICY_FILE)
LOCK = ".lock"
ASIDE, PARTIAL = "earlier", ".partial"
"""A run that was in the folder before lies in `earlier-N`."""

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
        self._behind: set[str] = set()  # files to which a line could not be added

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other processes out of the folder for a block, or until this process ends, however it ends.

        Raises `BadArgument` if one is there. Where the system knows no such locks nobody is kept out.
        """
        with (self.path / LOCK).open("w") as lock:
            try:
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:
                pass
            except OSError:
                raise BadArgument("another process trains in this folder", where=str(self.path)) from None
            for name in FILES:
                for left in self.path.glob(f"{name}.*.partial"):  # of a process that was killed while it wrote
                    left.unlink()
            if any(self.path.glob(f"{ASIDE}-*{PARTIAL}")):
                self._set_aside()
            yield

    def begin(self, config: Config) -> None:
        """Write down what the run was asked for; says where a run that was here before is now."""
        if aside := self._set_aside():
            print(f"note: the run that was here is now in {aside}", file=sys.stderr)
        config.write(self.path / CONFIG)

    def _set_aside(self) -> Path | None:
        """Move all of an earlier run into a folder beside, `earlier-1` or the next that is free.

        Until nothing is left the name ends in `.partial`, so that `claimed` can finish what a killed process began.
        The configuration goes first: what stays for a moment is no run.
        """
        begun = next(self.path.glob(f"{ASIDE}-*{PARTIAL}"), None)
        left = [self.path / name for name in (*FILES, EVENTS) if (self.path / name).exists()]
        if begun is None and not left:
            return None
        partial = begun or self.path / f"{self._free_name()}{PARTIAL}"
        partial.mkdir(exist_ok=True)
        for path in left:
            path.replace(partial / path.name)
        return partial.replace(self.path / partial.name.removesuffix(PARTIAL))

    def _free_name(self) -> str:
        return next(name for n in count(1) if not (self.path / (name := f"{ASIDE}-{n}")).exists())

    def go_on(self, config: Config) -> None:
        """Write down what the run is asked for from now on, if that is something else. Raises `BadArgument` if it is
        longer, but not as long as it is already."""
        if config == self.config():
            return
        last = _read(self.path / LOG)[-1:]
        if last and config.horizon.share(last[0]["steps"], last[0]["rounds"]) >= 1.0:
            done = f"more than {last[0]['steps']:,} steps, {last[0]['rounds']:,} rounds"
            raise BadArgument("the run is as long already", got=config.horizon, allowed=done)
        config.write(self.path / CONFIG)

    def config(self) -> Config:
        """What `begin` wrote. Raises `BadArgument` as `Config.read`."""
        return Config.read(self.path / CONFIG)

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
        self._add(LOG, self.log, line)

    def add_point(self, point: Line) -> None:
        """Add a point to the learning curve."""
        self._add(CURVE, self.curve, point)

    def _add(self, name: str, lines: list[Line], line: Line) -> None:
        """Add a line to a file; if that fails, `flush` has to write the whole file."""
        lines.append(line)
        if name in self._behind:
            return
        try:
            with (self.path / name).open("ab") as file:
                file.write(_csv([line], header=len(lines) == 1))
        except OSError as error:
            self._behind.add(name)
            print(f"warning: {name} is written when there is room for it again: {error}", file=sys.stderr)

    def flush(self) -> None:
        """Make the files' lines safe from a machine that stops. Raises `BadArgument` or `OSError` if it cannot."""
        for name, lines in ((LOG, self.log), (CURVE, self.curve)):
            if name in self._behind:
                write_bytes(self.path / name, _csv(lines, header=True))
                self._behind.remove(name)
            elif (self.path / name).is_file():
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


def _csv(lines: Sequence[Line], *, header: bool) -> bytes:
    text = io.StringIO()
    if lines:
        writer = csv.DictWriter(text, list(lines[0]))
        if header:
            writer.writeheader()
        writer.writerows(lines)
    return text.getvalue().encode()


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
