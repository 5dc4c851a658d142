"""A game so small that every question of the solver's can be asked without the compiler too."""

from __future__ import annotations

from pathlib import Path

import pytest

from pontoon_gym import Rules, Table, solver
from pontoon_gym.cards import parse_shoe
from pontoon_gym.errors import BadArgument
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.chart import Chart
from pontoon_gym.policies.chart_formats import SUFFIXES
from pontoon_gym.policies.resolve import resolve
from pontoon_gym.solver.heads_up import heads_up
from tests import enumeration
from tests.solver.tables import Outside, as_banker, as_player

HOME = "home,trick_cards=3,max_buys=1,max_hands=2"
UNSPLIT = f"{HOME},split=none"
SHOE = {"3": 3, "8": 3, "K": 3}
CLOSE = pytest.approx


def test_values() -> None:
    for text, name in ((HOME, "stand17"), (UNSPLIT, "chase")):
        rules = Rules.of(text)
        player, banker = baseline("thumb", "player", rules, Table()), baseline(name, "banker", rules, Table())
        counted = enumeration.expectation(rules, Table(), parse_shoe(SHOE), as_player(player), as_banker(banker))
        for seats in ((player, banker), (Outside(player), Outside(banker))):
            if text == HOME and seats[0] is not player:
                continue
            value = solver.value(rules, player=seats[0], banker=seats[1], shoe=SHOE)
            assert value == CLOSE(float(counted), abs=1e-14)


def test_a_bonus_for_suits_and_an_up_card() -> None:
    for text, shoe in (
        ("spanish,max_buys=0,split=none", {"6": 2, "7": 2, "8": 2}),
        ("blackjack,split=none,max_buys=0,packs=1,trick_cards=3", {"A": 1, "5": 2, "K": 2, "9": 1}),
    ):
        rules = Rules.of(text)
        player = baseline("stick15", "player", rules, Table())
        banker = None if rules.banker != "free" else baseline("stand17", "banker", rules, Table())
        seat = None if banker is None else as_banker(banker)
        counted = enumeration.expectation(rules, Table(), parse_shoe(shoe), as_player(player), seat)
        assert solver.value(rules, player=player, banker=banker, shoe=shoe) == CLOSE(float(counted), abs=1e-14)


def test_best_responses_and_regrets() -> None:
    rules, cards = Rules.of(UNSPLIT), parse_shoe(SHOE)
    thumb, stand = baseline("thumb", "player", rules, Table()), baseline("stand17", "banker", rules, Table())
    best = solver.best_response(rules, banker="stand17", shoe=SHOE)
    assert best.value == CLOSE(float(enumeration.best_player(rules, Table(), cards, as_banker(stand))), abs=1e-14)
    regret = solver.regrets(rules, player="thumb", banker="stand17", shoe=SHOE)
    assert regret.best == best.value and regret.infostates.loss.sum() == CLOSE(regret.total, abs=1e-14)
    bank = solver.best_response(rules, player="thumb", shoe=SHOE)
    assert bank.value == CLOSE(float(enumeration.best_banker(rules, Table(), cards, as_player(thumb))), abs=1e-14)
    regret = solver.regrets(rules, player="thumb", banker="stand17", of="banker", shoe=SHOE)
    assert regret.best == bank.value and regret.infostates.loss.sum() == CLOSE(regret.total, abs=1e-14)


def test_judges_and_tables() -> None:
    rules, table = Rules.of(UNSPLIT), Table()
    thumb, chase = baseline("thumb", "player", rules, table), baseline("chase", "banker", rules, table)
    value = solver.value(rules, player=thumb, banker=chase, shoe=SHOE)
    for role, policy, opponent, sign in (("player", thumb, chase, 1.0), ("banker", chase, thumb, -1.0)):
        judge = solver.Judge(heads_up(rules, table, SHOE), opponent)
        assert judge.role == role
        regret = solver.regrets(rules, player=thumb, banker=chase, of=role, shoe=SHOE)
        assert judge.value(policy) == CLOSE(sign * value, abs=1e-14)
        assert judge.regret(policy).total == judge.best - judge.value(policy) == CLOSE(regret.total, abs=1e-14)
        for made in (judge.tabulate(policy), solver.tabulate(rules, player=thumb, banker=chase, of=role, shoe=SHOE)):
            assert made.role == role and judge.value(made) == CLOSE(sign * value, abs=1e-14)
    with pytest.raises(BadArgument, match="players are judged against a banker"):
        solver.Judge(heads_up(rules, table, SHOE), None)


def test_the_best_way_to_split() -> None:
    best = solver.best_response(HOME, banker="stand17", shoe=SHOE)
    for name in ("thumb", "stick15"):
        regret = solver.regrets(HOME, player=name, banker="stand17", shoe=SHOE)
        assert regret.best == best.value
        assert regret.infostates.loss.sum() == CLOSE(regret.total, abs=1e-14)
    assert solver.value(HOME, player=best.strategy, banker="stand17", shoe=SHOE) == CLOSE(best.value, abs=1e-14)


def test_the_banker_s_outcomes() -> None:
    """Two kings and a three are gone of nine cards: 3 3 8 8 8 K, of which two are the banker's."""
    found = solver.banker_outcomes(HOME, banker="stand17", gone={"K": 2, "3": 1}, shoe=SHOE)
    # Of 30 orders K 8 is 6, and stands on 18. All others draw a third card: 8 8 (6) is bust by 8 and K, two of four;
    # K 3 (4), 3 8 (12) and 3 3 (2) never are.
    assert found.totals == {18: CLOSE(6 / 30, abs=1e-14)}
    assert found.bust == CLOSE(6 / 30 * 2 / 4, abs=1e-14)
    assert found.trick == CLOSE(6 / 30 * 2 / 4 + 18 / 30, abs=1e-14)
    assert found.pontoon == 0


def test_a_chart(tmp_path: Path) -> None:
    chart = solver.chart(HOME, player="thumb", banker="stand17", shoe=SHOE)
    for form in SUFFIXES[:4]:
        path = chart.save(tmp_path / f"thumb{form}")
        assert Chart.load(path) == chart
    policy = resolve(path, "player", chart.rules, chart.table)
    assert solver.value(HOME, player=policy, banker="stand17", shoe=SHOE) == chart.notes["whole"]
