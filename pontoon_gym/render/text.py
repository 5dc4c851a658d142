"""The text picture of a round, from one seat's chair.

One line a hand, from the banker's left, the banker last: cards, stake with its buys, what the hand is worth where the
viewer knows, and how it stands. What lies face down for the viewer stays so (8.1): every card here goes through
`_faces`, every total and kind through `_worth`.
"""

from __future__ import annotations

import re
import textwrap
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pontoon_gym.cards import card_text
from pontoon_gym.compiled import Record
from pontoon_gym.engine import state
from pontoon_gym.engine.bank import seat_at
from pontoon_gym.engine.conduct import actions_of_turn
from pontoon_gym.engine.deal import cards_left
from pontoon_gym.engine.hand import FACE, best_total, is_soft
from pontoon_gym.engine.legal import buy_least, level, mask, next_buy_most
from pontoon_gym.engine.observe import A_PONTOON, LIVE, is_open, lies_up, public_state
from pontoon_gym.engine.settle import settle_hand, total_stake
from pontoon_gym.names import BUY, Action, Buying, HandKind, Phase
from pontoon_gym.rules import Rules, Table

HIDDEN = "▒▒"
"""A card that lies face down for the viewer."""
WIDTH = 80
_CARDS_A_LINE = 7
_GLYPHS = str.maketrans({"C": "♣", "D": "♦", "H": "♥", "S": "♠", "T": "10"})
_TRICKS = ("", "", "", "three", "four", "five", "six", "seven", "eight", "nine")
_RED, _DIM, _BOLD = "31", "2", "1"
_PAINT = ((re.compile(r"\S+[♥♦]"), _RED), (re.compile(HIDDEN), _DIM), (re.compile(r"(in play|to stake) <-"), _BOLD))


class _Row(NamedTuple):
    """The cells of one line."""

    who: str = ""
    cards: str = ""
    stake: str = ""
    state: str = ""
    result: str = ""


def picture(rules: Rules, table: Table, s: Record, viewer: int, *, color: bool = False) -> str:
    """The round `s` as the seat `viewer` sees it: lines without a newline at the end.

    Players are numbered by seat, from 1. The banker sees his own cards once he has turned them up.

    Args:
        rules, table: those that `s` is played by.
        s: one row of `state.ROUND`; it is only read.
        viewer: a seat, from 0.
        color: paint red suits, hidden cards and the turn with ANSI escapes.
    """
    r = _packed(rules, table)
    rows = [row for where in range(table.seats) for row in _seat_rows(r, s, int(seat_at(r, s, where)), viewer)]
    text = "\n".join([*_header(rules, s), *_aligned(rows), *_footer(r, s, viewer)])
    return _painted(text) if color else text


@lru_cache(maxsize=16)
def _packed(rules: Rules, table: Table) -> Record:
    return state.pack(rules, table)[0]


# --- lines -------------------------------------------------------------------------------------------------------


def _header(rules: Rules, s: Record) -> list[str]:
    """Which game, which round, how full a shoe."""
    # The end of an episode's last round has been counted already.
    counted = s["over"] and s["phase"] == Phase.DONE
    played = f"round {s['round'] + 1 - counted}"
    left = "endless shoe" if s["endless"] else f"{cards_left(s)} cards left"
    return _wrapped(" · ".join(["Pontoon", rules.text().replace(",", ", "), played, left]))


def _footer(r: Record, s: Record, viewer: int) -> list[str]:
    """What the viewer may do, and what ended a round before its time."""
    lines = []
    if s["phase"] in (Phase.BANKER, Phase.DONE) and s["sudden"] >= 0:
        lines.append(f"sudden death pays {_name(s, s['sudden'], viewer)}; all other stakes go back")
    if s["phase"] != Phase.DONE and not s["over"] and s["turn"] == viewer:
        # A no-break space holds the words of one choice together.
        choices = ", ".join(choice.replace(" ", "\xa0") for choice in _choices(r, s))
        lines += [line.replace("\xa0", " ") for line in _wrapped(f"you may {choices}")]
    return lines


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ")


def _aligned(rows: list[_Row]) -> list[str]:
    """The rows as lines, each column as wide as its widest cell, columns without a word left out."""
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    widths = [max(map(len, column)) for column in columns]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        for cells in zip(*columns, strict=True)
    ]


def _painted(text: str) -> str:
    for pattern, code in _PAINT:
        text = pattern.sub(f"\x1b[{code}m\\g<0>\x1b[0m", text)
    return text


# --- a seat and its hands ----------------------------------------------------------------------------------------


