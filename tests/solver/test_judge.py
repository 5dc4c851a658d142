"""The judge of learners: its regret is that of the solver, for tables and networks of both sides."""

from __future__ import annotations

import numpy as np
import pytest

from pontoon_gym import Rules, Table, solver
from pontoon_gym.compiled import COMPILED
from pontoon_gym.errors import BadArgument, NotCovered
from pontoon_gym.evaluation.judge import exact_judge, judge_of
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.policies.tabular import Strategy
from tests.solver.tables import needs_compiler

HOME, FLAT, TABLE = Rules.of("home"), Rules.of("home,split=none"), Table()


@needs_compiler
@pytest.mark.parametrize(
    ("rules", "table"),
    [(HOME, TABLE), (Rules.of("casino8"), TABLE), (HOME, Table.of(stake_max=10, stake_levels=2, stake_min=2))],
)
def test_a_player_s_regret_is_the_solver_s(rules: Rules, table: Table) -> None:
    banker = None if rules.banker != "free" else baseline("stand17", "banker", rules, table)
    judge, thumb = judge_of(rules, table, banker), baseline("thumb", "player", rules, table)
    known = solver.regrets(rules, player=thumb, banker=banker, table=table)
    assert judge.best == pytest.approx(known.best, abs=1e-12)
    assert judge.value(thumb) == pytest.approx(known.value, abs=1e-12)
    assert judge.regret(thumb).total == pytest.approx(known.total, abs=1e-12)


@needs_compiler
def test_a_banker_s_regret_is_the_solver_s() -> None:
    judge = judge_of(FLAT, TABLE, baseline("thumb", "player", FLAT, TABLE))
    # What the best banker wins from `thumb` (README).
    assert judge.best == pytest.approx(0.212977580, abs=1e-9)
    chase = baseline("chase", "banker", FLAT, TABLE)
    known = solver.regrets(FLAT, player="thumb", banker=chase, of="banker")
    assert judge.value(chase) == pytest.approx(-known.value, abs=1e-12)
    assert judge.regret(chase).total == pytest.approx(known.total, abs=1e-12)


@needs_compiler
def test_a_table_of_a_policy_is_worth_what_it_is() -> None:
    banker = baseline("stand17", "banker", HOME, TABLE)
    judge, thumb = judge_of(HOME, TABLE, banker), baseline("thumb", "player", HOME, TABLE)
    made = judge.tabulate(thumb)
    assert isinstance(made, Strategy) and made.greedy and made.otherwise is None and len(made.keys) > 20_000
    assert judge.value(made) == pytest.approx(judge.value(thumb), abs=1e-13)
    random = judge.tabulate(baseline("random", "player", HOME, TABLE))
    assert not random.greedy and judge.value(random) == pytest.approx(-1.129713, abs=1e-6)
    best = solver.best_response(HOME, banker=banker)
    assert judge.value(judge.tabulate(best.strategy)) == pytest.approx(best.value, abs=1e-13)


@needs_compiler
def test_a_table_of_a_banker_is_worth_what_the_banker_is() -> None:
    judge = judge_of(FLAT, TABLE, baseline("thumb", "player", FLAT, TABLE))
    for name in ("chase", "stand17"):
        banker = baseline(name, "banker", FLAT, TABLE)
        made = judge.tabulate(banker)
        assert judge.value(made) == pytest.approx(judge.value(banker), abs=1e-13)
        assert solver.value(FLAT, player="thumb", banker=made) == pytest.approx(-judge.value(banker), abs=1e-12)


@needs_compiler
@pytest.mark.parametrize(("role", "name", "opponent"), [("player", "thumb", "stand17"), ("banker", "chase", "thumb")])
def test_an_action_s_value_is_what_a_policy_gains_that_takes_it(role: str, name: str, opponent: str) -> None:
    """A change in one infostate alone changes the whole value by its reach times the difference of action values."""
    other = baseline(opponent, "banker" if role == "player" else "player", FLAT, TABLE)
    judge, policy = judge_of(FLAT, TABLE, other), baseline(name, role, FLAT, TABLE)
    table, known = judge.tabulate(policy), judge.action_values(policy)
    value, tried = judge.value(table), 0
    for key in known.keys[np.argsort(-known.reach)][::80][:5]:
        rows = np.flatnonzero(known.keys == key)
        place = int(np.flatnonzero(table.keys == key)[0])
        actions = known.actions[rows].tolist()
        played = max(actions, key=lambda action: table.weights[place, action])
        worth = dict(zip(actions, known.values[rows].tolist(), strict=True))
        for action in actions:
            weights = table.weights.copy()
            weights[place] = np.eye(weights.shape[1])[action]
            about = Metadata(role, FLAT, TABLE, name="changed")
            changed = Strategy(about, parts=table.parts, keys=table.keys, weights=weights, greedy=True)
            gained = known.reach[rows[0]] * (worth[action] - worth[played])
            assert judge.value(changed) - value == pytest.approx(gained, abs=1e-12)
            tried += abs(gained) > 1e-6
    assert tried >= 3


@needs_compiler
def test_tabulate_is_the_public_door() -> None:
    made = solver.tabulate(FLAT, player="thumb", banker="chase", of="banker")
    assert solver.value(FLAT, player="thumb", banker=made) == pytest.approx(
        solver.value(FLAT, player="thumb", banker="chase"), abs=1e-12
    )
    player = solver.tabulate("casino8", player="stick15")
    assert solver.value("casino8", player=player) == pytest.approx(solver.value("casino8", player="stick15"), abs=1e-12)
    with pytest.raises(BadArgument, match="a bound banker has nothing to choose"):
        solver.tabulate("casino8", player="thumb", of="banker")
    with pytest.raises(BadArgument, match="no such role: got 'dealer'"):
        solver.tabulate("casino8", player="thumb", of="dealer")


@needs_compiler
def test_a_judge_says_what_it_does_not_cover() -> None:
    thumb = baseline("thumb", "player", HOME, TABLE)
    assert exact_judge(HOME, TABLE, thumb) is None
    with pytest.raises(NotCovered, match="splits against a banker who looks at the table"):
        judge_of(HOME, TABLE, thumb)


def test_where_there_is_no_exact_judge() -> None:
    five = Table.of(seats=5)
    assert exact_judge(HOME, five, baseline("stand17", "banker", HOME, five)) is None
    if not COMPILED:
        assert exact_judge(FLAT, TABLE, baseline("thumb", "player", FLAT, TABLE)) is None
