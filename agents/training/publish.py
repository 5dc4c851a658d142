"""Add a run's policy to those that the project ships: `python -m agents.training.publish RUN NAME`."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

from agents.training.config import Config
from agents.training.flags import words_of
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


def add(source: Path, name: str, home: Path = FOLDER, *, replace: bool = False) -> dict[str, Any]:
    """Ship the network of a run folder, one for each side of a game. Returns its card.

    Args:
        replace: whether it may take the place of the one that has its name.

    Raises:
        BadArgument: no network, a game whose policies have no exact value, or one that has a policy already.
    """
    policy, config = load(source), Run(source).config()
    if not isinstance(policy, NetworkPolicy):
        raise BadArgument("a network is shipped, its table goes with it", got=str(source))
    if not NAME.fullmatch(name):
        raise BadArgument("bad name of a policy", got=name, allowed="small letters, digits and -")
    if config.horizon.share(policy.notes["steps"], policy.notes["rounds"]) < 1.0:
        raise BadArgument("the run has not come to its end", got=policy.notes["steps"], where=str(source))
    config.changes()
    for card in cards(home):
        game = (card["role"], card["rules_digest"], card["table"])
        if card["name"] == name and not replace:
            raise BadArgument("a policy of this name is shipped: --replace puts this one in its place", got=name)
        if card["name"] != name and game == (config.role, config.rules.digest(), config.table.as_dict()):
            raise BadArgument("another policy is shipped for this game", got=name, allowed=card["name"])
    return _ship(policy, config, name, home)


def _ship(policy: NetworkPolicy, config: Config, name: str, home: Path) -> dict[str, Any]:
    """Write the policy, its table and its card. Returns the card."""
    task, made_by = config.task(), _made_by(config)
    judge = judge_of(task.rules, task.table, task.opponent)
    table = judge.tabulate(policy)
    value = judge.value(table)
    policy.name = table.name = name
    files = policy.save(home / f"{name}.npz"), table.save(home / f"{name}-table.npz")
    worth = {
        "opponent": name_of(task.opponent),
        "value": value,
        "network_value": judge.value(policy),
        "best": judge.best,
        "regret": judge.best - value,
    }
    card = {"name": name, **made_by, **worth, **{unit: policy.notes[unit] for unit in ("steps", "rounds")}}
    card["files"] = {path.name: digest_of(str(path)) for path in files}
    write_bytes(home / f"{name}.json", (json.dumps(card, indent=1) + "\n").encode())
    return card


def _made_by(config: Config) -> dict[str, Any]:
    """What a card says of the run."""
    return {
        "role": config.role,
        "rules": config.rules.text(),
        "rules_digest": config.rules.digest(),
        "table": config.table.as_dict(),
        "command": shlex.join(["python", "train.py", *words_of(config)]),
        "algorithm": config.algorithm,
        "seed": config.seed,
        "date": config.started,
        "versions": config.versions,
    }


def main(argv: list[str]) -> int:
    """Add a policy and say what it is worth."""
    flags = Parser(prog="python -m agents.training.publish", description=__doc__)
    flags.add_argument("run", help="a run folder")
    flags.add_argument("name", help="of its files")
    flags.add_argument("--replace", action="store_true", help="put it in the place of the one that has its name")
    args = flags.parse_args(argv)
    card = add(Path(args.run), args.name, writable_folder(str(FOLDER)), replace=args.replace)
    print(f"{args.name}: exact value {card['value']:+.9f} against {card['opponent']}, regret {card['regret']:.6f}")
    return 0


if __name__ == "__main__":
    run(main)
