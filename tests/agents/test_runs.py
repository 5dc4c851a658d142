"""A run's folder, and which policy a word on the command line stands for."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agents.learner import Horizon
from agents.training.config import Config
from agents.training.folder import Run
from agents.training.loop import Habits, train
from agents.training.seeds import none_left
from pontoon_gym.cli.progress import _asks_to_end
from pontoon_gym.errors import BadArgument, UnknownPolicy
from pontoon_gym.files import writable_folder
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.policies.resolve import digest_of, resolve
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import Rules, Table
from tests.agents.learners import learner

HOME, TABLE = Rules.of("home"), Table()


def network() -> NetworkPolicy:
    return NetworkPolicy(Metadata("player", HOME, TABLE), [(np.zeros((6, 86), np.float32), np.zeros(6, np.float32))])


def begun(path: Path, preset: str = "home") -> Run:
    run = Run(path)
    run.begin(Config("dqn", "player", Rules.of(preset), TABLE, {}))
    return run


def filled(path: Path) -> dict[str, bytes]:
    """A folder with a whole run, what is not of the run beside it; returns the run's files."""
    run = begun(path)
    run.save(network())
    run.add_log({"steps": 1})
    run.add_point({"rounds": 1, "regret": 0.1})
    (path / "checkpoint.npz").touch()
    (path / "tensorboard").mkdir()
    (path / "tensorboard" / "events.out.tfevents.1.machine").touch()
    files = {str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()}
    (path / "notes").touch()
    return files


def test_an_earlier_run_is_set_aside_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = filled(tmp_path)
    for n in (1, 2):
        Run(tmp_path).begin(Config("dqn", "player", Rules.of("british"), TABLE, {}))
        assert capsys.readouterr().err == f"note: the run that was here is now in {tmp_path / f'earlier-{n}'}\n"
    assert json.loads((tmp_path / "config.json").read_text())["rules"] == Rules.of("british").as_dict()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "earlier-1", "earlier-2", "notes"]
    aside = tmp_path / "earlier-1"
    assert {name: (aside / name).read_bytes() for name in files} == files
    assert [path.name for path in (tmp_path / "earlier-2").iterdir()] == ["config.json"]


