"""Keep the generated parts of the documentation in step with the code.

    python docs/generate.py              rewrites them
    python docs/generate.py --check      changes nothing; names each stale file and exits with 1
    python docs/generate.py --picture    draws docs/table.png

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`. To add a part, name its function in
`BLOCKS`; to add a file, name it in `FILES`.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pontoon_gym.engine.view.columns import Game, layout
from pontoon_gym.envs.player import PlayerEnv
from pontoon_gym.names import BUY, TWIST, Role, action_number
from pontoon_gym.rules import MOST_CHIPS, PRESETS, Rules, Table, plain, specs

ROOT = Path(__file__).resolve().parents[1]
MAIN = ("british", "home", "casino6", "casino8", "blackjack")
"""The presets that are shown in full; the others are variants of `home` (clause 12)."""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    titles = list(head)
    lines = [titles, ["---"] * len(titles), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def presets() -> str:
    """The main presets in full, then the fields in which a variant differs from `home`."""
    home = PRESETS["home"]
    variants = {name: rules for name, rules in PRESETS.items() if name not in MAIN}
    known = [(spec.clause, f"`{field}`", spec.meaning) for field, (_, spec) in specs(Rules).items()]
    full = [(*about, *(plain(PRESETS[name][i]) for name in MAIN)) for i, about in enumerate(known)]
    changed = [
        (*about, plain(home[i]), *(plain(rules[i]) if rules[i] != home[i] else "" for rules in variants.values()))
        for i, about in enumerate(known)
        if any(rules[i] != home[i] for rules in variants.values())
    ]
    head = ("clause", "field", "meaning")
    return (
        table((*head, *(f"`{name}`" for name in MAIN)), full)
        + "\nThe variants, where they differ from `home`:\n\n"
        + table((*head, *(f"`{name}`" for name in ("home", *variants))), changed)
    )


def fields() -> str:
    """Every field of `Rules`: what it may be, and its default."""
    rows = [
        (f"`{field}`", spec.allowed(kind), spec.clause, spec.meaning, plain(Rules._field_defaults[field]))
        for field, (kind, spec) in specs(Rules).items()
    ]
    return table(("field", "allowed", "clause", "meaning", "default"), rows)


def table_fields() -> str:
    """Every field of `Table`: what it may be, and its default."""
    rows = [
        (f"`{field}`", _allowed(spec.numbers), spec.clause, spec.meaning, plain(Table._field_defaults[field]))
        for field, (_, spec) in specs(Table).items()
    ]
    return table(("field", "allowed", "clause", "meaning", "default"), rows)


def _allowed(numbers: Sequence[float]) -> str:
    return f"{numbers[0]:g} to {numbers[-1]:g}" if numbers else f"1 to {MOST_CHIPS:,}"


def observation() -> str:
    """The columns of a player's vector in the home game at the default table."""
    views = layout(Game(Rules.of("home"), Table(), Role.PLAYER)).views
    rows = [(f"`{view.name}`", f"{view.start}", f"{view.width}", f"{view.divisor}", view.meaning) for view in views]
    return table(("field", "first column", "columns", "divided by", "meaning"), rows)


def demo(side: str) -> str:
    """The match of the demonstration that judges a side."""
    report = json.loads((ROOT / "benchmarks" / "demo" / side / "match.json").read_text(encoding="utf-8"))
    rows = [_match_row(one, report["judged"]) for one in report["contestants"]]
    head = (side, "value", "95 % interval", "gain on the first", "win", "bust", "trick")
    return f"`{DEMO[side]}`\n\n{table(head, rows)}"


def _match_row(one: dict[str, Any], judged: str) -> tuple[str, ...]:
    value, gain = one["value"], one["difference"]
    exact, spread = one["exact"] is not None, 0.0 if gain is None else (gain["high"] - gain["low"]) / 2
    return (
        f"`{one[judged]}`" + (" (trained)" if one[judged] == judged else ""),
        f"{one['exact']:+.6f}" if exact else f"{value['mean']:+.4f}",
        "exact" if exact else f"{value['low']:+.4f} to {value['high']:+.4f}",
        "" if gain is None else f"{gain['mean']:+.4f} ± {spread:.4f}" if spread else f"{gain['mean']:+.6f}",
        *(f"{one[share]:.1%}" for share in ("win", "bust", "trick")),
    )


