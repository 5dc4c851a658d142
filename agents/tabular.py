"""Tabular learners on the native vector environment: Monte-Carlo control, Q-learning, expected SARSA.

An infostate is the part of its key that the setting `parts` names: the fewer parts, the fewer infostates and the faster
each is learned, but the policy cannot play by what it does not look at. Values are of whole rounds, without discount.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.hyperparameters import Limit, Limits
from agents.learner import EXPLORATION, ROWS, Figures, Learner, Plan, State, env_state, restore_env
from pontoon_gym.compiled import int64, kernel, leaf
from pontoon_gym.envs.vector import PontoonVectorEnv
from pontoon_gym.hashing import EMPTY, lay_out, place_of
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.policy import bits_of_parts, parts_of
from pontoon_gym.policies.tabular import Strategy

FIRST_DIGITS = 12
"""A table begins with 2 ** FIRST_DIGITS places."""
MOST_CHOICES = 64
"""Choices of one episode that Monte-Carlo control remembers."""
RETURN, BEST, MEAN = 0, 1, 2
"""What a choice's value is moved towards: what was paid, if nothing was explored later; the best that could follow;
the mean of what follows under the learner's own exploring."""
CHOICE = np.dtype([("place", "i8"), ("action", "i8"), ("reward", "f8"), ("explored", "i8")], align=True)
"""One choice of an episode: where in the table, what, what was paid until the next one, and whether it was drawn."""
UNTRIED = -1e9
"""The weight of an action never tried: below any value."""
_ARRAYS = ("keys", "values", "counts", "filled")
_PARTS = tuple(dict.fromkeys(part for role in ("player", "banker") for part in parts_of(role)))


class Cells(NamedTuple):
    """Action values by infostate, in an open hash table of 2 ** digits places.

    Attributes:
        keys: int64 of shape (places,), EMPTY where there is nothing.
        values: float64 of shape (places, actions).
        counts: the weight of all that each was moved by: the number of updates where all count alike; float64 of
            shape (places, actions).
        filled: the number of infostates; int64 of shape (1,).
        digits: of the number of places.
    """

    keys: NDArray[np.int64]
    values: NDArray[np.float64]
    counts: NDArray[np.float64]
    filled: NDArray[np.int64]
    digits: int

    @classmethod
    def of(cls, digits: int, actions: int) -> Cells:
        """An empty table."""
        places = 1 << digits
        return cls(
            np.full(places, EMPTY, np.int64),
            np.zeros((places, actions)),
            np.zeros((places, actions)),
            np.zeros(1, np.int64),
            digits,
        )


class Chosen(NamedTuple):
    """What each row chose last: the infostate's place in the table, the action, whether it was drawn; shape (rows,)."""

    places: NDArray[np.int64]
    actions: NDArray[np.int64]
    explored: NDArray[np.bool_]


class Episodes(NamedTuple):
    """The choices of each row's round so far.

    Attributes:
        choices: `CHOICE` of shape (rows, MOST_CHOICES).
        masks: what was allowed at each, bool of shape (rows, MOST_CHOICES, actions).
        lengths: how many there are, int64 of shape (rows,).
    """

    choices: NDArray[np.void]
    masks: NDArray[np.bool_]
    lengths: NDArray[np.int64]


class Aim(NamedTuple):
    """What values are moved towards, and how far.

    Attributes:
        target: of `RETURN`, `BEST`, `MEAN`.
        trace: the share of what came of the next choice; the rest is what its infostate is held to be worth.
        exploration: the share of choices that are drawn at random.
        power, least: the n-th step is 1 / n ** power, but `least` or more.
    """

    target: int
    trace: float
    exploration: float
    power: float
    least: float


@leaf
def tried_best(values: NDArray[np.float64], counts: NDArray[np.float64], allowed: NDArray[np.bool_]) -> int:
    """The allowed action of most value among those tried, of equal ones the first; if none was, the first allowed."""
    best, first = -1, -1
    for a in range(len(allowed)):
        if allowed[a]:
            if first < 0:
                first = a
            if counts[a] > 0 and (best < 0 or values[a] > values[best]):
                best = a
    return first if best < 0 else best


@leaf
def drawn(allowed: NDArray[np.bool_], mark: float) -> int:
    """An allowed action, each as likely, for a mark in [0, 1)."""
    n = 0
    for a in range(len(allowed)):
        n += allowed[a]
    left, choice = int64(mark * n), -1
    for a in range(len(allowed)):
        if allowed[a]:
            choice = a
            if left == 0:
                return choice
            left -= 1
    return choice


