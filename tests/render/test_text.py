"""The text picture: what it says, literally, and that it says nothing that the viewer may not know (8.1)."""

from __future__ import annotations

import re
from textwrap import dedent

import numpy as np
import pytest

from pontoon_gym.engine import state
from pontoon_gym.engine.run.episode import close_round
from pontoon_gym.names import BUY, SPLIT, STICK, TWIST, Phase
from pontoon_gym.render.text import HIDDEN, WIDTH, picture
from tests.render.rounds import GAMES, SEATS, STAKE, Scripted, game_of, moments, with_other_secrets

# --- literal pictures --------------------------------------------------------------------------------------------

STAKES = (STAKE, STAKE + 1, STAKE, STAKE)

# A pair is split; its first hand buys.
TWO_SEATS = ("home", 2, "8S TC 8H 7D 3D KS 6C")
# A Pontoon whose ace came second, a bust, a five-card trick, a pair.
FIVE_SEATS = ("home", 5, "KS TH 2C 9D TD AS 6H 3C 9H 7C 9C 2D 2H 4C 8D 7H")
# Cards lie up, and half chips are paid.
CARDS_UP = ("blackjack", 3, "AS 5D TC KS 6D 8C 3C")
# Who was paid is said.
SUDDEN_DEATH = ("sudden_death", 3, "AS 5D TC KS 6D 8C")
# A split A-K lies face down until its turn comes.
ACE_KING = ("ace_high", 2, "AS TC AH 7D 5D KS")
# A long hand goes on below.
LONG_HAND = ("blackjack,split=none", 2, "AS TH AC 7D AS AC AS AC AS AC AS AC")

