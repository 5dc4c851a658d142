"""The rules and the table: what is fixed before anyone sits down.

`Rules` holds every number on which groups of players differ, one field each, with its meaning, its clause of the
rule book (`docs/rules.md`) and what it may be. `Table` holds the rest that a policy depends on: seats, stake limits
and how finely stakes and buys may be chosen. Both have a digest that is stamped on every artefact.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from typing import Annotated, Any, NamedTuple, Union, get_type_hints

from pontoon_gym.cards import MOST_ENDLESS, MOST_SHOE
from pontoon_gym.errors import BadRules, BadTable, native
from pontoon_gym.names import BUY, Bank, Banker, Bonus, Buying, Reshuffle, Split, Ties


class Spec(NamedTuple):
    """What a field may be, where the rule book has it, and what it means."""

    clause: str
    meaning: str
    numbers: tuple[float, ...] = ()
    options: type[IntEnum] | None = None

    def values(self, kind: type) -> tuple[Any, ...]:
        """Every value that is allowed, in order."""
        if kind is bool:
            return (False, True)
        return self.names() if self.options else tuple(kind(number) for number in self.numbers)

    def names(self) -> tuple[str, ...]:
        """The options' names as users write them."""
        return tuple(option.name.lower() for option in self.options or ())

    def allowed(self, kind: type) -> str:
        """The allowed values, for a message or a table."""
        if kind is bool:
            return "yes or no"
        if self.options:
            return ", ".join(self.names())
        if kind is float:
            return f"multiples of 1/2 from {self.numbers[0]:g} to {self.numbers[-1]:g}"
        first, *rest = (int(number) for number in self.numbers)
        if rest and rest[0] != first + 1:
            return f"{first}, or {rest[0]} to {rest[-1]}"
        return f"{first} to {self.numbers[-1]}"


def _span(first: int, last: int, *, or_zero: bool = False) -> tuple[int, ...]:
    return ((0,) if or_zero else ()) + tuple(range(first, last + 1))


_RATES = tuple(half / 2 for half in range(21))


RulesSource = Union["Rules", Mapping[str, object], list[Any], str]
"""What `Rules.of` takes: rules, a mapping of fields, a list of all of them, a preset's name or a text."""


