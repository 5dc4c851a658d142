"""Learning curves drawn as PNG, with matplotlib (of the extra `train`)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pontoon_gym.files import write_bytes


class Curve(NamedTuple):
    """One line of a figure.

    Attributes:
        label: in the legend.
        x, y: its points.
        low, high: the ends of a band around it; none, or as many as points.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


class Panel(NamedTuple):
    """One of the plots of a figure: its curves, what its axes say, and whether they are logarithmic."""

    title: str
    across: str
    up: str
    curves: Sequence[Curve]
    log_across: bool = False
    log_up: bool = False


def draw(path: Path, panels: Sequence[Panel], *, width: float = 6.4) -> bool:
    """Draw panels side by side and write them, whole or not at all.

    Returns:
        False without matplotlib: then nothing is written.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(width * len(panels), 4.8), layout="constrained")
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(1, len(panels), place + 1)
        for curve in panel.curves:
            (line,) = axes.plot(curve.x, curve.y, label=curve.label, marker=".", markersize=3, linewidth=1.2)
            if len(curve.low):
                axes.fill_between(curve.x, curve.low, curve.high, color=line.get_color(), alpha=0.2, linewidth=0)
        axes.set(title=panel.title, xlabel=panel.across, ylabel=panel.up)
        if panel.log_across:
            axes.set_xscale("log")
        if panel.log_up:
            axes.set_yscale("log")
        axes.grid(alpha=0.3, which="both" if panel.log_up else "major")
        if len(panel.curves) > 1:
            axes.legend(fontsize=8)
    drawn = io.BytesIO()
    FigureCanvasAgg(figure)
    figure.savefig(drawn, format="png", metadata={"Software": None})
    write_bytes(path, drawn.getvalue())
    return True
