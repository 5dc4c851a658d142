"""Whatever the rules: no card is lost or doubled, chips sum to zero, rounds end, and the doors stay in their spaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pontoon_gym import PRESETS, Rules, Table
from pontoon_gym.cards import parse_shoe
from pontoon_gym.engine.state import LOG, RING
from pontoon_gym.errors import BadRules
from pontoon_gym.names import Phase
from pontoon_gym.rules import specs
from tests.envs.helpers import SINGLES, pick
from tests.envs.rounds import Play, hands_of
from tests.scale import scaled

steady = settings(
    max_examples=scaled(300),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """A preset with up to six fields changed to anything that is allowed together."""
    preset = draw(st.sampled_from(list(PRESETS)))
    names = draw(st.lists(st.sampled_from(Rules._fields), max_size=6, unique=True))
    changes = {}
    for name in names:
        kind, spec = specs(Rules)[name]
        changes[name] = draw(st.sampled_from(spec.values(kind)))
        try:
            Rules.of(preset, **changes)
        except BadRules:
            del changes[name]
    return Rules.of(preset, **changes)


any_tables = st.builds(
    lambda seats, least, more, stakes, buys: Table.of(
        seats=seats, stake_min=least, stake_max=least + more, stake_levels=stakes, buy_levels=buys
    ),
    st.integers(2, 9),
    st.integers(1, 20),
    st.integers(0, 100),
    st.integers(1, 16),
    st.integers(1, 8),
)


def check_decision(play: Play, mask: np.ndarray) -> None:
    """What holds whenever somebody is asked."""
    s = play.s
    assert mask.any()
    if s["endless"]:
        assert np.array_equal(s["shoe"][: s["size"]], play.r["pack"][: play.r["size"]])
        assert s["head"] == s["size"] + s["dealt"] <= RING
    else:
        assert play.cards() == play.full()
    assert s["logged"] < LOG
    for _, _, hand in hands_of(s, play.table.seats):
        assert hand["count"] <= (play.rules.trick_cards or 22)


def check_end(play: Play) -> None:
    """What holds when a round is settled."""
    s = play.s
    assert s["phase"] == Phase.DONE
    assert s["result"].sum() == 0
    assert not s["result"][play.table.seats :].any()
    assert 0 < s["logged"] <= LOG


def play_and_check(play: Play) -> None:
    """An episode of random play."""
    for mask in play.decisions():
        check_decision(play, mask)
    check_end(play)


@given(rules=any_rules(), table=any_tables, seed=st.integers(0, 2**32 - 1))
@steady
def test_cards_and_chips_are_kept_under_any_rules(rules: Rules, table: Table, seed: int) -> None:
    play_and_check(Play(rules, table, seed, rounds=3))


@pytest.mark.parametrize("seats", [2, 5, 9])
@pytest.mark.parametrize("preset", PRESETS)
def test_cards_and_chips_are_kept_in_every_preset(preset: str, seats: int) -> None:
    play = Play(Rules.of(preset), Table.of(seats=seats, stake_max=10, stake_levels=4), seats, rounds=5)
    for _ in range(scaled(10)):
        play_and_check(play)


@given(
    rules=any_rules(),
    counts=st.lists(st.integers(0, 6), min_size=13, max_size=13),
    seats=st.integers(2, 9),
    seed=st.integers(0, 2**32 - 1),
)
@steady
def test_cards_and_chips_are_kept_with_any_shoe(rules: Rules, counts: list[int], seats: int, seed: int) -> None:
    """Small shoes too, that run out in mid-round (1.5)."""
    shoe = parse_shoe(dict(zip("A23456789TJQK", counts, strict=True)))
    shoe += list(range(max(0, 2 * seats - len(shoe))))
    play_and_check(Play(rules, Table.of(seats=seats), seed, rounds=3, shoe=sorted(shoe)))


@pytest.mark.parametrize("packs", [0, 8])
def test_the_longest_round_ends_within_the_log(packs: int) -> None:
    """Nine seats that split aces to four hands and twist them to 21 cards and more."""
    rules = Rules.of("home", packs=packs, trick_cards=0, buying="none", second_pack_from=2)
    table = Table.of(seats=9)
    shoe = parse_shoe({"A": 224 if packs == 0 else 468})
    play = Play(rules, table, 0, shoe=shoe)
    longest = 0
    for mask in play.decisions():
        check_decision(play, mask)
        longest = int(play.s["logged"])
        play.rng = Greedy(2 if mask.shape[0] > 2 and mask[2] else 1)
    check_end(play)
    assert longest > 400


class Greedy:
    """Stands in for chance: the wished action if it is among those allowed, else the last."""

    def __init__(self, wish: int) -> None:
        self.wish = wish

    def choice(self, allowed: np.ndarray) -> int:
        return self.wish if self.wish in allowed else int(allowed[-1])


@given(
    rules=any_rules(),
    table=any_tables,
    role=st.sampled_from(["player", "banker"]),
    observation=st.sampled_from(["vector", "dict", "situation"]),
    memory=st.booleans(),
    rounds=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
)
@steady
def test_the_doors_stay_in_their_spaces_under_any_rules(
    rules: Rules, table: Table, role: str, observation: str, memory: bool, rounds: int, seed: int
) -> None:
    env = SINGLES[role](
        rules=rules.text(),
        **table.as_dict(),
        observation=observation,
        memory=memory,
        rounds=rounds,
        players="random",
        illegal="raise",
    )
    rng = np.random.default_rng(seed)
    shown, info = env.reset(seed=seed)
    total, steps, over = 0.0, 0, False
    while not over:
        assert shown in env.observation_space
        assert np.array_equal(info["action_mask"], env.action_masks())
        shown, reward, over, _, info = env.step(pick(rng, env.action_masks()))
        total += reward
        steps += 1
    assert shown in env.observation_space
    assert steps >= rounds
    assert total * 2 * table.stake_min == pytest.approx(round(total * 2 * table.stake_min))


def finished(env: Any, seed: int) -> tuple[float, int]:
    """The sum of an episode's rewards and its steps."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    total, steps, over = 0.0, 0, False
    while not over:
        _, reward, over, _, _ = env.step(pick(rng, env.action_masks()))
        total += reward
        steps += 1
    return total, steps


def test_what_two_sides_win_sums_to_zero() -> None:
    """Heads-up, the same deal and the same choices from the player's chair and from the banker's."""
    for seed in range(scaled(20)):
        alone = SINGLES["player"](rules="home", banker="stand17")
        rng = np.random.default_rng(seed)
        alone.reset(seed=seed)
        over = False
        while not over:
            _, reward, over, _, _ = alone.step(pick(rng, alone.action_masks()))
        results = alone.record().rsplit("|", 1)[1].split()
        assert float(results[0]) == reward
        assert float(results[0]) + float(results[1]) == 0


@pytest.mark.parametrize("role", ["player", "banker"])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_round_asks_at_least_once(role: str, preset: str) -> None:
    env = SINGLES[role](rules=preset, seats=3, rounds=4, illegal="raise")
    for seed in range(scaled(10)):
        assert finished(env, seed)[1] >= 4
