"""Tables of action values: what is learned from a round, by hand; and that tables grow without losing anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.algorithms import make_learner
from agents.learner import Horizon
from agents.tabular import (
    BEST,
    CHOICE,
    MEAN,
    RETURN,
    UNTRIED,
    Aim,
    Cells,
    Episodes,
    TabularLearner,
    drawn,
    learn_episodes,
    tried_best,
)
from pontoon_gym.names import STICK, TWIST
from pontoon_gym.policies.policy import bits_of_parts
from tests.agents.learners import TABLE, learner, settings, task

ALL = np.ones(3, np.bool_)


def of_one_round(target: int, *, explored: tuple[bool, bool, bool] = (False, False, False), trace: float = 1.0) -> Any:
    """Values after one round of three choices in places 0, 1, 2: actions 0, 1, 0, paid 1 at the end, a step of 1.

    Before it, in places 1 and 2, action 1 was worth 5 and action 2 was worth 2; the others were never tried.
    """
    cells = Cells.of(2, 3)
    cells.values[1:3, 1:] = (5.0, 2.0)
    cells.counts[1:3, 1:] = 1
    episodes = Episodes(np.zeros((1, 4), CHOICE), np.ones((1, 4, 3), np.bool_), np.full(1, 3))
    for n, action in enumerate((0, 1, 0)):
        episodes.choices[0, n] = (n, action, 0.0, explored[n])
    learn_episodes(np.ones(1), np.ones(1, np.bool_), episodes, cells, Aim(target, trace, 0.25, 0.0, 0.0))
    assert episodes.lengths[0] == 0
    return [cells.values[0, 0], cells.values[1, 1], cells.values[2, 0]]


def test_monte_carlo_learns_what_was_paid() -> None:
    assert of_one_round(RETURN) == [1.0, 1.0, 1.0]


def test_monte_carlo_learns_nothing_from_what_was_done_before_the_last_exploring_choice() -> None:
    assert of_one_round(RETURN, explored=(False, True, False)) == [0.0, 1.0, 1.0]
    assert of_one_round(RETURN, explored=(False, False, True)) == [0.0, 5.0, 1.0]


def paid_by_branch(exploration: float, marked: bool, allowed: int) -> float:
    """What a first choice is worth that as often as not ends a round at once, paying 0, and else pays 1 after one more
    choice among `allowed` actions; of two such second choices one is marked as exploring."""
    cells, ends = Cells.of(2, 3), np.ones(1, np.bool_)
    masks = np.ones((1, 4, 3), np.bool_)
    masks[0, 1, allowed:] = False
    for paid, length, explored in ((0.0, 1, False), (0.0, 1, False), (1.0, 2, False), (1.0, 2, marked)):
        episodes = Episodes(np.zeros((1, 4), CHOICE), masks, np.full(1, length))
        episodes.choices[0, 1] = (1, 0, 0.0, explored)
        learn_episodes(np.full(1, paid), ends, episodes, cells, Aim(RETURN, 1.0, exploration, 1.0, 0.0))
    return float(cells.values[0, 0])


def test_monte_carlo_weighs_a_round_by_the_chance_that_it_is_left() -> None:
    """Rounds with more choices are cut off more often. Half of all rounds pay 1, whatever is explored."""
    assert paid_by_branch(0.5, True, allowed=3) == pytest.approx(2 * 1.0 / (2 + 2 * 1.0))
    assert paid_by_branch(0.25, False, allowed=3) == pytest.approx(2 / 0.75 / (2 + 2 / 0.75))


def test_a_choice_of_one_is_no_exploring() -> None:
    assert paid_by_branch(0.5, True, allowed=1) == pytest.approx(0.5)


def test_q_learning_moves_towards_the_best_of_the_next_infostate() -> None:
    """Place 2 is worth 5 to its best action, so that is what place 1's is worth now, and place 0's."""
    assert of_one_round(BEST, trace=0.0) == [5.0, 5.0, 1.0]


def test_a_trace_carries_what_was_paid_until_an_exploring_choice() -> None:
    assert of_one_round(BEST, trace=1.0) == [1.0, 1.0, 1.0]
    # The last choice explored: what came of it is not what the best would have; in place 2 that is 5.
    assert of_one_round(BEST, trace=1.0, explored=(False, False, True)) == [5.0, 5.0, 1.0]
    # Half of 1 and half of 5 in place 2, then of that 3 and of 3 (the new value of place 1).
    assert of_one_round(BEST, trace=0.5) == [3.0, 3.0, 1.0]


def test_expected_sarsa_moves_towards_the_mean_of_its_exploring() -> None:
    """Place 2: 0.75 of the best, 5, and 0.25 of the mean of 1, 5 and 2."""
    mean = 0.75 * 5.0 + 0.25 * 8.0 / 3.0
    # Place 1 then holds that at its best, 0 and 2 beside it.
    then = 0.75 * mean + 0.25 * (mean + 2.0) / 3.0
    assert of_one_round(MEAN, trace=0.0) == pytest.approx([then, mean, 1.0])


def test_greedy_choices_and_drawn_ones() -> None:
    values, counts = np.array([-1.0, 5.0, 2.0]), np.array([1, 0, 3])
    assert tried_best(values, counts, ALL) == 2
    assert tried_best(values, counts, np.array([True, True, False])) == 0
    assert tried_best(values, counts, np.array([False, True, False])) == 1
    assert [drawn(np.array([True, False, True]), mark) for mark in (0.0, 0.49, 0.5, 0.999)] == [0, 0, 2, 2]


def test_a_table_that_grows_keeps_its_values() -> None:
    """A hundred thousand infostates do not fit at first; what was learned of each is found again."""
    made = learner("q_learning", parts=["phase", "cards"])
    assert isinstance(made, TabularLearner)
    made.learn(Horizon(steps=500))
    before = {int(k): v for k, v in zip(made.cells.keys, made.cells.values, strict=True) if k >= 0}
    pending = made._episodes.choices["place"].copy()
    keys = made.cells.keys.copy()
    made._grow()
    after = {int(k): v for k, v in zip(made.cells.keys, made.cells.values, strict=True) if k >= 0}
    assert before.keys() == after.keys() and all((before[k] == after[k]).all() for k in before)
    live = np.arange(pending.shape[1]) < made._episodes.lengths[:, None]
    assert (made.cells.keys[made._episodes.choices["place"][live]] == keys[pending[live]]).all()
    made.learn(Horizon(steps=1000))


def test_what_is_learned_does_not_depend_on_how_large_the_table_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table of 64 places grows five times in mid-run, with rounds under way; one of them goes on from a file."""
    large = learner("q_learning")
    monkeypatch.setattr("agents.tabular.FIRST_DIGITS", 1)
    small, resumed = learner("q_learning"), learner("q_learning")
    assert isinstance(small, TabularLearner) and small.cells.digits == 6
    for made in (large, small):
        made.learn(Horizon(steps=6000))
    resumed.learn(Horizon(steps=6000), stop=lambda: resumed.steps > 2000)
    resumed.save(tmp_path / "it")
    again = learner("q_learning")
    again.load(tmp_path / "it")
    again.learn(Horizon(steps=6000))
    assert small.cells.digits > 10
    expected: Any = large.policy()
    for made in (small, again):
        policy: Any = made.policy()
        assert (policy.keys == expected.keys).all() and (policy.weights == expected.weights).all()


def test_a_table_looks_at_its_parts_only() -> None:
    made = learner("q_learning", task("banker"), parts=["cards"])
    made.learn(Horizon(steps=2000))
    policy: Any = made.policy()
    assert policy.parts == ("cards",) and not (policy.keys & ~bits_of_parts("banker", ["cards"])).any()
    assert 20 < len(policy.keys) < 1000


def test_an_action_never_tried_is_never_preferred() -> None:
    made = learner("monte_carlo", exploration=0.0, exploration_end=0.0)
    made.learn(Horizon(steps=500))
    policy: Any = made.policy()
    assert (policy.weights == UNTRIED).any() and (policy.weights.max(axis=1) > -100).all()


def test_where_it_has_never_been_a_table_plays_at_random() -> None:
    made = make_learner("q_learning", task(), settings("q_learning"), seed=1)
    columns = made.env.layout.size
    allowed = np.zeros((1, TABLE.actions), np.bool_)
    allowed[0, [STICK, TWIST]] = True
    assert made.policy().probabilities(np.zeros((1, columns), np.float32), allowed)[0, TWIST] == 0.5
