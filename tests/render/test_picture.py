"""The drawn picture: its size, everything in its place, and nothing shown that the viewer may not know (8.1)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from pontoon_gym.cards import card_text
from pontoon_gym.engine import state
from pontoon_gym.engine.run.episode import close_round
from pontoon_gym.names import BUY, SPLIT, STICK, TWIST, HandKind, Phase
from pontoon_gym.render import picture as drawn
from pontoon_gym.render.description import (
    DOWN,
    Description,
    HandDescription,
    SeatDescription,
    describe,
    longest_choices,
    longest_stake,
)
from pontoon_gym.render.picture import Box, Card, Element, Panel, elements, paint, picture, plan_of, size
from pontoon_gym.rules import PRESETS, Rules, Table
from tests.render.rounds import GAMES, SEATS, STAKE, Scripted, moments, with_other_secrets

SPLIT_EIGHTS = ("home", 2, "8S TC 8H 7D 3D KS 6C 2C")


def table_of(seats: int) -> Table:
    return Table.of(seats=seats, stake_max=10, stake_levels=3)


def shot(scripted: Scripted, viewer: int = 0) -> NDArray[np.uint8]:
    return picture(scripted.rules, scripted.table, scripted.s, viewer)


def played(*choices: int, round_: tuple[str, int, str] = SPLIT_EIGHTS) -> Scripted:
    scripted = Scripted(*round_)
    scripted.play(*choices)
    return scripted


# --- size and bytes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", PRESETS)
def test_a_table_has_one_size(game: str) -> None:
    rules = Rules.of(game)
    for seats in range(2, 10):
        width, height = size(rules, table_of(seats))
        assert width == 640 and height % 16 == 0 and height <= 1280


@pytest.mark.parametrize("game", GAMES)
def test_whole_rounds_can_be_drawn(game: str) -> None:
    rules, table = Rules.of(game), table_of(4)
    width, height = size(rules, table)
    for _, s in moments(rules, table, 1):
        before = s.tobytes()
        for viewer in {int(s["turn"]), int(s["banker"])}:
            image = picture(rules, table, s, viewer)
            assert (image.shape, image.dtype) == ((height, width, 3), np.uint8)
        assert s.tobytes() == before


def test_the_same_round_gives_the_same_bytes() -> None:
    first = shot(played(STAKE, SPLIT, BUY + 1))
    for cached in (drawn._smooth, drawn._font, drawn.plan_of):
        cached.cache_clear()
    assert first.tobytes() == shot(played(STAKE, SPLIT, BUY + 1)).tobytes()


def test_an_array_is_the_callers_own() -> None:
    scripted = played(STAKE)
    image = shot(scripted)
    image[:] = 0
    assert shot(scripted).any()


# --- what is seen ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("game", GAMES)
def test_a_hidden_card_changes_no_pixel(game: str, seats: int) -> None:
    rules, table, dice = Rules.of(game), table_of(seats), np.random.default_rng(7)
    swapped = 0
    for r, s in moments(rules, table, 1):
        looked_at = int(dice.integers(seats))
        for viewer in range(seats):
            other, changed = with_other_secrets(r, s, viewer, dice)
            assert describe(rules, table, other, viewer) == describe(rules, table, s, viewer)
            if viewer == looked_at:
                assert np.array_equal(picture(rules, table, other, viewer), picture(rules, table, s, viewer))
            swapped += changed
    assert swapped > 0


def test_the_banker_does_not_see_the_banks_cards_before_they_are_turned_up() -> None:
    waits = ("home", 2, "8S TC 9H 7D"), ("home", 2, "8S 2C 9H 3D")
    before = [played(STAKE, round_=round_) for round_ in waits]
    assert np.array_equal(shot(before[0], 1), shot(before[1], 1))
    turned = [played(STAKE, STICK, round_=round_) for round_ in waits]
    assert not np.array_equal(shot(turned[0], 1), shot(turned[1], 1))


CHANGES: list[tuple[str, Scripted, Scripted]] = [
    ("a stake", played(STAKE, STICK), played(STAKE + 1, STICK)),
    ("a buy", played(STAKE, SPLIT, BUY), played(STAKE, SPLIT, BUY + 1)),
    ("an own card", played(STAKE), played(STAKE, round_=("home", 2, "8S TC 8D 7D 3D KS 6C"))),
    ("a suit", played(), played(round_=("home", 2, "8C TC 8H 7D"))),
    ("the turn of a hand", played(STAKE, SPLIT), played(STAKE, SPLIT, TWIST)),
    ("the turn of a seat", played(STAKE), played(STAKE, STICK)),
    ("the result", played(STAKE, STICK), played(STAKE, STICK, STICK)),
    ("the rules", played(STAKE), played(STAKE, round_=("british", 2, SPLIT_EIGHTS[2]))),
]


@pytest.mark.parametrize(("what", "one", "other"), CHANGES, ids=[what for what, *_ in CHANGES])
def test_what_is_visible_is_drawn(what: str, one: Scripted, other: Scripted) -> None:
    a, b = shot(one), shot(other)
    assert a.shape != b.shape or not np.array_equal(a, b)


def test_the_viewers_seat_is_marked() -> None:
    scripted = Scripted("blackjack", 3, "AS 5D TC KS 6D 8C 3C")
    images = [shot(scripted, viewer) for viewer in range(3)]
    assert all(not np.array_equal(a, b) for a, b in combinations(images, 2))


FIELDS: dict[str, object] = {
    "cards": ("A♠", "10♥", "2♦"),
    "stake": "1+2=3",
    "worth": "soft 18",
    "kind": HandKind.BUST,
    "activity": "stuck",
    "is_turn": True,
    "result": "+1.5",
}


def test_everything_told_of_a_hand_is_drawn() -> None:
    rules, table = Rules.of("home"), table_of(2)
    hand = HandDescription(("A♠", "10♥", DOWN), "1", None, "17", "in play", False, "0")
    nobody = SeatDescription("banker", False, (), "")

    def image(hand: HandDescription) -> NDArray[np.uint8]:
        description = Description(
            "home", "round 1", "9 cards left", (SeatDescription("you", True, (hand,), ""), nobody), (), ()
        )
        return np.array(paint(elements(plan_of(rules, table), description), size(rules, table)))

    assert set(FIELDS) == set(HandDescription._fields)
    for field, value in FIELDS.items():
        assert not np.array_equal(image(hand), image(hand._replace(**{field: value}))), field


@pytest.mark.parametrize("shape", [(48, 68), (20, 30), (11, 30)])
def test_no_two_cards_look_alike(shape: tuple[int, int]) -> None:
    faces = [text[0].replace("T", "10") + "♣♦♥♠"["CDHS".index(text[1])] for text in map(card_text, range(52))]
    box = Box(0, 0, *shape)
    assert len({paint([Card(box, face)], shape).tobytes() for face in [*faces, DOWN]}) == 53


# --- everything has its place ------------------------------------------------------------------------------------


def check_places(drawn: list[Element], canvas: tuple[int, int]) -> None:
    """Everything on the canvas; nothing but a panel under something else; everything of a panel's within it."""
    boxes = np.array([element.box for element in drawn if not isinstance(element, Panel)])
    assert (boxes[:, :2] >= 0).all() and (boxes[:, 2:] <= canvas).all() and (boxes[:, :2] < boxes[:, 2:]).all()
    apart = (boxes[:, None, :2] >= boxes[None, :, 2:]).any(axis=2)
    assert (apart | apart.T | np.eye(len(boxes), dtype=bool)).all()
    for panel in (element.box for element in drawn if isinstance(element, Panel)):
        meets = (boxes[:, :2] < panel[2:]).all(axis=1) & (boxes[:, 2:] > panel[:2]).all(axis=1)
        assert (boxes[meets, :2] >= panel[:2]).all() and (boxes[meets, 2:] <= panel[2:]).all()


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("game", GAMES)
def test_nothing_overlaps_in_random_rounds(game: str, seats: int) -> None:
    rules, table = Rules.of(game), table_of(seats)
    for _, s in moments(rules, table, 1):
        drawn = elements(plan_of(rules, table), describe(rules, table, s, int(s["turn"])))
        check_places(drawn, size(rules, table))