PICTURES = [
    (
        TWO_SEATS,
        (),
        0,
        """
        Pontoon · home · round 1 · 50 cards left
        you     8♠  8, to stake <-
        banker  ▒▒
        you may stake 1, stake 10
        """,
    ),
    (
        TWO_SEATS,
        (STAKE,),
        0,
        """
        Pontoon · home · round 1 · 48 cards left
        you     8♠ 8♥  stake 1  16, in play <-
        banker  ▒▒ ▒▒
        you may stick, twist, split, buy 1, buy 2
        """,
    ),
    (
        TWO_SEATS,
        (STAKE, SPLIT, BUY + 1),
        0,
        """
        Pontoon · home · round 1 · 45 cards left
        you      8♠ 3♦ 6♣  stake 1+2=3  17, in play <-
          split  8♥ K♠     stake 1      18
        banker   ▒▒ ▒▒
        you may stick, twist, buy 1, buy 2
        """,
    ),
    (
        TWO_SEATS,
        (STAKE, SPLIT, BUY + 1),
        1,
        """
        Pontoon · home · round 1 · 45 cards left
        player 1     8♠ ▒▒ ▒▒  stake 1+2=3  in play <-
          split      8♥ ▒▒     stake 1
        you, banker  ▒▒ ▒▒
        """,
    ),
    (
        TWO_SEATS,
        (STAKE, SPLIT, BUY + 1, STICK, STICK),
        0,
        """
        Pontoon · home · round 1 · 45 cards left
        you      8♠ 3♦ 6♣  stake 1+2=3  17, stuck
          split  8♥ K♠     stake 1      18, stuck
        banker   10♣ 7♦                 17, in play <-
        """,
    ),
    (
        TWO_SEATS,
        (STAKE, SPLIT, BUY + 1, STICK, STICK),
        1,
        """
        Pontoon · home · round 1 · 45 cards left
        player 1     8♠ ▒▒ ▒▒  stake 1+2=3  stuck
          split      8♥ ▒▒     stake 1      stuck
        you, banker  10♣ 7♦                 17, in play <-
        you may stick, twist
        """,
    ),
    (
        TWO_SEATS,
        (STAKE, SPLIT, BUY + 1, STICK, STICK, STICK),
        0,
        """
        Pontoon · home · round 1 · 45 cards left
        you      8♠ 3♦ 6♣  stake 1+2=3  17      -3
          split  8♥ K♠     stake 1      18      +1
                                        in all  -2
        banker   10♣ 7♦                 17      +2
        """,
    ),
    (
        FIVE_SEATS,
        (STAKE, STAKE + 1, STAKE),
        3,
        """
        Pontoon · home · round 1 · 47 cards left
        player 1  ▒▒  stake 1
        player 2  ▒▒  stake 10
        player 3  ▒▒  stake 1
        you       9♦            9, to stake <-
        banker    ▒▒
        you may stake 1, stake 10
        """,
    ),
    (
        FIVE_SEATS,
        (*STAKES, TWIST, BUY + 1),
        0,
        """
        Pontoon · home · round 1 · 43 cards left
        you       K♠ A♠      stake 1      Pontoon
        player 2  10♥ 6♥ 9♣  stake 10     bust 25
        player 3  ▒▒ ▒▒ ▒▒   stake 1+2=3  in play <-
        player 4  ▒▒ ▒▒      stake 1
        banker    ▒▒ ▒▒
        """,
    ),
    (
        FIVE_SEATS,
        (*STAKES, TWIST, BUY + 1),
        2,
        """
        Pontoon · home · round 1 · 43 cards left
        player 1  A♠ ▒▒      stake 1      Pontoon
        player 2  10♥ 6♥ 9♣  stake 10     bust 25
        you       2♣ 3♣ 2♦   stake 1+2=3  7, in play <-
        player 4  ▒▒ ▒▒      stake 1
        banker    ▒▒ ▒▒
        you may twist, buy 1, buy 2
        """,
    ),
    (
        FIVE_SEATS,
        (*STAKES, TWIST, BUY + 1),
        4,
        """
        Pontoon · home · round 1 · 43 cards left
        player 1     A♠ ▒▒      stake 1      Pontoon
        player 2     10♥ 6♥ 9♣  stake 10     bust 25
        player 3     ▒▒ ▒▒ ▒▒   stake 1+2=3  in play <-
        player 4     ▒▒ ▒▒      stake 1
        you, banker  ▒▒ ▒▒
        """,
    ),
    (
        FIVE_SEATS,
        (*STAKES, TWIST, BUY + 1, BUY + 1, BUY, SPLIT, STICK, STICK),
        4,
        """
        Pontoon · home · round 1 · 39 cards left
        player 1     A♠ ▒▒           stake 1          Pontoon
        player 2     10♥ 6♥ 9♣       stake 10         bust 25
        player 3     2♣ 3♣ 2♦ 2♥ 4♣  stake 1+2+2+1=6  five-card trick 13
        player 4     9♦ ▒▒           stake 1          stuck
          split      9♥ ▒▒           stake 1          stuck
        you, banker  10♦ 7♣                           17, in play <-
        you may stick, twist
        """,
    ),
    (
        FIVE_SEATS,
        (*STAKES, TWIST, BUY + 1, BUY + 1, BUY, SPLIT, STICK, STICK, STICK),
        0,
        """
        Pontoon · home · round 1 · 39 cards left
        you       K♠ A♠           stake 1          Pontoon             +2
        player 2  10♥ 6♥ 9♣       stake 10         bust 25             -10
        player 3  2♣ 3♣ 2♦ 2♥ 4♣  stake 1+2+2+1=6  five-card trick 13  +12
        player 4  9♦ 8♦           stake 1          17                  -1
          split   9♥ 7♥           stake 1          16                  -1
                                                   in all              -2
        banker    10♦ 7♣                           17                  -2
        """,
    ),
    (
        FIVE_SEATS,
        (*STAKES, TWIST, BUY + 1, BUY + 1, BUY, SPLIT, STICK, STICK, STICK),
        4,
        """
        Pontoon · home · round 1 · 39 cards left
        player 1     K♠ A♠           stake 1          Pontoon             +2
        player 2     10♥ 6♥ 9♣       stake 10         bust 25             -10
        player 3     2♣ 3♣ 2♦ 2♥ 4♣  stake 1+2+2+1=6  five-card trick 13  +12
        player 4     9♦ 8♦           stake 1          17                  -1
          split      9♥ 7♥           stake 1          16                  -1
                                                      in all              -2
        you, banker  10♦ 7♣                           17                  -2
        """,
    ),
    (
        CARDS_UP,
        (),
        0,
        """
        Pontoon · blackjack · round 1 · endless shoe
        you       to stake <-
        player 2
        banker
        you may stake 1, stake 10
        """,
    ),
    (
        CARDS_UP,
        (STAKE, STAKE),
        1,
        """
        Pontoon · blackjack · round 1 · endless shoe
        player 1  A♠ K♠   stake 1  Pontoon
        you       5♦ 6♦   stake 1  11, in play <-
        banker    10♣ ▒▒
        you may stick, twist, double 1
        """,
    ),
    (
        CARDS_UP,
        (STAKE, STAKE, BUY, STICK),
        2,
        """
        Pontoon · blackjack · round 1 · endless shoe
        player 1     A♠ K♠     stake 1      Pontoon  +1.5
        player 2     5♦ 6♦ 3♣  stake 1+1=2  14       -2
        you, banker  10♣ 8♣                 18       +0.5
        """,
    ),
    (
        SUDDEN_DEATH,
        (STAKE, STAKE),
        1,
        """
        Pontoon · sudden_death · round 1 · 46 cards left
        player 1  A♠ ▒▒   stake 1  Pontoon
        you       5♦ 6♦   stake 1  11
        banker    10♣ 8♣           18, in play <-
        sudden death pays player 1; all other stakes go back
        """,
    ),
    (
        SUDDEN_DEATH,
        (STAKE, STAKE, STICK),
        0,
        """
        Pontoon · sudden_death · round 1 · 46 cards left
        you       A♠ K♠   stake 1  Pontoon  +2
        player 2  5♦ 6♦   stake 1  11       0
        banker    10♣ 8♣           18       -2
        sudden death pays you; all other stakes go back
        """,
    ),
    (
        ACE_KING,
        (STAKE, SPLIT),
        1,
        """
        Pontoon · ace_high · round 1 · 46 cards left
        player 1     A♠ ▒▒  stake 1  in play <-
          split      A♥ ▒▒  stake 1
        you, banker  ▒▒ ▒▒
        """,
    ),
    (
        ACE_KING,
        (STAKE, SPLIT, STICK),
        1,
        """
        Pontoon · ace_high · round 1 · 46 cards left
        player 1     A♠ ▒▒   stake 1  stuck
          split      A♥ K♠   stake 1  A-K
        you, banker  10♣ 7♦           17, in play <-
        you may stick, twist
        """,
    ),
    (
        LONG_HAND,
        (STAKE, *[TWIST] * 8, STICK),
        0,
        """
        Pontoon · blackjack, split=none · round 1 · endless shoe
        you     A♠ A♣ A♠ A♣ A♠ A♣ A♠  stake 1  soft 20, stuck
                A♣ A♠ A♣
        banker  10♥ 7♦                         17, in play <-
        """,
    ),
]


