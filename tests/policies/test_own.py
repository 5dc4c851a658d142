"""Policies of users' own: a table of action values, any function; and keys of what an environment shows."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import pontoon_gym
from pontoon_gym import FunctionPolicy, Rules, Strategy, Table, key_of, solver
from pontoon_gym.engine.view.infostate import pack_key
from pontoon_gym.envs.player import PlayerEnv
from pontoon_gym.envs.vector import BankerVectorEnv, PlayerVectorEnv
from pontoon_gym.errors import BadArgument, PontoonError, StaleStrategy, UnknownInfostate, UnknownPolicy
from pontoon_gym.hashing import EMPTY
from pontoon_gym.names import BUY, SPLIT, STICK, TWIST, Phase, Role
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.policy import Policy
from tests.policies.samples import HOME, TABLE
from tests.solver.tables import needs_compiler

ENV = PlayerEnv(observation="situation")
HOLDING = {"phase": Phase.PLAY, "drawable": 2, "hands": 1}


def key(made: int, **parts: int) -> int:
    """A player's key of a hand in play, by its composition."""
    return pack_key(Role.PLAYER, **HOLDING, cards=made, **parts)


def answers(policy: Policy, told: int, *allowed: int) -> list[float]:
    """What a strategy plays where a key is met and these actions are allowed."""
    assert isinstance(policy, Strategy)
    row, mask = policy.keys == told, np.zeros(policy.actions, np.bool_)
    mask[list(allowed)] = True
    weights = np.where(mask, policy.weights[row][0], -np.inf)
    return np.eye(policy.actions)[weights.argmax()].tolist()


# --- a table of action values --------------------------------------------------------------------------------------


def learned(env: gymnasium.Env[Any, Any], episodes: int) -> dict[int, np.ndarray]:
    """Action values as a student keeps them: a row for every key that was shown, the ends of rounds among them."""
    rng, q = np.random.default_rng(1), {}
    for episode in range(episodes):
        told, info = env.reset(seed=episode)
        q.setdefault(told, rng.normal(size=env.action_space.n))  # type: ignore[attr-defined]
        done = False
        while not done:
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            told, _, terminated, truncated, info = env.step(action)
            done = terminated or truncated
            q.setdefault(told, rng.normal(size=env.action_space.n))  # type: ignore[attr-defined]
    return q


def test_a_learned_table_plays_its_best_allowed_action_where_it_has_a_row() -> None:
    """Asked with what another environment shows of the same rounds, it plays as its rows say."""
    env = gymnasium.make("Pontoon/Player-v0", observation="situation")
    q = learned(env, 200)
    mine = Strategy.from_dict(q, env, otherwise="stick15", name="mine")
    assert (mine.name, mine.role, mine.rules, mine.table) == ("mine", "player", HOME, TABLE)
    assert len(mine.keys) == len(q) - 1, "the end of a round is no infostate"
    thumb, seen, known = baseline("stick15", "player", HOME, TABLE), PlayerEnv(), 0
    for episode in range(150, 300):
        observation, info = seen.reset(seed=episode)
        told, mask = env.reset(seed=episode)[0], info["action_mask"] > 0
        played = mine.probabilities(observation[None], mask[None])
        if told in q:
            wanted = np.where(mask, q[told], -np.inf).argmax()
            known += 1
        else:
            wanted = thumb.probabilities(observation[None], mask[None]).argmax()
        assert played.argmax() == wanted and played.max() == 1
    assert known > 50


@needs_compiler
def test_the_best_response_s_choices_as_a_dict_are_worth_what_it_is() -> None:
    """As an action for each key, and as values of actions with gaps."""
    best, env = solver.best_response("casino8"), PlayerEnv("casino8", observation="situation")
    actions = dict(zip(best.strategy.keys.tolist(), best.strategy.weights.argmax(axis=1), strict=True))
    values = {told: np.where(np.arange(6) == action, -3.0, -np.inf) for told, action in actions.items()}
    for q in (actions, values):
        mine = Strategy.from_dict(q, env)
        assert solver.value("casino8", player=mine) == pytest.approx(best.value, abs=1e-13)


def test_rows_of_every_form() -> None:
    q = {
        key(30): [0.0, 2.0, 0.0, 2.0, 1.0, 9.0],
        key(31): np.int64(SPLIT),
        key(32): np.array([np.nan, -np.inf, 1, 2, 3, 4], np.float32),
        np.int64(key(33)): BUY,
    }
    mine = Strategy.from_dict(q, ENV, otherwise=baseline("thumb", "player", HOME, TABLE))
    assert mine.otherwise is not None and mine.otherwise.name == "thumb"
    assert np.argmax(answers(mine, key(30), STICK, TWIST, BUY)) == TWIST, "of equal ones the first"
    assert np.argmax(answers(mine, key(31), STICK, SPLIT)) == SPLIT
    assert np.argmax(answers(mine, key(31), STICK, TWIST)) == STICK
    assert np.argmax(answers(mine, key(32), STICK, TWIST, SPLIT)) == SPLIT
    assert np.argmax(answers(mine, key(33), STICK, BUY)) == BUY


