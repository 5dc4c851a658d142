"""Tabular learners on the native vector environment: Monte-Carlo control, Q-learning, expected SARSA.

An infostate is the part of its key that the setting `parts` names: the fewer parts, the fewer infostates and the faster
each is learned, but what is not looked at cannot be played upon. Values are of whole rounds, without discount.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.learner import Learner, State, Told, env_state, restore_env
from pontoon_gym.compiled import int64, kernel, leaf
from pontoon_gym.envs.vector import PontoonVectorEnv
from pontoon_gym.hashing import EMPTY, lay_out, place_of
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.policy import bits_of_parts
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


class Cells(NamedTuple):
    """Action values by infostate, in an open hash table of 2 ** n places.

    Attributes:
        keys: int64 of shape (places,), EMPTY where there is nothing.
        values: float64 of shape (places, actions).
        counts: the weight of all that each was moved by: the number of updates where all count alike; float64 of
            shape (places, actions).
        filled: the number of infostates; int64 of shape (1,).
    """

    keys: NDArray[np.int64]
    values: NDArray[np.float64]
    counts: NDArray[np.float64]
    filled: NDArray[np.int64]

    @classmethod
    def of(cls, digits: int, actions: int) -> Cells:
        """An empty table."""
        places = 1 << digits
        return cls(
            np.full(places, EMPTY, np.int64),
            np.zeros((places, actions)),
            np.zeros((places, actions)),
            np.zeros(1, np.int64),
        )


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
    digits: int,
    keys: NDArray[np.int64],
    values: NDArray[np.float64],
    counts: NDArray[np.float64],
    filled: NDArray[np.int64],
    exploration: float,
    marks: NDArray[np.float64],
    places: NDArray[np.int64],
    actions: NDArray[np.int64],
    explored: NDArray[np.bool_],
) -> None:
    """Choose in each row, greedily but for a share of explorations; new infostates get a place.

    Args:
        marks: float64 of shape (2, rows) in [0, 1): whether to explore, and which action then.
        places, actions, explored: are filled, shape (rows,).
    """
    for i in range(len(infostates)):
        key = infostates[i] & bits
        at = place_of(keys, 0, digits, key)
        if keys[at] == EMPTY:
            keys[at] = key
            filled[0] += 1
        explored[i] = marks[0, i] < exploration
        places[i] = at
        if explored[i]:
            actions[i] = drawn(allowed[i], marks[1, i])
        else:
            actions[i] = tried_best(values[at], counts[at], allowed[i])


@leaf
def move(
    values: NDArray[np.float64],
    counts: NDArray[np.float64],
    at: int,
    action: int,
    target: float,
    weight: float,
    power: float,
    least: float,
) -> None:
    """Move a value towards a target by a step of 1 / n ** power, but of `least` or more; n is the times it was moved,
    a time of more weight counting as so many."""
    counts[at, action] += weight
    n = counts[at, action] / weight
    step = 1.0 / n if power == 1.0 else n**-power
    values[at, action] += max(step, least) * (target - values[at, action])


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
    """What an infostate is worth to who explores with that chance."""
    best = values[tried_best(values, counts, allowed)]
    total, n = 0.0, 0
    for a in range(len(allowed)):
        if allowed[a]:
            total += values[a]
            n += 1
    return float((1.0 - exploration) * best + exploration * total / n)


@kernel
def remember(
    places: NDArray[np.int64],
    actions: NDArray[np.int64],
    explored: NDArray[np.bool_],
    allowed: NDArray[np.bool_],
    choices: NDArray[np.void],
    masks: NDArray[np.bool_],
    lengths: NDArray[np.int64],
) -> None:
    """Add each row's choice to those of its episode, `CHOICE` of shape (rows, MOST_CHOICES); later ones are lost."""
    for i in range(len(places)):
        n = lengths[i]
        if n < choices.shape[1]:
            choice = choices[i, n]
            choice["place"], choice["action"], choice["explored"] = places[i], actions[i], explored[i]
            choice["reward"] = 0.0
            for a in range(allowed.shape[1]):
                masks[i, n, a] = allowed[i, a]
            lengths[i] = n + 1


