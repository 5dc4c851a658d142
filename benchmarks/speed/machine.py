"""Where a measurement was made, and with what."""

from __future__ import annotations

import os
import platform
import shlex
from datetime import UTC, datetime
from typing import Any

from agents.training.config import versions

LIBRARIES = (
    "pontoon-gym", "numpy", "numba", "llvmlite", "gymnasium", "envpool", "open-spiel", "rlcard", "pettingzoo", "torch",
    "stable-baselines3", "sb3-contrib",
)  # fmt: skip


def cpu() -> str:
    """The processor's model, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        models = []
    return models[0] if models else platform.processor() or platform.machine()


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def facts(command: list[str]) -> dict[str, Any]:
    """All of it, JSON-able; `load` is the system's before the measurement."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": shlex.join(command),
        "cpu": cpu(),
        "cores": cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "versions": versions(LIBRARIES),
    }
