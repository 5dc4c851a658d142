"""Which policy a name, a path or an object stands for: environments, commands, learners and the solver ask here.

A name is that of a baseline, or `pretrained`, the shipped policy of the game. A path is a strategy's or a network's
file, a chart's, or the folder of a training run, which keeps its policy in `POLICY_FILE`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pontoon_gym.errors import BadArgument, BadPolicyFile, UnknownPolicy, checked_path
from pontoon_gym.files import digest, is_file, is_folder
from pontoon_gym.policies import network, pretrained
from pontoon_gym.policies.baselines import NAMES, baseline
from pontoon_gym.policies.chart import Chart, is_chart
from pontoon_gym.policies.metadata import form_of, load_file, read_archive, suffix_of
from pontoon_gym.policies.network import NetworkPolicy
from pontoon_gym.policies.policy import Policy, check_made_for, role_number
from pontoon_gym.policies.tabular import Strategy
from pontoon_gym.rules import Rules, Table

PolicySource = str | Path | Policy
"""A baseline's name, `pretrained`, a file or run folder, or a policy."""

POLICY_FILE = "policy.npz"
"""What a run's folder keeps its policy in."""
_OLD_SUFFIX = ".safetensors"
"""What earlier versions kept networks in."""


def resolve(source: PolicySource, role: str, rules: Rules, table: Table) -> Policy:
    """The policy that a name, a path or an object stands for, made for these rules and this table.

    Raises:
        UnknownPolicy: no such name, and no such file.
        BadPolicyFile, StaleStrategy: a bad file; a policy of other rules, another table or the other side.
        BadArgument: something else.
    """
    policy = opened(source, role)
    if isinstance(policy, str):
        is_shipped = policy == pretrained.WORD
        return pretrained.find(role, rules, table) if is_shipped else baseline(policy, role, rules, table)
    check_made_for(policy, role, rules, table, str(source) if isinstance(source, str | Path) else "")
    return policy


def opened(source: PolicySource, role: str) -> Policy | str:
    """What a source stands for whatever the game: the policy that it is or that its file holds, or a name.

    Raises `UnknownPolicy`, `BadPolicyFile` and `BadArgument` as `resolve`.
    """
    if isinstance(source, str) and source in (*NAMES[role_number(role)], pretrained.WORD):
        return source
    policy: Any = _load(source, role) if isinstance(source, str | Path) else source
    if isinstance(policy, type):
        raise BadArgument(f"a {role} must be a policy, and this is a class: make one of it", got=source)
    if not isinstance(policy, Policy) or not callable(policy.probabilities):
        raise BadArgument(f"a {role} must be a name, a file or a policy", got=source)
    return policy


def load(path: str | Path) -> Strategy | NetworkPolicy:
    """The policy of a strategy's or a network's file, or of a run's folder, whatever it was made for.

    Raises `UnknownPolicy` if there is none, `BadPolicyFile` if it is bad.
    """
    source = _file_in(checked_path(path))
    if suffix_of(source) == ".json":
        return Strategy.load(source)
    facts, _ = load_file(source, "policy", read_archive)
    is_network = form_of(facts).partition("/")[0] == network.FORMAT.partition("/")[0]
    return (NetworkPolicy if is_network else Strategy).load(source)


def digest_of(source: str) -> str:
    """What tells a policy by name or path from another of the same name: the SHA-256 of its file, of all shipped
    policies for `pretrained`; empty for a baseline's name, also where a folder is called so."""
    if any(source in names for names in NAMES.values()):
        return ""
    if source == pretrained.WORD:
        return digest("".join(path.name + digest(path.read_bytes()) for path in pretrained.files()).encode())
    path = _file_in(Path(source))
    return digest(path.read_bytes()) if is_file(path) else ""


def _load(source: str | Path, role: str) -> Policy:
    """The policy of a path. Raises `UnknownPolicy`, `BadPolicyFile`."""
    if not is_file(source) and not is_folder(source):
        names = ", ".join((*NAMES[role_number(role)], pretrained.WORD))
        raise UnknownPolicy(f"no such {role}", got=str(source), allowed=f"{names}, a policy's file, a chart or a run")
    return Chart.load(source).policy() if is_file(source) and is_chart(source) else load(source)


def _file_in(source: Path) -> Path:
    """The policy's file that a path names: itself, or the one in a run's folder. Raises `BadPolicyFile` for one of an
    earlier version."""
    found = source / POLICY_FILE if is_folder(source) else source
    old = found.with_suffix(_OLD_SUFFIX)
    if suffix_of(found) == _OLD_SUFFIX or (not is_file(found) and is_file(old)):
        raise BadPolicyFile(
            "an earlier version saved it: train it anew, networks are .npz files now", where=str(source)
        )
    return found