def exact() -> str:
    """Best responses, and what the rules of thumb give away, for each preset; then the trained player."""
    report = json.loads(EXACT.read_text(encoding="utf-8"))
    names = list(next(iter(report["presets"].values()))["players"])
    rows = [
        (
            f"`{name}`",
            f"`{one['banker']}`",
            f"{one['best']:+.6f}",
            *(f"{one['players'][player]['value']:+.6f} ({one['players'][player]['regret']:.4f})" for player in names),
            f"{one['chart_loss']:.6f}",
        )
        for name, one in report["presets"].items()
    ]
    head = ("preset", "banker", "best response", *(f"`{name}` (regret)" for name in names), "chart loses")
    trained = report["demo"]["player"]
    worst = ",".join(f" `{one['text']}` {one['loss']:.4f}" for one in trained["infostates"][:3])
    return (
        table(head, rows) + "\nThe player that `make demo` trains, asked hand by hand, is worth "
        f"{trained['value']:+.6f} against `stand17`: regret {trained['regret']:.6f}. What costs it most is{worst}.\n\n"
        f"`{report['command']}`, {report['date'][:10]}.\n"
    )


def growth() -> str:
    """What a best response costs by packs, stakes and buys."""
    report = json.loads(EXACT.read_text(encoding="utf-8"))
    rows = []
    for one in report["growth"]:
        words = ", ".join(f"{name} {value}" for name, value in one["table"].items())
        known = (f"`{one['rules']}`", f"`{one['banker']}`", words, f"{one['value']:+.6f}", f"{one['nodes']:,}")
        rows.append((*known, f"{one['seconds']:.2f}", f"{one['megabytes']:.0f}"))
    return table(("rules", "banker", "table", "best response", "nodes of the tree", "seconds", "MB"), rows)


def speed() -> str:
    """The ratios of the measured speeds that have a target, and where they were measured."""
    report = json.loads(SPEED.read_text(encoding="utf-8"))
    rows = [_ratio_row(ratio) for ratio in report["ratios"] if ratio["target"] is not None]
    named = ("python", "numpy", "numba", "gymnasium", "envpool", "rlcard")
    versions = ", ".join(f"{name} {report['versions'][name]}" for name in named)
    memory, where = report["memory"], f"{report['cpu']}, {report['cores']} cores, {report['date'][:10]}"
    return (
        table(("measured", "times", "least to most", "target"), rows)
        + f"\n{where}, `{report['command']}`; {versions}. A row takes "
        f"{memory['round']:,.0f} bytes, and {memory['output']:,.0f} for what a step hands out.\n"
    )


def seats() -> str:
    """What a banker and a player learned at a table of five seats, with 99 % intervals."""
    rows = []
    for side in ("banker", "player"):
        report = json.loads((SEATS / side / "match.json").read_text(encoding="utf-8"))
        first, learned = report["contestants"]
        gain, error = learned["difference"]["mean"], Z99 * learned["difference"]["error"]
        value = f"{learned['value']['mean']:+.4f}"
        rows.append((side, f"`{first[side]}`", value, f"{gain:+.5f}", f"{gain - error:+.5f} to {gain + error:+.5f}"))
    return table(("learned", "beside", "value a player", "gain", "99 % interval"), rows)


def pretrained() -> str:
    """The cards of the shipped policies."""
    cards = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(PRETRAINED.glob("*.json"))]
    rows = [
        (
            f"`{card['name']}`",
            f"`{card['opponent']}`",
            f"{card['value']:+.9f}",
            f"{card['regret']:.6f}",
            f"{card['steps']:,}",
            f"`{card['command']}`",
        )
        for card in cards
    ]
    head = ("policy", "against", "exact value to it", "regret", "decisions", "made by")
    return table(head, rows) + f"\nMade {', '.join(sorted({card['date'][:10] for card in cards}))}.\n"


