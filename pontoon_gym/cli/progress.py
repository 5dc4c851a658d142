"""What a command shows while it works, and how it is asked to end."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any


class NoBar:
    """Takes the calls of a progress bar, and shows nothing."""

    n = 0.0

    def __enter__(self) -> NoBar:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self, n: float) -> None:
        """Count."""
        self.n += n

    def set_postfix_str(self, text: str) -> None:
        """Nothing."""


def progress_bar(total: int, unit: str, shown: bool = True) -> Any:
    """A bar on standard error; its `update(n)` adds n, its `set_postfix_str(text)` says more.

    Without tqdm (of the extra `train`) there is none.
    """
    try:
        from tqdm import tqdm
    except ImportError:
        return NoBar()
    return tqdm(total=total, unit=unit, unit_scale=True, disable=not shown, file=sys.stderr, dynamic_ncols=True)


@contextmanager
def working(what: str, shown: bool = True) -> Iterator[None]:
    """Say on standard error for how long something takes, once a second, and take the line back at its end."""
    ended = Event()

    def tell() -> None:
        start = time.monotonic()
        while not ended.wait(1.0):
            print(f"\r{what}: {time.monotonic() - start:.0f} s", end="", file=sys.stderr, flush=True)

    thread = Thread(target=tell, daemon=True)
    if shown and sys.stderr.isatty():
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if thread.is_alive():
            thread.join()
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _asks_to_end() -> list[signal.Signals]:
    """Ctrl-C, a polite kill, and a terminal that closes, unless the command was started to outlive it."""
    closes = getattr(signal, "SIGHUP", None)  # Windows has none
    ends = [signal.SIGINT, signal.SIGTERM]
    return [*ends, closes] if closes and signal.getsignal(closes) is not signal.SIG_IGN else ends


@contextmanager
def interruptible() -> Iterator[Event]:
    """An event that Ctrl-C sets: an exception in its place can be lost in libraries' callbacks. A second one raises."""
    asked = Event()

    def ask(number: int, frame: Any) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = {number: signal.signal(number, ask) for number in _asks_to_end()}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