@kernel
def choose(
    infostates: NDArray[np.int64],
    bits: int,
    allowed: NDArray[np.bool_],
    cells: Cells,
    exploration: float,
    marks: NDArray[np.float64],
    chosen: Chosen,
) -> None:
    """Choose in each row, greedily but for a share of explorations; new infostates get a place.

    Args:
        marks: float64 of shape (2, rows) in [0, 1): whether to explore, and which action then.
        chosen: is filled.
    """
    for i in range(len(infostates)):
        key = infostates[i] & bits
        at = place_of(cells.keys, 0, cells.digits, key)
        if cells.keys[at] == EMPTY:
            cells.keys[at] = key
            cells.filled[0] += 1
        chosen.explored[i] = marks[0, i] < exploration
        chosen.places[i] = at
        if chosen.explored[i]:
            chosen.actions[i] = drawn(allowed[i], marks[1, i])
        else:
            chosen.actions[i] = tried_best(cells.values[at], cells.counts[at], allowed[i])


@leaf
def move(cells: Cells, at: int, action: int, target: float, weight: float, aim: Aim) -> None:
    """Move a value towards a target by a step that depends on n, the times it was moved; a time of more weight counts
    as so many."""
    cells.counts[at, action] += weight
    n = cells.counts[at, action] / weight
    step = 1.0 / n if aim.power == 1.0 else n**-aim.power
    cells.values[at, action] += max(step, aim.least) * (target - cells.values[at, action])


@leaf
def is_free(allowed: NDArray[np.bool_]) -> bool:
    """Whether there is more than one action to choose from."""
    n = 0
    for a in range(len(allowed)):
        n += allowed[a]
    return n > 1


@leaf
def expected(
    values: NDArray[np.float64], counts: NDArray[np.float64], allowed: NDArray[np.bool_], exploration: float
) -> float:
    """What an infostate is worth to a policy that explores with that probability."""
    best = values[tried_best(values, counts, allowed)]
    total, n = 0.0, 0
    for a in range(len(allowed)):
        if allowed[a]:
            total += values[a]
            n += 1
    return float((1.0 - exploration) * best + exploration * total / n)


@kernel
def remember(chosen: Chosen, allowed: NDArray[np.bool_], episodes: Episodes) -> None:
    """Add each row's choice to those of its episode; choices after MOST_CHOICES are lost."""
    for i in range(len(chosen.places)):
        n = episodes.lengths[i]
        if n < episodes.choices.shape[1]:
            choice = episodes.choices[i, n]
            choice["place"], choice["action"] = chosen.places[i], chosen.actions[i]
            choice["explored"], choice["reward"] = chosen.explored[i], 0.0
            for a in range(allowed.shape[1]):
                episodes.masks[i, n, a] = allowed[i, a]
            episodes.lengths[i] = n + 1


@kernel
def learn_episodes(
    rewards: NDArray[np.float64], ended: NDArray[np.bool_], episodes: Episodes, cells: Cells, aim: Aim
) -> None:
    """Pay each row's last choice; where its episode ends, learn from all of its choices, the last one first."""
    for i in range(len(rewards)):
        episodes.choices[i, episodes.lengths[i] - 1]["reward"] += rewards[i]
        if not ended[i]:
            continue
        following, weight = 0.0, 1.0
        for n in range(episodes.lengths[i] - 1, -1, -1):
            choice, mask = episodes.choices[i, n], episodes.masks[i, n]
            at = choice["place"]
            came = choice["reward"] + following
            move(cells, at, choice["action"], came, weight, aim)
            if aim.target == RETURN:
                if is_free(mask):
                    if choice["explored"]:
                        break
                    # Long rounds are cut off more often than short ones: what is left of them stands for all.
                    weight /= 1.0 - aim.exploration
                following = came
            else:
                exploration = aim.exploration if aim.target == MEAN else 0.0
                worth = expected(cells.values[at], cells.counts[at], mask, exploration)
                kept = aim.trace if aim.target == MEAN or not choice["explored"] else 0.0
                following = kept * came + (1.0 - kept) * worth
        episodes.lengths[i] = 0


def laid_out(old: Cells, digits: int) -> tuple[Cells, NDArray[np.int64]]:
    """A table of 2 ** `digits` places with what another has; and for each place there, the place here."""
    cells, known = Cells.of(digits, old.values.shape[1]), np.flatnonzero(old.keys != EMPTY)
    moved = np.zeros(len(old.keys), np.int64)
    moved[known] = lay_out(old.keys[known], digits)
    cells.keys[moved[known]] = old.keys[known]
    cells.values[moved[known]] = old.values[known]
    cells.counts[moved[known]] = old.counts[known]
    cells.filled[0] = len(known)
    return cells, moved


