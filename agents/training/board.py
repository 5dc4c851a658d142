"""A run's figures for TensorBoard, where it is installed."""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

EVENTS = "tensorboard"
"""The folder of what TensorBoard reads."""
_WRITER = "tensorboard.summary.writer.event_file_writer"
_PROTO = "tensorboard.compat.proto"


def board(folder: Path) -> Callable[[dict[str, float]], None] | None:
    """What writes the figures of an update, by its steps; None without TensorBoard."""
    if not importlib.util.find_spec("tensorboard"):
        return None
    # Its own writer: that of torch would load torch for tables too.
    writer: Any = importlib.import_module(_WRITER).EventFileWriter(str(folder / EVENTS))
    event = importlib.import_module(f"{_PROTO}.event_pb2").Event
    summary = importlib.import_module(f"{_PROTO}.summary_pb2").Summary

    def write(figures: dict[str, float]) -> None:
        tagged = [{"tag": f"pontoon/{name}", "simple_value": value} for name, value in figures.items() if name != "steps"]
        values = summary(value=[summary.Value(**one) for one in tagged])
        writer.add_event(event(wall_time=time.time(), step=int(figures["steps"]), summary=values))
        writer.flush()

    return write
