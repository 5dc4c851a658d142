"""Regret by infostate: the losses add up to the whole distance, and none is a gain."""

from __future__ import annotations

import pytest

from pontoon_gym import solver
from pontoon_gym.errors import BadArgument
from tests.solver.tables import needs_compiler

pytestmark = needs_compiler

SMALL = {"A": 2, "2": 2, "3": 2, "5": 1, "8": 4, "K": 4, "9": 1}
CASES = [
    ("home,max_hands=2", "stand17"),
    ("ace_high,max_hands=2", "stand16"),
    ("casino8,max_hands=2", None),
    ("home,split=none", "chase"),
    ("british,split=none,peek=no", "random"),
]


@pytest.mark.parametrize(("text", "banker"), CASES)
@pytest.mark.parametrize("player", ["thumb", "random", "stick15"])
def test_a_player_s_losses(text: str, banker: str | None, player: str) -> None:
    table = {"stake_max": 3, "stake_levels": 2}
    regret = solver.regrets(text, player=player, banker=banker, table=table, shoe=SMALL)
    assert regret.value == solver.value(text, player=player, banker=banker, table=table, shoe=SMALL)
    assert regret.best == solver.best_response(text, banker=banker, table=table, shoe=SMALL).value
    assert regret.infostates.loss.sum() == pytest.approx(regret.total, abs=1e-12)
    losses = [one.loss for one in regret.infostates]
    assert losses == sorted(losses, reverse=True) and losses[-1] > 0
    assert all(one.reach > 0 and sum(one.chosen.values()) == pytest.approx(1) for one in regret.infostates)


@pytest.mark.parametrize("banker", ["stand17", "chase", "random"])
def test_a_banker_s_losses(banker: str) -> None:
    text = "home,split=none"
    regret = solver.regrets(text, player="thumb", banker=banker, of="banker", shoe=SMALL)
    assert regret.value == pytest.approx(solver.value(text, player="thumb", banker=banker, shoe=SMALL), abs=1e-13)
    assert regret.best == solver.best_response(text, player="thumb", shoe=SMALL).value
    assert regret.infostates.loss.sum() == pytest.approx(regret.total, abs=1e-12)
    assert min(one.loss for one in regret.infostates) > 0


def test_the_best_response_regrets_nothing() -> None:
    best = solver.best_response("home,max_hands=2", banker="stand17", shoe=SMALL).strategy
    regret = solver.regrets("home,max_hands=2", player=best, banker="stand17", shoe=SMALL)
    assert regret.total == pytest.approx(0, abs=1e-14)
    assert regret.infostates.loss.sum() == pytest.approx(0, abs=1e-13)


def test_the_dearest_infostate_by_hand() -> None:
    """`stick15` twists an ace and a two, met 2 * 4 * 4 / (52 * 51) times in rounds that go on, where buying the most
    is best: the loss is that chance times what the two moves differ by."""
    regret = solver.regrets("home", player="stick15", banker="stand17")
    first = regret.infostates[0]
    assert first.text == "A 2 (soft 13)" and first.chosen == {"T": 1.0} and first.best == "B1"
    goes_on = 1 - 2 * 3 * 16 / (50 * 49)
    assert first.reach == pytest.approx(2 * 4 * 4 / (52 * 51) * goes_on, abs=1e-12)


def test_words() -> None:
    regret = solver.regrets("home,max_hands=2", player="random", banker="stand17", shoe=SMALL)
    texts = {one.text for one in regret.infostates}
    assert "8 8 (16), a pair" in texts
    assert "8 9 (17), of split 8s, 2 hands" in texts
    assert any(text.endswith("bought at level 1, twisted") for text in texts)
    bank = solver.regrets("home,split=none", player="thumb", banker="random", of="banker", shoe=SMALL)
    assert any("against a trick" in one.text for one in bank.infostates)
    assert any("against a live hand showing nothing" in one.text for one in bank.infostates)


def test_a_bound_banker_regrets_nothing() -> None:
    with pytest.raises(BadArgument, match="bound banker"):
        solver.regrets("casino8", player="thumb", of="banker")
