"""The trap of buying on 11, seen from inside: `python -m benchmarks.learning.trap [--json FILE]`.

MaskablePPO learns the main task as shipped and with the settings changed that matter for it (`VARIANTS`). Along each
run it is asked how likely it is to make the costlier buy on 5 and 6; at the end its exact regret is found.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.algorithms import Task, make_learner, settings_of
from agents.learner import Horizon
from benchmarks.speed.machine import facts
from pontoon_gym import Rules, Table
from pontoon_gym.cli.console import Parser, run
from pontoon_gym.cli.flags import whole
from pontoon_gym.envs.player import PlayerEnv
from pontoon_gym.evaluation.judge import judge_of
from pontoon_gym.files import writable_folder
from pontoon_gym.names import action_name
from pontoon_gym.policies.network import NetworkPolicy

VARIANTS: dict[str, dict[str, str]] = {
    "as shipped": {},
    "small": {"entropy": "0.02"},
    "constant": {"entropy_power": "0"},
    "not scaled": {"scale_decisions": "0"},
    "split hands seen": {"blind": "[]"},
    "gains made smaller": {"normalize_advantage": "true", "max_grad_norm": "0.5"},
}
"""Changes of the shipped settings."""
LOOKS = 40
"""How often along a run the chance is asked for."""
SEED = 100


def on_eleven() -> tuple[NDArray[np.float32], NDArray[np.bool_], int]:
    """What a player with 5 and 6 sees, what is allowed, and the number of the costlier buy."""
    asked: dict[str, Any] = Table().as_dict()
    env = PlayerEnv(rules="home", banker="stand17", **asked)
    _, infos = env.reset(seed=1, options={"cards": "5S KD 6D 8H"})
    seen, *_ = env.step(int(infos["action_mask"].argmax()))
    names = [action_name(action, Table().buy_levels) for action in range(Table().actions)]
    return seen[None], env.action_masks()[None], names.index("B1")


def follow(name: str, rounds: int) -> dict[str, Any]:
    """One run: the chance of buying along it, and its regret at the end."""
    rules, table = Rules.of("home"), Table()
    task = Task.of("player", rules, table, "stand17")
    learner = make_learner("maskable_ppo", task, settings_of("maskable_ppo", "player", None, VARIANTS[name]), seed=SEED)
    seen, mask, buy = on_eleven()
    shares, chances = list[float](), list[float]()
    horizon = Horizon(rounds=rounds)

    def on_update(figures: dict[str, float]) -> None:
        share = horizon.share(learner.steps, learner.rounds)
        if share * LOOKS >= len(shares):
            policy = learner.policy()
            assert isinstance(policy, NetworkPolicy)
            policy.greedy = False
            shares.append(round(share, 4))
            chances.append(float(f"{policy.probabilities(seen, mask)[0, buy]:.4g}"))

    learner.learn(horizon, on_update)
    regret = judge_of(rules, table, task.banker).regret(learner.policy()).total
    return {"name": name, "changes": VARIANTS[name], "shares": shares, "chances": chances, "regret": regret}


def main(argv: list[str]) -> int:
    """Follow each variant and report."""
    flags = Parser(prog="python -m benchmarks.learning.trap", description=__doc__)
    flags.add_argument("--rounds", type=whole(1, 10**9), default=4_000_000)
    flags.add_argument("--jobs", type=whole(1, 64), default=1)
    flags.add_argument("--json", type=Path, metavar="FILE", help="write the report")
    args = flags.parse_args(argv)
    if args.json:
        writable_folder(str(args.json.parent), args.json.name)
    with ProcessPoolExecutor(args.jobs) as pool:
        runs = list(pool.map(follow, VARIANTS, [args.rounds] * len(VARIANTS)))
    about = facts(["python", "-m", "benchmarks.learning.trap", *argv])
    report = json.dumps({**about, "rounds": args.rounds, "seed": SEED, "runs": runs}, indent=1) + "\n"
    if args.json:
        args.json.write_text(report, encoding="utf-8")
    else:
        sys.stdout.write(report)
    return 0


if __name__ == "__main__":
    run(main)
