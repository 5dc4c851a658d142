"""Runs that are killed, stopped, or asked for again."""

from __future__ import annotations

import csv
import hashlib
import json
import random
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib", reason="the extra `train` is not installed")

import train
from agents.learner import Learner
from agents.training.flags import config_of, parser, words_of
from agents.training.folder import Run
from agents.training.loop import keep
from pontoon_gym.errors import BadArgument
from pontoon_gym.evaluation.judge import judge_of
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import Rules, Table
from tests.commands import run_here
from tests.scale import SCALE
from tests.stderr import said

ROOT = Path(__file__).parents[2]
SMALL = ["--set", "rows=16", "--set", "threads=1", "--set", "steps=16"]
DEEP = [*SMALL, "--set", "hidden=[16]", "--set", "scale_decisions=256"]
RUNS = {
    "q_learning": SMALL,
    "maskable_ppo": [*DEEP, "--set", "batch_size=64"],
    "dqn": [*DEEP, "--set", "batch_size=64", "--set", "buffer_size=4096", "--set", "learning_starts=512"],
}
STEPS = {"q_learning": 20_000, "maskable_ppo": 6_000, "dqn": 100_000}
KILLS = {"q_learning": 3, "maskable_ppo": 1, "dqn": 1}
"""How often each is killed: a process that learns from networks takes seconds to begin. Ten times in long runs."""


def command(algorithm: str, out: Path, *more: str) -> list[str]:
    words = ["train.py", "player", "--algo", algorithm, *RUNS[algorithm], "--steps", str(STEPS[algorithm])]
    words += ["--evaluations", "3", "--quiet", "--checkpoint-seconds", "0", "--out", str(out)]
    return [sys.executable, *words, *more]


def run(words: list[str]) -> subprocess.CompletedProcess[str]:
    """Train in this process."""
    return run_here(train.main, words[1:])


def lines(out: Path) -> int:
    return (out / "log.csv").read_bytes().count(b"\n") if (out / "log.csv").is_file() else 0


def kill_somewhere(words: list[str], out: Path, rng: random.Random) -> bool:
    """Start a run and kill it after some lines of its log; False if it ended before."""
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seen, wanted = lines(out), rng.randint(1, 4)
    while process.poll() is None and lines(out) < seen + wanted:
        time.sleep(0.005)
    time.sleep(rng.random() * 0.05)
    ended = process.poll() is not None
    process.kill()
    process.wait()
    return not ended


def lines_of(out: Path, name: str) -> list[dict[str, str]]:
    """A file's lines but for their seconds."""
    with (out / name).open(newline="") as file:
        return [{key: text for key, text in row.items() if key != "seconds"} for row in csv.DictReader(file)]


