"""Which policy a word, a path or an object stands for, and what is refused in one line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pontoon_gym.errors import BadArgument, BadPolicyFile, PontoonError, StaleStrategy, UnknownPolicy
from pontoon_gym.policies import chart_formats
from pontoon_gym.policies.baselines import BANKERS, PLAYERS, baseline
from pontoon_gym.policies.chart import Chart
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.policies.pretrained import FOLDER
from pontoon_gym.policies.resolve import POLICY_FILE, PolicySource, digest_of, load, resolve
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import Rules, Table
from tests.policies.hostile import with_facts
from tests.policies.samples import HOME, TABLE, small_network

THUMB = baseline("thumb", "player", HOME, TABLE)
CHART = Chart("sheet", HOME, TABLE, {("hands", "hard 14", "2 cards"): "S"})


def folder_with(policy: Strategy | NetworkPolicy, folder: Path) -> Path:
    """A run's folder."""
    folder.mkdir()
    policy.save(folder / POLICY_FILE)
    return folder


SOURCES: dict[str, tuple[Callable[[Path], PolicySource], str]] = {
    **{name: (lambda _, name=name: name, name) for name in PLAYERS},  # type: ignore[misc]
    "pretrained": (lambda _: "pretrained", "home-player"),
    "an npz table": (lambda at: str(THUMB.save(at / "it.npz")), "thumb"),
    "a JSON table": (lambda at: THUMB.save(at / "it.json"), "thumb"),
    "a network": (lambda at: str(small_network(name="small").save(at / "it.npz")), "small"),
    "a run with a table": (lambda at: folder_with(THUMB, at / "run"), "thumb"),
    "a run with a network": (lambda at: str(folder_with(small_network(name="small"), at / "run")), "small"),
    "a shipped table": (lambda _: FOLDER / "home-player-table.npz", "home-player"),
    "a table object": (lambda _: THUMB, "thumb"),
    "a network object": (lambda _: small_network(name="small"), "small"),
    **{
        f"a {suffix} chart": (lambda at, suffix=suffix: CHART.save(at / f"it{suffix}"), "sheet")  # type: ignore[misc]
        for suffix in chart_formats.SUFFIXES
    },
}


@pytest.mark.parametrize("kind", SOURCES)
def test_each_kind_of_source(kind: str, tmp_path: Path) -> None:
    make, name = SOURCES[kind]
    if kind == "a .png chart":
        pytest.importorskip("PIL", reason="the extra `render` is not installed")
    source = make(tmp_path)
    policy = resolve(source, "player", HOME, TABLE)
    assert (policy.role, policy.rules, policy.table, getattr(policy, "name", "")) == ("player", HOME, TABLE, name)
    assert (policy is source) == kind.endswith("object")
    if isinstance(policy, Strategy) and name == "thumb":
        assert policy.as_dict() == THUMB.as_dict()


@pytest.mark.parametrize("name", BANKERS)
def test_each_banker_s_name(name: str) -> None:
    assert getattr(resolve(name, "banker", HOME, TABLE), "name", "") == name


def test_a_policy_of_one_s_own() -> None:
    """Whatever has the attributes and the method of `Policy` is one."""

    class Mine:
        role, rules, table = "player", HOME, TABLE
        probabilities = THUMB.probabilities

    mine = Mine()
    assert resolve(mine, "player", HOME, TABLE) is mine
    with pytest.raises(StaleStrategy, match="other side"):
        resolve(mine, "banker", HOME, TABLE)


def test_a_folder_called_as_a_baseline_is_not_taken_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder_with(small_network(name="small"), tmp_path / "thumb")
    monkeypatch.chdir(tmp_path)
    assert getattr(resolve("thumb", "player", HOME, TABLE), "name", "") == "thumb" and digest_of("thumb") == ""
    assert getattr(resolve("./thumb", "player", HOME, TABLE), "name", "") == "small" and digest_of("./thumb")


# --- what is refused ---------------------------------------------------------------------------------------------


def refused(source: PolicySource, kind: type[PontoonError], role: str = "player") -> str:
    """The one line with which a source is refused."""
    with pytest.raises(kind) as caught:
        resolve(source, role, HOME, TABLE)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ["nobody", "", "x" * 5000, "a\0b", "none.npz", "none.html", "stand17"])
def test_a_name_that_nothing_has(name: str) -> None:
    line = refused(name, UnknownPolicy)
    assert line.startswith("no such player: got ")
    assert line.endswith(f"allowed: {', '.join(PLAYERS)}, pretrained, a policy's file, a chart or a run")


def test_what_is_no_source() -> None:
    assert "a player must be a name, a file or a policy" in refused(3, BadArgument)  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="no such role"):
        resolve("thumb", "dealer", HOME, TABLE)


def test_a_folder_without_a_policy(tmp_path: Path) -> None:
    assert "no policy file" in refused(tmp_path, UnknownPolicy)


