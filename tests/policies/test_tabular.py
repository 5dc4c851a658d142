"""Strategies: what they play, how they are kept, and what files are refused."""

from __future__ import annotations

import copy
import json
import pickle
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from numpy.typing import NDArray

from pontoon_gym.engine.hand import COMPOSITIONS
from pontoon_gym.engine.view.infostate import key_bits, pack_key, unpack_key
from pontoon_gym.errors import BadArgument, BadPolicyFile, StaleStrategy, UnknownInfostate, UnknownPolicy
from pontoon_gym.evaluation.play import play
from pontoon_gym.hashing import EMPTY, lay_out
from pontoon_gym.names import Phase, Role
from pontoon_gym.policies.baselines import BANKERS, PLAYERS, baseline
from pontoon_gym.policies.metadata import Metadata, archive_bytes, read_archive
from pontoon_gym.policies.policy import Policy
from pontoon_gym.policies.resolve import resolve
from pontoon_gym.policies.tabular import FORMAT, Strategy, flatten
from pontoon_gym.rules import Rules, Table
from tests.policies.hostile import MARK, hostile_archives, hostile_facts

HOME, TABLE = Rules.of("home"), Table()


def small(greedy: bool = True, otherwise: Strategy | None = None, **changes: object) -> Strategy:
    keys = np.array([pack_key(Role.PLAYER, phase=Phase.PLAY), pack_key(Role.PLAYER, phase=Phase.STAKE)])
    given: dict[str, object] = dict(
        parts=("phase",),
        keys=keys,
        weights=np.array([[1.0, 3.0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1.0]]),
        greedy=greedy,
        otherwise=otherwise,
    )
    told = {name: changes.pop(name) for name in ("name", "notes") if name in changes}
    metadata = Metadata("player", HOME, TABLE, **{"name": "small", **told})  # type: ignore[arg-type]
    return Strategy(metadata, **given | changes)  # type: ignore[arg-type]


def seen(strategy: Strategy, phase: Phase) -> NDArray[np.float32]:
    row = np.zeros((1, strategy._layout.size), np.float32)
    row[0, int(phase)] = 1
    return row


def mask(*allowed: int) -> NDArray[np.bool_]:
    out = np.zeros((1, TABLE.actions), np.bool_)
    out[0, list(allowed)] = True
    return out


def test_a_greedy_strategy_plays_the_best_allowed_action() -> None:
    row = seen(small(), Phase.PLAY)
    assert small().probabilities(row, mask(0, 1)).tolist() == [[0, 1, 0, 0, 0, 0]]
    assert small().probabilities(row, mask(0, 3)).tolist() == [[1, 0, 0, 0, 0, 0]]
    assert small().probabilities(row, mask(2, 3)).tolist() == [[0, 0, 1, 0, 0, 0]]


def test_another_draws_in_proportion_to_allowed_weights() -> None:
    row = seen(small(), Phase.PLAY)
    assert small(greedy=False).probabilities(row, mask(0, 1)).tolist() == [[0.25, 0.75, 0, 0, 0, 0]]
    assert small(greedy=False).probabilities(row, mask(2, 3)).tolist() == [[0, 0, 0.5, 0.5, 0, 0]]


def test_it_passes_on_what_it_does_not_know_or_says_so() -> None:
    one = small(keys=np.array([pack_key(Role.PLAYER, phase=Phase.STAKE)]), weights=np.eye(6)[5:])
    with pytest.raises(UnknownInfostate, match="small has no answer for an infostate"):
        one.probabilities(seen(one, Phase.PLAY), mask(0, 1))
    both = small(keys=one.keys, weights=one.weights, otherwise=small())
    assert both.probabilities(seen(both, Phase.PLAY), mask(0, 1))[0, 1] == 1