class Rules(NamedTuple):
    """The rules of one game; the defaults are those of the preset `home`. Use `Rules.of` to make checked ones."""

    packs: Annotated[int, Spec("1.1", "packs of 52; 0 draws with replacement", _span(0, 8))] = 1
    second_pack_from: Annotated[
        int, Spec("1.1", "seats from which one pack is added; 0 never", _span(2, 9, or_zero=True))
    ] = 6
    tens: Annotated[bool, Spec("1.2", "the four tens are in the pack")] = True
    trick_cards: Annotated[int, Spec("2.2", "cards of a trick; 0 no trick, no limit", _span(3, 9, or_zero=True))] = 5
    split_pontoon: Annotated[bool, Spec("2.6", "an ace and a ten-valued card on a split hand is a Pontoon")] = True
    stake_after_first_card: Annotated[bool, Spec("3.3", "players stake after seeing their first card")] = True
    players_face_up: Annotated[bool, Spec("4.2", "players' cards lie up")] = False
    banker_upcard: Annotated[bool, Spec("4.2", "the banker's first card lies up")] = False
    peek: Annotated[bool, Spec("5.1", "the banker shows a Pontoon at once")] = True
    banker_pontoon_loss: Annotated[float, Spec("5.1, 10", "lost to a Pontoon, in stakes", _RATES)] = 2.0
    banker_trick_loss: Annotated[float, Spec("10.2", "lost to the banker's trick, in stakes", _RATES)] = 2.0
    stick_minimum: Annotated[int, Spec("6.2", "least total to stick on", _span(0, 21))] = 15
    twist_under: Annotated[int, Spec("6.3", "totals under it may twist", _span(1, 22))] = 22
    buying: Annotated[str, Spec("6.4, 6.5", "how a stake is raised", options=Buying)] = "buy"
    max_buys: Annotated[int, Spec("6.4, 6.5", "buys, or doubles, a hand", _span(0, 4))] = 3
    buy_under: Annotated[int, Spec("6.4", "totals under it may buy", _span(0, 22))] = 21
    buy_fifth_minimum: Annotated[int, Spec("6.4", "least total to buy a fifth card", _span(0, 21))] = 0
    buy_max: Annotated[int, Spec("6.4", "most of a first buy, in initial stakes", _span(1, 10))] = 2
    double_cards_max: Annotated[int, Spec("6.5", "most cards held to double", _span(2, 21))] = 4
    twist_after_double: Annotated[bool, Spec("6.5", "a doubled hand may go on")] = True
    double_after_split: Annotated[bool, Spec("6.5", "a split hand may double")] = True
    split: Annotated[str, Spec("6.6", "which two cards are a pair", options=Split)] = "rank"
    max_hands: Annotated[int, Spec("6.6", "hands a seat may split to", _span(1, 4))] = 4
    split_aces_one_card: Annotated[bool, Spec("6.6", "a split ace gets one card and is finished")] = False
    banker: Annotated[str, Spec("7.2", "what binds the banker", options=Banker)] = "free"
    ties: Annotated[str, Spec("10.1", "who wins equal hands", options=Ties)] = "banker"
    pontoon_pays: Annotated[float, Spec("10.2", "won by a Pontoon, in stakes", _RATES)] = 2.0
    trick_pays: Annotated[float, Spec("10.2", "won by a trick, in stakes", _RATES)] = 2.0
    ace_king_pays: Annotated[float, Spec("12.3", "won by a split A-K, in stakes; 0 off", _RATES)] = 0.0
    sudden_death: Annotated[bool, Spec("12.4", "the first dealt Pontoon is paid and ends the round")] = False
    bonus: Annotated[str, Spec("12.1", "extra pay for some hands of 21", options=Bonus)] = "none"
    bank: Annotated[str, Spec("11.1", "who banks next", options=Bank)] = "pontoon"
    bank_sale: Annotated[bool, Spec("11.3", "the bank may be sold")] = True
    reshuffle: Annotated[str, Spec("11.2", "what makes the shoe be shuffled", options=Reshuffle)] = "pontoon"

    @classmethod
    def of(cls, preset: RulesSource = "home", **changes: object) -> Rules:
        """The rules of a preset, with changes.

        Args:
            preset: a name (`"home"`), a text (`"home,split=none"`), other rules, a mapping of fields (as
                `as_dict` gives) laid over `home`, or a list of the values of all fields in their order (as JSON has
                rules, in an environment's spec).
            **changes: fields of `Rules`; texts are coerced (`"16"`, `"yes"`).

        Raises:
            BadRules: naming the preset or field, what it got and what is allowed.
        """
        given: dict[str, object] = {}
        if isinstance(preset, Rules):
            base = preset
        elif isinstance(preset, str):
            base, given = _parse(preset)
        elif isinstance(preset, Mapping):
            base, given = PRESETS["home"], dict(preset)
        elif isinstance(preset, list) and len(preset) == len(cls._fields):
            base = cls(*preset)
        else:
            allowed = f"a preset's name, a text, a mapping, or a list of all {len(cls._fields)} fields"
            raise BadRules("rules cannot be given so", got=preset, allowed=allowed)
        return base.with_changes({**given, **changes})

    def with_changes(self, changes: Mapping[str, object]) -> Rules:
        """These rules with some fields changed, coerced and checked. Raises `BadRules`."""
        values = {name: _coerce(name, value) for name, value in changes.items()}
        return self._replace(**values).checked()

    def checked(self) -> Rules:
        """These rules, if every value is allowed and none contradicts another. Raises `BadRules`."""
        rules = Rules(*(_coerce(name, value) for name, value in self._asdict().items()))
        if rules.twist_under < rules.stick_minimum:
            raise BadRules(
                "twist_under below stick_minimum leaves totals between them without a choice",
                got=rules.twist_under,
                allowed=f"at least {rules.stick_minimum}",
                where="clauses 6.2, 6.3",
            )
        if rules.sudden_death and not rules.peek:
            raise BadRules("sudden_death needs peek", got=rules.peek, allowed="peek=yes", where="clause 12.4")
        if rules.ace_king_pays and rules.split_pontoon:
            raise BadRules(
                "ace_king_pays needs split_pontoon off: a split A-K is a Pontoon already",
                got=rules.ace_king_pays,
                allowed="0, or split_pontoon=no",
                where="clauses 2.6, 12.3",
            )
        return rules

    def as_dict(self) -> dict[str, bool | int | float | str]:
        """The fields by name, in the order of the class; JSON-able."""
        return self._asdict()

    def text(self) -> str:
        """The shortest canonical text that `Rules.of` reads back: a preset and what differs from it."""
        texts = [(preset, self.differences(rules)) for preset, rules in PRESETS.items()]
        preset, changed = min(texts, key=lambda item: len(item[1]))
        return ",".join([preset, *(f"{name}={plain(value)}" for name, (value, _) in changed.items())])

    def differences(self, other: Rules) -> dict[str, tuple[object, object]]:
        """The fields that differ, each with this value and the other's."""
        pairs = zip(self._fields, self, other, strict=True)
        return {name: (mine, theirs) for name, mine, theirs in pairs if mine != theirs}

    def digest(self) -> str:
        """Twelve hexadecimal digits that stand for these rules on every artefact.

        Fields at their default do not count, so that a new field leaves what was saved before as it is.
        """
        return _digest(self.differences(Rules()))

    @property
    def most_hands(self) -> int:
        """Hands that a seat may hold (6.6)."""
        return self.max_hands if self.split != "none" else 1

    @property
    def most_buys(self) -> int:
        """Buys or doubles that a hand may hold (6.4, 6.5)."""
        return self.max_buys if self.buying != "none" else 0

    @property
    def most_raise(self) -> int:
        """The most that one buy or double may add, in initial stakes (6.4, 6.5)."""
        return self.buy_max if self.buying == "buy" else 1

    def shoe_sizes(self, seats: int) -> range:
        """How many cards a shoe may hold: two for each seat at the least (4.1), one where cards are put back (1.1)."""
        return range(2 * seats, MOST_SHOE + 1) if self.packs else range(1, MOST_ENDLESS + 1)


