"""What every learner has in common: learning update by update, and being kept in a file from which it goes on."""

from __future__ import annotations

import io
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.envs.vector import PontoonVectorEnv
from pontoon_gym.errors import BadArgument
from pontoon_gym.files import write_bytes
from pontoon_gym.policies.policy import Mask, Observation, Policy, Probabilities

FORMAT = "pontoon-learner/2"
MOST_BYTES = 1 << 34
FACTS = "facts"
"""The member of a learner's file that holds what is no array."""


class Horizon(NamedTuple):
    """How long to learn: until so many decisions or so many rounds (episodes), whichever comes first; None is never."""

    steps: int | None = None
    rounds: int | None = None

    def share(self, steps: int, rounds: int) -> float:
        """How much of it is over, 0 to 1 or a little more."""
        return max(steps / self.steps if self.steps else 0.0, rounds / self.rounds if self.rounds else 0.0)


class State(NamedTuple):
    """All that a learner's future depends on: JSON-able facts, and arrays by name."""

    facts: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


Told = dict[str, float]
"""What a learner tells after an update: steps, rounds, mean reward of its last rounds, and its own figures."""


class Learner(ABC):
    """Learns one side of the game from what an environment shows and pays, and from nothing else.

    Args:
        env: rows of rounds, of the observation and the treatment of illegal actions that the algorithm asks for
            (`algorithms.ALGORITHMS`), in SAME_STEP mode.
        settings: the algorithm's for this role (`agents/settings`).
        seed: of all that the learner draws, and of its rows; those of different seeds have no deal in common.

    Attributes:
        steps, rounds: decisions and finished rounds (episodes) so far.
    """

    algorithm: ClassVar[str]

    def __init__(self, env: PontoonVectorEnv, settings: dict[str, Any], *, seed: int = 0) -> None:
        self.env, self.settings, self.seed = env, settings, seed
        self.steps = self.rounds = 0
        # Row i of an environment's seed s is row i - 1 of s + 1: neighbouring seeds would play the same deals.
        self.rows_seed = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] >> np.uint64(2))

    def learn(
        self,
        horizon: Horizon,
        told: Callable[[Told], None] = lambda facts: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Learn until the horizon, in whole updates.

        Args:
            told: is called after each update.
            stop: is asked before each update; learning ends where it says yes.
        """
        while (share := horizon.share(self.steps, self.rounds)) < 1.0 and not stop():
            facts = self.update(share)
            told({**self.counted(), **facts})

    def counted(self) -> Told:
        """How far it is."""
        return {"steps": self.steps, "rounds": self.rounds}

    @abstractmethod
    def update(self, share: float) -> Told:
        """Play and learn once more, `share` of the horizon being over. Returns figures to tell."""

    @abstractmethod
    def policy(self, name: str = "learned") -> Policy:
        """What it would play now, greedily, as a policy of its own."""

    @abstractmethod
    def state(self) -> State:
        """All that its future depends on."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Go on from a state of a learner made alike. Raises `KeyError` or `ValueError` for another."""

    def probabilities(self, observation: Observation, mask: Mask) -> Probabilities:
        """What it would play now (see `strategy.Policy`)."""
        return self.policy().probabilities(observation, mask)

    def save(self, path: str | Path, beside: Mapping[str, Any] | None = None) -> Path:
        """Write all that it needs to go on, whole or not at all. Raises `BadArgument` if it cannot.

        Args:
            beside: JSON-able facts to be kept in the same file; `load` returns them.
        """
        facts, arrays = self.state()
        about = {"format": FORMAT, "steps": self.steps, "rounds": self.rounds, **self._made_as(), "facts": facts}
        about["beside"] = dict(beside or {})
        buffer = io.BytesIO()
        members: dict[str, Any] = {**arrays, FACTS: np.frombuffer(json.dumps(about).encode(), np.uint8)}
        np.savez(buffer, **members)
        write_bytes(Path(path), buffer.getvalue())
        return Path(path)

    def load(self, path: str | Path) -> dict[str, Any]:
        """Go on from where `save` was called; returns what was kept beside.

        Raises:
            BadArgument: no such file, a bad one, or one of a learner made in another way.
        """
        about, arrays = _read(Path(path))
        made = self._made_as()
        for name, mine in made.items():
            if about.get(name) != mine:
                raise BadArgument(
                    f"a learner of another {name}", got=about.get(name), allowed=str(mine), where=str(path)
                )
        try:
            self.restore(State(about["facts"], arrays))
            self.steps, self.rounds = int(about["steps"]), int(about["rounds"])
        except (KeyError, ValueError, TypeError, RuntimeError) as error:
            raise BadArgument(f"not a learner's file: {error}", where=str(path)) from error
        return dict(about["beside"])

    def _made_as(self) -> dict[str, Any]:
        """What a file must have been saved under, to be loaded here."""
        asked = self.env.settings
        return {
            "algorithm": self.algorithm,
            "seed": self.seed,
            "settings": self.settings,
            "role": asked.role.name.lower(),
            "rules_digest": asked.rules.digest(),
            "table_digest": asked.table.digest(),
        }

    def notes(self) -> dict[str, Any]:
        """How a policy was learned, to be kept with it."""
        return {"algorithm": self.algorithm, "seed": self.seed, **self.counted(), "settings": self.settings}


def _read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A learner's file. Raises `BadArgument`."""
    if not path.is_file():
        raise BadArgument("no learner's file", where=str(path))
    try:
        with ZipFile(path) as archive:
            if sum(member.file_size for member in archive.infolist()) > MOST_BYTES:
                raise ValueError("it is too large")
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(arrays.pop(FACTS).tobytes())
        if about["format"] != FORMAT:
            raise ValueError(f"it does not say {FORMAT}")
    except Exception as error:  # whatever a damaged file makes the reader raise
        raise BadArgument(f"not a learner's file: {error}"[:400], where=str(path)) from error
    return about, arrays


def env_state(env: PontoonVectorEnv) -> State:
    """The rows of an environment as part of a learner's state."""
    state = env.get_state()
    arrays: dict[str, NDArray[Any]] = {
        "env_rows": np.frombuffer(state["rows"], np.uint8),
        "env_status": np.array(state["status"], np.int64),
        "env_allowed": np.array(state["allowed"], np.bool_),
    }
    return State({"env": state["made_for"]}, arrays)


def restore_env(env: PontoonVectorEnv, state: State) -> None:
    """Put rows back as `env_state` has them. Raises `BadArgument` for those of another environment."""
    arrays = state.arrays
    env.set_state(
        {
            "made_for": state.facts["env"],
            "rows": arrays["env_rows"].tobytes(),
            "status": arrays["env_status"].tolist(),
            "allowed": arrays["env_allowed"].tolist(),
        }
    )