def test_in_play_a_missing_answer_is_an_error() -> None:
    one = small(keys=np.array([pack_key(Role.PLAYER, phase=Phase.STAKE)]), weights=np.eye(6)[5:])
    with pytest.raises(UnknownInfostate, match=r"the player's strategy has no answer .* \[pontoon/1 \| home"):
        play(HOME, TABLE, one, baseline("stand17", "banker", HOME, TABLE), 100)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parts": ("phases",)}, "no such part of an infostate key"),
        ({"keys": np.array([1, 1])}, "keys of a strategy must be different"),
        ({"keys": np.array([0.5, 1.5])}, "whole numbers"),
        ({"weights": np.ones((2, 5))}, "weights of a strategy"),
        ({"weights": np.full((2, 6), np.nan)}, "must be finite"),
        ({"weights": -np.ones((2, 6)), "greedy": False}, "not below 0"),
    ],
)
def test_what_a_strategy_refuses(changes: dict[str, object], message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        small(**changes)


def test_observations_that_do_not_fit_are_refused() -> None:
    with pytest.raises(BadArgument, match="do not fit"):
        small().probabilities(np.zeros((1, 3), np.float32), mask(0))
    with pytest.raises(BadArgument, match="allows nothing"):
        small().probabilities(seen(small(), Phase.PLAY), mask())


@pytest.mark.parametrize("ending", [".npz", ".json"])
@pytest.mark.parametrize("name", ["thumb", "random"])
def test_a_saved_strategy_loads_back_the_same(tmp_path: Path, ending: str, name: str) -> None:
    made = baseline(name, "player", HOME, TABLE)
    made.notes["seed"] = 3
    back = Strategy.load(made.save(tmp_path / f"it{ending}"))
    assert back.as_dict() == made.as_dict()
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize("ending", [".npz", ".json"])
def test_what_it_passes_on_to_is_saved_too(tmp_path: Path, ending: str) -> None:
    chase = baseline("chase", "banker", HOME, TABLE)
    back = resolve(chase.save(tmp_path / f"chase{ending}"), "banker", HOME, TABLE)
    assert isinstance(back, Strategy) and back.otherwise is not None and back.otherwise.name == "stand17"
    assert back.as_dict() == chase.as_dict()


def test_notes_must_be_json(tmp_path: Path) -> None:
    for ending in (".npz", ".json"):
        with pytest.raises(BadArgument, match="must be JSON-able"):
            small(notes={"it": object()}).save(tmp_path / f"it{ending}")


def test_weights_stay_numbers_when_added() -> None:
    with pytest.raises(BadArgument, match="must be finite"):
        small(weights=np.full((2, 6), 1e308))


def test_where_it_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="a strategy is saved as"):
        small().save(tmp_path / "it.pkl")
    (tmp_path / "file").write_text("")
    with pytest.raises(BadArgument, match="cannot write"):
        small().save(tmp_path / "file" / "it.npz")