def test_what_was_made_for_something_else(tmp_path: Path) -> None:
    """The message names the file that was given, not the policy in it."""
    path = baseline("thumb", "player", Rules.of("home", split="none"), TABLE).save(tmp_path / "it.npz")
    assert refused(path, StaleStrategy).endswith(f"split none instead of rank [{path}]")
    chart = Chart("sheet", HOME, Table(buy_levels=3), CHART.cells).save(tmp_path / "it.md")
    assert refused(chart, StaleStrategy).endswith(f"buy_levels 3 instead of 2 [{chart}]")
    assert "other side" in refused(tmp_path / "it.npz", StaleStrategy, "banker")


EARLIER = "an earlier version saved it: train it anew"


def test_an_earlier_version_s_networks(tmp_path: Path) -> None:
    (tmp_path / "policy.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    for source in (tmp_path / "policy.safetensors", tmp_path, str(tmp_path)):
        assert EARLIER in refused(source, BadPolicyFile)
        with pytest.raises(BadPolicyFile, match=EARLIER):
            digest_of(str(source))


def test_a_run_s_new_policy_counts_where_an_old_one_lies_beside_it(tmp_path: Path) -> None:
    folder = folder_with(THUMB, tmp_path / "run")
    (folder / "policy.safetensors").write_bytes(b"")
    assert isinstance(resolve(folder, "player", HOME, TABLE), Strategy)


def of_another_version(at: Path) -> dict[str, Path]:
    """A file of each kind that says another version of its format."""
    found = {}
    for kind, policy in (("strategy", THUMB), ("network", small_network())):
        found[kind] = policy.save(at / f"{kind}.npz")
        found[kind].write_bytes(with_facts(found[kind].read_bytes(), format=f"pontoon-{kind}/1"))
    for kind, path in (("strategy", THUMB.save(at / "it.json")), ("chart", CHART.save(at / "chart.json"))):
        path.write_text(json.dumps({**json.loads(path.read_text()), "format": f"pontoon-{kind}/0"}))
        found[f"{kind} in JSON"] = path
    for suffix in (".csv", ".md", ".html"):
        found[f"{suffix} chart"] = path = CHART.save(at / f"it{suffix}")
        path.write_text(path.read_text().replace("pontoon-chart/2", "pontoon-chart/1"))
    return found


def test_a_file_of_another_version_says_so(tmp_path: Path) -> None:
    for kind, path in of_another_version(tmp_path).items():
        line = refused(path, BadPolicyFile)
        assert "by another version, and pontoon-" in line and "is read here: make it anew" in line, kind
        assert str(path) in line


def test_an_archive_of_the_first_kind(tmp_path: Path) -> None:
    """Which kept its facts in a member of another name."""
    archive = shutil.copy(FOLDER / "home-player-table.npz", tmp_path / "it.npz")
    Path(archive).write_bytes(Path(archive).read_bytes().replace(b"metadata.npy", b"stampdat.npy"))
    assert "one saved by another version, which is to be made anew" in refused(archive, BadPolicyFile)


def test_a_chart_is_no_strategy_file(tmp_path: Path) -> None:
    with pytest.raises(BadPolicyFile, match="it does not say pontoon-strategy/4"):
        load(CHART.save(tmp_path / "it.json"))


def test_a_file_from_before_a_rule_was_added(tmp_path: Path) -> None:
    """A field that its rules do not name has its default: the same game. One that did matter is missed."""
    british = Rules.of("british", split="none")
    path = baseline("thumb", "player", british, TABLE).save(tmp_path / "it.npz")
    fields = british.as_dict()
    older = {name: value for name, value in fields.items() if name != "bank_sale"}
    path.write_bytes(with_facts(path.read_bytes(), rules=older))
    assert load(path).rules == british
    assert resolve(path, "player", british, TABLE)
    missed = next(iter(british.differences(Rules())))
    path.write_bytes(with_facts(path.read_bytes(), rules={k: v for k, v in fields.items() if k != missed}))
    with pytest.raises(BadPolicyFile, match="not those that it was saved with"):
        load(path)


# --- digests -----------------------------------------------------------------------------------------------------


def test_digests_tell_files_apart(tmp_path: Path) -> None:
    first, second = (baseline(name, "player", HOME, TABLE).save(tmp_path / f"{name}.npz") for name in PLAYERS[:2])
    folder = folder_with(THUMB, tmp_path / "run")
    assert digest_of(str(first)) != digest_of(str(second)) == digest_of(str(folder))
    assert len(digest_of("pretrained")) == 64 and digest_of("nobody") == digest_of("thumb") == ""


@pytest.mark.parametrize("path", [None, 3, b"x.npz", []])
def test_what_is_no_path(path: Any) -> None:
    for take in (load, Strategy.load, NetworkPolicy.load, Chart.load, THUMB.save):
        with pytest.raises(BadArgument, match="a path must be a text or a path object"):
            take(path)