class Table(NamedTuple):
    """Seats, limits and levels: what a policy depends on beside the rules (clauses 3.1, 3.2, 9.3)."""

    seats: Annotated[int, Spec("3.1", "seats, the banker's among them", _span(2, 9))] = 2
    stake_min: Annotated[int, Spec("3.2", "least initial stake, in chips")] = 1
    stake_max: Annotated[int, Spec("3.2", "most initial stake, in chips")] = 1
    stake_levels: Annotated[int, Spec("9.3", "stakes to choose from", _span(1, 16))] = 1
    buy_levels: Annotated[int, Spec("9.3", "buys to choose from", _span(1, 8))] = 2

    @classmethod
    def of(cls, table: Table | Mapping[str, object] | None = None, **changes: object) -> Table:
        """A checked table from another, a mapping, or nothing, with changes. Raises `BadTable`."""
        if table is not None and not isinstance(table, Mapping | Table):
            raise BadTable("a table must be a Table or a mapping", got=table)
        given = dict(table._asdict() if isinstance(table, Table) else table or {}) | changes
        for name in given:
            if name not in cls._fields:
                raise BadTable(f"no field {name!r} of a table", allowed=", ".join(cls._fields))
        return cls(**given).checked()

    def checked(self) -> Table:
        """This table, its numbers as int, if it can be played at. Raises `BadTable`."""
        for name, value in self._asdict().items():
            _, spec = specs(Table)[name]
            number = _whole(value)
            if number is None or number < 1:
                allowed = spec.allowed(int) if spec.numbers else f"1 to {MOST_CHIPS}"
                raise BadTable(f"bad {name} of a table", got=value, allowed=allowed, where=_at(spec))
            if spec.numbers and number not in spec.numbers:
                raise BadTable(f"bad {name} of a table", got=value, allowed=spec.allowed(int), where=_at(spec))
        if not self.stake_min <= self.stake_max <= MOST_CHIPS:
            raise BadTable(
                "bad stake_max of a table",
                got=self.stake_max,
                allowed=f"stake_min ({self.stake_min}) to {MOST_CHIPS}",
                where="clause 3.2",
            )
        return Table(*(operator.index(value) for value in self))

    def as_dict(self) -> dict[str, int]:
        """The fields by name; JSON-able."""
        return self._asdict()

    def differences(self, other: Table) -> dict[str, tuple[object, object]]:
        """The fields that differ, each with this value and the other's."""
        pairs = zip(self._fields, self, other, strict=True)
        return {name: (mine, theirs) for name, mine, theirs in pairs if mine != theirs}

    def digest(self) -> str:
        """Twelve hexadecimal digits that stand for this table on every artefact, as those of rules do."""
        return _digest(self.differences(Table()))

    @property
    def first_stake(self) -> int:
        """The action that puts down the least stake; buys lie below it (`names.Action`)."""
        return BUY + self.buy_levels

    @property
    def actions(self) -> int:
        """The size of a player's action space: STICK, TWIST, SPLIT, the buys, the stakes."""
        return self.first_stake + self.stake_levels