@cache
def hostile_files() -> dict[str, tuple[bytes, str]]:
    """Files by name, and what the refusal says."""
    chain = small().as_dict()
    for _ in range(20):
        chain = {**small().as_dict(), "otherwise": chain}

    def changed(**changes: object) -> bytes:
        return json.dumps({**small().as_dict(), **changes}).encode()

    good = npz_of(baseline("chase", "banker", HOME, TABLE))
    archives = hostile_archives(good) | hostile_facts(good, FORMAT)
    stamps, arrays = read_archive(good)
    return {f"{name}.npz": hostile for name, hostile in archives.items()} | {
        "no tables.npz": (archive_bytes([], arrays), "it holds 0 tables"),
        "many tables.npz": (archive_bytes([{}] * 9, arrays), "it holds 9 tables"),
        "chain.json": (json.dumps(chain).encode(), "more than 8 tables"),
        "float.json": (changed(keys=[1.5, 2.5]), "whole numbers"),
        "big.json": (changed(keys=[1 << 70, 1]), "whole numbers"),
        "text.json": (b"hello", "Expecting value"),
        "list.json": (b"[1, 2]", "it does not say"),
        "deep.json": (b"[" * 100_000, "recursion"),
        "half.json": (changed()[:300], ""),
        "other.json": (changed(format="pontoon-strategy/99"), "saved as pontoon-strategy/99 by another version"),
        "keys.json": (changed(keys=["x"]), "whole numbers"),
        "rows.json": (changed(weights=[[1]]), "allowed: numbers, shape (2, 6)"),
        "nan.json": (changed(weights=[[float("nan")] * 6] * 2), "finite"),
        "inf.json": (changed().replace(b"3.0", b"1e999"), "a number that is not finite: 1e999"),
        "yes.json": (changed(greedy="yes"), "its greedy must be of the kind bool: 'yes'"),
        "one.json": (changed(greedy=1), "its greedy must be of the kind bool: 1"),
        "truth.json": (changed(keys=[True, False]), "whole numbers"),
        "texts.json": (changed(weights=[["1", 3, 0, 0, 0, 0], [0] * 6]), "rows of numbers"),
        "other shape.json": (changed(weights=[[1.0] * 3] * 4), "allowed: numbers, shape (2, 6)"),
        "unnamed.json": (changed(name=None), "its name must be of the kind str: None"),
        "surrogate.json": (changed(name="\ud800"), "surrogates not allowed"),
        "no table.json": (changed(table=None), "its table must be of the kind dict: None"),
        "pairs.json": (changed(notes=[["a", 1]]), "its notes must be of the kind dict"),
        "deep notes.json": (changed(notes={"a": json.loads("[" * 90 + "]" * 90)}), "nested deeper than 50"),
        "other table.json": (changed(table={**TABLE.as_dict(), "seats": 3}), "its table is not the one"),
        "a table short.json": (changed(othrwise=small().as_dict()), "it says what no such file does: 'othrwise'"),
        "twice.json": (changed()[:-1] + b', "greedy": false}', "it says twice: 'greedy'"),
        "more.npz": (archive_bytes(stamps, arrays | {"more": np.zeros(1)}), "it holds more than its tables: more"),
        "a stamp short.npz": (archive_bytes(stamps[:1], arrays), "it holds more than its tables: "),
        "turned.npz": (archive_bytes(stamps, arrays | {"weights0": arrays["weights0"].T}), "weights of a strategy"),
        "words.npz": (archive_bytes(stamps, arrays | {"weights0": arrays["weights0"].astype("U9")}), "('str288', "),
        "complex.npz": (archive_bytes(stamps, arrays | {"weights0": arrays["weights0"] * 1j}), "('complex128', "),
    }


def npz_of(strategy: Strategy) -> bytes:
    with TemporaryDirectory() as folder:
        return strategy.save(Path(folder) / "it.npz").read_bytes()


@pytest.mark.parametrize("name", hostile_files())
def test_bad_files_are_refused_in_one_line(tmp_path: Path, name: str) -> None:
    data, message = hostile_files()[name]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadPolicyFile) as caught:
        Strategy.load(tmp_path / name)
    assert name in str(caught.value) and message in str(caught.value) and "\n" not in str(caught.value)
    assert not MARK.exists()


def test_no_file_no_policy(tmp_path: Path) -> None:
    with pytest.raises(UnknownPolicy, match="no strategy file"):
        Strategy.load(tmp_path / "it.npz")
    allowed = f"allowed: {', '.join(PLAYERS)}, pretrained, a policy's file, a chart or a run"
    with pytest.raises(UnknownPolicy, match=allowed):
        resolve("nobody", "player", HOME, TABLE)
    with pytest.raises(BadArgument, match="must be a name, a file or a policy"):
        resolve(3, "player", HOME, TABLE)  # type: ignore[arg-type]


