"""The judge: pairing, intervals, and that it does not matter who plays a policy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from pontoon_gym.compiled import COMPILED
from pontoon_gym.errors import BadArgument
from pontoon_gym.evaluation.judge import Contest, match
from pontoon_gym.evaluation.play import play
from pontoon_gym.evaluation.statistics import Estimate
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.policy import Mask, Observation, Policy, Probabilities
from pontoon_gym.rules import Rules, Table
from tests.scale import scaled
from tests.solver.tables import needs_compiler

HOME, TABLE = Rules.of("home"), Table()


class Outside:
    """A strategy that kernels cannot see into."""

    def __init__(self, inner: Policy) -> None:
        self.inner, self.role, self.rules, self.table = inner, inner.role, inner.rules, inner.table
        self.asked = 0

    def probabilities(self, observation: Observation, mask: Mask, /) -> Probabilities:
        self.asked += 1
        return self.inner.probabilities(observation, mask)


def named(name: str, role: str, rules: Rules = HOME, table: Table = TABLE) -> Policy:
    return baseline(name, role, rules, table)


@needs_compiler
@pytest.mark.parametrize("seats", [2, 5])
@pytest.mark.parametrize("judged", ["player", "banker"])
def test_a_policy_asked_in_batches_plays_as_its_table_does(seats: int, judged: str) -> None:
    table = Table(seats=seats, stake_max=10, stake_levels=3)
    inside = named("thumb", "player", HOME, table), named("chase", "banker", HOME, table)
    outside = Outside(inside[0]), Outside(inside[1])
    rounds = scaled(8_000)
    assert (
        play(HOME, table, *inside, rounds, judged=judged) == play(HOME, table, *outside, rounds, judged=judged)
    ).all()
    assert outside[0].asked and outside[1].asked


def test_a_randomising_policy_asked_in_batches_draws_as_its_table_does() -> None:
    inside = named("random", "player"), named("random", "banker")
    outside = Outside(inside[0]), Outside(inside[1])
    rounds = scaled(20_000)
    assert (play(HOME, TABLE, *inside, rounds) == play(HOME, TABLE, *outside, rounds)).all()


def test_the_same_deals_for_everybody() -> None:
    """Whatever the players do, the same bankers hold a Pontoon; another seed deals otherwise."""
    banker = named("stand17", "banker")
    first, second, other = (
        play(HOME, TABLE, named(name, "player"), banker, scaled(100_000), seed=seed, judged="banker")["pontoons"]
        for name, seed in (("thumb", 5), ("random", 5), ("thumb", 6))
    )
    assert first.any() and (first == second).all() and (first != other).any()


def test_equal_policies_differ_by_nothing() -> None:
    report = match(HOME, TABLE, Contest([named("thumb", "player")] * 2, [named("stand17", "banker")]), scaled(20_000))
    first, second = report.contestants
    assert first.difference is None and second.difference == Estimate(0.0, 0.0)
    assert first.value == second.value


def test_a_match_by_hand() -> None:
    """Every figure from the rounds themselves."""
    player, banker = named("thumb", "player"), named("stand17", "banker")
    report = match(HOME, TABLE, Contest([player], [banker]), scaled(20_000), seed=2)
    rounds = play(HOME, TABLE, player, banker, scaled(20_000), seed=2)
    one, results = report.contestants[0], rounds["result"] / 2
    assert report.rounds == len(rounds)
    assert one.value.mean == pytest.approx(results.mean(), abs=1e-12)
    assert one.value.error == pytest.approx(results.std(ddof=1) / np.sqrt(len(results)), rel=1e-9)
    assert one.value.low == pytest.approx(one.value.mean - 1.96 * one.value.error, rel=1e-3)
    assert (one.win, one.loss) == ((results > 0).mean(), (results < 0).mean())
    assert one.bust == rounds["busts"].sum() / rounds["hands"].sum()
    assert one.stake == rounds["stake"].mean()


@needs_compiler
def test_the_banker_is_judged_by_the_players() -> None:
    table = Table(seats=4)
    player, banker = named("stick15", "player", HOME, table), named("stand17", "banker", HOME, table)
    bank = play(HOME, table, player, banker, scaled(200_000), judged="banker")["result"] / 2 / 3
    report = match(HOME, table, Contest([player], [banker], judged="banker"), scaled(200_000))
    assert report.contestants[0].value.mean == pytest.approx(bank.mean())
    each = play(HOME, table, player, banker, scaled(200_000))["result"] / 2
    spread = np.hypot(bank.std() / np.sqrt(len(bank)), each.std() / np.sqrt(len(each)))
    assert abs(bank.mean() + each.mean()) < 4 * spread, "a false alarm once in 15,000 seeds"


def test_reports_for_people_and_programs() -> None:
    report = match(HOME, TABLE, Contest([named("thumb", "player")], [named("stand17", "banker")]), 2000)
    facts = json.loads(json.dumps(report.as_dict()))
    assert facts["rules"] == "home" and facts["method"] == ("exact" if COMPILED else "play")
    assert set(facts["contestants"][0]["value"]) == {"mean", "error", "low", "high"}
    assert "thumb           stand17" in report.text()


def test_a_bound_banker_has_no_policy() -> None:
    casino = Rules.of("casino8")
    report = match(casino, TABLE, Contest([named("thumb", "player", casino)], [None]), scaled(10_000))
    assert report.contestants[0].banker == "the bound banker"


def test_a_match_takes_names_as_everything_does() -> None:
    by_name = match("home", TABLE.as_dict(), Contest(["thumb"], ["stand17", None]), scaled(20_000), seed=3)
    first, usual = by_name.contestants
    assert (first.value, first.banker) == (usual.value, usual.banker)
    one = Contest([named("thumb", "player")], [named("stand17", "banker")])
    assert match(HOME, TABLE, one, scaled(20_000), seed=3).contestants[0] == first


@pytest.mark.parametrize("given", [{"rounds": what} for what in (None, 0, 1.5, True)] + [{"seed": -1}, {"seed": "x"}])
def test_rounds_and_seeds_of_a_match(given: dict[str, object]) -> None:
    asked: dict[str, Any] = {"rounds": 10, "seed": 0, **given}
    with pytest.raises(BadArgument, match=r"bad (rounds|seed)"):
        match(HOME, TABLE, Contest(["thumb"], ["stand17"]), **asked)


def test_what_a_match_refuses() -> None:
    with pytest.raises(BadArgument, match="a match needs"):
        match(HOME, TABLE, Contest([], [None]), 10)
    with pytest.raises(BadArgument, match="bad rounds"):
        match(HOME, TABLE, Contest([named("thumb", "player")], [named("stand17", "banker")]), 0)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda mask: np.ones((1, 1)), "probabilities of Bad: got"),
        (lambda mask: np.full(mask.shape, np.nan), "must be finite"),
        (lambda mask: np.ones(mask.shape), "0 where an action is forbidden"),
        (lambda mask: mask * 0.1, "must sum to 1"),
    ],
)
def test_a_policy_that_answers_nonsense_is_told_so(answer: object, message: str) -> None:
    class Bad(Outside):
        def probabilities(self, observation: Observation, mask: Mask, /) -> Probabilities:
            return answer(mask)  # type: ignore[operator,no-any-return]

    with pytest.raises(BadArgument, match=message):
        play(HOME, TABLE, Bad(named("thumb", "player")), named("stand17", "banker"), 10)


def test_a_policy_that_writes_into_its_mask_is_held_to_the_real_one() -> None:
    class Greedy(Outside):
        def probabilities(self, observation: Observation, mask: Mask, /) -> Probabilities:
            mask[:] = True
            return np.full(mask.shape, 1 / mask.shape[1])

    with pytest.raises(BadArgument, match="0 where an action is forbidden"):
        play(HOME, TABLE, Greedy(named("thumb", "player")), named("stand17", "banker"), 10)


def test_a_free_bank_that_nobody_holds_is_an_error() -> None:
    with pytest.raises(BadArgument, match="nobody plays the banker's seat"):
        play(HOME, TABLE, named("thumb", "player"), None, 10)


@pytest.mark.parametrize("answer", ["text", [[1], [1, 2]]])
def test_an_answer_that_is_no_array(answer: object) -> None:
    class Odd(Outside):
        def probabilities(self, observation: Observation, mask: Mask, /) -> Probabilities:
            return answer  # type: ignore[return-value]

    with pytest.raises(BadArgument, match="must be numbers"):
        play(HOME, TABLE, Odd(named("thumb", "player")), named("stand17", "banker"), 10)
