"""The commands as a user runs them: results, one-line errors, Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib", reason="the extra `train` is not installed")

import train
from pontoon_gym.cli.main import main
from pontoon_gym.policies.network import NetworkPolicy
from tests.commands import run_here
from tests.stderr import said

ROOT = Path(__file__).parents[2]
SIZES = ("rows=16", "steps=16", "batch_size=64", "hidden=[8]", "epochs=1", "scale_decisions=256")
TINY = [word for size in SIZES for word in ("--set", size)]


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=500)


def refused(*words: str | Path) -> str:
    """The one line that a command ends with, and nothing on standard output."""
    done = run(*words)
    lines = said(done.stderr).strip().splitlines()
    assert done.returncode == 2 and not done.stdout and len(lines) == 1, done.stderr
    return lines[0]


def test_train_judge_and_load(tmp_path: Path) -> None:
    for role, against in (("player", ["--banker", "stand16"]), ("banker", ["--players", "stick15"])):
        words = ["train.py", role, *TINY, *against, "--steps", "600", "--seed", "4", "--out", str(tmp_path / role)]
        done = run(*words) if role == "player" else run_here(train.main, words)
        assert done.returncode == 0, done.stderr
        assert "done after 768 steps" in done.stdout and "step/s" in done.stderr
        assert " rounds (168 steps more than asked for: an update has 256 steps)" in done.stdout
        config = json.loads((tmp_path / role / "config.json").read_text())
        assert config["rules"]["packs"] == 1 and config["table"]["seats"] == 2 and config["versions"]["numpy"]
        assert config["settings"]["rows"] == 16 and (config["seed"], config["steps"]) == (4, 600)
        log = (tmp_path / role / "log.csv").read_text().splitlines()
        assert log[0] == "steps,rounds,seconds,reward,learning_rate,entropy_bonus"
        assert [line.split(",")[0] for line in log[1:]] == ["256", "512", "768"]
        assert NetworkPolicy.load(tmp_path / role / "policy.npz").role == role
    rounds = str(2048)
    done = run(
        "evaluate.py", "match", "--player", "thumb", tmp_path / "player", "--banker", "stand17",
        tmp_path / "banker" / "policy.npz", "--rounds", rounds, "--json", "--out", tmp_path / "report",
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert done.returncode == 0 and not said(done.stderr)
    names = [(one["player"], one["banker"]) for one in report["contestants"]]
    assert names == [("thumb", "stand17"), ("thumb", "banker"), ("player", "stand17"), ("player", "banker")]
    assert json.loads((tmp_path / "report/match.json").read_text()) == report
    assert "difference from the first" in (tmp_path / "report/match.txt").read_text()


def test_a_table_for_people() -> None:
    done = run("evaluate.py", "match", "--rules", "casino8", "--rounds", "1024", "--judge", "banker")
    assert done.returncode == 0 and "thumb           the bound banker" in done.stdout


def test_ctrl_c_keeps_what_was_learned(tmp_path: Path) -> None:
    command = [sys.executable, "train.py", "player", *TINY, "--steps", "100000000", "--out", str(tmp_path), "--quiet"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        log = tmp_path / "log.csv"
        for _ in range(1000):
            if log.exists() and log.read_text().count("\n") > 1:
                break
            time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        try:
            out, err = running.communicate(timeout=100)
        finally:
            running.kill()
    assert running.returncode == 130 and "stopped after" in out and "Traceback" not in err
    assert NetworkPolicy.load(tmp_path / "policy.npz").notes["steps"] >= 256


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train.py", "dealer"], "invalid choice: 'dealer'"),
        (["train.py", "player", "--rules", "foo"], "unknown preset: got 'foo'"),
        (["train.py", "player", "--rule", "packs=9"], "bad packs: got '9'; allowed: 0 to 8 [clause 1.1]"),
        (["train.py", "player", "--rule", "packs"], "--rule takes field=value"),
        (["train.py", "player", "--seats", "12"], "bad seats of a table: got 12"),
        (["train.py", "player", "--stake-min", "5"], "bad stake_max of a table: got 1; allowed: stake_min (5)"),
        (
            ["train.py", "player", "--algo", "q_learning", "--steps", "131071"],
            "q_learning learns from 131,072 decisions at once: got '131071 steps'; allowed: 131,072 or more",
        ),
        (["train.py", "player", *TINY, "--rounds", "255"], "learns from 256 decisions at once: got '255 rounds'"),
        (["train.py", "player", *TINY, "--steps", "256", "--rounds", "9", "--seed", "1", "2"], "got '9 rounds'"),
        (["train.py", "player", "--steps", "0"], "argument --steps: got '0'; allowed: whole numbers from 1"),
        (["train.py", "player", "--seed", "99999999999999999999"], "argument --seed: got '99999999999999999999'"),
        (["train.py", "player", "--device", "foo"], "the learner cannot be made"),
        (["train.py", "player", "--set", "size=1"], "no such setting: got 'size'"),
        (["train.py", "player", "--set", "rows=1.5"], "bad setting rows: got 1.5; allowed: whole numbers from 1"),
        (
            ["train.py", "player", "--set", "hidden=[-1]"],
            "bad setting hidden: got [-1]; allowed: lists of",
        ),
        (["evaluate.py", "match", "--player", "x" * 5000], "no such player"),
        (["evaluate.py", "match", "--rounds", "1" + "0" * 17], "argument --rounds: got"),
        (["train.py", "player", "--settings", "none.toml"], "no settings for a player"),
        (["train.py", "player", "--banker", "nobody"], "no such banker: got 'nobody'"),
        (["train.py", "banker", "--banker", "stand17"], "the learner is the banker: leave the banker out"),
        (["train.py", "player", "--out", "/proc/none"], "cannot write to the folder"),
        (["train.py", "player", "--seats", "4", "--players", "thumb", "thumb"], "players must be one policy, or one a"),
        (["train.py", "player", "--players", "thumb"], "nobody sits beside the only player: leave the players out"),
        (["train.py", "player", "--stake-levels", "2"], "more stake levels than stakes: got 2; allowed: 1 to 1, or a"),
        (["evaluate.py", "match", "--stake-max", "3", "--stake-levels", "4"], "got 4; allowed: 1 to 3, or a greater"),
        (["evaluate.py", "match", "--others", "thumb"], "nobody sits beside a judged player: leave the others out"),
        (["evaluate.py", "match", "--seats", "3", "--judge", "banker", "--others", "thumb"], "leave the others out"),
        (["evaluate.py", "solve", "--banker", "stand17", "--top", "3"], "--top needs both sides"),
        (["evaluate.py"], "the following arguments are required: command"),
        (["evaluate.py", "match", "--player", "nobody"], "no such player: got 'nobody'"),
        (["evaluate.py", "match", "--player", "none.npz"], "no such player"),
        (
            ["evaluate.py", "match", "--rules", "casino8", "--banker", "chase"],
            "leave the banker out",
        ),
        (["evaluate.py", "match", "--rounds", "0"], "argument --rounds: got '0'; allowed: whole numbers from 1"),
        (["evaluate.py", "match", "--rounds", "many"], "argument --rounds: got 'many'"),
    ],
)
def test_errors_are_one_line(words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_here({"train.py": train.main, "evaluate.py": main}[words[0]], words)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1 and message in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("more", [[], ["--seed", "1", "2"]])
@pytest.mark.parametrize(
    "words", [["--resume"], ["--banker", "nobody"], ["--algo", "q_learning", "--device", "cuda"], ["--set", "rows=0"]]
)
def test_a_refused_training_leaves_no_folder(
    words: list[str], more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_here(train.main, ["train.py", "player", *words, *more]).returncode == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("script", ["train.py", "evaluate.py"])
def test_an_error_of_a_command_is_one_line_and_status_2(script: str) -> None:
    assert "invalid choice: 'dealer'" in refused(script, "dealer")


def test_a_policy_of_another_table_is_refused(tmp_path: Path) -> None:
    run_here(train.main, ["train.py", "player", *TINY, "--steps", "256", "--out", str(tmp_path)])
    done = run_here(main, ["evaluate.py", "match", "--player", str(tmp_path), "--stake-max", "5"])
    assert done.returncode == 2 and "stake_max 1 instead of 5" in done.stderr
