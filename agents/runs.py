"""A run's folder: what was asked, how it went, what came out.

`config.json` (the command, rules, table, settings, versions), `log.csv` (one line an update), `policy.safetensors`.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from agents.network import POLICY_FILE, NetworkPolicy
from pontoon_gym.rules import Rules, Table
from pontoon_gym.stamps import write_bytes

CONFIG, LOG = "config.json", "log.csv"


class Run:
    """The folder of one training run.

    Args:
        path: a folder that can be written; an earlier run's files there are replaced, its policy set aside.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log: list[dict[str, float]] = []

    def write_config(self, rules: Rules, table: Table, asked: dict[str, Any]) -> None:
        """Write down what the run depends on; an earlier run's policy is set aside, so that the folder does not lie."""
        earlier = self.path / POLICY_FILE
        if earlier.is_file():
            earlier.replace(earlier.with_name(f"previous-{POLICY_FILE}"))
        facts = {
            **asked,
            "rules": rules.text(),
            "rules_fields": rules.as_dict(),
            "rules_digest": rules.digest(),
            "table": table.as_dict(),
            "table_digest": table.digest(),
        }
        write_bytes(self.path / CONFIG, (json.dumps(facts, indent=1) + "\n").encode())
        (self.path / LOG).write_text("")

    def log(self, facts: dict[str, float]) -> None:
        """Add a line to the log."""
        with (self.path / LOG).open("a", newline="") as file:
            writer = csv.DictWriter(file, list(facts))
            if not self._log:
                writer.writeheader()
            writer.writerow(facts)
        self._log.append(facts)

    def save(self, policy: NetworkPolicy) -> Path:
        """Keep what was learned."""
        return policy.save(self.path / POLICY_FILE)
