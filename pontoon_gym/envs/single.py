"""One learner, one round after another: what the player's and the banker's environments share."""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping
from typing import Any, ClassVar, Unpack

import gymnasium
import numpy as np
from numpy.typing import NDArray

from pontoon_gym.engine.run.episode import LEARNER, UNBEGUN
from pontoon_gym.engine.run.single import ILLEGAL, SETTLED, TERMINATED, TRUNCATED, WRONG
from pontoon_gym.engine.run.step import BEGIN, RESUME
from pontoon_gym.envs.rows import Rows, illegal_action
from pontoon_gym.envs.settings import RENDER_MODES, RULES, SIGNATURE, Asked, seating_of, settings_of
from pontoon_gym.envs.single_row import SingleRow
from pontoon_gym.envs.spaces import ILLEGAL_ACTION, MASK, ROUND_OVER, action_space, as_dict, observation_space
from pontoon_gym.errors import BadArgument, EpisodeOver, PontoonError, checked_seed
from pontoon_gym.names import Role
from pontoon_gym.render.letters import printable
from pontoon_gym.rules import RulesSource


class SingleEnv(gymnasium.Env[Any, np.int64]):
    """One learner's seat at a table of Pontoon.

    An episode is `rounds` rounds. `info["action_mask"]` says which actions are allowed, `info["illegal_action"]`
    (`np.bool_`, False after a reset) whether the action just chosen was not, `info["round_over"]` (the same) whether a
    round was settled since.

    Args:
        rules: a preset's name, a text such as `"home,split=none"`, a mapping of fields, or `Rules`.
        seats: seats at the table, the banker's among them, 2 to 9 (3.1).
        stake_min, stake_max: limits of the initial stake, chips (3.2).
        stake_levels, buy_levels: how many stakes and buys there are to choose from (9.3).
        seat: the player's place from the banker's left, from 0; None draws it each episode (9.4).
        banker: who banks against a player: a baseline's name, a strategy file or a policy; None is `"stand17"`, or
            the banker that the rules bind.
        players: who plays the other seats: one for all, or one for each place from the banker's left (the learner's
            own is not asked); None is `"thumb"`.
        rounds: rounds per episode; between them the shoe is carried as the rules have it (11.2).
        memory: observe also which cards were seen since the shuffle (8.3).
        observation: `"vector"`, `"dict"` or `"situation"`; see `envs.spaces`.
        illegal: what an action that is not allowed does: `"penalty"` costs `illegal_penalty` and changes nothing,
            `"raise"` raises `IllegalAction`, `"random"` takes one of those allowed instead, each equally likely.
        illegal_penalty: its cost under `"penalty"`, in units of `stake_min`.
        illegal_limit: so many of them truncate an episode under `"penalty"`.
        render_mode: None, `"ansi"`, `"human"` or `"rgb_array"`, which needs Pillow, the extra `render`.

    Attributes:
        settings: what was asked for, checked.
        layout: where each field of an observation stands (`layout.views`).

    Raises:
        BadRules, BadTable, BadArgument, UnknownPolicy, BadPolicyFile, StaleStrategy: one line says what is wrong.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # type: ignore[misc]
    role: ClassVar[Role]
    __signature__ = SIGNATURE

    def __init__(self, rules: RulesSource = RULES, **asked: Unpack[Asked]) -> None:
        self.settings = settings_of(self.role, rules, **asked)
        if self.settings.render_mode == "rgb_array":
            _check_pillow()
        self.illegal, self.render_mode = self.settings.illegal, self.settings.render_mode
        self.seating = seating_of(self.settings, **asked)
        self._rows = Rows(self.settings, self.seating, 1)
        self._row = SingleRow(self._rows, self.illegal == "raise")
        self._plain, self._actions = self.settings.observation == "vector", self.settings.actions
        self.layout = self._rows.layout
        self.observation_space = observation_space(self.layout, self.settings.observation, self._actions)
        self.action_space = action_space(self._actions)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal until the learner is asked.

        Args:
            seed: starts the row's stream anew; without one the stream goes on.
            options: `"cards"`, the top of the shoe in dealing order (`"5S 9C 6D"`), the rest stays random;
                `"shoe"`, another shoe as counts of ranks (`{"A": 4, "K": 2}`). For this episode only.

        Raises:
            BadCards, BadArgument: options that cannot be played.
        """
        if seed is None and options is None and self._rows.status[0] != UNBEGUN:
            self._row.step(BEGIN)
        else:
            self._reset_with(checked_seed(seed), options)
        if self.render_mode == "human":
            self._print()
        return self._observation(), self._info(0)

    def _reset_with(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """A reset that chooses its chance or cards, or the first."""
        row_seed = seed
        if seed is None and self._rows.status[0] == UNBEGUN:
            row_seed = int(self.np_random.integers(1 << 62))
        self._rows.open(np.ones(1, np.bool_), [row_seed], options)
        self._row.step(RESUME)
        super().reset(seed=seed)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Choose an action, by number; the reward is in units of `stake_min`.

        Raises:
            EpisodeOver: before the first reset or after the end.
            BadArgument: no number of the action space.
            IllegalAction: forbidden, if the environment was made with `illegal="raise"`.
        """
        row = self._row
        said = row.step(self._number(action))
        if said == WRONG:
            raise self._fault(int(action))
        info = self._info(said)
        if self.render_mode == "human":
            self._print()
        observation = row.vector.copy() if self._plain else self._observation()
        terminated, truncated = bool(said & TERMINATED), bool(said & TRUNCATED)
        return observation, row.reward.item(), terminated, truncated, info

    def _info(self, said: int) -> dict[str, Any]:
        """What is always told, after a step that said so (`engine.run.single`) or, with 0, after a reset."""
        return {
            MASK: self._row.mask.copy(),
            ILLEGAL_ACTION: np.True_ if said & ILLEGAL else np.False_,
            ROUND_OVER: np.True_ if said & SETTLED else np.False_,
        }

    def _fault(self, number: int) -> PontoonError:
        """Why the row cannot take an action."""
        if self._rows.status[0] != LEARNER:
            return EpisodeOver("there is nothing to choose: call reset first")
        return illegal_action(self._rows, 0, number)

    def action_masks(self) -> NDArray[np.bool_]:
        """The allowed actions, bool of shape (actions,); all at a terminal state."""
        allowed: NDArray[np.bool_] = self._rows.masks[0].copy()
        return allowed

    def record(self) -> str:
        """The canonical text of the round as it stands (`pontoon_gym.records`): it holds hidden cards too."""
        return self._rows.record(0)

    def render(self) -> Any:
        """The round from the learner's seat; what is face down for the learner stays so.

        Returns:
            `"ansi"`: a text. `"rgb_array"`: uint8 of shape (height, 640, 3), always the same for the same rules and
            table. Else None.

        Raises:
            EpisodeOver: before the first reset.
        """
        if self.render_mode == "rgb_array":
            return self._rows.frame(0)
        return self._rows.picture(0) if self.render_mode == "ansi" else None

    def get_state(self) -> dict[str, Any]:
        """All that the future depends on once there was a reset, to be given to `set_state` of an environment of the
        same settings."""
        return self._rows.get_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from where `get_state` was called. Raises `BadArgument` for anything else than its answer."""
        self._rows.set_state(state)

    def _number(self, action: Any) -> int:
        """The number that stands for an action. Raises `BadArgument`."""
        try:
            number = -1 if action is True or action is False else operator.index(action)
        except TypeError:
            number = -1
        if 0 <= number < self._actions:
            return number
        raise BadArgument("no such action", got=action, allowed=f"0 to {self._actions - 1}")

    def _observation(self) -> Any:
        row = self._row
        if self.settings.observation == "situation":
            return row.key[0]
        if self.settings.observation == "dict":
            return as_dict(self.layout, row.vector, row.mask)
        return row.vector.copy()

    def _print(self) -> None:
        print(printable(self._rows.picture(0), sys.stdout))


def _check_pillow() -> None:
    """Load what draws pictures. Raises `BadArgument` without Pillow."""
    try:
        import pontoon_gym.render.picture  # noqa: F401
    except ImportError as error:
        raise BadArgument(
            f"this render_mode needs Pillow: pip install '.[render]' in a clone ({error})",
            got="rgb_array",
            allowed="without it None, 'ansi', 'human'",
        ) from error
