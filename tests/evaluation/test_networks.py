"""Networks judged exactly: against play, and by their own table."""

from __future__ import annotations

import numpy as np
import pytest

from pontoon_gym import Rules, Table, solver
from pontoon_gym.engine.view.columns import Game, layout
from pontoon_gym.evaluation.judge import exact_values
from pontoon_gym.evaluation.play import play
from pontoon_gym.names import Role
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.network import NetworkPolicy
from tests.scale import scaled
from tests.solver.tables import needs_compiler

pytestmark = needs_compiler
RULES, TABLE = Rules.of("home,split=none"), Table.of(stake_max=4, stake_levels=2)


def network(role: str, seed: int, *, memory: bool = False) -> NetworkPolicy:
    """Random weights, large enough for choices to be far from even."""
    rng = np.random.default_rng(seed)
    size = layout(Game(RULES, TABLE, Role[role.upper()], memory)).size
    actions = 2 if role == "banker" else TABLE.actions
    sizes = [(16, size), (actions, 16)]
    layers = [(rng.normal(size=s).astype(np.float32), rng.normal(size=s[0]).astype(np.float32)) for s in sizes]
    return NetworkPolicy(Metadata(role, RULES, TABLE, name=f"{role} {seed}"), layers)


@pytest.mark.parametrize("memory", [False, True], ids=["", "memory"])
@pytest.mark.parametrize(("player", "banker"), [("network", "stand17"), ("thumb", "network"), ("network", "network")])
def test_a_network_s_value_is_what_play_tends_to(player: str, banker: str, memory: bool) -> None:
    """Within four standard errors; a false alarm once in 15,000 runs each. One with memory sees this round's cards."""
    known = {"memory": memory}
    seat = network("player", 1, **known) if player == "network" else baseline(player, "player", RULES, TABLE)
    bank = network("banker", 2, **known) if banker == "network" else baseline(banker, "banker", RULES, TABLE)
    exact = solver.value(RULES, player=seat, banker=bank, table=TABLE)
    assert exact_values(RULES, TABLE, [(seat, bank)]) == [exact]
    results = play(RULES, TABLE, seat, bank, scaled(50_000))["result"] / 2
    assert abs(results.mean() - exact) < 4 * results.std() / np.sqrt(len(results))


def test_a_network_s_regret() -> None:
    """The losses add up, and the banker's value is the same by both roads to it."""
    seat, bank = network("player", 1), network("banker", 2)
    mine = solver.regrets(RULES, player=seat, banker="stand17", table=TABLE)
    assert mine.infostates.loss.sum() == pytest.approx(mine.total, abs=1e-11)
    theirs = solver.regrets(RULES, player="thumb", banker=bank, of="banker", table=TABLE)
    assert theirs.infostates.loss.sum() == pytest.approx(theirs.total, abs=1e-11)
    assert theirs.value == pytest.approx(solver.value(RULES, player="thumb", banker=bank, table=TABLE), abs=1e-12)