@kernel
def learn_episodes(
    rewards: NDArray[np.float64],
    ended: NDArray[np.bool_],
    choices: NDArray[np.void],
    masks: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    values: NDArray[np.float64],
    counts: NDArray[np.float64],
    target: int,
    trace: float,
    exploration: float,
    power: float,
    least: float,
) -> None:
    """Pay each row's last choice; where its episode ends, learn from all of them, the last first.

    Args:
        target: what a choice is moved towards, of `RETURN`, `BEST`, `MEAN`.
        trace: the share of what came of the next choice, the rest is what its infostate is held to be worth.
    """
    for i in range(len(rewards)):
        choices[i, lengths[i] - 1]["reward"] += rewards[i]
        if not ended[i]:
            continue
        following, weight = 0.0, 1.0
        for n in range(lengths[i] - 1, -1, -1):
            choice = choices[i, n]
            at = choice["place"]
            came = choice["reward"] + following
            move(values, counts, at, choice["action"], came, weight, power, least)
            if target == RETURN:
                if is_free(masks[i, n]):
                    if choice["explored"]:
                        break
                    # Long rounds are cut off more often than short ones: what is left of them stands for all.
                    weight /= 1.0 - exploration
                following = came
            else:
                worth = expected(values[at], counts[at], masks[i, n], exploration if target == MEAN else 0.0)
                kept = trace if target == MEAN or not choice["explored"] else 0.0
                following = kept * came + (1.0 - kept) * worth
        lengths[i] = 0