@pytest.mark.skipif(SCALE < 1, reason="too slow without the compiler")
@pytest.mark.parametrize("algorithm", RUNS)
def test_a_killed_run_comes_to_the_same_policy(algorithm: str, tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole" / "it", tmp_path / "killed" / "it"
    assert run(command(algorithm, whole)).returncode == 0
    # At random moments: the test must hold for any, and tells them if it fails.
    moments = time.time_ns()
    print(f"moments of {moments}")
    rng = random.Random(moments)
    times, kills = (10 if SCALE > 1 else KILLS[algorithm]), 0
    for n in range(times):
        kills += kill_somewhere(command(algorithm, killed, *(["--resume"] if n else [])), killed, rng)
    assert kills >= min(times, 3)
    done = run(command(algorithm, killed, "--resume"))
    assert done.returncode == 0, done.stderr
    policy = "policy.npz"
    assert (killed / policy).read_bytes() == (whole / policy).read_bytes()
    for name in ("log.csv", "curve.csv"):
        assert lines_of(killed, name) == lines_of(whole, name)


@pytest.mark.parametrize("algorithm", RUNS)
def test_a_finished_run_is_made_longer(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short_updates: None
) -> None:
    """Wherever it was killed, before it was made longer or after, and whether it was at its end, it comes to the same
    policy. What falls along a run stands then where it does in a run of the whole length."""
    out, copies = tmp_path / "whole" / "it", []

    def kept(learner: Learner, kept: Run) -> None:
        keep(learner, kept)
        copies.append(shutil.copytree(kept.path, tmp_path / str(len(copies)) / "it"))  # what a kill would leave

    again = ["train.py", "player", "--resume", "--quiet", "--checkpoint-seconds", "0", "--out"]
    with monkeypatch.context() as copying:
        copying.setattr("agents.training.loop.keep", kept)
        assert run(command(algorithm, out, "--steps", "1024", "--evaluations", "0")).returncode == 0
        before = len(copies)
        done = run([sys.executable, *again, str(out), "--steps", "2048"])
    assert done.returncode == 0 and "done after 2,048 steps" in done.stdout, done.stderr
    config = json.loads((out / "config.json").read_text())
    assert (config["steps"], config["earlier"]) == (2048, [{"steps": 1024, "rounds": None}])
    log = lines_of(out, "log.csv")
    assert [int(line["steps"]) for line in log] == list(range(int(log[0]["steps"]), 2049, int(log[0]["steps"])))
    for copy, more in ((copies[before // 2], ["--steps", "2048"]), (copies[before - 1], ["--steps", "2048"]),
                       (copies[-3], []), (copies[-3], ["--steps", "2048"])):  # fmt: skip
        shutil.copytree(copy, killed := tmp_path / "killed" / "it")
        assert run([sys.executable, *again, str(killed), *more]).returncode == 0
        assert (killed / "policy.npz").read_bytes() == (out / "policy.npz").read_bytes()
        assert lines_of(killed, "log.csv") == log
        shutil.rmtree(killed)


@pytest.mark.parametrize("algorithm", ["q_learning", "maskable_ppo"])
def test_a_run_begins_with_what_another_has_learned(algorithm: str, tmp_path: Path) -> None:
    first, out = tmp_path / "first", tmp_path / "second" / "it"
    assert run(command(algorithm, first, "--steps", "1024", "--evaluations", "0")).returncode == 0
    asked = ["--steps", "512", "--evaluations", "0", "--seed", "5", "--banker", "chase"]
    done = run(command(algorithm, out, *asked, "--start-from", str(first)))
    assert done.returncode == 0 and "done after 512 steps" in done.stdout
    assert f"begins with what {first} has learned from 1,024 steps, and nothing else of it" in done.stderr
    config, policy = Run(out).config(), (out / "policy.npz").read_bytes()
    assert config.start_from == str(first)
    assert config.start_digest == hashlib.sha256((first / "checkpoint.npz").read_bytes()).hexdigest()
    assert config_of(parser().parse_args(words_of(config))).start_digest == config.start_digest
    assert run(command(algorithm, tmp_path / "fresh" / "it", *asked)).returncode == 0
    assert (tmp_path / "fresh" / "it" / "policy.npz").read_bytes() != policy
    # Killed before its first checkpoint, it begins so again.
    (out / "checkpoint.npz").unlink()
    again = [sys.executable, "train.py", "player", "--resume", "--quiet", "--out", str(out)]
    assert run(again).returncode == 0 and (out / "policy.npz").read_bytes() == policy
    assert "leave out --start-from" in run([*again, "--start-from", str(tmp_path)]).stderr
    assert run([*again[:-1], str(first), "--steps", "2048"]).returncode == 0
    assert run(again).returncode == 0
    (out / "checkpoint.npz").unlink()
    assert "what the run starts from has changed since it began" in run(again).stderr


def test_what_a_run_cannot_begin_with(tmp_path: Path) -> None:
    words = ["train.py", "player", "--algo", "q_learning", *SMALL, "--steps", "512", "--evaluations", "0", "--quiet"]
    both, out = tmp_path / "both", tmp_path / "it"
    seeds = run([sys.executable, *words, "--seed", "3", "10", "--out", str(both), "--jobs", "2"])
    assert seeds.returncode == 0, seeds.stderr
    for start, more, message in (
        (both, [], "no learner to start from in this folder: got '"),
        (both, [], "; allowed: seed-3, seed-10"),
        (tmp_path / "none", [], "no learner to start from in this folder"),
        (both / "seed-3", ["--rules", "british"], "it cannot start from a run of another rules: got {"),
        (both / "seed-3", ["--buy-levels", "3"], "it cannot start from a run of another table: got {'buy_levels': 2}"),
        (both / "seed-3", ["--algo", "monte_carlo"], "a learner of another algorithm: got 'q_learning'"),
        (both / "seed-3", ["--seed", "1", "2", "--buy-levels", "3"], "it cannot start from a run of another table"),
    ):
        refused = run([sys.executable, *words, *more, "--start-from", str(start), "--out", str(out)])
        assert refused.returncode == 2 and message in refused.stderr and not out.exists()
    role = run(
        [sys.executable, "train.py", "banker", *words[2:], "--start-from", str(both / "seed-3"), "--out", str(out)]
    )
    assert role.returncode == 2 and "a learner of another role" in role.stderr
    several = ["--seed", "1", "2", "--start-from", str(both / "seed-3"), "--out", str(out)]
    assert run([sys.executable, *words, *several]).returncode == 0
    assert [Run(out / f"seed-{n}").config().start_from for n in (1, 2)] == [str(both / "seed-3")] * 2


def test_what_falls_along_a_run_falls_again_in_a_longer_one(tmp_path: Path) -> None:
    words = ["train.py", "player", "--algo", "q_learning", *SMALL, "--set", "exploration=1", "--set"]
    words += ["exploration_end=0", "--evaluations", "2", "--quiet", "--out", str(tmp_path)]
    assert run([sys.executable, *words, "--steps", "1024"]).returncode == 0
    assert run([sys.executable, *words, "--steps", "2048", "--resume"]).returncode == 0
    shares = [float(line["exploration"]) for line in lines_of(tmp_path, "log.csv")]
    assert shares == [1.0, 0.75, 0.5, 0.25, 0.5, 0.375, 0.25, 0.125]
    if SCALE >= 1:
        assert [line["steps"] for line in lines_of(tmp_path, "curve.csv")] == ["256", "1024", "2048"]
    refused = run([sys.executable, "train.py", "player", "--out", str(tmp_path), "--resume", "--rounds", "5"])
    assert refused.returncode == 2 and "bad --rounds: got 5; allowed: nothing" in refused.stderr
    with pytest.raises(BadArgument, match="one command does not make a run that was made longer"):
        words_of(Run(tmp_path).config())


def test_a_run_beyond_its_budget_is_not_made_longer_by_less(tmp_path: Path) -> None:
    words = ["train.py", "player", "--algo", "q_learning", *SMALL, "--quiet", "--out", str(tmp_path)]
    assert run([sys.executable, *words, "--steps", "257", "--evaluations", "0"]).returncode == 0
    refused = run([sys.executable, *words[:2], *words[-3:], "--resume", "--steps", "512"])
    assert refused.returncode == 2 and "as long already" in refused.stderr and "more than 512 steps" in refused.stderr
    assert json.loads((tmp_path / "config.json").read_text())["steps"] == 257


def test_a_full_disk_ends_no_run(tmp_path: Path) -> None:
    """No file may grow beyond 5,000 bytes, as on a full disk; the policy needs less, the log and TensorBoard more."""
    words = [
        "train.py",
        "player",
        "--algo",
        "maskable_ppo",
        *DEEP[:-4],
        "--set",
        "hidden=[2]",
        "--set",
        "batch_size=64",
    ]
    words += [
        "--set",
        "scale_decisions=256",
        "--steps",
        "30000",
        "--evaluations",
        "0",
        "--quiet",
        "--out",
        str(tmp_path),
    ]
    limited = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))  # noqa: E731
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, preexec_fn=limited)
    assert done.returncode == 0, done.stderr
    assert "log.csv is written when there is room" in done.stderr and "nothing more for TensorBoard" in done.stderr
    assert "Traceback" not in done.stderr and done.stderr.count("\n") < 8
    assert NetworkPolicy.load(tmp_path / "policy.npz").notes["steps"] >= 30_000