def learning() -> str:
    """How far from the best each learner ends, on each task."""
    report = json.loads(LEARNING.read_text(encoding="utf-8"))
    parts = []
    for task in report["tasks"].values():
        rows = [_learner_row(name, one) for name, one in task["learners"].items()]
        head = ("learner", "median regret", "95 %", "interquartile mean", "95 %", "seeds", "decisions", "seconds")
        about = f"{task['about']}: best {task['best']:+.6f}, {task['rounds']:,} rounds each"
        parts.append(f"**{about[0].upper()}{about[1:]}**\n\n{table(head, rows)}")
    measured = [task["measured"] for task in report["tasks"].values()]
    machines = {f"{one['cpu']}, {one['cores']} cores, reported {one['date'][:10]}" for one in measured}
    where = "; ".join(sorted(machines))
    return "\n".join(parts) + f"\n{where}. The command of each row stands in `benchmarks/results/learning.json`.\n"


def main_task() -> str:
    """How far from the best each learner ends on the main task."""
    report = json.loads(LEARNING.read_text(encoding="utf-8"))
    head = ("learner", "median regret", "95 %", "rounds", "seconds")
    rows = []
    tasks = report["tasks"]
    for task in (task for task in ("home", "minute", "ten-minutes", "ten-minutes-dqn") if task in tasks):
        for name, one in tasks[task]["learners"].items():
            interval = "{:.6f} to {:.6f}".format(*one["regret"]["median_interval"])
            about = (f"`{name}`", f"{one['regret']['median']:.6f}", interval)
            rows.append((*about, f"{one['rounds']:,.0f}", f"{one['seconds']:.0f}"))
    return table(head, rows)


def _learner_row(name: str, one: dict[str, Any]) -> tuple[str, ...]:
    regret = one["regret"]
    return (
        f"`{name}`",
        f"{regret['median']:.6f}",
        "{:.6f} to {:.6f}".format(*regret["median_interval"]),
        f"{regret['iqm']:.6f}",
        "{:.6f} to {:.6f}".format(*regret["iqm_interval"]),
        str(len(one["seeds"])),
        f"{one['steps']:,.0f}",
        f"{one['seconds']:.0f}",
    )


def trap() -> str:
    """The chance to buy on 11 along runs with several settings, and where they end."""
    report = json.loads(TRAP.read_text(encoding="utf-8"))
    asked = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
    rows = []
    for one in report["runs"]:
        changes = ", ".join(f"`{name}={value}`" for name, value in one["changes"].items())
        looks = list(zip(one["shares"], one["chances"], strict=True))
        nearest = [min((abs(share - wanted), chance) for share, chance in looks)[1] for wanted in asked]
        name = f"{one['name']} ({changes})" if changes else one["name"]
        rows.append((name, *(f"{chance:.3f}" for chance in nearest), f"{one['regret']:.5f}"))
    head = ("run", *(f"{share:.0%}" for share in asked), "regret")
    about = f"{report['rounds']:,} rounds, seed {report['seed']}, {report['date'][:10]}"
    return table(head, rows) + f"\n`{report['command']}`, {about}.\n"


def costly(task: str) -> str:
    """What costs each learner most on a task."""
    learners = json.loads(LEARNING.read_text(encoding="utf-8"))["tasks"][task]["learners"]
    rows = [
        (f"`{name}`", *(f"{one['text']} ({one['loss']:.5f})" for one in found["infostates"][:3]))
        for name, found in learners.items()
    ]
    return table(("learner", "costliest", "second", "third"), ((*row, "", "", "")[:4] for row in rows))


def _ratio_row(ratio: dict[str, Any]) -> tuple[str, ...]:
    sign = "below" if ratio["most"] else "at least"
    return (
        ratio["name"],
        f"{ratio['value']:.2f}",
        f"{ratio['low']:.2f} to {ratio['high']:.2f}",
        f"{sign} {ratio['target']:g}: {'met' if ratio['met'] else 'missed'}",
    )


DEMO = {
    "player": "evaluate.py match --player thumb stick15 random runs/demo/player --banker stand17 --seed 7",
    "banker": "evaluate.py match --judge banker --player thumb --banker stand17 stand16 chase random runs/demo/banker "
    "--seed 7",
}
"""The matches of `make demo`, by the side judged."""

SPEED = ROOT / "benchmarks" / "results" / "speed.json"
"""What `make bench-results` writes."""

EXACT = ROOT / "benchmarks" / "results" / "exact.json"
"""What `make exact-results` writes."""

LEARNING = ROOT / "benchmarks" / "results" / "learning.json"
"""What `make bench-learning` writes."""

