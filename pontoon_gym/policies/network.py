"""A small network as a policy, played with numpy alone: what a deep learner leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.view.columns import Game, layout
from pontoon_gym.errors import BadArgument
from pontoon_gym.policies.metadata import (
    Metadata,
    archive_bytes,
    load_file,
    read_archive,
    read_metadata,
    save_file,
    write_metadata,
)
from pontoon_gym.policies.policy import Mask, Observation, Probabilities, actions_of, role_number

FORMAT = "pontoon-network/4"
MOST_LAYERS = 16
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0.0)}

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]


class NetworkPolicy:
    """A multilayer perceptron from vector observations to action probabilities (see `policy.Policy`).

    Args:
        metadata: whose it is, and what it is made for.
        layers: weights of shape (out, in) and biases of shape (out,), float32, from the observation to the logits.
        activation: between layers, a name of `ACTIVATIONS`.
        greedy: the allowed action of most weight is played; else actions are drawn, by a softmax of the allowed logits.

    Attributes:
        memory: it reads the columns of `memory=True`.

    Raises:
        BadArgument: layers that do not fit each other or the table.
    """

    def __init__(
        self, metadata: Metadata, layers: list[Layer], *, activation: str = "tanh", greedy: bool = False
    ) -> None:
        self.role, self.rules, self.table, self.name, notes = metadata
        self.activation, self.notes, self.layers, self.greedy = activation, dict(notes), layers, bool(greedy)
        if activation not in ACTIVATIONS:
            raise BadArgument("no such activation", got=activation, allowed=", ".join(ACTIVATIONS))
        width = None
        for weights, bias in layers:
            if weights.ndim != 2 or bias.shape != weights.shape[:1] or weights.shape[1] != (width or weights.shape[1]):
                raise BadArgument("layers of a network do not fit", got=(weights.shape, bias.shape))
            if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
                raise BadArgument("weights of a network must be finite")
            width = weights.shape[0]
        if width != actions_of(self.role, self.table):
            raise BadArgument(
                "a network's last layer", got=width, allowed=f"{actions_of(self.role, self.table)} actions"
            )

    @property
    def memory(self) -> bool:
        """Whether it reads which cards were seen since the shuffle (8.3)."""
        return int(self.layers[0][0].shape[1]) != self._columns(memory=False)

    def _columns(self, *, memory: bool) -> int:
        return layout(Game(self.rules, self.table, role_number(self.role), memory)).size

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
        weight = np.exp(logits - logits.max(axis=1, keepdims=True))
        result: Probabilities = weight / weight.sum(axis=1, keepdims=True)
        return result

    def __repr__(self) -> str:
        """Whose it is and how large."""
        sizes = [self.layers[0][0].shape[1], *(bias.shape[0] for _, bias in self.layers)]
        return f"NetworkPolicy({self.name!r}, {self.role}, {self.rules.text()!r}, layers {sizes})"

    def save(self, path: str | Path) -> Path:
        """Write it to a `.npz` file. Raises `BadArgument` for another ending or an unwritable folder."""
        return save_file(path, "network", {".npz": lambda: _npz_bytes(self)})

    @classmethod
    def load(cls, path: str | Path) -> NetworkPolicy:
        """Read a file that `save` wrote. Raises `UnknownPolicy` if there is none, `BadPolicyFile` if it is bad."""
        return load_file(path, "network", lambda data: _build(*read_archive(data)))


def _npz_bytes(network: NetworkPolicy) -> bytes:
    metadata = Metadata(network.role, network.rules, network.table, network.name, network.notes)
    facts = {**write_metadata(metadata, FORMAT), "activation": network.activation, "greedy": network.greedy}
    arrays = {}
    for i, (weights, bias) in enumerate(network.layers):
        arrays[f"weights{i}"], arrays[f"bias{i}"] = weights, bias
    return archive_bytes({**facts, "layers": len(network.layers)}, arrays)


def _build(facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> NetworkPolicy:
    metadata = read_metadata(facts, FORMAT, activation=str, greedy=bool, layers=int)
    count = facts["layers"]
    if not 1 <= count <= MOST_LAYERS:
        raise ValueError(f"it has {count} layers")
    layers = [(_numbers(arrays.pop(f"weights{i}")), _numbers(arrays.pop(f"bias{i}"))) for i in range(count)]
    if arrays:
        raise ValueError(f"it holds more than its layers: {', '.join(arrays)}")
    network = NetworkPolicy(metadata, layers, activation=facts["activation"], greedy=facts["greedy"])
    sizes = [network._columns(memory=memory) for memory in (False, True)]
    if layers[0][0].shape[1] not in sizes:
        raise ValueError(f"its first layer reads {layers[0][0].shape[1]} columns; an observation has {sizes}")
    return network


def _numbers(array: NDArray[Any]) -> NDArray[np.float32]:
    """An array of a file as a layer has it; what is too large becomes infinite. Raises `ValueError`."""
    if array.dtype.kind != "f":
        raise ValueError(f"a layer must hold real numbers: {array.dtype.name}")
    with np.errstate(over="ignore"):
        return array.astype(np.float32)