MOST_CHIPS = 1_000_000
"""No table's stake is higher, so that no sum of chips leaves 64 bits."""


@cache
def specs(of: type[Rules] | type[Table]) -> dict[str, tuple[type, Spec]]:
    """For each field its Python type and what it may be."""
    hints = get_type_hints(of, include_extras=True)
    return {name: (hints[name].__origin__, hints[name].__metadata__[0]) for name in of._fields}


def _whole(value: Any) -> int | None:
    """The number that a value is, None if it is no whole number (True is none)."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def _at(spec: Spec) -> str:
    return f"clause {spec.clause}"


def _digest(differences: Mapping[str, tuple[object, object]]) -> str:
    fields = {name: value for name, (value, _) in differences.items()}
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:12]


def plain(value: object) -> str:
    """A field's value as users write it."""
    return ("no", "yes")[value] if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


_WORDS = {"yes": True, "true": True, "no": False, "false": False}


def _coerce(name: str, value: object) -> Any:
    """The value of a field in the field's own type. Raises `BadRules`."""
    if name not in Rules._fields:
        raise BadRules(f"no field {name!r} of Rules", allowed=", ".join(Rules._fields))
    kind, spec = specs(Rules)[name]
    value = native(value)
    fault = BadRules(f"bad {name}", got=value, allowed=spec.allowed(kind), where=_at(spec))
    if isinstance(value, str) and kind is bool:
        value = _WORDS.get(value.lower(), value)
    elif isinstance(value, str) and kind is not str:
        try:
            value = float(value)
        except ValueError:
            raise fault from None
    if isinstance(value, bool) != (kind is bool) or isinstance(value, str) != (kind is str):
        raise fault
    if not isinstance(value, bool | int | float | str) or value not in spec.values(kind):
        raise fault
    return kind(value)


def _parse(text: str) -> tuple[Rules, dict[str, object]]:
    """The preset and the changes of a text such as `home,split=none`."""
    first, *rest = (part.strip() for part in text.split(","))
    if "=" in first:
        first, rest = "home", [first, *rest]
    if first not in PRESETS:
        raise BadRules("unknown preset", got=first, allowed=", ".join(PRESETS))
    changes: dict[str, object] = {}
    for part in rest:
        name, equals, value = part.partition("=")
        if not equals:
            raise BadRules("a change of rules is written field=value", got=part)
        changes[name.strip()] = value.strip()
    return PRESETS[first], changes


_HOME = Rules()
_CASINO = _HOME._replace(
    packs=8,
    second_pack_from=0,
    stake_after_first_card=False,
    players_face_up=True,
    split="value",
    max_hands=3,
    buying="double",
    max_buys=1,
    banker="h17",
    banker_pontoon_loss=1.0,
    banker_trick_loss=1.0,
    bank="fixed",
    bank_sale=False,
    reshuffle="round",
)
_BLACKJACK = _CASINO._replace(
    packs=0,
    max_hands=4,
    banker="s17",
    trick_cards=0,
    stick_minimum=0,
    banker_upcard=True,
    split_pontoon=False,
    double_cards_max=2,
    twist_after_double=False,
    split_aces_one_card=True,
    pontoon_pays=1.5,
    ties="push",
)

PRESETS: dict[str, Rules] = {
    "british": _HOME._replace(second_pack_from=0, max_hands=2, banker_trick_loss=1.0),
    "home": _HOME,
    "casino6": _CASINO._replace(packs=6, max_hands=4),
    "casino8": _CASINO,
    "blackjack": _BLACKJACK,
    "spanish": _HOME._replace(tens=False, bonus="spanish21"),
    "malaysian": _HOME._replace(banker="s17", pontoon_pays=1.5, ties="player"),
    "ace_high": _HOME._replace(split_pontoon=False, ace_king_pays=2.0),
    "sudden_death": _HOME._replace(sudden_death=True),
    "rotating": _HOME._replace(bank="rotate"),
}
"""The games of clauses 12 and 13 by name."""