TRAP = ROOT / "benchmarks" / "results" / "trap.json"
"""What `make bench-trap` writes."""

SEATS, Z99 = ROOT / "benchmarks" / "results" / "seats", 2.5758293035489004
"""What `make bench-seats` writes, and the standard errors of a 99 % interval."""

PRETRAINED = ROOT / "pontoon_gym" / "policies" / "pretrained"
"""The shipped policies and their cards."""

PICTURE = ROOT / "docs" / "table.png"
"""What `python docs/generate.py --picture` draws."""

BLOCKS: dict[str, Callable[[], str]] = {
    "presets": presets,
    "fields": fields,
    "table_fields": table_fields,
    "observation": observation,
    "demo_player": partial(demo, "player"),
    "demo_banker": partial(demo, "banker"),
    "exact": exact,
    "growth": growth,
    "speed": speed,
    "pretrained": pretrained,
    "learning": learning,
    "costly": partial(costly, "home"),
    "costly_bankers": partial(costly, "banker-thumb"),
    "main_task": main_task,
    "seats": seats,
    "trap": trap,
}
FILES = (
    "README.md",
    "docs/environments.md",
    "docs/learning.md",
    "docs/rules.md",
    "docs/solver.md",
    "docs/speed.md",
    "docs/training.md",
)

_START = "<!-- generated: "
_BLOCK = re.compile(rf"{_START}(?P<name>\S+) -->\n(?:(?!{_START}).)*?<!-- end -->", re.DOTALL)


def regenerated(text: str) -> str:
    """A file's text with every block made anew. Raises `ValueError` for a block without an end or a known name."""
    found = [match["name"] for match in _BLOCK.finditer(text)]
    if len(found) != text.count(_START):
        raise ValueError(f"{text.count(_START)} blocks begin, {len(found)} end")
    unknown = sorted(set(found) - set(BLOCKS))
    if unknown:
        raise ValueError(f"no such block: {', '.join(unknown)}; known: {', '.join(BLOCKS)}")
    # Markdown wants a blank line on either side of a table.
    return _BLOCK.sub(lambda m: f"{_START}{m['name']} -->\n\n{BLOCKS[m['name']]().strip()}\n\n<!-- end -->", text)


def frame() -> NDArray[np.uint8]:
    """A round of three as the second player sees it: they have bought a card and twisted one.

    Returns uint8 of shape (height, 640, 3).
    """
    env = PlayerEnv("home,split=none", seats=3, stake_max=10, stake_levels=2, seat=1, render_mode="rgb_array")
    env.reset(seed=7, options={"cards": "9C 5S TD 8D 6H 7S 3C 4D"})
    for action in (action_number("W1", env.settings.table.buy_levels), BUY, TWIST):
        env.step(action)
    drawn: NDArray[np.uint8] = env.render()
    return drawn


def draw(path: Path = PICTURE) -> None:
    """Write the picture of `frame` as a PNG of 64 colours."""
    buffer = io.BytesIO()
    Image.fromarray(frame()).quantize(64, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    path.write_bytes(buffer.getvalue())


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Do what the arguments ask for, with the files under `root`; the exit status."""
    parser = argparse.ArgumentParser(description="Rewrite the generated parts of the documentation.")
    parser.add_argument("--check", action="store_true", help="change nothing; name stale files and exit with 1")
    parser.add_argument("--picture", action="store_true", help="draw docs/table.png")
    asked = parser.parse_args(arguments)
    if asked.picture:
        draw(root / PICTURE.relative_to(ROOT))
        return 0
    return rewrite(root, check=asked.check)


def rewrite(root: Path, *, check: bool) -> int:
    """Make the generated parts under `root` anew, or only say which are stale; the exit status."""
    faults: list[str] = []
    used = ""
    for name in FILES:
        old = (root / name).read_text(encoding="utf-8")
        used += old
        try:
            new = regenerated(old)
        except ValueError as error:
            faults.append(f"{name}: {error}")
            continue
        if check and new != old:
            faults.append(f"{name} is stale: run python docs/generate.py")
        elif new != old:
            (root / name).write_text(new, encoding="utf-8", newline="\n")
    faults += [f"block {name} is in no file" for name in BLOCKS if f"{_START}{name} -->" not in used]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
