"""Values of policies: against play, by whatever road the policy is asked, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pontoon_gym import PRESETS, Rules, Strategy, Table, solver
from pontoon_gym.errors import BadCards, NotCovered, PontoonError, StaleStrategy, UnknownInfostate, UnknownPolicy
from pontoon_gym.evaluation.judge import exact_values
from pontoon_gym.evaluation.play import play
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.metadata import Metadata
from tests.scale import SCALE
from tests.solver.tables import Outside, needs_compiler

pytestmark = needs_compiler

ROUNDS = 50_000_000 if SCALE > 1 else 300_000
TINY = {"A": 2, "3": 2, "5": 1, "7": 1, "K": 2}


def against(text: str) -> str | None:
    return None if Rules.of(text).banker != "free" else "stand17"


PAIRS = [
    *((name, player, against(name)) for name in PRESETS for player in ("thumb", "random")[: 1 + (SCALE > 1)]),
    ("home", "stick15", "stand16"),
    ("home", "stick15", "chase"),
    ("home,split=none", "random", "chase"),
    ("home,split=none", "thumb", "random"),
    ("british,peek=no,split=none", "thumb", "chase"),
    ("casino6,split_aces_one_card=yes,max_hands=4", "random", None),
    ("home,split=value,packs=2,tens=no", "random", "stand19"),
]


@pytest.mark.parametrize(("text", "player", "banker"), PAIRS)
def test_play_agrees(text: str, player: str, banker: str | None) -> None:
    """Within four standard errors; a false alarm once in 15,000 runs a pair."""
    rules, table = Rules.of(text), Table.of(stake_max=4, stake_levels=2)
    seats = baseline(player, "player", rules, table), baseline(banker, "banker", rules, table) if banker else None
    exact = solver.value(rules, player=player, banker=banker, table=table)
    total = squares = 0.0
    for seed in range(max(ROUNDS // 5_000_000, 1)):
        results = play(rules, table, *seats, min(ROUNDS, 5_000_000), seed=seed)["result"] / 2
        total, squares = total + results.mean(), squares + float(np.square(results).mean())
    blocks = max(ROUNDS // 5_000_000, 1)
    mean = total / blocks
    assert abs(mean - exact) < 4 * np.sqrt((squares / blocks - mean**2) / ROUNDS)


def test_play_of_what_was_found_agrees() -> None:
    """Best responses, splits and chosen stakes among them; a false alarm once in 15,000 runs each."""
    for text, banker, table in (
        ("home", "stand17", Table.of(stake_max=10, stake_levels=2)),
        ("casino8", None, Table()),
    ):
        found = solver.best_response(text, banker=banker, table=table)
        rules = Rules.of(text)
        seat = baseline(banker, "banker", rules, table) if banker else None
        results = play(rules, table, found.strategy, seat, min(ROUNDS, 5_000_000))["result"] / 2
        assert abs(results.mean() - found.value) < 4 * results.std() / np.sqrt(len(results))


@pytest.mark.parametrize("text", ["home,split=none", "casino8,split=none", "british,peek=no,split=none"])
def test_a_policy_asked_outside_is_worth_what_its_table_is(text: str) -> None:
    rules, table = Rules.of(text), Table.of(stake_max=3, stake_levels=2)
    player = baseline("random", "player", rules, table)
    banker = None if rules.banker != "free" else baseline("chase", "banker", rules, table)
    outside = None if banker is None else Outside(banker)
    values = {
        solver.value(rules, player=p, banker=b, table=table, shoe=TINY)
        for p in (player, Outside(player))
        for b in (banker, outside)
    }
    assert max(values) - min(values) < 1e-14


def test_stakes_are_counted_in_the_least() -> None:
    """Three chips staked always are three times one, for who buys nothing."""
    one = solver.value("home,split=none", player="stick15", banker="stand17", shoe=TINY)
    three = solver.value(
        "home,split=none", player="stick15", banker="stand17", shoe=TINY, table={"stake_min": 3, "stake_max": 9}
    )
    assert three == pytest.approx(one, abs=1e-15)


def test_by_hand() -> None:
    """Two kings to each: the player sticks on 20, and the banker wins the tie; with pushes nobody does."""
    kings = {"K": 4}
    assert solver.value("home,split=none", player="stick15", banker="stand17", shoe=kings) == -1
    assert solver.value("home,split=none,ties=push", player="stick15", banker="stand17", shoe=kings) == 0
    assert solver.value("home,split=none,ties=player", player="stick15", banker="stand17", shoe=kings) == 1
    # Two aces and two kings: in one deal of three each holds a Pontoon (-2), in one of six the player kings against
    # aces (banker 12, no card left: +1), in one of six aces against kings (-1); in a third of the rest each again.
    found = solver.value("home,split=none", player="stick15", banker="stand17", shoe={"A": 2, "K": 2})
    assert found == pytest.approx(-2 * 2 / 3 + 1 / 6 - 1 / 6, abs=1e-15)


def hole(rules: Rules) -> Strategy:
    """A banker who knows nothing of the smallest hands."""
    table = baseline("stand17", "banker", rules, Table())
    return Strategy(
        Metadata("banker", rules, Table(), name="hole"),
        parts=table.parts,
        keys=table.keys[100:],
        weights=table.weights[100:],
        greedy=True,
    )


REFUSED: list[tuple[type[PontoonError], str, dict[str, Any]]] = [
    (NotCovered, "one player and the bank: got '3 seats'", {"table": {"seats": 3}}),
    (NotCovered, "could run out", {"shoe": {"A": 4, "K": 4}}),
    (NotCovered, "bonus for suits", {"rules": "spanish,packs=2"}),
    (NotCovered, "bonus for suits", {"rules": "spanish,packs=0"}),
    (NotCovered, "bonus for suits", {"rules": "spanish,split=value"}),
    (NotCovered, "bonus for suits", {"rules": "casino8,packs=1,bonus=spanish21", "banker": None}),
    (NotCovered, "looks at the table", {"banker": "chase"}),
    (BadCards, "bad number of cards in a shoe", {"shoe": {"A": 1}}),
    (BadCards, "no such rank", {"shoe": {"X": 9}}),
    (UnknownPolicy, "no such player", {"player": "nobody"}),
    (StaleStrategy, "other rules", {"player": baseline("thumb", "player", Rules.of("british"), Table())}),
    (StaleStrategy, "other side", {"player": baseline("chase", "banker", Rules.of("home"), Table())}),
]


@pytest.mark.parametrize(("error", "words", "changes"), REFUSED)
def test_what_is_refused(error: type[PontoonError], words: str, changes: dict[str, Any]) -> None:
    given = {"rules": "home", "player": "thumb", "banker": "stand17", **changes}
    rules = given.pop("rules")
    with pytest.raises(error, match=words) as caught:
        solver.value(rules, **given)
    assert "\n" not in str(caught.value)


def test_a_banker_without_an_answer() -> None:
    rules = Rules.of("home,split=none")
    with pytest.raises(UnknownInfostate, match="no answer"):
        solver.value(rules, player="thumb", banker=hole(rules), shoe={"A": 2, "2": 4, "3": 4, "4": 2})


def test_a_player_without_an_answer() -> None:
    rules, table = Rules.of("home,split=none"), Table()
    thumb = baseline("thumb", "player", rules, table)
    short = Strategy(
        Metadata("player", rules, table),
        parts=thumb.parts,
        keys=thumb.keys[:500],
        weights=thumb.weights[:500],
        greedy=True,
    )
    with pytest.raises(UnknownInfostate, match="no answer"):
        solver.value(rules, player=short, banker="stand17", shoe=TINY)


def test_exactly_where_it_can_be() -> None:
    """Only one player's values are exact; and with splits only those of tables."""
    rules, table = Rules.of("home"), Table()
    player, banker = baseline("thumb", "player", rules, table), baseline("stand17", "banker", rules, table)
    assert exact_values(rules, Table(seats=3), [(player, banker)]) == [None]
    assert exact_values(rules, table, [(Outside(player), banker)]) == [None]
    value = solver.value("home", player="thumb", banker="stand17")
    assert exact_values(rules, table, [(player, banker)], "banker") == [-value]
