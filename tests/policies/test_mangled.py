"""Files of every kind, damaged or edited at random: each loads as what it says, or is refused in one line."""

from __future__ import annotations

import io
import json
import re
import warnings
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pontoon_gym.engine.view.infostate import pack_key
from pontoon_gym.errors import PontoonError
from pontoon_gym.files import text_of
from pontoon_gym.names import Phase, Role
from pontoon_gym.policies.chart import WORTH, Chart
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.resolve import resolve
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import Rules, Table
from tests.policies.hostile import MARK
from tests.policies.mangled import CHANGES, facts_beside, seen
from tests.policies.samples import small_network
from tests.scale import scaled

RULES, TABLE = Rules.of("home,max_hands=2"), Table.of(stake_max=10, stake_levels=2)
QUICK = 40
"""Files of each kind; fifty times as many with PONTOON_LONG."""


def strategy() -> Strategy:
    about = Metadata("player", RULES, TABLE, "small", {"seed": 3, "settings": {"rate": 0.5, "widths": [1, 2]}})
    keys = np.array([pack_key(Role.PLAYER, phase=phase) for phase in (Phase.STAKE, Phase.PLAY)])
    weights = np.random.default_rng(1).random((2, TABLE.actions))
    last = Strategy(about, parts=("phase",), keys=keys, weights=weights, greedy=False)
    return Strategy(about, parts=("phase",), keys=keys[1:], weights=-weights[1:], greedy=True, otherwise=last)


def chart() -> Chart:
    columns = ("2 cards", "3 cards, bought 1", "3 cards, twisted")
    cells = {("hands", f"hard {total}", column): "S" for total in range(15, 20) for column in columns}
    cells |= {("hands", f"hard {total}", column): "T" for total in range(11, 15) for column in columns[1:]}
    cells |= {("hands", "hard 11", "2 cards"): "B1", ("hands", "soft 18", "2 cards"): "B0"}
    cells |= {("pairs", pair, "2 cards"): "P-"[pair < "8"] for pair in ("A,A", "5,5", "8,8")}
    cells |= {("stakes", card, "stake"): "W1" if card == "A" else "W0" for card in ("A", "2", "10")}
    return Chart("by hand", RULES, TABLE, cells, {"seed": 3}).with_worth(
        against="me", value=-0.25, whole=0.5, loss=0.75
    )


KINDS: dict[str, tuple[Callable[[], Any], str]] = {
    "table in an archive": (strategy, ".npz"),
    "table in JSON": (strategy, ".json"),
    "network": (lambda: small_network(name="net"), ".npz"),
    **{f"{form} chart": (chart, form) for form in (".csv", ".json", ".md", ".html", ".png")},
}


@cache
def good(kind: str, folder: Path) -> tuple[Any, bytes]:
    """A policy of a kind, and its file's bytes."""
    make, form = KINDS[kind]
    made = make()
    return made, made.save(folder / f"good{form}").read_bytes()


def said(kind: str, data: bytes) -> Any:
    """What a file says to those who read it with other programs."""
    form = KINDS[kind][1]
    if form == ".json":
        return as_said(json.loads(data))
    if form == ".npz":
        arrays = dict(np.load(io.BytesIO(data), allow_pickle=False))
        facts = json.loads(arrays.pop("metadata").tobytes())
        if kind == "network":
            return as_said(facts), {name: array.astype(np.float32).tolist() for name, array in arrays.items()}
        links: list[dict[str, Any]] = [
            facts[i] | {"keys": arrays.pop(f"keys{i}").tolist(), "weights": arrays.pop(f"weights{i}").tolist()}
            for i in range(len(facts))
        ]
        assert not arrays
        for first, then in reversed(list(pairwise(links))):
            first["otherwise"] = then
        return as_said(links[0])
    if form == ".png":
        with pytest.importorskip("PIL.Image").open(io.BytesIO(data)) as image:
            return image.size, image.tobytes()
    return as_said(facts_beside(form, data)), seen(form, data)