@pytest.mark.parametrize("moves", range(8))
def test_a_run_set_aside_by_a_process_that_was_killed(
    moves: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever it was killed, the next process finds no run here, and nothing is lost."""
    files, left = filled(tmp_path), iter(range(moves))
    replace = Path.replace

    def killed(path: Path, target: Path) -> Path:
        next(left)
        return replace(path, target)

    with monkeypatch.context() as patched, pytest.raises(StopIteration):
        patched.setattr(Path, "replace", killed)
        begun(tmp_path, "british")
    run = Run(tmp_path)
    with run.claimed(), pytest.raises(BadArgument, match="no run in this folder"):
        run.config()
    found = {str(one.relative_to(tmp_path / "earlier-1")): one for one in (tmp_path / "earlier-1").rglob("*.*")}
    assert {name: found[name].read_bytes() for name in files} == files
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "earlier-1", "notes"]


def test_one_process_at_a_time_trains_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.npz.123.partial").touch()
    (tmp_path / "somebody.else.partial").touch()
    first, second = Run(tmp_path), Run(tmp_path)
    with first.claimed():
        assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "somebody.else.partial"]
        with pytest.raises(BadArgument, match="another process trains in this folder"), second.claimed():
            pass
    with second.claimed():
        pass


def test_lines_after_the_checkpoint_are_taken_back(tmp_path: Path) -> None:
    run = begun(tmp_path)
    for steps in (1, 2, 3):
        run.add_log({"steps": steps, "reward": 0.5 * steps})
    run.add_point({"rounds": 7, "regret": 0.25})
    with (tmp_path / "log.csv").open("a") as file:
        file.write("4,0")  # what a killed run leaves
    again = Run(tmp_path)
    again.resume(2, 1)
    assert again.log == [{"steps": 1, "reward": 0.5}, {"steps": 2, "reward": 1.0}]
    assert again.curve == [{"rounds": 7, "regret": 0.25}]
    again.add_log({"steps": 9, "reward": 0.0})
    assert (tmp_path / "log.csv").read_text().split() == ["steps,reward", "1,0.5", "2,1.0", "9,0.0"]


def test_what_a_resumed_folder_must_hold(tmp_path: Path) -> None:
    run = begun(tmp_path)
    run.add_log({"steps": 1})
    with pytest.raises(BadArgument, match="it has 1 lines instead of 2"):
        Run(tmp_path).resume(2, 0)
    for text in ("steps\nmany\n", "steps,reward\n4\n", "steps\n4,5\n", 'steps\n"' + "4" * 200_000 + '"\n'):
        (tmp_path / "log.csv").write_text(text)
        with pytest.raises(BadArgument, match=r"a run's file is damaged.*log.csv"):
            Run(tmp_path).resume(1, 0)


def test_a_learning_curve_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `train` is not installed")
    run = begun(tmp_path)
    for n in range(30):
        run.add_log({"rounds": 10 * n, "reward": -1.0 + n / 30})
    assert run.draw("it")
    first = (tmp_path / "curve.png").read_bytes()
    run.add_point({"rounds": 5, "regret": 0.3})
    run.add_point({"rounds": 9, "regret": 0.1})
    assert run.draw("it")
    assert first.startswith(b"\x89PNG") and (tmp_path / "curve.png").read_bytes() != first


def test_the_digest_of_an_opponent_is_that_of_its_file(tmp_path: Path) -> None:
    path = baseline("thumb", "player", HOME, TABLE).save(tmp_path / "policy.npz")
    expected = hashlib.sha256(path.read_bytes()).hexdigest()
    assert digest_of(str(path)) == digest_of(str(tmp_path)) == expected


def test_a_rule_of_thumb_has_no_digest_also_where_a_folder_is_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    baseline("thumb", "player", HOME, TABLE).save(tmp_path / "stand17" / "policy.npz")
    assert digest_of("thumb") == digest_of("stand17") == ""


@pytest.mark.parametrize("table", [True, False])
def test_a_run_s_folder_stands_for_its_policy(tmp_path: Path, table: bool) -> None:
    made = baseline("thumb", "player", HOME, TABLE) if table else network()
    begun(tmp_path).save(made)
    assert type(resolve(str(tmp_path), "player", HOME, TABLE)) is type(made)


def test_a_rule_of_thumb_s_name_is_not_hidden_by_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "thumb").mkdir()
    assert isinstance(resolve("thumb", "player", HOME, TABLE), Strategy)


@pytest.mark.parametrize("word", ["", "x" * 5000, "nobody", "a\0b"])
def test_words_that_stand_for_nothing(word: str) -> None:
    with pytest.raises(UnknownPolicy, match="no such player"):
        resolve(word, "player", HOME, TABLE)


def test_a_folder_that_cannot_take_a_file(tmp_path: Path) -> None:
    (tmp_path / "log.csv").mkdir()
    with pytest.raises(BadArgument, match=r"its log.csv is a folder"):
        writable_folder(str(tmp_path), "log.csv")
    (tmp_path / "file").touch()
    with pytest.raises(BadArgument, match="cannot write to the folder"):
        writable_folder(str(tmp_path / "file"))


def test_a_checkpoint_that_cannot_be_written_does_not_end_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = learner("q_learning")

    def no_room(path: Path, beside: object) -> None:
        raise BadArgument("cannot write: No space left on device")

    monkeypatch.setattr(made, "save", no_room)
    train(made, Horizon(steps=500), begun(tmp_path), None, Habits(checkpoint_seconds=0.0))
    assert made.steps >= 500 and not (tmp_path / "checkpoint.npz").exists()
    assert "warning: no checkpoint after" in capsys.readouterr().err


def test_whatever_ends_several_runs_leaves_none_behind() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], text=True)
    with pytest.raises(BrokenPipeError), none_left({1: process}):
        raise BrokenPipeError
    assert process.returncode is not None


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the system has no such signal")
def test_a_closed_terminal_ends_what_was_not_started_to_outlive_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for before, ends in ((signal.SIG_DFL, True), (signal.SIG_IGN, False)):
        monkeypatch.setattr(signal, "getsignal", lambda number, before=before: before)
        assert (signal.SIGHUP in _asks_to_end()) == ends
        assert {signal.SIGINT, signal.SIGTERM} <= set(_asks_to_end())