def _seat_rows(r: Record, s: Record, seat: int, viewer: int) -> list[_Row]:
    """A seat's hands in order of play, and where it split, what it won in all."""
    name, hands = _name(s, seat, viewer), s["hands_of"][seat]
    if hands == 0:
        return [_Row(name)]
    rows = [row for h in range(hands) for row in _hand_rows(r, s, seat, h, viewer)]
    if s["phase"] == Phase.DONE and hands > 1:
        rows.append(_Row(state="in all", result=_chips(s["result"][seat])))
    return [rows[0]._replace(who=name), *rows[1:]]


def _name(s: Record, seat: int, viewer: int) -> str:
    if seat == s["banker"]:
        return "you, banker" if seat == viewer else "banker"
    return "you" if seat == viewer else f"player {seat + 1}"


def _hand_rows(r: Record, s: Record, seat: int, h: int, viewer: int) -> list[_Row]:
    """A hand on one line, and on more where it holds very many cards."""
    hand = s["hands"][seat, h]
    # A banker who has not turned his cards up has not looked at them either (3.4), or is not asked yet (8.2).
    own = seat == viewer and seat != s["banker"]
    faces = _faces(hand, own)
    parts = [" ".join(faces[i : i + _CARDS_A_LINE]) for i in range(0, max(len(faces), 1), _CARDS_A_LINE)]
    words = ", ".join(filter(None, (_worth(hand, own), _activity(s, seat, h))))
    first = _Row("  split" if h else "", parts[0], _stake(hand), words, _result(r, s, seat, h))
    return [first, *(_Row(cards=part) for part in parts[1:])]


def _faces(hand: Record, own: bool) -> list[str]:
    """A hand's cards in the order received, as the viewer sees them."""
    cards = hand["cards"][: hand["count"]]
    faces = [
        card_text(card & FACE).translate(_GLYPHS) if lies_up(hand, i, own) else HIDDEN for i, card in enumerate(cards)
    ]
    if public_state(hand) == A_PONTOON:
        # Its ace is all that is told (8.1), not whether the ace came first.
        faces.sort(key=lambda face: face == HIDDEN)
    return faces


def _worth(hand: Record, own: bool) -> str:
    """Total and kind of a hand that the viewer knows; empty if he does not."""
    if hand["count"] == 0 or not (own or is_open(hand)):
        return ""
    total, kind = best_total(hand["hard"], hand["aces"]), hand["kind"]
    if kind == HandKind.PONTOON:
        return "Pontoon"
    if kind == HandKind.ACE_KING:
        return "A-K"
    if kind == HandKind.TRICK:
        return f"{_TRICKS[hand['count']]}-card trick {total}"
    if kind == HandKind.BUST:
        return f"bust {total}"
    return f"soft {total}" if is_soft(hand["hard"], hand["aces"]) else f"{total}"


def _activity(s: Record, seat: int, h: int) -> str:
    """Whether a hand is being played, or waits for the settlement."""
    if s["phase"] == Phase.DONE:
        return ""
    if seat == s["turn"] and h == s["hand"]:
        return "to stake <-" if s["phase"] == Phase.STAKE else "in play <-"
    hand = s["hands"][seat, h]
    return "stuck" if hand["done"] and public_state(hand) == LIVE else ""


def _stake(hand: Record) -> str:
    """The initial stake, each buy in order, and their sum."""
    if not hand["stake"]:
        return ""
    chips = [hand["stake"], *hand["buys"][: hand["bought"]]]
    return f"stake {'+'.join(map(str, chips))}" + (f"={total_stake(hand)}" if hand["bought"] else "")


def _result(r: Record, s: Record, seat: int, h: int) -> str:
    """What a hand won, in chips."""
    if s["phase"] != Phase.DONE:
        return ""
    return _chips(settle_hand(r, s, seat, h) if s["hands_of"][seat] > 1 else s["result"][seat])


def _chips(half_chips: int) -> str:
    return f"{half_chips / 2:+.1f}".removesuffix(".0") if half_chips else "0"


# --- choices -----------------------------------------------------------------------------------------------------


def _choices(r: Record, s: Record) -> list[str]:
    """What the seat whose turn it is may do, in words, in the order of the actions."""
    allowed = np.zeros(int(actions_of_turn(r, s)), np.bool_)
    mask(r, s, allowed)
    return [_choice(r, s, int(action)) for action in np.flatnonzero(allowed)]


def _choice(r: Record, s: Record, action: int) -> str:
    """An action in words, with its amount in chips."""
    if action < BUY:
        return Action(action).name.lower()
    i = action - BUY - r["buy_levels"]
    if i >= 0:
        return f"stake {level(i, r['stake_levels'], r['stake_min'], r['stake_max'])}"
    hand = s["hands"][s["turn"], s["hand"]]
    amount = level(action - BUY, r["buy_levels"], buy_least(hand["stake"]), next_buy_most(r, hand))
    return f"{'double' if r['buying'] == Buying.DOUBLE else 'buy'} {amount}"
