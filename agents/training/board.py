"""A run's figures for TensorBoard, where it is installed."""

from __future__ import annotations

import importlib
import importlib.util
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

EVENTS = "tensorboard"
"""The folder of what TensorBoard reads."""
_PROTO = "tensorboard.compat.proto"


class Board:
    """Writes the figures of updates, by their steps. Where it cannot, it says so once, and the run goes on.

    Records are written at once, not by a thread: what fails there is seen here. torch's writer would load torch.

    Args:
        folder: the run's.
    """

    def __init__(self, folder: Path) -> None:
        self._event: Any = importlib.import_module(f"{_PROTO}.event_pb2").Event
        self._summary: Any = importlib.import_module(f"{_PROTO}.summary_pb2").Summary
        self._path = folder / EVENTS / f"events.out.tfevents.{time.time():.6f}.{socket.gethostname()}.{os.getpid()}"
        self._writes = True
        self._add(file_version="brain.Event:2")

    def __call__(self, figures: dict[str, float]) -> None:
        """Add the figures of an update."""
        values = [
            self._summary.Value(tag=f"pontoon/{name}", simple_value=value)
            for name, value in figures.items()
            if name != "steps"
        ]
        self._add(step=int(figures["steps"]), summary=self._summary(value=values))

    def _add(self, **facts: Any) -> None:
        if not self._writes:
            return
        record: Any = importlib.import_module("tensorboard.summary.writer.record_writer").RecordWriter
        try:
            self._path.parent.mkdir(exist_ok=True)
            with self._path.open("ab") as file:
                record(file).write(self._event(wall_time=time.time(), **facts).SerializeToString())
        except OSError as error:
            self._writes = False
            print(f"warning: nothing more for TensorBoard: {error}", file=sys.stderr)


def board(folder: Path) -> Board | None:
    """What writes a run's figures; None without TensorBoard."""
    return Board(folder) if importlib.util.find_spec("tensorboard") else None
