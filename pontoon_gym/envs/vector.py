"""Many learners' rows in one environment: the native vector form of `PlayerEnv` and `BankerEnv`.

`gymnasium.make_vec("Pontoon/Player-v0", num_envs=n, vectorization_mode="vector_entry_point")` makes one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from pontoon_gym.engine.run.episode import LEARNER, OVER, UNBEGUN
from pontoon_gym.envs.banker import BankerEnv
from pontoon_gym.envs.player import PlayerEnv
from pontoon_gym.envs.rows import Rows, illegal_action
from pontoon_gym.envs.settings import MOST_STEPS
from pontoon_gym.envs.single import SingleEnv
from pontoon_gym.envs.spaces import ILLEGAL_ACTION, MASK, ROUND_OVER, as_dict
from pontoon_gym.errors import BadArgument, EpisodeOver, PontoonError, check_count, checked_seed, native

MOST_ROWS = 1 << 20

FLAGS = {ILLEGAL_ACTION: "illegal", ROUND_OVER: "round_over"}
"""What infos always tell beside the mask, and its column in what a step gave (`engine.run.step.SHOWN`)."""

Seeds = int | Sequence[int | None] | NDArray[np.integer] | None


class PontoonVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """`num_envs` rows, each of which plays exactly the episodes of a single environment.

    Row i of `reset(seed=s)` is the single environment reset with `s + i`.

    Args:
        num_envs: number of rows.
        autoreset_mode: an `AutoresetMode` or its name. NEXT_STEP: the step after the end begins the next episode, its
            action is not read. SAME_STEP: an episode's end and the next one's beginning come in one step, the end in
            `info["final_obs"]`, a dense array with valid rows where `info["_final_obs"]`. DISABLED: the caller resets
            rows by `reset(options={"reset_mask": mask})`.
        max_episode_steps: so many steps truncate a row's episode, as Gymnasium's `TimeLimit` does; None: none do.
        threads: slices of rows that are played at once.
        **settings: the keyword arguments of the single environment.
    """

    single: ClassVar[type[SingleEnv]]

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        threads: int = 1,
        **settings: Any,
    ) -> None:
        check_count("num_envs", num_envs, 1, MOST_ROWS)
        check_count("threads", threads, 1, 256)
        if max_episode_steps is not None:
            check_count("max_episode_steps", max_episode_steps, 1, MOST_STEPS)
        self.autoreset_mode = _mode(autoreset_mode)
        pattern = self.single(**settings)
        self.settings, self.layout, self.illegal = pattern.settings, pattern.layout, pattern.illegal
        self.render_mode = pattern.render_mode
        self.num_envs = num_envs
        self.metadata = {**pattern.metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = pattern.observation_space
        self.single_action_space = pattern.action_space
        self.observation_space = batch_space(pattern.observation_space, num_envs)
        self.action_space = batch_space(pattern.action_space, num_envs)
        same_step = self.autoreset_mode == AutoresetMode.SAME_STEP
        self._rows = Rows(
            self.settings,
            pattern.seating,
            num_envs,
            autoreset=same_step,
            threads=threads,
            most_steps=max_episode_steps or 0,
        )

    def reset(self, *, seed: Seeds = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in every row, or in those of `options["reset_mask"]` (bool of shape (num_envs,)).

        Args:
            seed: row i starts its stream anew from `seed + i`, or from the i-th of a sequence or array.
            options: also "cards" and "shoe" as single environments have them, the same for each row.

        Raises:
            BadArgument, BadCards: before any row moves.
        """
        if not isinstance(options, Mapping | None):
            raise BadArgument("options of a reset must be a mapping", got=options)
        given = dict(options or {})
        which = self._reset_mask(given.pop("reset_mask", None))
        seed = native(seed)
        seeds = self._seeds(seed, which)
        seen = self._rows.reset(which, seeds, given)
        super().reset(seed=seed if isinstance(seed, int) else None)
        observation = self._observation(seen.vectors, self._rows.shown["key"], self._rows.masks)
        return observation, self._infos()

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take one action a row, int of shape (num_envs,). The batch is checked whole before any row moves.

        Raises:
            EpisodeOver: before the first reset, or a row is over and its mode does not reset it.
            BadArgument: a wrong shape, or no number of the action space.
            IllegalAction: a forbidden action, if made with `illegal="raise"`.
        """
        seen, shown = self._rows.step(self._checked(actions)), self._rows.shown
        terminated, truncated = shown["terminated"].copy(), shown["truncated"].copy()
        infos = self._infos()
        if self._rows.autoreset:
            self._add_final(infos, seen.finals, terminated, truncated)
        observation = self._observation(seen.vectors, shown["key"], self._rows.masks)
        return observation, shown["reward"].copy(), terminated, truncated, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The allowed actions, bool of shape (num_envs, actions)."""
        return self._rows.masks.copy()

    def get_state(self) -> dict[str, Any]:
        """All that the future of the rows depends on once they were reset, to be given to `set_state` of an
        environment of the same settings and number of rows."""
        return self._rows.get_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from where `get_state` was called. Raises `BadArgument` for anything else than its answer."""
        self._rows.set_state(state)

    def render(self) -> Any:
        """A tuple of what the single environment's `render` returns, one a row, or None in its other modes."""
        draw = {"ansi": self._rows.picture, "rgb_array": self._rows.frame}.get(self.render_mode or "")
        return None if draw is None else tuple(draw(row) for row in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        # Older versions of Gymnasium also close what was refused an argument and never got this far.
        if hasattr(self, "_rows"):
            self._rows.close()

    def record(self, row: int) -> str:
        """The canonical text of a row's round as it stands (`pontoon_gym.records`): it holds hidden cards too.

        Raises `BadArgument` for no such row, `EpisodeOver` before the first reset.
        """
        check_count("row", row, 0, self.num_envs - 1)
        return self._rows.record(row)

    def _seeds(self, seed: Seeds, which: NDArray[np.bool_]) -> list[int | None]:
        """One seed a row, None where a row's stream goes on."""
        n = self.num_envs
        if seed is None or isinstance(seed, list | tuple | np.ndarray):
            seeds = [checked_seed(one) for one in ([None] * n if seed is None else seed)]
            if len(seeds) != n:
                raise BadArgument("one seed a row", got=len(seeds), allowed=str(n))
        else:
            first = checked_seed(seed) or 0
            seeds = [first + i for i in range(n)]
        for i in np.flatnonzero(self._unseeded() & which):
            if seeds[i] is None:
                seeds[i] = int(self.np_random.integers(1 << 62))
        return [seeds[i] if which[i] else None for i in range(n)]

    def _unseeded(self) -> NDArray[np.bool_]:
        unseeded: NDArray[np.bool_] = self._rows.status == UNBEGUN
        return unseeded

    def _reset_mask(self, given: Any) -> NDArray[np.bool_]:
        if given is None:
            return np.ones(self.num_envs, np.bool_)
        mask = _array("a reset_mask", given)
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise BadArgument("a reset_mask must be bool, one a row, not all False", got=(mask.dtype.name, mask.shape))
        return mask

    def _checked(self, actions: Any) -> NDArray[np.int64]:
        """The actions as int64, if every row can take its own."""
        numbers = _array("actions", actions)
        if numbers.shape != (self.num_envs,) or numbers.dtype.kind not in "iu":
            raise BadArgument(
                "actions must be whole numbers, one a row",
                got=(numbers.dtype.name, numbers.shape),
                allowed=f"({self.num_envs},)",
            )
        numbers = numbers.astype(np.int64)
        over = self.autoreset_mode == AutoresetMode.NEXT_STEP
        row = self._rows.first_wrong(numbers, strict=self.illegal == "raise", over=over)
        if row >= 0:
            raise self._fault(row, int(numbers[row]))
        return numbers

    def _fault(self, row: int, number: int) -> PontoonError:
        """Why a row cannot take an action."""
        status = self._rows.status
        if (status == UNBEGUN).any():
            return EpisodeOver("there is nothing to choose: call reset first")
        if not 0 <= number < self.settings.actions:
            return BadArgument("no such action", got=number, allowed=f"0 to {self.settings.actions - 1}")
        if status[row] == OVER:
            return EpisodeOver("rows are over: reset them first", got=np.flatnonzero(status == OVER).tolist()[:10])
        if status[row] != LEARNER:
            return EpisodeOver("a policy failed in the last step: call reset first")
        return illegal_action(self._rows, row, number)

    def _observation(self, vectors: NDArray[np.float32], keys: NDArray[np.int64], allowed: NDArray[np.bool_]) -> Any:
        if self.settings.observation == "situation":
            return keys.copy()
        return as_dict(self.layout, vectors, allowed) if self.settings.observation == "dict" else vectors

    def _infos(self) -> dict[str, Any]:
        """What every row has to say at any time."""
        every = np.ones(self.num_envs, np.bool_)
        infos = {MASK: self._rows.masks.astype(np.int8), f"_{MASK}": every}
        for name, column in FLAGS.items():
            infos[name], infos[f"_{name}"] = self._rows.shown[column].copy(), every.copy()
        return infos

    def _add_final(
        self,
        infos: dict[str, Any],
        finals: NDArray[np.float32],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None:
        """The ends of episodes that this step also began anew; rows without an end are zeros."""
        shown, ended = self._rows.shown, terminated | truncated
        masks = np.ones_like(self._rows.masks)
        if truncated.any():  # in mid-round there is something that is forbidden
            bits = shown["final_allowed"][truncated]
            masks[truncated] = (bits[:, None] >> np.arange(masks.shape[1])) & 1
        infos["final_obs"] = self._observation(finals, shown["final_key"], masks)
        final = infos["final_info"] = {MASK: masks.astype(np.int8), f"_{MASK}": ended.copy()}
        for name, column in FLAGS.items():
            final[name], final[f"_{name}"] = shown[column] & ended, ended.copy()
        infos["_final_obs"], infos["_final_info"] = ended, ended.copy()


class PlayerVectorEnv(PontoonVectorEnv):
    """Many players' seats; see `PontoonVectorEnv` and `PlayerEnv`."""

    single = PlayerEnv


class BankerVectorEnv(PontoonVectorEnv):
    """Many bankers' seats; see `PontoonVectorEnv` and `BankerEnv`."""

    single = BankerEnv


def _array(what: str, given: Any) -> NDArray[Any]:
    """An array of what was given. Raises `BadArgument` for ragged lists and the like."""
    try:
        return np.asarray(given)
    except ValueError:
        raise BadArgument(f"{what} must be one a row", got=given) from None


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    """The mode that an enumeration's member, name or value stands for."""
    for mode in AutoresetMode:
        if given is mode or str(given).lower() in (mode.name.lower(), mode.value.lower()):
            return mode
    names = ", ".join(mode.name for mode in AutoresetMode)
    raise BadArgument("bad autoreset_mode", got=given, allowed=names)