def test_a_log_that_could_not_be_written_is_whole_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, opened = Run(tmp_path), Path.open
    run.add_log({"steps": 1})
    with monkeypatch.context() as full:
        full.setattr(Path, "open", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        run.add_log({"steps": 2})
    assert Path.open == opened
    run.add_log({"steps": 3})
    assert (tmp_path / "log.csv").read_text().split() == ["steps", "1"]
    run.flush()
    run.add_log({"steps": 4})
    assert (tmp_path / "log.csv").read_text().split() == ["steps", "1", "2", "3", "4"]


def test_what_a_resumed_run_refuses(tmp_path: Path) -> None:
    out = tmp_path / "it"
    words = ["train.py", "player", "--algo", "q_learning", *SMALL, "--steps", "512", "--evaluations", "0"]
    begun = [sys.executable, *words, "--out", str(out), "--banker", str(tmp_path / "banker.npz")]
    banker = baseline("stand17", "banker", Rules.of("home"), Table())
    banker.save(tmp_path / "banker.npz")
    assert run(begun).returncode == 0
    again = [sys.executable, "train.py", "player", "--out", str(out), "--resume"]
    done = run(again)
    assert done.returncode == 0 and "done after 512 steps" in done.stdout
    for more, message in (
        (["--algo", "dqn"], "a run is resumed as it began, leave out --algo: got 'dqn'"),
        (["--steps", "511"], "a run can only be made longer: bad --steps: got 511; allowed: more than 512"),
        (["--rounds", "9999"], "a run can only be made longer: bad --rounds: got 9999; allowed: nothing"),
        (["--seed", "5"], "leave out --seed"),
        (["--algo", "maskable_ppo"], "leave out --algo"),  # the flag's own default
        (["--evaluations", "20"], "leave out --evaluations"),
        (["--set", "rows=32"], "leave out --set"),
    ):
        refused = run([*again, *more])
        assert refused.returncode == 2 and message in refused.stderr and said(refused.stderr).count("\n") == 1
    other = run([sys.executable, "train.py", "banker", "--out", str(out), "--resume"])
    assert other.returncode == 2 and "leave out the other side" in other.stderr
    baseline("chase", "banker", Rules.of("home"), Table()).save(tmp_path / "banker.npz")
    changed = run(again)
    assert changed.returncode == 2 and "an opponent's file has changed" in changed.stderr
    banker.save(tmp_path / "banker.npz")
    same = ["--algo", "q_learning", "--steps", "512", "--set", "rows=16", "--evaluations", "0", "--rule", "packs=1"]
    assert run([*again, *same, "--checkpoint-seconds", "5"]).returncode == 0
    config = json.loads((out / "config.json").read_text())
    config["versions"]["numpy"] = "1.0"
    (out / "config.json").write_text(json.dumps(config))
    assert "warning: the run goes on, but not as it would have: numpy 1.0 is now" in run(again).stderr
    del config["format"]
    (tmp_path / "older").mkdir()
    (tmp_path / "older" / "config.json").write_text(json.dumps(config))
    older = run([*again[:4], str(tmp_path / "older"), "--resume"])
    assert older.returncode == 2 and "begun by another version: train it anew" in older.stderr
    (out / "checkpoint.npz").write_bytes(b"")
    damaged = run(again)
    assert damaged.returncode == 2 and "not a learner's file" in damaged.stderr
    nothing = run([*again[:-2], str(tmp_path / "none"), "--resume"])
    assert nothing.returncode == 2 and "no run in this folder" in nothing.stderr


@pytest.mark.skipif(SCALE < 1, reason="there is no exact regret without the compiler")
def test_the_regret_told_at_the_end_is_of_the_policy_left(tmp_path: Path) -> None:
    """Also where a run that was stopped has made all its evaluations before."""
    words = [sys.executable, "train.py", "player", "--algo", "q_learning", *SMALL, "--steps", "20000", "--quiet"]
    out = ["--out", str(tmp_path), "--evaluations", "2", "--checkpoint-seconds", "0"]
    rng = random.Random(1)
    while not kill_somewhere([*words, *out], tmp_path, rng):
        pass
    done = run([*words[:3], "--resume", "--out", str(tmp_path)])
    assert done.returncode == 0, done.stderr
    last = lines_of(tmp_path, "curve.csv")[-1]
    assert last["steps"] == lines_of(tmp_path, "log.csv")[-1]["steps"]
    policy = Strategy.load(tmp_path / "policy.npz")
    judge = judge_of(policy.rules, policy.table, baseline("stand17", "banker", policy.rules, policy.table))
    assert judge.regret(policy).total == pytest.approx(float(last["regret"]), abs=1e-12)
    assert f"exact regret {float(last['regret']):.6f}" in done.stdout


def test_tensorboard_finds_a_run(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    words = ["train.py", "player", "--algo", "q_learning", *SMALL, "--steps", "1024", "--evaluations", "1"]
    assert run([sys.executable, *words, "--quiet", "--out", str(tmp_path)]).returncode == 0
    events = accumulator.EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    shown = [(event.step, event.value) for event in events.Scalars("pontoon/reward")]
    logged = [(int(line["steps"]), float(line["reward"])) for line in lines_of(tmp_path, "log.csv")]
    assert shown == [(steps, pytest.approx(reward, abs=1e-6)) for steps, reward in logged]
    assert ("pontoon/regret" in events.Tags()["scalars"]) == (SCALE >= 1)


def test_several_seeds_are_runs_of_their_own(tmp_path: Path) -> None:
    words = [
        sys.executable,
        "train.py",
        "player",
        "--algo",
        "q_learning",
        *SMALL,
        "--steps",
        "512",
        "--evaluations",
        "1",
    ]
    done = run([*words, "--seed", "3", "4", "--out", str(tmp_path / "both"), "--jobs", "2"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("done after 512 steps") == 2
    if SCALE >= 1:
        assert "median exact regret of 2 seeds" in done.stdout
    assert run([*words, "--seed", "4", "--out", str(tmp_path / "one" / "seed-4")]).returncode == 0
    first, second, alone = (tmp_path / name / "policy.npz" for name in ("both/seed-3", "both/seed-4", "one/seed-4"))
    assert second.read_bytes() == alone.read_bytes() != first.read_bytes()
    again = [sys.executable, "train.py", "player", "--out", str(tmp_path / "both"), "--resume", "--quiet", "--seed"]
    done = run([*again, "3", "4", "5"])
    assert done.returncode == 0, done.stderr
    config = json.loads((tmp_path / "both/seed-5/config.json").read_text())
    assert (config["algorithm"], config["seed"]) == ("q_learning", 5)  # as the others began, not as flags are now
    assert (tmp_path / "both/seed-5/policy.npz").is_file()
    longer = run([*again, "3", "4", "6", "--steps", "1024", "--jobs", "2"])
    assert longer.returncode == 0 and longer.stdout.count("done after 1,024 steps") == 3
    for seed in (3, 6):  # who begins now learns as the others did
        config = json.loads((tmp_path / f"both/seed-{seed}/config.json").read_text())
        assert (config["seed"], config["steps"], config["earlier"]) == (seed, 1024, [{"steps": 512, "rounds": None}])
    other = run([*again, "6", "7", "--algo", "dqn"])
    assert other.returncode == 2 and "leave out --algo" in other.stderr
    none = run([*again[:4], str(tmp_path / "none"), *again[5:], "1", "2"])
    assert none.returncode == 2 and "no run in this folder" in none.stderr
    bad = run([*words, "--seed", "3", "3", "--out", str(tmp_path / "twice")])
    assert bad.returncode == 2 and "each seed once" in bad.stderr
    failed = run([*words, "--seed", "3", "4", "--out", str(tmp_path / "bad"), "--banker", "nobody"])
    assert failed.returncode == 2 and "no such banker" in failed.stderr