def fullest(rules: Rules, table: Table) -> Description:
    """More than any round tells: every seat has all its hands, each of 22 cards and with the longest words."""
    chips = str(table.stake_max * 100)
    hand = HandDescription(
        ("10♥",) * 22, longest_stake(rules, table), HandKind.TRICK, "seven-card trick 21", "", False, ""
    )
    hands = (hand._replace(result=f"-{chips}.5"),) * (rules.max_hands - 1)
    active = hand._replace(is_turn=True, worth="soft 20", activity="in play")
    seats = [SeatDescription(f"player {seat}", True, (active, *hands), f"-{chips}.5") for seat in range(1, table.seats)]
    notes = ("sudden death pays player 9; all other stakes go back",) * rules.sudden_death
    choices = max(longest_choices(rules, table), key=len)
    return Description(
        "",
        "round 1000000",
        "468 cards left",
        (*seats, SeatDescription("you, banker", True, (hand,), "")),
        notes,
        choices,
    )


LONG_RULES = (
    "home,packs=8,tens=no,trick_cards=7,peek=no,stick_minimum=16,twist_under=20,max_buys=4,buy_under=19,buy_max=10,"
    "banker=h17,ties=push,pontoon_pays=1.5,trick_pays=2.5,bank=fixed,bank_sale=no,reshuffle=round,bonus=spanish21"
)


