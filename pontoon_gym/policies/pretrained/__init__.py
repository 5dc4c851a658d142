"""The trained policies that are shipped with the package, found by the game.

Of each there is a network NAME.npz, its greedy table NAME-table.npz, and the card NAME.json: how it was made, and what
it is worth. `agents.training.publish` adds them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pontoon_gym.errors import BadPolicyFile, UnknownPolicy
from pontoon_gym.files import digest
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.rules import Rules, Table

WORD = "pretrained"
"""Stands for the shipped policy of a game wherever a policy's name is taken."""
FOLDER = Path(__file__).parent


def files(home: Path = FOLDER) -> list[Path]:
    """Every file that is shipped, by name."""
    return sorted(path for path in home.iterdir() if path.suffix in (".json", ".npz"))


def cards(home: Path = FOLDER) -> Iterator[dict[str, Any]]:
    """Every card, by name."""
    for path in sorted(home.glob("*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


def find(role: str, rules: Rules, table: Table, home: Path = FOLDER) -> NetworkPolicy:
    """The shipped network of a side, made for these rules and this table. Raises `UnknownPolicy` if there is none."""
    games = []
    for card in cards(home):
        if (card["role"], card["rules_digest"], card["table"]) == (role, rules.digest(), table.as_dict()):
            path = home / f"{card['name']}.npz"
            if digest(path.read_bytes()) != card["files"][path.name]:
                raise BadPolicyFile("a shipped policy that is not its card's", where=str(path))
            return NetworkPolicy.load(path)
        if card["role"] == role:
            games.append(card["rules"])
    asked = f"{rules.text()}, {table.seats} seats, stakes {table.stake_min}-{table.stake_max}"
    raise UnknownPolicy(
        f"no {role} was trained for this game", got=asked, allowed=", ".join(games) + " at its usual table"
    )