BANKER_KEY = pack_key(Role.BANKER, phase=Phase.BANKER, cards=40, drawable=2)
REFUSED: list[tuple[type[PontoonError], Any, str]] = [
    (BadArgument, [1, 2], "must be a mapping from infostate keys: got"),
    (BadArgument, {"5 9": 1}, "no infostate key: got '5 9'"),
    (BadArgument, {-5: 1}, "no infostate key: got -5"),
    (BadArgument, {1 << 62: 1}, "no infostate key"),
    (BadArgument, {1.5: 1}, "no infostate key"),
    (BadArgument, {True: 1}, "no infostate key: got True"),
    (BadArgument, {key(3083): 1}, "such cards in its key: .*cards from 0 to 3082"),
    (BadArgument, {key(30, stake=1): 1}, "such stake in its key: .*stake from 0 to 0"),
    (BadArgument, {key(30, bought=1, buys=2): 1}, "such buys in its key: .*buys from 0 to 1"),
    (BadArgument, {key(30, upcard=4): 1}, "such upcard in its key"),
    (BadArgument, {key(30, shown=0xB): 1}, "such shown in its key"),
    (BadArgument, {BANKER_KEY: 1}, r"an infostate of the banker \(.+\): got .* those of the player"),
    (BadArgument, {key(30): 6}, r"bad action values for 3 3 \(6\): got 6; .* or an action of 0 to 5 \[key \d+\]"),
    (BadArgument, {key(30): True}, "bad action values for"),
    (BadArgument, {key(30): [1.0] * 5}, "bad action values for"),
    (BadArgument, {key(30): [np.nan] * 6}, "bad action values for"),
    (BadArgument, {key(30): [np.inf] * 6}, "bad action values for"),
    (BadArgument, {key(30): [[1], [2, 3]]}, "bad action values for"),
    (BadArgument, {key(30): None}, "bad action values for"),
]


@pytest.mark.parametrize(("error", "q", "words"), REFUSED)
def test_a_table_that_is_none(error: type[PontoonError], q: Any, words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        Strategy.from_dict(q, ENV)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "env", "otherwise", "words"),
    [
        (BadArgument, "home", None, "this says no role, rules and table: got 'home'"),
        (BadArgument, gymnasium.make("CartPole-v1"), None, "this says no role"),
        (UnknownPolicy, ENV, "stand17", "no such player: got 'stand17'"),
        (StaleStrategy, ENV, baseline("stand17", "banker", HOME, TABLE), "the other side"),
        (BadArgument, ENV, FunctionPolicy(lambda o, m: 0, "player"), "passes on to must be a strategy"),
    ],
)
def test_what_a_table_cannot_be_for(error: type[PontoonError], env: Any, otherwise: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        Strategy.from_dict({}, env, otherwise)


def test_a_table_without_an_answer_says_where_in_words() -> None:
    empty = Strategy.from_dict({}, ENV, name="mine")
    observation, info = PlayerEnv().reset(options={"cards": "5S 9C"})
    with pytest.raises(UnknownInfostate, match=r"mine has no answer for an infostate: got '5 \(5\), the stake' \[key"):
        empty.probabilities(observation[None], info["action_mask"][None])
    with pytest.raises(UnknownInfostate, match=r"has no answer for an infostate: got '6 10 \(16\)' \[pon"):
        BankerVectorEnv(1, players=empty).reset(seed=0)


# --- any function ---------------------------------------------------------------------------------------------------

TOTAL = next(view for view in BankerVectorEnv(1).layout.views if view.name == "total")


def total(observation: np.ndarray) -> np.ndarray:
    return np.rint(observation[..., TOTAL.start] * TOTAL.divisor)


def one_action(observation: np.ndarray, mask: np.ndarray) -> int:
    assert observation.ndim == mask.ndim == 1 and mask.sum() > 1
    return STICK if total(observation) >= 18 else TWIST


def one_row(observation: np.ndarray, mask: np.ndarray) -> list[float]:
    return [0.0, 1.0] if total(observation) < 18 else [1.0, 0.0]


def actions(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    assert observations.ndim == masks.ndim == 2 and (masks.sum(axis=1) > 1).all()
    return np.where(total(observations) >= 18, STICK, TWIST)


def probabilities(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return np.eye(2)[actions(observations, masks)]


FORMS = [(one_action, False), (one_row, False), (actions, True), (probabilities, True)]


@needs_compiler
@pytest.mark.parametrize(("choose", "batched"), FORMS)
def test_a_function_of_any_form_is_a_policy(choose: Any, batched: bool) -> None:
    """Judged it is worth what `stand18` is; seated it plays the same rounds."""
    policy = FunctionPolicy(choose, "banker", "home,split=none", {"buy_levels": 1}, batched=batched)
    assert isinstance(policy, Policy) and policy.name == choose.__name__
    table = {"buy_levels": 1}
    known = solver.value("home,split=none", player="thumb", banker="stand18", table=table)
    assert solver.value("home,split=none", player="thumb", banker=policy, table=table) == pytest.approx(
        known, abs=1e-13
    )
    results = []
    for banker in (policy, "stand18"):
        envs = PlayerVectorEnv(40, rules="home,split=none", banker=banker, buy_levels=1)
        envs.reset(seed=0)
        results.append([envs.step(envs.action_masks().argmax(axis=1))[1].tolist() for _ in range(12)])
    assert results[0] == results[1] and np.any(results[0])


def test_a_function_is_not_asked_where_there_is_no_choice() -> None:
    policy = FunctionPolicy(lambda observation, mask: 1 / 0, "player")
    mask = np.eye(6, dtype=np.bool_)[[STICK, 5]]
    assert policy.probabilities(np.zeros((2, 86), np.float32), mask).tolist() == mask.astype(float).tolist()


@pytest.mark.parametrize("answer", ["twist", None, -1, 2, 0.5, True, [1.0], [[1], [2, 3]], [1, 0, 0]])
def test_an_answer_that_is_none(answer: Any) -> None:
    policy = FunctionPolicy(lambda observation, mask: answer, "banker", name="mine")
    with pytest.raises(BadArgument, match=r"mine must answer one action of 0 to 1, or probabilities of shape \(2,\)"):
        policy.probabilities(np.zeros((1, 300), np.float32), np.ones((1, 2), np.bool_))


def test_a_forbidden_action_is_refused_where_it_is_seated() -> None:
    env = PlayerEnv(banker=FunctionPolicy(lambda observation, mask: [0.5, 0.4], "banker", name="mine"))
    env.reset(options={"cards": "9S 9C TS TC"})
    env.step(env.action_masks().argmax())
    with pytest.raises(BadArgument, match="probabilities of mine must sum to 1"):
        env.step(STICK)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"choose": 3}, "must be made of a function: got 3"),
        ({"role": "dealer"}, "no such role: got 'dealer'"),
        ({"role": ["player"]}, "no such role"),
        ({"rules": "homely"}, "unknown preset"),
        ({"table": 3}, "a table must be"),
        ({"batched": 1}, "bad batched: got 1"),
    ],
)
def test_what_no_policy_is_made_of(given: dict[str, Any], words: str) -> None:
    with pytest.raises(PontoonError, match=words):
        FunctionPolicy(**{"choose": one_action, "role": "banker", **given})