def test_a_policy_of_other_rules_or_another_table_or_side_is_stale() -> None:
    made = baseline("thumb", "player", HOME, TABLE)
    with pytest.raises(StaleStrategy, match="split rank instead of none"):
        resolve(made, "player", Rules.of("home", split="none"), TABLE)
    with pytest.raises(StaleStrategy, match="seats 2 instead of 3"):
        resolve(made, "player", HOME, Table(seats=3))
    with pytest.raises(StaleStrategy, match="other side"):
        resolve(made, "banker", HOME, TABLE)


def test_keys_pack_and_unpack() -> None:
    key = pack_key(Role.BANKER, phase=2, cards=77, tricks=3, buys=9)
    assert unpack_key(Role.BANKER, key) | {"buys": 9} == unpack_key(Role.BANKER, key)
    assert unpack_key(Role.BANKER, key)["cards"] == 77
    assert key & key_bits(Role.BANKER, ("cards",)) == pack_key(Role.BANKER, cards=77)
    with pytest.raises(KeyError, match="suit"):
        pack_key(Role.BANKER, suit=1)


def test_every_baseline_is_a_policy() -> None:
    for role, names in (("player", PLAYERS), ("banker", BANKERS)):
        for name in names:
            made = baseline(name, role, HOME, TABLE)
            assert isinstance(made, Policy) and (made.name, made.role) == (name, role)
    with pytest.raises(UnknownPolicy, match="no such rule of thumb for a banker"):
        baseline("thumb", "banker", HOME, TABLE)


def test_compositions_number_every_hand_once() -> None:
    assert len(COMPOSITIONS) == len({tuple(row) for row in COMPOSITIONS.tolist()}) == 3083


def test_a_table_finds_its_rows_in_few_looks() -> None:
    """Keys differ in their first digits only, or in their last: either way half a table's rows lie where sought."""
    for name, role in (("stand17", "banker"), ("thumb", "player")):
        flat = flatten([resolve(name, role, Rules.of("home"), Table.of())])
        at = np.flatnonzero(flat.keys != EMPTY)
        digits = int(flat.lookups[0]["digits"])
        homes = np.array([lay_out(flat.keys[i : i + 1], digits)[0] for i in at])
        looks = (at - homes) % (1 << digits)
        assert looks.mean() < 1.0


def test_what_is_asked_does_not_depend_on_the_order_of_tables() -> None:
    last = resolve("stand17", "banker", Rules.of("home"), Table.of())
    assert isinstance(last, Strategy)
    empty = {"parts": (), "keys": np.zeros(0, np.int64), "weights": np.zeros((0, last.actions))}
    first = Strategy(Metadata("banker", last.rules, last.table), greedy=True, otherwise=last, **empty)
    for chain in ([first, last], [last, first]):
        assert set(flatten(chain).lookups["asked"].tolist()) == {key_bits(Role.BANKER, last.parts)}


def test_what_a_strategy_passes_on_to_is_made_for_the_same() -> None:
    """Else its columns could mean other actions."""
    mine = baseline("stand17", "banker", HOME, TABLE)
    facts = {"parts": mine.parts, "keys": mine.keys, "weights": mine.weights, "greedy": True}
    for other in (baseline("stand15", "banker", Rules.of("british"), TABLE), baseline("thumb", "player", HOME, TABLE)):
        with pytest.raises(StaleStrategy):
            Strategy(Metadata("banker", HOME, TABLE), **facts, otherwise=other)
    with pytest.raises(BadArgument, match="must be a strategy"):
        Strategy(Metadata("banker", HOME, TABLE), **facts, otherwise="stand17")


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="cannot write"):
        baseline("thumb", "player", HOME, TABLE).save(f"{tmp_path}/a\0b.npz")


# --- re-saved by other programs ----------------------------------------------------------------------------------


def by_numpy(path: Path, compressed: bool = False, **types: str) -> None:
    """The archive as NumPy saves it, its arrays in another order and of other types."""
    arrays = dict(np.load(path))
    mine = {
        name: arrays[name].astype(types.get(name.rstrip("0123456789"), arrays[name].dtype)) for name in sorted(arrays)
    }
    (np.savez_compressed if compressed else np.savez)(path, **{name: np.asfortranarray(mine[name]) for name in mine})


