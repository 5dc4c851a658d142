"""How a command begins and ends: one-line errors and exit statuses."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from pontoon_gym.cli.progress import _asks_to_end
from pontoon_gym.errors import PontoonError
from pontoon_gym.render.letters import take_letters


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line and exits with status 2; takes flags by their whole names."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **named})

    def error(self, message: str) -> NoReturn:
        fail(message)


def fail(message: object, status: int = 2) -> NoReturn:
    """End with one line on standard error."""
    print(f"error: {' '.join(str(message).split())}", file=sys.stderr)
    raise SystemExit(status)


def run(main: Callable[[list[str]], int]) -> NoReturn:
    """Run a command's main; errors of the project become one line and status 2."""
    for stream in (sys.stdout, sys.stderr):
        take_letters(stream)
    for number in _asks_to_end():
        signal.signal(number, signal.default_int_handler)
    try:
        raise SystemExit(main(sys.argv[1:]))
    except PontoonError as error:
        fail(error)
    except KeyboardInterrupt:
        fail("stopped", 130)
    except BrokenPipeError:
        raise SystemExit(1) from None
    except (OSError, MemoryError) as error:
        fail(f"{type(error).__name__}: {error}")