class TabularLearner(Learner):
    """Learns a table of action values from sampled rounds; see `Learner`.

    A row's choices are kept until its round is over. Exploration falls evenly from the setting `exploration` to
    `exploration_end` over the run.
    """

    target: ClassVar[int]
    observation = "situation"
    growing = ("keys", "values", "counts")
    learned = _ARRAYS
    shape = ("parts",)
    limits: ClassVar[Limits] = {
        **ROWS,
        **EXPLORATION,
        "step_power": Limit("the n-th update moves a value by 1 / n ** step_power", float, 0, 1),
        "step_least": Limit("but by no less than this", float, 0, 1),
        "parts": Limit("what of an infostate is looked at", list, 1, words=_PARTS),
        "threads": Limit("threads of the environment", int, 1, 256),
    }

    def __init__(self, env: PontoonVectorEnv, plan: Plan) -> None:
        super().__init__(env, plan)
        rows, actions = env.num_envs, int(env.single_action_space.n)  # type: ignore[attr-defined]
        self.role = env.settings.role.name.lower()
        self.bits = bits_of_parts(self.role, self.settings["parts"])
        self.rng = np.random.default_rng(plan.seed)
        self.cells = Cells.of(max(FIRST_DIGITS, math.ceil(math.log2(2 * rows)) + 1), actions)
        self.infostates, _ = env.reset(seed=self.rows_seed)
        self.allowed = env.action_masks()
        self._chosen = Chosen(np.zeros(rows, np.int64), np.zeros(rows, np.int64), np.zeros(rows, np.bool_))
        self._episodes = Episodes(
            np.zeros((rows, MOST_CHOICES), CHOICE),
            np.zeros((rows, MOST_CHOICES, actions), np.bool_),
            np.zeros(rows, np.int64),
        )

    @classmethod
    def env_threads(cls, settings: Mapping[str, Any]) -> int:
        """See `Learner.env_threads`."""
        return int(settings["threads"])

    def update(self, share: float) -> Figures:
        """One step of every row, as often as the setting `steps` says."""
        aim = self._aim(share)
        total, ends = 0.0, 0
        for _ in range(int(self.settings["steps"])):
            rewards, ended = self._step(aim)
            total, ends = total + float(rewards.sum()), ends + int(ended.sum())
        self.steps += self.update_steps(self.settings)
        self.rounds += ends
        infostates = int(self.cells.filled[0])
        return {"reward": total / max(ends, 1), "exploration": aim.exploration, "infostates": infostates}

    def _aim(self, share: float) -> Aim:
        """What is learned towards, `share` of the run being over."""
        first, last = float(self.settings["exploration"]), float(self.settings["exploration_end"])
        exploration = first + (last - first) * min(share, 1.0)
        steps = float(self.settings["step_power"]), float(self.settings["step_least"])
        return Aim(self.target, float(self.settings.get("trace", 1.0)), exploration, *steps)

    def _step(self, aim: Aim) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        if 2 * (int(self.cells.filled[0]) + self.env.num_envs) > len(self.cells.keys):
            self._grow()
        marks = self.rng.random((2, self.env.num_envs))
        choose(self.infostates, self.bits, self.allowed, self.cells, aim.exploration, marks, self._chosen)
        remember(self._chosen, self.allowed, self._episodes)
        self.infostates, rewards, terminated, truncated, _ = self.env.step(self._chosen.actions)
        self.allowed, ended = self.env.action_masks(), terminated | truncated
        learn_episodes(rewards, ended, self._episodes, self.cells, aim)
        return rewards, ended

    def _grow(self) -> None:
        """Double the table."""
        self.cells, moved = laid_out(self.cells, self.cells.digits + 1)
        self._episodes.choices["place"] = moved[self._episodes.choices["place"]]

    def take_over(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """See `Learner.take_over`: values and the weight behind each, on which the size of further steps depends."""
        theirs = _cells_in(arrays)
        _check_cells(theirs, self.bits)
        self.cells, _ = laid_out(theirs, max(self.cells.digits, theirs.digits))

    def policy(self, name: str = "learned") -> Strategy:
        """The table of what it tried, greedy; it plays at random where it has never been."""
        game = self.env.settings
        known = np.flatnonzero(self.cells.counts.any(axis=1))
        weights = np.where(self.cells.counts[known] > 0, self.cells.values[known], UNTRIED)
        return Strategy(
            Metadata(self.role, game.rules, game.table, name=name, notes=self.notes()),
            parts=tuple(self.settings["parts"]),
            keys=self.cells.keys[known],
            weights=weights,
            greedy=True,
            otherwise=baseline("random", self.role, game.rules, game.table),
        )

    def state(self) -> State:
        """See `Learner.state`."""
        facts, arrays = env_state(self.env)
        choices, masks, lengths = self._episodes
        arrays |= {name: getattr(self.cells, name) for name in _ARRAYS}
        arrays |= {"infostates": self.infostates, "allowed": self.allowed}
        arrays |= {"choices": choices.view(np.uint8), "masks": masks, "lengths": lengths}
        return State({**facts, "rng": self.rng.bit_generator.state}, arrays)

    def restore(self, state: State) -> None:
        """See `Learner.restore`."""
        facts, arrays = state
        cells = _cells_in(arrays)
        choices = arrays["choices"].view(CHOICE)
        _check_cells(cells, self.bits)
        _check_choices(choices, arrays["lengths"], cells)
        restore_env(self.env, state)
        if not np.array_equal(arrays["allowed"], self.env.action_masks()) or (arrays["infostates"] < 0).any():
            raise ValueError("its rows stand elsewhere")
        self.rng.bit_generator.state = facts["rng"]
        self.cells, self._episodes = cells, Episodes(choices, arrays["masks"].copy(), arrays["lengths"].copy())
        self.infostates, self.allowed = arrays["infostates"].copy(), arrays["allowed"].copy()


@kernel
def misplaced(keys: NDArray[np.int64], digits: int) -> int:
    """How many keys of a table do not lie where they are searched for."""
    count = 0
    for at in range(len(keys)):
        count += keys[at] != EMPTY and place_of(keys, 0, digits, keys[at]) != at
    return count


def _cells_in(arrays: Mapping[str, NDArray[Any]]) -> Cells:
    """The table of a learner's state."""
    return Cells(digits=len(arrays["keys"]).bit_length() - 1, **{name: arrays[name].copy() for name in _ARRAYS})


def _check_cells(cells: Cells, bits: int) -> None:
    """Raise `ValueError` unless a table is one that kernels can search and fill, by these bits of a key."""
    known = cells.keys[cells.keys != EMPTY]
    whole = len(cells.keys) == len(cells.values) == len(cells.counts)
    whole &= len(cells.keys).bit_count() == 1
    if not whole or len(known) != cells.filled[0] or 2 * len(known) > len(cells.keys):
        raise ValueError("its table has another size than it says")
    if (known & ~bits).any() or misplaced(cells.keys, cells.digits):
        raise ValueError("its table has keys that cannot be")
    if (cells.counts < 0.0).any() or cells.counts[cells.keys == EMPTY].any():
        raise ValueError("its table holds what cannot be")


def _check_choices(choices: NDArray[np.void], lengths: NDArray[np.int64], cells: Cells) -> None:
    """Raise `ValueError` unless the choices that rows remember are of the table, and no more than they can be."""
    places, actions = cells.values.shape
    for name, most in (("place", places), ("action", actions), ("explored", 2)):
        if ((choices[name] < 0) | (choices[name] >= most)).any():
            raise ValueError(f"a choice has no such {name}")
    if ((lengths < 0) | (lengths > MOST_CHOICES)).any() or not np.isfinite(choices["reward"]).all():
        raise ValueError("there cannot be such choices")
    made = np.arange(MOST_CHOICES) < lengths[:, None]
    if (cells.keys[choices["place"][made]] == EMPTY).any():
        raise ValueError("a choice is of no infostate of the table")


_TRACE = {"trace": Limit("how much is learned from what came of the next choice", float, 0, 1)}


class MonteCarloLearner(TabularLearner):
    """Off-policy Monte-Carlo control by weighted importance sampling: values are means of what whole rounds paid (R.
    Sutton and A. Barto, Reinforcement Learning, 2nd edition, 5.7).

    What was done before the last exploring choice of a round is not learned from: the greedy policy would have gone
    on in another way. The exploring choice itself is learned from, since only greedy ones follow it. A choice that k
    free ones follow is kept with probability (1 - exploration) ** k, and so its weight is one over that.
    """

    target = RETURN


class QLearner(TabularLearner):
    """Q-learning, with traces that end at exploring choices (C. Watkins, Learning from delayed rewards, 1989)."""

    target = BEST
    limits: ClassVar[Limits] = {**TabularLearner.limits, **_TRACE}


class ExpectedSarsaLearner(TabularLearner):
    """Expected SARSA (H. van Seijen and others, 2009): towards the mean of what its own exploring would do next."""

    target = MEAN
    limits: ClassVar[Limits] = {**TabularLearner.limits, **_TRACE}
