"""The solver against a count of every deal in fractions, written from the rule book alone, on small shoes."""

from __future__ import annotations

import pytest

from pontoon_gym import PRESETS, Rules, Strategy, Table, solver
from pontoon_gym.cards import parse_shoe
from pontoon_gym.engine.view.infostate import KEYS
from pontoon_gym.names import Role
from pontoon_gym.policies.baselines import baseline
from pontoon_gym.policies.metadata import Metadata
from pontoon_gym.solver.heads_up import heads_up
from pontoon_gym.solver.tree.build import SHOWN_ORDER, tree_of
from tests import enumeration
from tests.scale import SCALE
from tests.solver.tables import PLAIN, as_banker, as_player, needs_compiler, random_banker, random_player

pytestmark = needs_compiler

SMALL = {"A": 2, "2": 1, "3": 1, "6": 1, "8": 1, "K": 1, "Q": 1} | ({"5": 1} if SCALE > 1 else {})
LOW = {"A": 2, "2": 2, "3": 1, "4": 2, "K": 1, "6": 1}
PAIRS = {"A": 3, "3": 1, "7": 2, "8": 3, "9": 1, "10": 2, "J": 1, "K": 2}
SUITED = {"6": 1, "7": 3, "8": 1, "A": 1, "5": 1, "K": 1, "2": 1}
STAKES = Table.of(stake_max=3, stake_levels=2)

TINY = {"A": 2, "3": 1, "5": 1, "7": 1, "K": 1}
UNSPLIT = [(name, TINY if name == "blackjack" else SMALL) for name in PRESETS] + [
    ("home,trick_cards=3", LOW),
    ("home", LOW),
    ("home,peek=no", SMALL),
    ("british,buy_fifth_minimum=12,stick_minimum=16", LOW),
    ("casino8,banker=free,players_face_up=no", SMALL),
    ("home,buying=none,ties=push,twist_under=21", LOW),
    ("home,banker_upcard=yes,banker=s17", SMALL),
    ("spanish", SUITED),
]
SPLIT = [
    *((f"{name},max_hands=2", PAIRS) for name in PRESETS if name != "blackjack"),
    ("home,split=value,max_hands=2", PAIRS),
    ("home,max_hands=2,peek=no,split_pontoon=no", PAIRS),
    ("home,trick_cards=3,max_hands=3", PAIRS),
    ("home,trick_cards=3,max_hands=4", PAIRS),
    ("ace_high,trick_cards=3,max_hands=3", PAIRS),
    ("casino8,trick_cards=3,max_hands=3,split_aces_one_card=yes,double_after_split=no", PAIRS),
    ("blackjack,trick_cards=3,max_hands=3", {"A": 1, "6": 1, "8": 1, "K": 2}),
]
CLOSE = pytest.approx
ALL = tuple(KEYS[Role.PLAYER])


def bankers(rules: Rules, table: Table) -> list[Strategy | None]:
    if rules.banker != "free":
        return [None]
    return [random_banker(rules, table, 5), baseline("chase", "banker", rules, table)]


def counted(rules: Rules, table: Table, shoe: dict[str, int], player: Strategy, banker: Strategy | None) -> float:
    seat = None if banker is None else as_banker(banker)
    return float(enumeration.expectation(rules, table, parse_shoe(shoe), as_player(player), seat))


def made(text: str, shoe: dict[str, int], table: Table, parts: tuple[str, ...] = ALL, greedy: bool = False) -> Strategy:
    """A random player's table; it looks at no suits, of which the enumeration tells what a bonus needs."""
    game = heads_up(text, table, shoe)
    seen = tuple(part for part in parts if part != "suits")
    return random_player(tree_of(game.game, SHOWN_ORDER), game.rules, table, 3, parts=seen, greedy=greedy)


@pytest.mark.parametrize(("text", "shoe"), UNSPLIT)
def test_values_without_splits(text: str, shoe: dict[str, int]) -> None:
    """Rules of thumb and random tables against bankers blind and not, up to rounding; the shoe may run out."""
    rules = Rules.of(text, split="none")
    for table in (Table(), STAKES):
        # Any action in any infostate is too much to count where there are more of both.
        random = made(rules.text(), shoe, table, greedy=table is STAKES or rules.banker_upcard)
        players = [baseline("thumb", "player", rules, table), random]
        for banker in bankers(rules, table):
            for player in players:
                value = solver.value(rules, player=player, banker=banker, table=table, shoe=shoe)
                assert value == CLOSE(counted(rules, table, shoe, player, banker), abs=1e-13)


@pytest.mark.parametrize(("text", "shoe"), SPLIT)
def test_values_with_splits(text: str, shoe: dict[str, int]) -> None:
    """Hands split and split again, by a rule of thumb and by random tables that play one action in each infostate."""
    rules, table = Rules.of(text), Table()
    banker = None if rules.banker != "free" else baseline("stand17", "banker", rules, table)
    random = made(text, shoe, table, PLAIN, greedy=True)
    for player in (baseline("thumb", "player", rules, table), always_splits(rules, table), random):
        value = solver.value(rules, player=player, banker=banker, shoe=shoe)
        assert value == CLOSE(counted(rules, table, shoe, player, banker), abs=1e-13)


def always_splits(rules: Rules, table: Table) -> Strategy:
    """`thumb`, but that every pair is split."""
    thumb = baseline("thumb", "player", rules, table)
    weights = thumb.weights.copy()
    weights[:, 2] = 100.0
    return Strategy(
        Metadata("player", rules, table, name="splits"),
        parts=thumb.parts,
        keys=thumb.keys,
        weights=weights,
        greedy=True,
    )