@pytest.mark.parametrize("kind", ["as it was", "sorted", "in lines", "with a mark", "in UTF-16", "by JavaScript"])
def test_json_saved_by_another_program_is_the_same_strategy(kind: str, tmp_path: Path) -> None:
    chase = baseline("chase", "banker", HOME, TABLE)
    text = chase.save(tmp_path / "it.json").read_text()
    change = {"sorted": {"sort_keys": True}, "in lines": {"indent": 4}, "by JavaScript": {"separators": (",", ":")}}
    text = json.dumps(json.loads(text), **change.get(kind, {}))  # type: ignore[arg-type]
    text = text.replace(".0", "") if kind == "by JavaScript" else text.replace("\n", "\r\n")
    encoding = {"with a mark": "utf-8-sig", "in UTF-16": "utf-16"}.get(kind, "utf-8")
    for name in ("other.json", "OTHER.JSON"):
        (tmp_path / name).write_bytes(text.encode(encoding))
        assert Strategy.load(tmp_path / name) == chase == resolve(str(tmp_path / name), "banker", HOME, TABLE)


def test_an_archive_saved_by_numpy_is_the_same_strategy(tmp_path: Path) -> None:
    chase = baseline("chase", "banker", HOME, TABLE)
    for name, types in (("it.npz", {}), ("IT.NPZ", {"keys": ">u8", "weights": ">f4"})):
        path = chase.save(tmp_path / name)
        by_numpy(path, **types)
        assert Strategy.load(path) == chase == resolve(path, "banker", HOME, TABLE)


# --- compared ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".npz", ".json"])
def test_strategies_compare_and_hash_by_what_they_say(ending: str, tmp_path: Path) -> None:
    made = baseline("chase", "banker", HOME, TABLE)
    for same in (baseline("chase", "banker", HOME, TABLE), Strategy.load(made.save(tmp_path / f"it{ending}"))):
        assert same is not made and same == made and hash(same) == hash(made) and len({same, made}) == 1
    for copied in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert copied == made and hash(copied) == hash(made)
        assert not copied.weights.flags.writeable and copied.otherwise == made.otherwise


def test_strategies_that_differ() -> None:
    one = small()
    negative_zeros = np.where(one.weights == 0.0, -0.0, one.weights)
    same = small(keys=one.keys, weights=negative_zeros)
    assert np.signbit(same.weights).any() and same == one and hash(same) == hash(one)
    others = {
        "weights": small(keys=one.keys, weights=one.weights + np.eye(6)[:2]),
        "keys": small(keys=one.keys[:1], weights=one.weights[:1]),
        "parts": small(parts=("phase", "cards")),
        "greedy": small(greedy=False),
        "otherwise": small(otherwise=small()),
        "name": small(name="other"),
        "notes": small(notes={"seed": 1}),
    }
    for what, other in others.items():
        assert other != one and one != other, what
        assert (hash(other) == hash(one)) == (what in ("name", "notes")), what
    assert one != "small" and one != one.as_dict()


def test_what_a_strategy_plays_does_not_change() -> None:
    """So that its hash holds; its name and notes may."""
    keys, weights = small().keys.copy(), small().weights.copy()
    made = small(keys=keys, weights=weights)
    was = hash(made)
    weights[:] = 0
    assert made == small()
    with pytest.raises(ValueError, match="read-only"):
        made.weights[0, 0] = 5
    with pytest.raises(ValueError, match="read-only"):
        made.keys[0] = 5
    for name in ("role", "rules", "table", "parts", "keys", "weights", "greedy", "otherwise"):
        with pytest.raises(AttributeError, match=f"a strategy's {name} is given once"):
            setattr(made, name, None)
    made.name, made.notes = "other", {"seed": 3}
    assert hash(made) == was and made == small(name="other", notes={"seed": 3})
