"""What every learner has in common: how it is declared, how it learns, and the file from which it goes on."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.hyperparameters import Limit, Limits
from pontoon_gym.envs.vector import PontoonVectorEnv
from pontoon_gym.errors import BadArgument
from pontoon_gym.files import digest_of_arrays, pack_arrays, unpack_arrays, write_bytes
from pontoon_gym.policies.metadata import check_format
from pontoon_gym.policies.policy import Mask, Observation, Policy, Probabilities

FORMAT = "pontoon-learner/6"
MOST_BYTES = 1 << 34
FACTS, DIGEST = "facts", "digest"
"""Members of a learner's file: what is no array, and the digest of all else, which tells that it is whole."""

ROWS = {
    "rows": Limit("rounds played side by side", int, 1, 1 << 20),
    "steps": Limit("decisions of a row between two updates", int, 1, 1 << 16),
}
"""Settings of every learner; the environment has as many rows."""
EXPLORATION = {
    "exploration": Limit("share of choices drawn at random, at first", float, 0, 1),
    "exploration_end": Limit("the same at the end", float, 0, 1),
}
"""Settings of learners that draw some of their choices at random."""


class Horizon(NamedTuple):
    """How long to learn: until so many decisions or so many rounds (episodes), whichever comes first; None is never."""

    steps: int | None = None
    rounds: int | None = None

    def share(self, steps: float, rounds: float) -> float:
        """How much of it is over, 0 to 1 or a little more."""
        return max(steps / self.steps if self.steps else 0.0, rounds / self.rounds if self.rounds else 0.0)


class Plan(NamedTuple):
    """How a learner is asked to learn.

    Attributes:
        algorithm: its name in `algorithms.ALGORITHMS`.
        settings: all that the algorithm's `limits` name.
        seed: of all that the learner draws, and of its rows; those of different seeds have no deal in common.
        device: a torch device; learners of tables know the processor alone.
    """

    algorithm: str
    settings: dict[str, Any]
    seed: int = 0
    device: str = "cpu"


class State(NamedTuple):
    """All that a learner's future depends on: JSON-able facts, and arrays by name."""

    facts: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


Figures = dict[str, float]
"""What a learner tells after an update: steps, rounds, mean reward of its last rounds, and its own figures."""


