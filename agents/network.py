"""What a deep learner leaves behind: a small network as a policy, saved as safetensors, played with numpy alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.errors import BadArgument, BadPolicyFile, MissingExtra, UnknownPolicy
from pontoon_gym.rules import Rules, Table
from pontoon_gym.stamps import Stamp, read_stamp, write_bytes, write_stamp
from pontoon_gym.strategy import Mask, Observation, Probabilities, actions_of

FORMAT = "pontoon-network/2"
SUFFIX = ".safetensors"
POLICY_FILE = "policy" + SUFFIX
"""What a run folder keeps its policy in."""
MOST_BYTES = 1 << 28
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0.0)}

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]


class NetworkPolicy:
    """A multilayer perceptron from vector observations to action probabilities (see `strategy.Policy`).

    Args:
        layers: weights of shape (out, in) and biases of shape (out,), float32, from the observation to the logits.
        activation: between layers, a name of `ACTIVATIONS`.
        greedy: the allowed action of most weight is played; else actions are drawn, by a softmax of the allowed logits.
        notes: JSON-able facts to keep with it: how it was trained.

    Raises:
        BadArgument: layers that do not fit each other or the table.
    """

    def __init__(
        self,
        role: str,
        rules: Rules,
        table: Table,
        layers: list[Layer],
        *,
        activation: str = "tanh",
        greedy: bool = False,
        name: str = "network",
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        self.role, self.rules, self.table, self.name = role, rules, table, name
        self.activation, self.notes, self.layers, self.greedy = activation, dict(notes or {}), layers, bool(greedy)
        if activation not in ACTIVATIONS:
            raise BadArgument("no such activation", got=activation, allowed=", ".join(ACTIVATIONS))
        width = None
        for weights, bias in layers:
            if weights.ndim != 2 or bias.shape != weights.shape[:1] or weights.shape[1] != (width or weights.shape[1]):
                raise BadArgument("layers of a network do not fit", got=(weights.shape, bias.shape))
            if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
                raise BadArgument("weights of a network must be finite")
            width = weights.shape[0]
        if width != actions_of(role, table):
            raise BadArgument("a network's last layer", got=width, allowed=f"{actions_of(role, table)} actions")

    def probabilities(self, observation: Observation, mask: Mask, /) -> Probabilities:
        """See `Policy.probabilities`."""
        hidden = np.asarray(observation, np.float32)
        if hidden.ndim != 2 or hidden.shape[1] != self.layers[0][0].shape[1]:
            raise BadArgument(
                f"observations of {self.name}", got=hidden.shape, allowed=f"(n, {self.layers[0][0].shape[1]})"
            )
        actions = self.layers[-1][0].shape[0]
        if np.shape(mask) != (len(hidden), actions) or not np.any(mask, axis=1).all():
            raise BadArgument(
                f"masks of {self.name}", got=np.shape(mask), allowed=f"({len(hidden)}, {actions}), one allowed in each"
            )
        for weights, bias in self.layers[:-1]:
            hidden = ACTIVATIONS[self.activation](hidden @ weights.T + bias)
        weights, bias = self.layers[-1]
        logits = np.where(mask, (hidden @ weights.T + bias).astype(np.float64), -np.inf)
        if self.greedy:
            chosen: Probabilities = np.eye(actions)[logits.argmax(axis=1)]
            return chosen
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        result: Probabilities = chances / chances.sum(axis=1, keepdims=True)
        return result

    def __repr__(self) -> str:
        """Whose it is and how large."""
        sizes = [self.layers[0][0].shape[1], *(bias.shape[0] for _, bias in self.layers)]
        return f"NetworkPolicy({self.name!r}, {self.role}, {self.rules.text()!r}, layers {sizes})"

    def save(self, path: str | Path) -> Path:
        """Write it to a `.safetensors` file. Raises `BadArgument` for another ending or an unwritable folder."""
        target = Path(path)
        if target.suffix != SUFFIX:
            raise BadArgument(f"a network is saved as {SUFFIX}", got=str(path))
        stamp = Stamp(self.name, self.role, self.rules, self.table, self.notes)
        facts = {**write_stamp(stamp, FORMAT), "activation": self.activation, "greedy": self.greedy}
        facts["layers"] = len(self.layers)
        tensors = {}
        for i, (weights, bias) in enumerate(self.layers):
            tensors[f"{i}.weight"], tensors[f"{i}.bias"] = np.ascontiguousarray(weights), np.ascontiguousarray(bias)
        write_bytes(target, _safetensors().save(tensors, {"pontoon": json.dumps(facts)}))
        return target

    @classmethod
    def load(cls, path: str | Path) -> NetworkPolicy:
        """Read a file that `save` wrote, or a run folder's.

        Raises `UnknownPolicy` if there is none, `BadPolicyFile` if it is bad.
        """
        source = Path(path)
        if source.is_dir():
            source = source / POLICY_FILE
        if not source.is_file():
            raise UnknownPolicy("no network file, or run folder with one", got=str(path))
        try:
            if source.stat().st_size > MOST_BYTES:
                raise ValueError("it is too large")
            data = source.read_bytes()
            return _build(_facts(data), _safetensors().load(data))
        except MissingExtra:
            raise
        except Exception as error:  # whatever a hostile file makes the reader raise
            raise BadPolicyFile(f"not a network file: {error}", where=str(path)) from error


def _safetensors() -> Any:
    try:
        import safetensors.numpy
    except ImportError as error:
        raise MissingExtra("saved networks need safetensors: pip install -e '.[train]'") from error
    return safetensors.numpy


def _facts(data: bytes) -> dict[str, Any]:
    """What a safetensors file says of itself: eight bytes of length, then a JSON header."""
    length = int.from_bytes(data[:8], "little")
    facts: dict[str, Any] = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["pontoon"])
    return facts


def _build(facts: dict[str, Any], tensors: dict[str, NDArray[Any]]) -> NetworkPolicy:
    stamp, count = read_stamp(facts, FORMAT), int(facts["layers"])
    if not 1 <= count <= 16:
        raise ValueError(f"it has {count} layers")
    layers = [
        (tensors[f"{i}.weight"].astype(np.float32), tensors[f"{i}.bias"].astype(np.float32)) for i in range(count)
    ]
    return NetworkPolicy(
        stamp.role,
        stamp.rules,
        stamp.table,
        layers,
        activation=facts["activation"],
        greedy=facts["greedy"] is True,
        name=stamp.name,
        notes=stamp.notes,
    )
