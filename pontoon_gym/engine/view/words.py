"""Infostates and actions in words: what a key tells, read back for people.

A key belongs to the side whose phase it tells; nothing is said of a key that no round of a game can have.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from pontoon_gym.compiled import Record
from pontoon_gym.engine.hand import COMPOSITIONS, VALUES, best_total, is_soft
from pontoon_gym.engine.legal import buy_least, buy_most, level
from pontoon_gym.engine.state import ORDERED, pack
from pontoon_gym.engine.view.columns import STATES
from pontoon_gym.engine.view.infostate import KEYS, unpack_key
from pontoon_gym.errors import BadArgument
from pontoon_gym.names import BANKER_ACTIONS, BUY, Action, Buying, Phase, Role
from pontoon_gym.rules import Rules, RulesSource, Table

_ALL_BITS = sum(KEYS[Role.PLAYER].values())
_PHASE_FROM = _ALL_BITS - KEYS[Role.PLAYER]["phase"]
"""The phase is the same bits of both sides' keys."""


@lru_cache(maxsize=16)
def packed(rules: Rules, table: Table) -> Record:
    """A game as kernels read it."""
    return pack(rules, table)[0]


def describe(key: int, rules: RulesSource = "home", table: Table | Mapping[str, object] | None = None) -> str:
    """An infostate in words: `"5 9 (14), bought at level 1"`.

    Args:
        key: of either side (`infostate.KEYS`), as `observation="situation"` shows it.
        rules, table: the game; default `home` at the default table.

    Raises:
        BadArgument: a key that no infostate of that game has.
        BadRules, BadTable: no such game.
    """
    place = Table.of(table)
    checked_key(key, Rules.of(rules), place)
    return in_words(int(key), place)


def in_words(key: int, table: Table) -> str:
    """`describe` for a key that is known to be good."""
    phase = key >> _PHASE_FROM
    if phase == Phase.DONE:
        return "the round is over"
    role = Role.BANKER if phase == Phase.BANKER else Role.PLAYER
    parts = unpack_key(role, key)
    words = _banker_words(parts) if role == Role.BANKER else _player_words(parts, table)
    return ", ".join(word for word in (_cards(parts["cards"]), *words) if word)


# --- keys that there are -----------------------------------------------------------------------------------------


def checked_key(key: object, rules: Rules, table: Table, role: Role | None = None) -> dict[str, int]:
    """The parts of a key by name; of a round's end only the phase. Raises `BadArgument` for one that no infostate has.

    Args:
        role: whose it has to be; None is either side's.
    """
    if isinstance(key, bool) or not isinstance(key, int | np.integer) or not 0 <= key < 1 << _ALL_BITS:
        raise BadArgument("no infostate key", got=key, allowed="whole numbers, as observation='situation' shows them")
    phase = int(key) >> _PHASE_FROM
    if phase == Phase.DONE:
        return {"phase": phase}
    owner = Role.BANKER if phase == Phase.BANKER else Role.PLAYER
    parts = unpack_key(owner, int(key))
    for name, most in _limits(rules, table).items():
        if any(number > most for number in _numbers(name, parts)):
            told = f"no infostate of these rules at this table has such {name} in its key"
            raise BadArgument(told, got=int(key), allowed=f"{name} from 0 to {most}")
    if role is not None and owner != role:
        told = f"an infostate of the {owner.name.lower()} ({in_words(int(key), table)})"
        raise BadArgument(told, got=int(key), allowed=f"those of the {role.name.lower()}")
    return parts


def _limits(rules: Rules, table: Table) -> dict[str, int]:
    """The most that numbers in the parts of a key may be; the parts that are left out may fill their bits."""
    return {
        "cards": len(COMPOSITIONS) - 1,
        "shown": VALUES,
        "drawable": 2,
        "stake": table.stake_levels - 1,
        "bought": rules.most_buys,
        "buys": table.buy_levels - 1,
        "hands": rules.most_hands,
        "split": VALUES if rules.most_hands > 1 else 0,
        "upcard": VALUES if rules.banker_upcard else 0,
        "suits": 2 if rules.bonus != "none" else 0,
        "lead": STATES - 1,
    }


def _numbers(name: str, parts: Mapping[str, int]) -> list[int]:
    """The numbers in a part of a key; none where it lacks the part."""
    if name == "buys":
        return _levels(parts)
    if name == "shown":
        return _values(parts["shown"]) if not parts.get("open") else []
    if name == "cards" and parts.get("open"):
        return [parts["cards"], parts["shown"]]
    return [parts[name]] if name in parts else []


# --- parts in words ----------------------------------------------------------------------------------------------