class Learner(ABC):
    """Learns one side of the game from what an environment shows and pays, and from nothing else.

    A subclass declares an algorithm by its class attributes; a line in `algorithms.ALGORITHMS` gives it a name.

    Args:
        env: rows of rounds, of the observation and the treatment of illegal actions that the class declares, in
            SAME_STEP mode.
        plan: what is asked.

    Attributes:
        observation: class attribute, what the environment shows (`"vector"`, `"situation"`).
        illegal: class attribute, what it does about forbidden actions (`"raise"`, `"penalty"`).
        limits: class attribute, the algorithm's settings by name.
        devices: class attribute, whether it can learn on other devices than the processor.
        growing: class attribute, what the names of arrays of its `state` begin with that are not always there, or not
            always of one length.
        learned: class attribute, what the names of arrays of its `state` begin with that `take_over` takes; none where
            it cannot.
        shape: class attribute, the settings that must be alike where one begins with what another has learned.
        steps, rounds: decisions and finished rounds (episodes) so far.

    Raises:
        BadArgument: a device that it does not know.
    """

    observation: ClassVar[str] = "vector"
    illegal: ClassVar[str] = "raise"
    limits: ClassVar[Limits] = ROWS
    devices: ClassVar[bool] = False
    growing: ClassVar[tuple[str, ...]] = ()
    learned: ClassVar[tuple[str, ...]] = ()
    shape: ClassVar[tuple[str, ...]] = ()

    def __init__(self, env: PontoonVectorEnv, plan: Plan) -> None:
        if plan.device != "cpu" and not self.devices:
            raise BadArgument(f"{plan.algorithm} learns on the processor", got=plan.device, allowed="cpu")
        self.env, self.algorithm, self.settings, self.seed = env, plan.algorithm, plan.settings, plan.seed
        self.steps = self.rounds = 0
        # Row i of an environment's seed s is row i - 1 of s + 1: neighbouring seeds would play the same deals.
        self.rows_seed = int(np.random.SeedSequence(plan.seed).generate_state(1, np.uint64)[0] >> np.uint64(2))

    @classmethod
    def env_threads(cls, settings: Mapping[str, Any]) -> int:
        """Threads of the environment."""
        return 1

    def learn(
        self,
        horizon: Horizon,
        on_update: Callable[[Figures], None] = lambda figures: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Learn until the horizon, in whole updates.

        Args:
            on_update: is called after each update.
            stop: is asked before each update; learning ends where it says yes.
        """
        while (share := horizon.share(self.steps, self.rounds)) < 1.0 and not stop():
            figures = self.update(share)
            on_update({**self.counted(), **figures})

    def counted(self) -> Figures:
        """How far it is."""
        return {"steps": self.steps, "rounds": self.rounds}

    @classmethod
    def update_steps(cls, settings: Mapping[str, Any]) -> int:
        """Decisions of one update."""
        return int(settings["rows"]) * int(settings["steps"])

    @abstractmethod
    def update(self, share: float) -> Figures:
        """Play and learn once more, `share` of the horizon being over. Returns figures to tell."""

    @abstractmethod
    def policy(self, name: str = "learned") -> Policy:
        """What it would play now, greedily, as a policy of its own."""

    @abstractmethod
    def state(self) -> State:
        """All that its future depends on."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Go on from a state of a learner made alike, of which no more is known than the names, types and shapes of its
        arrays. Raises for one that cannot be, before it gets to anything compiled."""

    def take_over(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Begin with what another learner of the same shape has learned: the arrays of its state that `learned` names,
        of which no more is known than their names, types and shapes. For learners that name any.

        Its optimiser, its memory, its rows, its counters and its random generators are not taken over. Raises for what
        cannot be, before it gets to anything compiled.
        """
        raise NotImplementedError

    def probabilities(self, observation: Observation, mask: Mask) -> Probabilities:
        """What it would play now (see `policies.policy.Policy`)."""
        return self.policy().probabilities(observation, mask)

    def save(self, path: str | Path, beside: Mapping[str, Any] | None = None) -> Path:
        """Write all that it needs to go on, whole or not at all. Raises `BadArgument` if it cannot.

        Args:
            beside: JSON-able facts to be kept in the same file; `load` returns them.
        """
        facts, arrays = self.state()
        about = {"format": FORMAT, "steps": self.steps, "rounds": self.rounds, **self._made_as(), "facts": facts}
        about["beside"] = dict(beside or {})
        members = {**arrays, FACTS: np.frombuffer(json.dumps(about).encode(), np.uint8)}
        members[DIGEST] = np.frombuffer(digest_of_arrays(members).encode(), np.uint8)
        write_bytes(Path(path), pack_arrays(members, compressed=False))
        return Path(path)

    def load(self, path: str | Path) -> dict[str, Any]:
        """Go on from where `save` was called; returns what was kept beside.

        Raises:
            BadArgument: no such file, a bad one, or one of a learner made in another way.
        """
        about, arrays = _read(Path(path))
        _check_alike(about, self._made_as(), path)
        try:
            check_arrays(arrays, self.state().arrays, self.growing)
            self.restore(State(about["facts"], arrays))
            self.steps, self.rounds = int(about["steps"]), int(about["rounds"])
            return dict(about["beside"])
        except Exception as error:  # whatever a file that was tampered with makes its readers raise
            raise BadArgument(f"not a learner's file: {error}"[:400], where=str(path)) from error

    def start_from(self, path: str | Path) -> int:
        """Begin with what another learner had learned when `save` was called (`take_over`); returns from how many
        decisions.

        Raises:
            BadArgument: a learner that cannot; no such file, a bad one, or one of another algorithm, game or `shape`.
        """
        if not self.learned:
            raise BadArgument("it cannot begin with what another has learned", got=self.algorithm)
        about, arrays = _read(Path(path))
        mine = {name: value for name, value in self._made_as().items() if name not in ("seed", "settings")}
        _check_alike(about, mine, path)
        settings = about.get("settings")
        shape = {name: self.settings[name] for name in self.shape}
        _check_alike(settings if isinstance(settings, dict) else {}, shape, path)
        try:
            theirs, own = (
                {name: array for name, array in each.items() if name.startswith(self.learned)}
                for each in (arrays, self.state().arrays)
            )
            check_arrays(theirs, own, self.growing)
            self.take_over(theirs)
            return int(about["steps"])
        except Exception as error:  # whatever a file that was tampered with makes its readers raise
            raise BadArgument(f"not a learner's file: {error}"[:400], where=str(path)) from error

    def _made_as(self) -> dict[str, Any]:
        """What a file must have been saved under, to be loaded here."""
        game = self.env.settings
        return {
            "algorithm": self.algorithm,
            "seed": self.seed,
            "settings": self.settings,
            "role": game.role.name.lower(),
            "rules_digest": game.rules.digest(),
            "table_digest": game.table.digest(),
        }

    def notes(self) -> dict[str, Any]:
        """How a policy was learned, to be kept with it."""
        return {"algorithm": self.algorithm, "seed": self.seed, **self.counted(), "settings": self.settings}


def _check_alike(about: Mapping[str, Any], mine: Mapping[str, Any], path: str | Path) -> None:
    """Raise `BadArgument` for a file of a learner that was made otherwise."""
    for name, value in mine.items():
        if about.get(name) != value:
            raise BadArgument(f"a learner of another {name}", got=about.get(name), allowed=str(value), where=str(path))


def _read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A learner's file. Raises `BadArgument`."""
    if not path.is_file():
        raise BadArgument("no learner's file", where=str(path))
    try:
        arrays = unpack_arrays(path, MOST_BYTES)
        about = json.loads(arrays[FACTS].tobytes())
        check_format(about["format"], FORMAT)
        if arrays.pop(DIGEST).tobytes().decode() != digest_of_arrays(arrays):
            raise ValueError("it is not as it was written")
        del arrays[FACTS]
    except Exception as error:  # whatever a damaged file makes the reader raise
        raise BadArgument(f"not a learner's file: {error}"[:400], where=str(path)) from error
    return about, arrays


def check_arrays(
    found: Mapping[str, NDArray[Any]], mine: Mapping[str, NDArray[Any]], growing: tuple[str, ...] = ()
) -> None:
    """Raise `ValueError` unless arrays by name are of the same types and shapes as a learner's own, and finite.

    Args:
        growing: what the names of those begin with that a learner has more of the longer it learns: they may be there
            or not, and be longer.
    """
    for name in mine.keys() - found.keys():
        if not name.startswith(growing):
            raise ValueError(f"it lacks {name}")
    for name, array in found.items():
        if name in mine:
            whole = array.ndim == mine[name].ndim and array.dtype == mine[name].dtype
            first = int(name.startswith(growing))
            if not whole or array.shape[first:] != mine[name].shape[first:]:
                raise ValueError(f"its {name} has another shape or type")
        elif not name.startswith(growing):
            raise ValueError(f"it has {name}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"its {name} is not finite")


def env_state(env: PontoonVectorEnv) -> State:
    """The rows of an environment as part of a learner's state."""
    state = env.get_state()
    return State({"env": state["made_for"]}, {"env_rows": np.frombuffer(state["rows"], np.uint8)})


def restore_env(env: PontoonVectorEnv, state: State) -> None:
    """Put rows back as `env_state` has them. Raises `BadArgument` for those of another environment."""
    env.set_state({"made_for": state.facts["env"], "rows": state.arrays["env_rows"].tobytes()})
