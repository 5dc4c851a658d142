"""`Rules` and `Table`: presets, coercion, what is refused and how it is said."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from pontoon_gym.errors import BadRules, BadTable
from pontoon_gym.rules import PRESETS, Rules, Table, specs


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_valid_and_survives_text_and_dict(preset: str) -> None:
    rules = Rules.of(preset)
    assert rules == rules.checked() == Rules.of(rules.text()) == Rules.of(rules.as_dict()) == Rules.of(rules)
    assert rules.text() == preset
    assert pickle.loads(pickle.dumps(rules)) == rules


def test_literal_presets() -> None:
    assert Rules.of("home").second_pack_from == 6
    assert Rules.of("british").max_hands == 2
    assert (Rules.of("casino6").packs, Rules.of("casino8").packs) == (6, 8)
    assert Rules.of("blackjack").pontoon_pays == 1.5
    assert Rules.of("malaysian") == Rules.of("home", banker="s17", pontoon_pays=1.5, ties="player")


def test_changes_are_coerced() -> None:
    rules = Rules.of("home,split=none", stick_minimum="16", tens="no", pontoon_pays="1.5", packs=2.0)
    assert (rules.split, rules.stick_minimum, rules.tens, rules.pontoon_pays) == ("none", 16, False, 1.5)
    assert rules.packs == 2 and type(rules.packs) is int
    assert rules.text() == "home,packs=2,tens=no,stick_minimum=16,split=none,pontoon_pays=1.5"
    assert Rules.of("split=none") == Rules.of("home", split="none")


KINDS: dict[type, tuple[Any, ...]] = {
    bool: (np.bool_,),
    int: (np.int64, np.uint8, np.float32, lambda number: np.array(number)),
    float: (np.float64, np.float32),
    str: (np.str_,),
}
"""What NumPy has for each kind of field."""


@pytest.mark.parametrize("field", Rules._fields)
def test_numbers_of_numpy_are_those_of_python(field: str) -> None:
    kind, _ = specs(Rules)[field]
    value = getattr(Rules(), field)
    for of_numpy in KINDS[kind]:
        rules = Rules.of({field: of_numpy(value)})
        assert rules == Rules() and type(getattr(rules, field)) is kind
        json.dumps(rules.as_dict())
    for wrong in (np.int64(-1), np.True_ if kind is not bool else np.int64(1), np.array([1])):
        with pytest.raises(BadRules, match=f"bad {field}: got "):
            Rules.of({field: wrong})


def test_tables_take_numbers_of_numpy() -> None:
    table = Table.of(seats=np.uint8(3), stake_max=np.array(300), stake_levels=np.int64(2))
    assert table == Table(seats=3, stake_max=300, stake_levels=2) and {type(number) for number in table} == {int}


def test_rules_survive_json() -> None:
    """JSON makes a list of them, as it does of all tuples."""
    for rules in PRESETS.values():
        assert Rules.of(json.loads(json.dumps(rules))) == rules
    assert Rules.of(list(Rules()), split="none") == Rules.of("home,split=none")


def test_digests_tell_rules_and_tables_apart() -> None:
    assert (Rules.of("home").digest(), Rules.of("british").digest()) == ("44136fa355b3", "9d89439ecae6")
    digests = {rules.digest() for rules in PRESETS.values()} | {Table().digest(), Table(seats=3).digest()}
    assert len(digests) == len(PRESETS) + 1  # home's and the usual table's say that nothing is changed


def test_a_field_at_its_default_is_no_part_of_a_digest() -> None:
    assert Rules().digest() == hashlib.sha256(b"{}").hexdigest()[:12] == Table().digest()
    assert Rules.of("home", ties="push").digest() == hashlib.sha256(b'{"ties": "push"}').hexdigest()[:12]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("foo", "unknown preset: got 'foo'; allowed: british, home, casino6, casino8, blackjack"),
        ("home,split", "a change of rules is written field=value: got 'split'"),
        ({"foo": 1}, "no field 'foo' of Rules"),
        ({"packs": 9}, "bad packs: got 9; allowed: 0 to 8 [clause 1.1]"),
        ({"packs": True}, "bad packs: got True; allowed: 0 to 8 [clause 1.1]"),
        ({"packs": "many"}, "bad packs: got 'many'; allowed: 0 to 8 [clause 1.1]"),
        ({"packs": float("nan")}, "bad packs: got nan"),
        ({"packs": None}, "bad packs: got None"),
        ({"tens": 1}, "bad tens: got 1; allowed: yes or no [clause 1.2]"),
        ({"trick_cards": 2}, "bad trick_cards: got 2; allowed: 0, or 3 to 9 [clause 2.2]"),
        ({"pontoon_pays": 1.25}, "bad pontoon_pays: got 1.25; allowed: multiples of 1/2 from 0 to 10"),
        ({"split": "colour"}, "bad split: got 'colour'; allowed: none, aces, rank, value [clause 6.6]"),
        ({"twist_under": 14}, "twist_under below stick_minimum"),
        ({"sudden_death": True, "peek": False}, "sudden_death needs peek"),
        ({"ace_king_pays": 2}, "ace_king_pays needs split_pontoon off"),
        (7, "rules cannot be given so: got 7; allowed: a preset's name, a text, a mapping, or a list of all "),
        ([1, 6], "rules cannot be given so: got [1, 6]"),
        ([*Rules(), 0], f"or a list of all {len(Rules._fields)} fields"),
        ([0, *Rules()[:-1]], "bad second_pack_from: got 1; allowed: 0, or 2 to 9 [clause 1.1]"),
    ],
)
def test_what_rules_refuse(given: Any, message: str) -> None:
    with pytest.raises(BadRules) as caught:
        Rules.of(given)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seats": 1}, "bad seats of a table: got 1; allowed: 2 to 9 [clause 3.1]"),
        ({"seats": 2.0}, "bad seats of a table: got 2.0"),
        ({"stake_min": 0}, "bad stake_min of a table: got 0"),
        ({"stake_min": 5, "stake_max": 4}, "bad stake_max of a table: got 4; allowed: stake_min (5) to 1000000"),
        ({"stake_max": 2_000_000}, "bad stake_max of a table"),
        ({"stake_levels": 17}, "bad stake_levels of a table: got 17; allowed: 1 to 16 [clause 9.3]"),
        ({"buy_levels": True}, "bad buy_levels of a table: got True"),
        ({"chips": 5}, "no field 'chips' of a table"),
        (7, "a table must be a Table or a mapping: got 7"),
    ],
)
def test_what_tables_refuse(given: Mapping[str, object], message: str) -> None:
    with pytest.raises(BadTable) as caught:
        Table.of(given)
    assert message in str(caught.value)


def test_every_field_says_what_it_means_and_where() -> None:
    for of in (Rules, Table):
        for name, (kind, spec) in specs(of).items():
            assert spec.clause and spec.meaning, name
            assert isinstance(of._field_defaults[name], kind)
            assert kind is bool or spec.options or spec.numbers or name in ("stake_min", "stake_max")


def test_table_actions() -> None:
    assert Table().actions == 3 + 2 + 1
    assert Table.of(Table(seats=3), buy_levels=4) == Table(seats=3, buy_levels=4)