def _cards(made: int) -> str:
    """A composition's cards and total: `A 7 (soft 18)`."""
    counts = COMPOSITIONS[made].astype(int)
    cards = " ".join("A" if v == 0 else str(v + 1) for v in range(len(counts)) for _ in range(counts[v]))
    hard = int(counts @ np.arange(1, len(counts) + 1))
    soft = "soft " if is_soft(hard, int(counts[0])) else ""
    return f"{cards} ({soft}{best_total(hard, int(counts[0]))})" if cards else "no card yet"


def _shown(code: int) -> str:
    """The shown cards of a key, in order."""
    return " ".join("A" if v == 1 else str(v) for v in _values(code) if v)


def _values(code: int) -> list[int]:
    return [(code >> 4 * k) & 15 for k in range(ORDERED)]


def _levels(parts: Mapping[str, int]) -> list[int]:
    """The level of each buy made."""
    return [(parts["buys"] >> 3 * k) & 7 for k in range(parts["bought"])]


def _bought(parts: Mapping[str, int]) -> str:
    return f"bought at level {' '.join(map(str, _levels(parts)))}" if parts["bought"] else ""


def _player_words(parts: Mapping[str, int], table: Table) -> list[str]:
    if parts["phase"] == Phase.STAKE:
        return ["the stake", f"banker shows {_shown(parts['upcard'])}" if parts["upcard"] else ""]
    return [
        f"stake level {parts['stake']}" if table.stake_levels > 1 else "",
        _bought(parts),
        "twisted" if parts["twisted"] else "",
        f"shown {_shown(parts['shown'])}" if parts["shown"] else "",
        f"of split {_shown(parts['split'])}s, {parts['hands']} hands" if parts["split"] else "",
        "a pair" if parts["pair"] else "",
        f"banker shows {_shown(parts['upcard'])}" if parts["upcard"] else "",
        ("", "one suit", "all spades")[parts["suits"]],
        ("no card left", "one card left", "")[parts["drawable"]],
    ]


def _banker_words(parts: Mapping[str, int]) -> list[str]:
    if not parts["plain"] + parts["tricks"] + parts["pontoons"]:
        return []
    kind = "a trick" if parts["tricks"] else "a Pontoon" if parts["pontoons"] else "a live hand"
    cards = _cards(parts["shown"]) if parts["open"] else f"showing {_shown(parts['shown']) or 'nothing'}"
    return [
        f"against {kind} {cards}",
        f"stake level {parts['stake']}" if parts["stake"] else "",
        _bought(parts),
        ("no card left", "one card left", "")[parts["drawable"]],
    ]


# --- actions -----------------------------------------------------------------------------------------------------


def action_names(
    rules: RulesSource = "home", table: Table | Mapping[str, object] | None = None, key: int | None = None
) -> tuple[str, ...]:
    """What the actions are called, by number: `("stick", "twist", "split", "buy 1", "buy 2", "stake 1")`.

    Args:
        rules, table: the game; default `home` at the default table.
        key: an infostate, on which it depends how many chips a buy adds. Without it, and where nothing can be bought,
            buys are named by level: `"buy level 0"`.

    Returns:
        As many as the action space has: a player's, of which the first are the banker's, or those of the key's side.

    Raises:
        BadArgument: a key that no infostate of that game has.
        BadRules, BadTable: no such game.
    """
    game, place = Rules.of(rules), Table.of(table)
    parts = {} if key is None else checked_key(key, game, place)
    first = tuple(map(action_word, range(BUY)))
    if parts.get("phase") == Phase.BANKER:
        return first[:BANKER_ACTIONS]
    r = packed(game, place)
    buys = (
        [buy_word(r, chips) for chips in _next_buys(r, parts)]
        if parts.get("phase") == Phase.PLAY
        else [buy_word(r, f"level {i}") for i in range(place.buy_levels)]
    )
    return (*first, *buys, *(stake_word(r, i) for i in range(place.stake_levels)))


def _next_buys(r: Record, parts: Mapping[str, int]) -> list[int]:
    """What the next buy of each level adds, chips (9.3)."""
    stake = level(parts["stake"], r["stake_levels"], r["stake_min"], r["stake_max"])
    made, previous = _levels(parts), 0
    for k, number in enumerate(made):
        previous = level(number, r["buy_levels"], buy_least(stake), buy_most(r, stake, k, previous))
    most = buy_most(r, stake, len(made), previous)
    return [int(level(i, r["buy_levels"], buy_least(stake), most)) for i in range(r["buy_levels"])]


def action_word(action: int) -> str:
    """A stick, a twist or a split."""
    return Action(action).name.lower()


def stake_word(r: Record, i: int) -> str:
    """The stake of a level, in chips."""
    return f"stake {level(i, r['stake_levels'], r['stake_min'], r['stake_max'])}"


def buy_word(r: Record, amount: int | str) -> str:
    """A buy or a double of so many chips."""
    return f"{'double' if r['buying'] == Buying.DOUBLE else 'buy'} {amount}"
