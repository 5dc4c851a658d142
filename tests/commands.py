"""Commands run in this process: one of its own would load libraries for seconds."""

from __future__ import annotations

import contextlib
import io
import signal
import subprocess
from collections.abc import Callable
from unittest.mock import patch

from pontoon_gym.cli import console

Main = Callable[[list[str]], int]


def run_here(main: Main, words: list[str]) -> subprocess.CompletedProcess[str]:
    """What a command, begun as its script begins it, prints and ends with."""
    out, err = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    status: object = None
    try:
        with patch("sys.argv", words), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            console.run(main)
    except SystemExit as ended:
        status = ended.code
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert isinstance(status, int)
    return subprocess.CompletedProcess(words, status, out.getvalue(), err.getvalue())