def test_a_random_table_that_splits_sometimes() -> None:
    """Chances of splitting, and of splitting again, strictly between 0 and 1."""
    rules, table = Rules.of("home,trick_cards=3,max_hands=3,buying=none"), Table()
    shoe = {"8": 4, "A": 2, "K": 3, "5": 1, "9": 2}
    player = made(rules.text(), shoe, table)
    value = solver.value(rules, player=player, banker="stand16", shoe=shoe)
    banker = baseline("stand16", "banker", rules, table)
    assert value == CLOSE(counted(rules, table, shoe, player, banker), abs=1e-13)


@pytest.mark.parametrize(("text", "shoe"), UNSPLIT)
def test_best_players(text: str, shoe: dict[str, int]) -> None:
    rules = Rules.of(text, split="none")
    for banker in bankers(rules, STAKES):
        found = solver.best_response(rules, banker=banker, table=STAKES, shoe=shoe)
        seat = None if banker is None else as_banker(banker)
        best = float(enumeration.best_player(rules, STAKES, parse_shoe(shoe), seat))
        assert found.value == CLOSE(best, abs=1e-13)
        assert solver.value(rules, player=found.strategy, banker=banker, table=STAKES, shoe=shoe) == CLOSE(
            best, abs=1e-13
        )


@pytest.mark.parametrize(("text", "shoe"), [case for case in UNSPLIT if Rules.of(case[0]).banker == "free"])
def test_best_bankers(text: str, shoe: dict[str, int]) -> None:
    """They see the order of shown cards, and infer what they do not see."""
    rules = Rules.of(text, split="none")
    for player in (baseline("thumb", "player", rules, STAKES), made(rules.text(), shoe, STAKES, greedy=True)):
        found = solver.best_response(rules, player=player, table=STAKES, shoe=shoe)
        best = float(enumeration.best_banker(rules, STAKES, parse_shoe(shoe), as_player(player)))
        assert found.value == CLOSE(best, abs=1e-13)
        assert solver.value(rules, player=player, banker=found.strategy, table=STAKES, shoe=shoe) == CLOSE(
            best, abs=1e-13
        )


def test_the_best_banker_against_a_player_who_may_do_anything() -> None:
    rules, shoe = Rules.of("home,split=none,trick_cards=4"), {"A": 1, "2": 1, "5": 1, "6": 1, "8": 1, "K": 2}
    player = made(rules.text(), shoe, Table())
    found = solver.best_response(rules, player=player, shoe=shoe)
    best = float(enumeration.best_banker(rules, Table(), parse_shoe(shoe), as_player(player)))
    assert found.value == CLOSE(best, abs=1e-13)


def test_hands_that_look_alike_but_leave_other_numbers_of_cards() -> None:
    """Hidden hands of five, six and seven cards show the banker the same three; there may be no card left to draw."""
    rules = Rules.of("home,trick_cards=7,buying=none,split=none")
    shoe = {"2": 2, "A": 3, "10": 1, "6": 1, "7": 1, "8": 1}
    banker = baseline("chase", "banker", rules, Table())
    for name, right in (("random", -0.255204), ("thumb", -0.124868)):
        player = baseline(name, "player", rules, Table())
        value = solver.value(rules, player=player, banker=banker, shoe=shoe)
        assert value == CLOSE(right, abs=1e-6)
        if name == "thumb":
            assert value == CLOSE(counted(rules, Table(), shoe, player, banker), abs=1e-13)
    best = solver.best_response(rules, banker=banker, shoe=shoe)
    assert best.value == CLOSE(0.062037, abs=1e-6)


def test_split_hands_of_four_cards_that_play_at_random() -> None:
    """A hand's key tells which of its cards was split: three cards of two values may have come of either."""
    rules, shoe = Rules.of("british,trick_cards=4,buying=none"), {"5": 4, "4": 4, "A": 4}
    player = random_player(tree_of(heads_up(rules, None, shoe).game, SHOWN_ORDER), rules, Table(), 1, parts=PLAIN)
    value = solver.value(rules, player=player, banker="stand17", shoe=shoe)
    assert value == CLOSE(-0.097062, abs=1e-6)
    banker = baseline("stand17", "banker", rules, Table())
    assert value == CLOSE(counted(rules, Table(), shoe, player, banker), abs=1e-13)


def test_who_never_splits_may_play_where_others_could() -> None:
    """In a shoe that could run out, and against a banker who looks at the table."""
    rules = Rules.of("home")
    player = baseline("stick15", "player", rules, Table())
    for name in ("stand17", "chase"):
        banker = baseline(name, "banker", rules, Table())
        value = solver.value(rules, player=player, banker=banker, shoe=SMALL)
        assert value == CLOSE(counted(rules, Table(), SMALL, player, banker), abs=1e-13)


def test_no_more_hands_than_cards_of_a_rank() -> None:
    """Two of each rank make two hands, whatever more the rules allow: fifteen cards are enough for them."""
    rules, shoe = Rules.of("home"), {"A": 2, "8": 2, "7": 2, "9": 2, "K": 2, "Q": 2, "J": 2, "10": 1}
    banker = baseline("stand17", "banker", rules, Table())
    for player in (baseline("thumb", "player", rules, Table()), always_splits(rules, Table())):
        value = solver.value(rules, player=player, banker=banker, shoe=shoe)
        assert value == CLOSE(counted(rules, Table(), shoe, player, banker), abs=1e-13)