def as_said(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts as they count: rows in the order of their keys, rules and tables as they are, the version left out."""
    told = {name: fact for name, fact in facts.items() if not name.endswith(("version", "digest"))}
    told |= {"rules": Rules.of(facts["rules"]), "table": Table.of(facts["table"])}
    if "cells" in told:
        told["cells"] = sorted(told["cells"])
    if told["format"].startswith("pontoon-chart"):
        told["notes"] = {name: note for name, note in told["notes"].items() if name not in (*WORTH, "digest")}
    if "keys" in told:
        rows = sorted(zip(told["keys"], told["weights"], strict=True))
        told |= {"keys": [key for key, _ in rows], "weights": [row for _, row in rows]}
    if "otherwise" in told:
        told["otherwise"] = as_said(told["otherwise"])
    return told


def tags(page: bytes) -> list[bytes]:
    """What a web page is made of."""
    return re.findall(rb"<[^>]*>", page)


def told(kind: str, policy: Any, folder: Path) -> Any:
    """The same of what was loaded."""
    form = KINDS[kind][1]
    if form == ".npz" and kind != "network":
        return as_said(policy.as_dict())
    if form in (".csv", ".md", ".html"):
        facts = {name: fact for name, fact in policy.as_dict().items() if name != "cells"}
        return as_said(facts), {(*cell, action) for cell, action in policy.cells.items()}
    return said(kind, policy.save(folder / f"again{form}").read_bytes())


def check(kind: str, data: bytes, path: Path) -> bool:
    """Whether a file loads; what it then must be like."""
    made, _ = good(kind, path.parent)
    path.write_bytes(data)
    try:
        policy = type(made).load(path)
    except PontoonError as error:
        assert "\n" not in str(error) and path.name in str(error)
        with pytest.raises(PontoonError):
            resolve(path, "player", made.rules, made.table)
        return False
    if path.suffix.lower() == ".html" and tags(data) != tags(good(kind, path.parent)[1]):
        # Each browser repairs a page in its own way; no action is made up or lost.
        assert sorted(policy.cells.values()) == sorted(re.findall(r"<td[^>]*>\s*([STP-]|[BW]\d)\s*<", text_of(data)))
    else:
        assert told(kind, policy, path.parent) == said(kind, data)
    again = type(made).load(policy.save(path.parent / f"again{path.suffix}"))
    assert told(kind, again, path.parent) == told(kind, policy, path.parent)
    if kind != "network":
        assert again == policy and hash(again) == hash(policy)
    try:
        plays = resolve(path, "player", made.rules, made.table)
    except PontoonError:  # another game's, or a chart without a cell
        role = getattr(policy, "role", "player")
        assert (role, policy.rules, policy.table) != ("player", made.rules, made.table) or not policy.cells
    else:
        assert kind == "network" or plays == (policy.policy() if isinstance(policy, Chart) else policy)
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_a_mangled_file_is_what_it_says_or_is_refused(kind: str, tmp_path: Path) -> None:
    form = KINDS[kind][1]
    if form == ".png":
        pytest.importorskip("PIL", reason="the extra `render` is not installed")
    _, data = good(kind, tmp_path)
    assert check(kind, data, tmp_path / f"it{form}")
    loaded, count = 0, scaled(QUICK)
    for i in range(count):
        rng = np.random.default_rng([i, sorted(KINDS).index(kind)])
        changed = data
        for _ in range(int(rng.integers(1, 3))):
            change = CHANGES[form][int(rng.integers(len(CHANGES[form])))]
            try:
                changed = change(changed, rng)
            except Exception:  # what is no such file any more is changed no further
                break
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                loaded += check(kind, changed, tmp_path / f"it{form.upper() if i % 2 else form}")
            except BaseException:
                (tmp_path / "culprit").write_bytes(changed)
                raise
    print(f"{kind}: {count} files, {loaded} loaded as what they say, {count - loaded} refused")
    assert loaded < count and not MARK.exists()
