"""What the commands share: flags made from the rules and the table, any policy by name or path, one-line errors."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any, NoReturn

from agents.algorithms import Task
from agents.network import SUFFIX
from agents.runs import learned
from agents.zoo import PRETRAINED, pretrained
from pontoon_gym.baselines import NAMES
from pontoon_gym.casting import DEFAULT_PLAYER, banker_of, is_file, policy_of
from pontoon_gym.errors import BadArgument, PontoonError, UnknownPolicy
from pontoon_gym.rules import PRESETS, Rules, Table, specs
from pontoon_gym.strategy import Policy, role_number


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


def add_game_flags(parser: argparse.ArgumentParser) -> None:
    """Flags for rules and table, their defaults those of `Rules` and `Table`."""
    parser.add_argument("--rules", default="home", metavar="PRESET", help=f"one of {', '.join(PRESETS)}, or a text")
    parser.add_argument(
        "--rule", action="append", default=[], metavar="FIELD=VALUE", help="change one field of the rules; repeatable"
    )
    for name, default in Table().as_dict().items():
        _, spec = specs(Table)[name]
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=int, default=default, help=f"{spec.meaning} (default: {default})"
        )


def game_of(args: argparse.Namespace) -> tuple[Rules, Table]:
    """The rules and the table that flags ask for. Raises `BadRules`, `BadTable`."""
    table = Table.of({name: getattr(args, name) for name in Table._fields})
    return Rules.of(args.rules, **pairs(args.rule, "--rule")), table


def pairs(given: list[str], flag: str) -> dict[str, str]:
    """The fields and values of a repeated `field=value` flag. Raises `BadArgument`."""
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadArgument(f"{flag} takes field=value", got=text)
        found[name.strip()] = value.strip()
    return found


def any_policy(source: str, role: str, rules: Rules, table: Table) -> Policy:
    """The policy of a baseline's name, a strategy file or chart, a network file, a run folder, or `pretrained`.

    Raises `UnknownPolicy`, `BadPolicyFile`, `StaleStrategy`.
    """
    names = NAMES[role_number(role)]
    if source in names:
        return policy_of(source, role, rules, table)
    if source == PRETRAINED:
        return pretrained(role, rules, table)
    if source.endswith(SUFFIX) or _is_folder(source):
        return policy_of(learned(Path(source)), role, rules, table)
    if not is_file(source):
        allowed = f"{', '.join(names)}, {PRETRAINED}, a strategy file or chart, a network file or a run folder"
        raise UnknownPolicy(f"no such {role}", got=source, allowed=allowed)
    return policy_of(source, role, rules, table)


def _is_folder(source: str) -> bool:
    with suppress(OSError, ValueError):
        return bool(source) and Path(source).is_dir()
    return False


def any_banker(source: str | None, rules: Rules, table: Table) -> Policy | None:
    """`any_policy` for a banker; None where the rules bind him. Raises `BadArgument` for a policy under such rules."""
    if source is None or rules.banker != "free":
        return banker_of(source, rules, table)
    return any_policy(source, "banker", rules, table)


def task_of(
    role: str, rules: Rules, table: Table, banker: str | None = None, players: Sequence[str] | None = None
) -> Task:
    """What a side is to learn against others by name, file or run folder; without them the usual ones.

    Raises as `any_policy`, and `BadArgument` for a banker whom the rules bind.
    """
    names = players or ([DEFAULT_PLAYER] if role == "banker" else [])
    others = [any_policy(name, "player", rules, table) for name in names]
    return Task(role, rules, table, any_banker(banker, rules, table) if role == "player" or banker else None, others)


def whole(least: int, most: int) -> Callable[[str], int]:
    """The kind of a flag that takes whole numbers from `least` to `most`."""

    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 20 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"got {text[:50]!r}; allowed: whole numbers from {least} to {most}")
        return int(text)

    return number


def folder(path: str, *files: str) -> Path:
    """A folder in which `files` can be written, made if need be. Raises `BadArgument`."""
    target = Path(path)
    try:
        for name in files:
            if (target / name).is_dir():
                raise IsADirectoryError(0, f"its {name} is a folder")
        target.mkdir(parents=True, exist_ok=True)
        probe = target / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise BadArgument(f"cannot write to the folder: {error.strerror}", where=path) from error
    return target


class NoBar:
    """Takes what a bar is told, and shows nothing."""

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