@pytest.mark.parametrize(("round_", "choices", "viewer", "expected"), PICTURES)
def test_a_picture_literally(
    round_: tuple[str, int, str], choices: tuple[int, ...], viewer: int, expected: str
) -> None:
    scripted = Scripted(*round_)
    scripted.play(*choices)
    assert picture(scripted.rules, scripted.table, scripted.s, viewer) == dedent(expected).strip("\n")


# --- properties of random rounds ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("game", GAMES)
def test_a_picture_tells_no_hidden_card(game: str, seats: int) -> None:
    rules, table, rounds = game_of(game, seats)
    dice, swapped, told = np.random.default_rng(7), 0, False
    for r, s in moments(rules, table, rounds):
        for viewer in range(seats):
            other, changed = with_other_secrets(r, s, viewer, dice)
            assert picture(rules, table, other, viewer) == picture(rules, table, s, viewer)
            swapped += changed
            if not told:
                owner = (viewer + 1) % seats
                told = picture(rules, table, other, owner) != picture(rules, table, s, owner)
    assert swapped > 0
    if not rules.players_face_up:
        assert told, "a hand's owner sees the difference"


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("game", GAMES)
def test_a_picture_changes_nothing_and_fits_a_terminal(game: str, seats: int) -> None:
    rules, table, rounds = game_of(game, seats)
    for _, s in moments(rules, table, rounds):
        before = s.tobytes()
        for viewer in range(seats):
            text = picture(rules, table, s, viewer)
            assert max(map(len, text.split("\n"))) <= WIDTH
            assert (HIDDEN in text) <= (s["phase"] != Phase.DONE)
            assert ("you may" in text) == (s["phase"] != Phase.DONE and s["turn"] == viewer)
            assert text.count("<-") == (s["phase"] != Phase.DONE)
        assert s.tobytes() == before


def test_color_only_adds_escapes() -> None:
    rules, table, rounds = game_of("home", 5)
    for _, s in moments(rules, table, rounds):
        painted = picture(rules, table, s, 1, color=True)
        assert re.sub(r"\x1b\[\d*m", "", painted) == picture(rules, table, s, 1)
        assert "\x1b" in painted
        assert "\x1b[31m10♥\x1b[0m" in painted or "10♥" not in painted


def test_the_last_round_of_an_episode_keeps_its_number() -> None:
    scripted = Scripted("home", 2, "8S TC 9H 9D")
    scripted.play(STAKE, STICK, STICK)
    open_end = picture(scripted.rules, scripted.table, scripted.s, 0)
    game = state.pack(scripted.rules, scripted.table, rounds=1)[0]
    assert close_round(game, scripted.s)
    assert picture(scripted.rules, scripted.table, scripted.s, 0) == open_end
