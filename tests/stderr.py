"""What a process says on standard error, whether or not it was the first that needed some kernel."""

from __future__ import annotations

import re


def said(stderr: str) -> str:
    """All of it but the line that says that kernels are compiled."""
    return re.sub(r"^pontoon_gym: compiling kernels.*\n", "", stderr, flags=re.MULTILINE)