@pytest.mark.parametrize("stake_max", [10, 1_000_000])
@pytest.mark.parametrize("seats", [2, 3, 5, 8, 9])
@pytest.mark.parametrize("game", [*GAMES, LONG_RULES])
def test_the_fullest_table_has_room(game: str, seats: int, stake_max: int) -> None:
    rules = Rules.of(game)
    table = Table.of(seats=seats, stake_max=stake_max, stake_levels=16, buy_levels=8)
    plan = plan_of(rules, table)
    check_places(elements(plan, fullest(rules, table)), size(rules, table))
    in_order = [(b.top >= a.bottom) or (b.left >= a.right) for a, b in combinations(plan.seats[:-1], 2)]
    assert all(in_order)


def inked(drawn: list[Element], canvas: tuple[int, int]) -> NDArray[np.bool_]:
    """Which pixels elements change, bool of shape (height, width)."""
    pixels = np.array(paint(drawn, canvas)) != np.array(paint([], canvas))
    changed: NDArray[np.bool_] = pixels.any(axis=2)
    return changed


def test_every_element_keeps_to_its_box() -> None:
    """On a canvas with room around it, so that nothing is cut at an edge."""
    rules, table = Rules.of("blackjack"), Table.of(seats=3, stake_max=1_000_000)
    plan, canvas = plan_of(rules, table), (700, 1000)
    for element in set(elements(plan, fullest(rules, table))):
        box = Box(*(edge + 20 for edge in element.box))
        changed = inked([element._replace(box=box)], canvas)
        assert changed.any()
        changed[box.top : box.bottom, box.left : box.right] = False
        assert not changed.any(), element


def test_twenty_two_cards_are_drawn_in_one_row() -> None:
    scripted = Scripted("blackjack,trick_cards=0,split=none,stick_minimum=0", 3, "AS 9S TC AH 9D 7D" + 8 * " AC AD")
    scripted.play(STAKE, STAKE, *[TWIST] * 15)
    description = describe(scripted.rules, scripted.table, scripted.s, 0)
    cards = [e.box for e in elements(plan_of(scripted.rules, scripted.table), description) if isinstance(e, Card)]
    drawn_cards = [box for box in cards if box.left < 320 and box.top > 200]
    assert len(drawn_cards) == 17 == len(description.seats[0].hands[0].cards)


def test_a_round_looks_the_same_after_its_episode() -> None:
    scripted = played(STAKE, STICK, STICK)
    before = shot(scripted)
    game = state.pack(scripted.rules, scripted.table, rounds=1)[0]
    assert scripted.s["phase"] == Phase.DONE and close_round(game, scripted.s)
    assert np.array_equal(shot(scripted), before)
