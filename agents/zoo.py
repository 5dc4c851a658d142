"""The trained policies that the project ships, in `agents/pretrained`, found by the game (`publish` adds them).

Of each there is a network NAME.safetensors, its greedy table NAME.npz, and the card NAME.json: how it was made, and
what it is worth.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agents.network import SUFFIX, NetworkPolicy
from pontoon_gym.errors import BadPolicyFile, UnknownPolicy
from pontoon_gym.rules import Rules, Table

PRETRAINED = "pretrained"
"""The word that stands for a shipped policy."""
FOLDER = Path(__file__).parent / PRETRAINED


def cards(home: Path = FOLDER) -> Iterator[dict[str, Any]]:
    """Every card, by name."""
    for path in sorted(home.glob("*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


def pretrained(role: str, rules: Rules, table: Table, home: Path = FOLDER) -> NetworkPolicy:
    """The shipped network of a side, made for these rules and this table. Raises `UnknownPolicy` if there is none."""
    games = []
    for card in cards(home):
        if (card["role"], card["rules_digest"], card["table"]) == (role, rules.digest(), table.as_dict()):
            path = home / f"{card['name']}{SUFFIX}"
            if hashlib.sha256(path.read_bytes()).hexdigest() != card["files"][path.name]:
                raise BadPolicyFile("a shipped policy that is not its card's", where=str(path))
            return NetworkPolicy.load(path)
        if card["role"] == role:
            games.append(card["rules"])
    asked = f"{rules.text()}, {table.seats} seats, stakes {table.stake_min}-{table.stake_max}"
    raise UnknownPolicy(
        f"no {role} was trained for this game", got=asked, allowed=", ".join(games) + " at its usual table"
    )
