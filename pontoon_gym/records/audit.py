"""Whether play can have come to a row of which nothing is known: its round is played again and compared.

Kernels read rows without a look at what their numbers are. Before a row that was loaded gets to them, every index,
count and card in it is checked here; what remains are streams of chance, which may be any.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pontoon_gym.cards import PACK
from pontoon_gym.engine import state
from pontoon_gym.engine.hand import FACE, VALUES, value
from pontoon_gym.engine.run.episode import CUT, ENDED
from pontoon_gym.errors import BadArgument, BadRecord
from pontoon_gym.names import Phase, Role
from pontoon_gym.records.record import parse
from pontoon_gym.records.replay import replay
from pontoon_gym.records.row import write
from pontoon_gym.rules import Rules, Table

_ROUND = ("size", "endless", "phase", "turn", "hand", "sudden", "hands_of", "result", "dealt", "logged", "carried")
"""What a round's cards and choices alone say of it, beside its hands."""
_SHUFFLED = ("pool", "under", "fresh", "seen")
"""What they say of the shoe too, if it was shuffled before."""


def check_row(rules: Rules, table: Table, game: np.void, s: np.void) -> None:
    """Raise `BadRecord` unless play can have come to the row.

    Args:
        game: the same rules and table as kernels read them, and who learns; a row of `state.GAME`.
        s: a row of `state.ROUND` that stands where its learner chooses, or at an episode's end.
    """
    _check(0 <= s["banker"] < table.seats, "banker", s)
    _check(bool((s["shoe"] < PACK).all() and (s["hands"]["cards"] & FACE < PACK).all()), "shoe", s)
    _check(0 <= s["logged"] <= state.LOG and bool((s["log"][: s["logged"]] < table.actions).all()), "log", s)
    _check_ring(s)
    try:
        again = replay(parse(write(rules, table, s)))
    except BadArgument as fault:
        raise BadRecord(str(fault)) from None
    for name in _ROUND:
        _check(np.array_equal(s[name], again[name]), name, s)
    _check_hands(s, again)
    _check_shoe(s, again)
    _check_episode(game, s)


def _check(right: bool | np.bool_, name: str, s: np.void) -> None:
    if not right:
        raise BadRecord(f"play cannot have come to a row with such a {name}", got=np.asarray(s[name]).tolist())


def _check_ring(s: np.void) -> None:
    """The shoe lies within its ring (`engine.deal`)."""
    for name in ("size", "pool", "under", "dealt", "stacked", "fresh"):
        _check(0 <= s[name] <= state.RING, name, s)
    if s["endless"]:
        _check(s["size"] + s["dealt"] + s["stacked"] <= state.RING, "stacked", s)
    else:
        _check(0 <= s["head"] < state.RING, "head", s)
        _check(s["stacked"] <= s["pool"], "stacked", s)


def _check_hands(s: np.void, again: np.void) -> None:
    """The hands hold what was dealt to them and show what was shown."""
    # Which cards were known before a round depends on those before it, if the shoe was carried on.
    compared = 0xFF ^ state.KNOWN if s["carried"] else 0xFF
    _check(bool((_hands(s, compared) == _hands(again, compared)).all()), "hands_of", s)


def _hands(s: np.void, compared: int) -> NDArray[np.void]:
    """The hands on the table, `HAND` of shape (hands, seats), blank where nothing lies; these bits of their cards."""
    hands: NDArray[np.void] = s["hands"].copy()
    hands[np.arange(state.MOST_HANDS)[:, None] >= s["hands_of"]] = np.zeros((), state.HAND)
    hands["cards"] &= np.where(np.arange(state.MOST_CARDS) < hands["count"][..., None], compared, 0).astype(np.uint8)
    return hands


def _check_shoe(s: np.void, again: np.void) -> None:
    """As many cards are left as there must be, and each was seen since the last shuffle, or not, once (8.3, 11.2)."""
    if not s["carried"]:
        for name in _SHUFFLED:
            _check(np.array_equal(s[name], again[name]), name, s)
        return
    _check(s["pool"] + s["under"] == again["pool"] + again["under"], "pool", s)
    _check(s["fresh"] in (0, s["pool"]), "fresh", s)
    places = (s["head"] + np.arange(s["fresh"])) % state.RING
    unknown = _by_value(s["shoe"][places])
    for hands, count in zip(s["hands"].T, s["hands_of"], strict=True):
        for hand in hands[:count]:
            cards = hand["cards"][: hand["count"]]
            unknown += _by_value(cards[cards & state.KNOWN == 0] & FACE)
    whole = _by_value(s["shoe"][(s["head"] - s["dealt"] + np.arange(s["size"])) % state.RING])
    _check(np.array_equal(s["seen"] + unknown, whole), "seen", s)


def _by_value(cards: NDArray[np.uint8]) -> NDArray[np.int64]:
    """How many of the cards have each value, int64 of shape (10,)."""
    return np.bincount([value(int(card)) - 1 for card in cards], minlength=VALUES)


def _check_episode(game: np.void, s: np.void) -> None:
    """Where the row stands in its episode, and who learns."""
    done = s["phase"] == Phase.DONE
    _check(s["banker"] == game["seats"] - 1, "banker", s)
    _check(_is_agent(game, s), "agent", s)
    _check(s["episode"] > 0, "episode", s)
    _check(s["round"] == game["rounds"] if done else 0 <= s["round"] < game["rounds"], "round", s)
    _check(not s["carried"] or s["round"] > done, "carried", s)
    _check(s["over"] == ENDED if done else s["over"] in (0, CUT), "over", s)
    _check(done or s["turn"] == s["agent"], "turn", s)
    _check(0 <= s["illegal"] <= s["steps"], "illegal", s)
    _check(s["gain"] == 0, "gain", s)


def _is_agent(game: np.void, s: np.void) -> bool:
    """Whether the learner may sit where they sit (9.4)."""
    if game["role"] == Role.BANKER:
        return bool(s["agent"] == s["banker"])
    if game["seat"] >= 0:
        return bool(s["agent"] == game["seat"])
    return bool(0 <= s["agent"] < game["seats"] and s["agent"] != s["banker"])