class TabularLearner(Learner):
    """Learns a table of action values from sampled rounds; see `Learner`.

    A row's choices are kept until its round is over. Exploration falls evenly from the setting `exploration` to
    `exploration_end` over the run.
    """

    target: ClassVar[int]

    def __init__(self, env: PontoonVectorEnv, settings: dict[str, Any], *, seed: int = 0) -> None:
        super().__init__(env, settings, seed=seed)
        rows, actions = env.num_envs, int(env.single_action_space.n)  # type: ignore[attr-defined]
        self.role = env.settings.role.name.lower()
        self.bits = bits_of_parts(self.role, settings["parts"])
        self.chance = np.random.default_rng(seed)
        self.digits = max(FIRST_DIGITS, math.ceil(math.log2(2 * rows)) + 1)
        self.cells = Cells.of(self.digits, actions)
        self.infostates, _ = env.reset(seed=self.rows_seed)
        self.allowed = env.action_masks()
        self._places, self._actions = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        self._explored = np.zeros(rows, np.bool_)
        self._choices = np.zeros((rows, MOST_CHOICES), CHOICE)
        self._masks = np.zeros((rows, MOST_CHOICES, actions), np.bool_)
        self._lengths = np.zeros(rows, np.int64)

    def update(self, share: float) -> Told:
        """One step of every row, as often as the setting `steps` says."""
        first, last = float(self.settings["exploration"]), float(self.settings["exploration_end"])
        exploration = first + (last - first) * min(share, 1.0)
        total, ends = 0.0, 0
        for _ in range(int(self.settings["steps"])):
            rewards, ended = self._step(exploration)
            total, ends = total + float(rewards.sum()), ends + int(ended.sum())
        self.steps += self.env.num_envs * int(self.settings["steps"])
        self.rounds += ends
        infostates = int(self.cells.filled[0])
        return {"reward": total / max(ends, 1), "exploration": exploration, "infostates": infostates}

    def _step(self, exploration: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        if 2 * (int(self.cells.filled[0]) + self.env.num_envs) > len(self.cells.keys):
            self._grow()
        marks = self.chance.random((2, self.env.num_envs))
        chosen = (self._places, self._actions, self._explored)
        choose(self.infostates, self.bits, self.allowed, self.digits, *self.cells, exploration, marks, *chosen)
        remember(*chosen, self.allowed, self._choices, self._masks, self._lengths)
        self.infostates, rewards, terminated, truncated, _ = self.env.step(self._actions)
        self.allowed, ended = self.env.action_masks(), terminated | truncated
        _, values, counts, _ = self.cells
        steps = float(self.settings["step_power"]), float(self.settings["step_least"])
        trace = 1.0 if self.target == RETURN else float(self.settings["trace"])
        learn_episodes(
            rewards, ended, self._choices, self._masks, self._lengths, values, counts,
            self.target, trace, exploration, *steps,
        )  # fmt: skip
        return rewards, ended

    def _grow(self) -> None:
        """Double the table."""
        old, self.digits = self.cells, self.digits + 1
        self.cells = Cells.of(self.digits, old.values.shape[1])._replace(filled=old.filled)
        known = np.flatnonzero(old.keys != EMPTY)
        moved = np.zeros(len(old.keys), np.int64)
        moved[known] = lay_out(old.keys[known], self.digits)
        self.cells.keys[moved[known]] = old.keys[known]
        self.cells.values[moved[known]] = old.values[known]
        self.cells.counts[moved[known]] = old.counts[known]
        self._choices["place"] = moved[self._choices["place"]]

    def policy(self, name: str = "learned") -> Strategy:
        """The table of what it tried, greedy; it plays at random where it has never been."""
        asked = self.env.settings
        known = np.flatnonzero(self.cells.counts.any(axis=1))
        weights = np.where(self.cells.counts[known] > 0, self.cells.values[known], UNTRIED)
        return Strategy(
            Metadata(self.role, asked.rules, asked.table, name=name, notes=self.notes()),
            parts=tuple(self.settings["parts"]),
            keys=self.cells.keys[known],
            weights=weights,
            greedy=True,
            otherwise=baseline("random", self.role, asked.rules, asked.table),
        )

    def state(self) -> State:
        """See `Learner.state`."""
        facts, arrays = env_state(self.env)
        chance = self.chance.bit_generator.state
        arrays |= {name: array for name, array in self.cells._asdict().items()}
        arrays |= {"infostates": self.infostates, "allowed": self.allowed}
        arrays |= {"choices": self._choices.view(np.uint8), "masks": self._masks, "lengths": self._lengths}
        return State({**facts, "chance": chance, "digits": self.digits}, arrays)

    def restore(self, state: State) -> None:
        """See `Learner.restore`."""
        facts, arrays = state
        restore_env(self.env, state)
        self.chance.bit_generator.state = facts["chance"]
        self.digits = int(facts["digits"])
        self.cells = Cells(*(arrays[name].copy() for name in Cells._fields))
        self.infostates, self.allowed = arrays["infostates"].copy(), arrays["allowed"].copy()
        self._choices = arrays["choices"].view(CHOICE)
        self._masks, self._lengths = arrays["masks"].copy(), arrays["lengths"].copy()


class MonteCarloLearner(TabularLearner):
    """Off-policy Monte-Carlo control by weighted importance sampling: values are means of what whole rounds paid (R.
    Sutton and A. Barto, Reinforcement Learning, 2nd edition, 5.7).

    What was done before the last exploring choice of a round is not learned from: what came of it is not what the
    greedy policy would have made of it. The exploring choice itself is, since greedy ones alone follow it. A choice
    that k free ones follow is left over with the chance (1 - exploration) ** k, and so weighs as much as one over that.
    """

    algorithm: ClassVar[str] = "monte_carlo"
    target = RETURN


class QLearner(TabularLearner):
    """Q-learning, with traces that end at exploring choices (C. Watkins, Learning from delayed rewards, 1989)."""

    algorithm: ClassVar[str] = "q_learning"
    target = BEST


class ExpectedSarsaLearner(TabularLearner):
    """Expected SARSA (H. van Seijen and others, 2009): towards the mean of what its own exploring would do next."""

    algorithm: ClassVar[str] = "expected_sarsa"
    target = MEAN
