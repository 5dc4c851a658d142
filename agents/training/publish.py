"""Add a run's policy to those that the project ships: `python -m agents.training.publish RUN NAME`."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

from agents.algorithms import Task
from agents.training.folder import Run
from pontoon_gym.cli.console import Parser, run
from pontoon_gym.errors import BadArgument
from pontoon_gym.evaluation.judge import judge_of
from pontoon_gym.files import writable_folder, write_bytes
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.policies.policy import name_of
from pontoon_gym.policies.pretrained import FOLDER, cards
from pontoon_gym.policies.resolve import digest_of, load

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def add(source: Path, name: str, home: Path = FOLDER) -> dict[str, Any]:
    """Ship the network of a run folder. Returns its card.

    Raises:
        BadArgument: no network, or a game whose policies have no exact value.
    """
    policy, facts = load(source), Run(source).config()
    if not isinstance(policy, NetworkPolicy):
        raise BadArgument("a network is shipped, its table goes with it", got=str(source))
    if not NAME.fullmatch(name):
        raise BadArgument("bad name of a policy", got=name, allowed="small letters, digits and -")
    if not any(facts["budget"][unit] and policy.notes[unit] >= facts["budget"][unit] for unit in ("steps", "rounds")):
        raise BadArgument("the run has not come to its end", got=policy.notes["steps"], where=str(source))
    Run(source).changes({side: digest_of(side) for side in facts["opponents"]})
    for card in cards(home):
        game = (card["role"], card["rules_digest"], card["table"])
        if card["name"] != name and game == (policy.role, policy.rules.digest(), policy.table.as_dict()):
            raise BadArgument("another policy is shipped for this game", got=name, allowed=card["name"])
    task = Task.of(facts["role"], policy.rules, policy.table, facts["banker"], facts["players"])
    judge = judge_of(task.rules, task.table, task.opponent)
    table = judge.tabulate(policy)
    value = judge.value(table)
    policy.name = table.name = name
    network, rows = policy.save(home / f"{name}.npz"), table.save(home / f"{name}-table.npz")
    card = {
        "name": name,
        "role": task.role,
        "rules": task.rules.text(),
        "rules_digest": task.rules.digest(),
        "table": task.table.as_dict(),
        "opponent": name_of(task.opponent),
        "command": shlex.join(["python", *facts["command"]]),
        "algorithm": facts["algorithm"],
        "seed": facts["seed"],
        "steps": policy.notes["steps"],
        "rounds": policy.notes["rounds"],
        "value": value,
        "network_value": judge.value(policy),
        "best": judge.best,
        "regret": judge.best - value,
        "date": facts["started"],
        "versions": facts["versions"],
        "files": {path.name: digest_of(str(path)) for path in (network, rows)},
    }
    write_bytes(home / f"{name}.json", (json.dumps(card, indent=1) + "\n").encode())
    return card


def main(argv: list[str]) -> int:
    """Add a policy and say what it is worth."""
    flags = Parser(prog="python -m agents.training.publish", description=__doc__)
    flags.add_argument("run", help="a run folder")
    flags.add_argument("name", help="of its files")
    args = flags.parse_args(argv)
    card = add(Path(args.run), args.name, writable_folder(str(FOLDER)))
    print(f"{args.name}: exact value {card['value']:+.9f} against {card['opponent']}, regret {card['regret']:.6f}")
    return 0


if __name__ == "__main__":
    run(main)
