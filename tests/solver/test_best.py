"""Best responses: nothing beats them, and no change of one infostate improves them."""

from __future__ import annotations

import numpy as np
import pytest

from pontoon_gym import Rules, Strategy, Table, solver
from pontoon_gym.errors import BadArgument, NotCovered
from pontoon_gym.policies.baselines import BANKERS, PLAYERS
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.seating import banker_of
from pontoon_gym.solver.heads_up import heads_up
from pontoon_gym.solver.judge import Judge
from pontoon_gym.solver.tree.build import tree_of
from tests.scale import scaled
from tests.solver.tables import PLAIN, needs_compiler, random_banker, random_player

pytestmark = needs_compiler

SMALL = {"A": 2, "2": 2, "3": 2, "5": 1, "8": 4, "K": 4, "9": 1}


def judge(text: str, banker: str | None, shoe: dict[str, int] | None = None) -> Judge:
    game = heads_up(text, None, shoe)
    return Judge(game, banker_of(banker, game.rules, game.table))


@pytest.mark.parametrize("greedy", [True, False])
def test_no_random_player_beats_the_best(greedy: bool) -> None:
    """Tables that split among them; three thousand of each kind in the long run."""
    bank = judge("home,max_hands=2", "stand17", SMALL)
    tree, rules, table = tree_of(bank.game.game), bank.game.rules, bank.game.table
    values = [
        bank.value(random_player(tree, rules, table, seed, parts=PLAIN, greedy=greedy)) for seed in range(scaled(60))
    ]
    assert max(values) < bank.best


def test_no_random_banker_beats_the_best() -> None:
    rules, table = Rules.of("home,split=none"), Table()
    shoe = {name: n for name, n in SMALL.items() if name != "9"}
    best = solver.best_response(rules, player="thumb", shoe=shoe).value
    values = [
        solver.value(rules, player="thumb", banker=random_banker(rules, table, seed), shoe=shoe)
        for seed in range(scaled(60))
    ]
    assert min(values) > best


@pytest.mark.parametrize(("text", "banker"), [("home", "stand17"), ("casino8", None), ("home,split=none", "chase")])
def test_no_rule_of_thumb_beats_the_best(text: str, banker: str | None) -> None:
    bank = judge(text, banker)
    best = bank.best
    for name in PLAYERS:
        assert solver.value(text, player=name, banker=banker) < best


def test_no_banker_s_rule_of_thumb_beats_the_best() -> None:
    for player in PLAYERS:
        best = solver.best_response("home,split=none", player=player).value
        assert all(solver.value("home,split=none", player=player, banker=name) > best for name in BANKERS)


def changed(strategy: Strategy, row: int, action: int) -> Strategy:
    weights = strategy.weights.copy()
    weights[row, action] += 2.0
    return Strategy(
        Metadata(strategy.role, strategy.rules, strategy.table),
        parts=strategy.parts,
        keys=strategy.keys,
        weights=weights,
        greedy=True,
        otherwise=strategy.otherwise,
    )


@pytest.mark.parametrize("text", ["home,max_hands=2", "ace_high,max_hands=2", "casino8,max_hands=2"])
def test_no_change_of_one_infostate_improves_a_player(text: str) -> None:
    """Sampled infostates, each with each action that is allowed there."""
    bank = judge(text, None if text.startswith("casino8") else "stand17", SMALL)
    strategy = bank.best_response().strategy
    assert bank.value(strategy) == pytest.approx(bank.best, abs=1e-13)
    rng = np.random.default_rng(1)
    for row in rng.permutation(len(strategy.keys))[: scaled(50)].tolist():
        for action in range(strategy.actions):
            assert bank.value(changed(strategy, row, action)) <= bank.best + 1e-14


def test_no_change_of_one_infostate_improves_a_banker() -> None:
    rules = Rules.of("home,split=none")
    best = solver.best_response(rules, player="stick15", shoe=SMALL)
    rng = np.random.default_rng(1)
    for row in rng.permutation(len(best.strategy.keys))[: scaled(20)].tolist():
        for action in (0, 1):
            other = changed(best.strategy, row, action)
            assert solver.value(rules, player="stick15", banker=other, shoe=SMALL) >= best.value - 1e-14


def test_the_value_is_that_of_the_strategy() -> None:
    """Two routes to one number, in the full game: the search's, and the policy's judged like any other."""
    for text, banker in (("home", "stand17"), ("casino6", None), ("spanish", "stand16"), ("home,split=none", "chase")):
        found = solver.best_response(text, banker=banker)
        value = solver.value(text, player=found.strategy, banker=banker)
        assert value == pytest.approx(found.value, abs=1e-13)
    for text in ("home", "british", "spanish,split=none"):
        found = solver.best_response(text, player="stick15")
        value = solver.value(text, player="stick15", banker=found.strategy)
        assert value == pytest.approx(found.value, abs=1e-13)


def test_a_strategy_that_was_found_is_saved_and_loaded(tmp_path: object) -> None:
    found = solver.best_response("home,max_hands=2", banker="stand17", shoe=SMALL).strategy
    path = found.save(f"{tmp_path}/best.npz")
    assert solver.value("home,max_hands=2", player=path, banker="stand17", shoe=SMALL) == solver.value(
        "home,max_hands=2", player=found, banker="stand17", shoe=SMALL
    )


def test_what_has_no_best_response() -> None:
    with pytest.raises(BadArgument, match="one side"):
        solver.best_response("home", player="thumb", banker="stand17")
    with pytest.raises(BadArgument, match="a banker or a player"):
        solver.best_response("home")
    with pytest.raises(BadArgument, match="bound banker"):
        solver.best_response("casino8", player="thumb")
    with pytest.raises(NotCovered, match="splits against a banker who looks"):
        solver.best_response("home", banker="chase")