# --- keys of observations -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["home", "casino8", "spanish"])
@pytest.mark.parametrize("kind", ["vector", "dict"])
@pytest.mark.parametrize("vector", [PlayerVectorEnv, BankerVectorEnv])
def test_the_key_of_an_observation_is_the_one_that_is_shown(rules: str, kind: str, vector: Any) -> None:
    if vector is BankerVectorEnv and Rules.of(rules).banker != "free":
        rules = "home,tens=no"
    options: dict[str, Any] = {"rules": rules, "seats": 3, "stake_max": 7, "stake_levels": 3, "memory": True}
    shown, keyed = vector(20, observation=kind, **options), vector(20, observation="situation", **options)
    observations, told = shown.reset(seed=5)[0], keyed.reset(seed=5)[0]
    for _ in range(8):
        assert key_of(observations, shown).tolist() == told.tolist()
        one = {name: part[3] for name, part in observations.items()} if kind == "dict" else observations[3]
        assert key_of(one, shown) == int(told[3]) and isinstance(key_of(one, shown), int)
        choices = shown.action_masks().argmax(axis=1)
        observations, told = shown.step(choices)[0], keyed.step(choices)[0]


def test_a_policy_says_whose_observations_they_are() -> None:
    env = gymnasium.make("Pontoon/Player-v0")
    observation, _ = env.reset(seed=1)
    told = key_of(observation, baseline("thumb", "player", HOME, TABLE))
    assert told == key_of(observation, env) != EMPTY
    assert pontoon_gym.describe(told).endswith(", the stake")


@pytest.mark.parametrize(
    "observation", [3, None, "5 9", [], np.zeros(85), np.zeros((1, 1, 86)), np.full(86, 7.0), np.full(86, np.nan), {}]
)
def test_no_observation_no_key(observation: Any) -> None:
    with pytest.raises(BadArgument, match="no observation of this player's environment") as caught:
        key_of(observation, ENV)
    assert "\n" not in str(caught.value)


def test_the_doors_are_in_the_package_s_root() -> None:
    assert {"FunctionPolicy", "Strategy", "action_names", "describe", "key_of"} <= set(pontoon_gym.__all__)
    assert all(getattr(pontoon_gym, name) is not None for name in pontoon_gym.__all__)
    assert Table() == TABLE
