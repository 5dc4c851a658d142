"""An algorithm is declared once: a class, its settings, a line; and who is not asked for is not loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import train
from agents.algorithms import ALGORITHMS, learner_class, settings_of
from agents.hyperparameters import Limit, Limits
from agents.learner import ROWS, Figures, Learner, Plan, State, env_state, restore_env
from agents.training.folder import Run
from pontoon_gym.envs.vector import PontoonVectorEnv
from pontoon_gym.errors import BadArgument
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.policies.resolve import load

ROOT = Path(__file__).parents[2]


class BanditLearner(Learner):
    """Learns what each action pays on average, wherever it is: a toy."""

    limits: ClassVar[Limits] = {**ROWS, "optimism": Limit("what an action is held to pay at first", float, -10, 10)}

    def __init__(self, env: PontoonVectorEnv, plan: Plan) -> None:
        super().__init__(env, plan)
        self.rng = np.random.default_rng(plan.seed)
        self.sums = np.full(env.settings.actions, self.settings["optimism"], np.float64)
        self.counts = np.ones(env.settings.actions)
        env.reset(seed=self.rows_seed)

    def update(self, share: float) -> Figures:
        paid = ends = 0.0
        for _ in range(self.settings["steps"]):
            masks = self.env.action_masks()
            actions = (masks * self.rng.random(masks.shape)).argmax(axis=1)
            _, rewards, terminated, _, _ = self.env.step(actions)
            np.add.at(self.sums, actions, rewards)
            np.add.at(self.counts, actions, 1)
            paid, ends = paid + rewards.sum(), ends + terminated.sum()
        self.steps += self.settings["steps"] * self.env.num_envs
        self.rounds += int(ends)
        return {"reward": float(paid / max(ends, 1))}

    def policy(self, name: str = "learned") -> NetworkPolicy:
        game = self.env.settings
        metadata = Metadata(game.role.name.lower(), game.rules, game.table, name, self.notes())
        weights = np.zeros((game.actions, self.env.layout.size), np.float32)
        return NetworkPolicy(metadata, [(weights, (self.sums / self.counts).astype(np.float32))], greedy=True)

    def state(self) -> State:
        facts, arrays = env_state(self.env)
        arrays |= {"sums": self.sums, "counts": self.counts}
        return State({**facts, "rng": self.rng.bit_generator.state}, arrays)

    def restore(self, state: State) -> None:
        restore_env(self.env, state)
        self.sums, self.counts = state.arrays["sums"].copy(), state.arrays["counts"].copy()
        self.rng.bit_generator.state = state.facts["rng"]


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command that trains the toy, registered by one line, with a settings file of its own."""
    monkeypatch.setitem(ALGORITHMS, "bandit", f"{__name__}:BanditLearner")
    (tmp_path / "bandit.toml").write_text("[player]\nrows = 16\nsteps = 8\noptimism = 1.0\n")
    settings = ["--settings", str(tmp_path / "bandit.toml")]
    return ["player", "--algo", "bandit", *settings, "--steps", "1000", "--quiet", "--evaluations", "2"]


def biases(folder: Path) -> Any:
    policy = load(folder)
    assert isinstance(policy, NetworkPolicy)
    return policy.layers[0][1]


def test_a_new_learner_is_a_class_a_line_and_a_settings_file(words: list[str], tmp_path: Path) -> None:
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    assert train.main([*words, "--out", str(whole)]) == 0
    config = Run(whole).config()
    assert config.algorithm == "bandit"
    assert config.settings == {"rows": 16, "steps": 8, "optimism": 1.0}
    assert load(whole).notes["steps"] == 1024
    # Half of it, and on from there: the learner's own figures are in the log, and its file brings it back.
    halves.mkdir()
    Run(halves).begin(config)
    learner = config.learner(config.task())
    learner.learn(config.horizon, stop=lambda: learner.steps >= 512)
    learner.save(halves / "checkpoint.npz", {"lines": 0, "points": 0})
    assert train.main(["player", "--resume", "--quiet", "--out", str(halves)]) == 0
    assert len(Run.of(halves).log) == 4 and len(Run.of(whole).log) == 8
    assert (biases(halves) == biases(whole)).all()


def test_its_settings_are_checked_like_any_other_s(words: list[str], tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match=r"bad setting optimism: got '?11.*what an action is held to pay at first"):
        train.main([*words, "--set", "optimism=11", "--out", str(tmp_path / "it")])
    with pytest.raises(BadArgument, match="bandit learns on the processor: got 'cuda'"):
        train.main([*words, "--device", "cuda", "--out", str(tmp_path / "it")])
    with pytest.raises(BadArgument, match="no settings for a player"):
        settings_of("bandit", "player", None, {})


def test_it_cannot_begin_with_what_another_has_learned_unless_it_says_how(words: list[str], tmp_path: Path) -> None:
    assert train.main([*words, "--out", str(tmp_path / "first")]) == 0
    with pytest.raises(BadArgument, match=r"^it cannot begin with what another has learned: got 'bandit'"):
        train.main([*words, "--start-from", str(tmp_path / "first"), "--out", str(tmp_path / "it")])
    assert not (tmp_path / "it").exists()


def test_no_such_algorithm() -> None:
    with pytest.raises(BadArgument, match="no such algorithm: got 'sarsa'; allowed: monte_carlo, q_learning"):
        learner_class("sarsa")


@pytest.mark.parametrize(
    "code",
    [
        "train.main(['--help'])",
        "train.main(['player', '--algo', 'q_learning', '--steps', '64', '--quiet', '--out', OUT, *SMALL])",
    ],
)
def test_torch_is_loaded_for_deep_learners_only(code: str, tmp_path: Path) -> None:
    lines = [
        "import sys, train",
        f"OUT, SMALL = {str(tmp_path)!r}, ['--set', 'rows=16', '--set', 'steps=4']",
        f"try:\n    {code}\nexcept SystemExit:\n    pass",
        "assert not {'torch', 'stable_baselines3', 'sb3_contrib'} & set(sys.modules)",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
