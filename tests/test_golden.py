"""The transcripts in `tests/golden`: what is played now is what is written there, and they show all there is to see."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pontoon_gym import records
from pontoon_gym.rules import PRESETS
from tests.envs.rounds import hands_of
from tests.golden.episodes import play_round, play_session
from tests.golden.files import FOLDER, current, difference, faults, rewrite
from tests.golden.games import GAMES, ROUNDS
from tests.golden.transcript import KINDS, shoe_words, transcript

MOST_LINES = 170
MOST_LINES_OF_A_ROUND = 72


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with current transcripts, to plant faults in."""
    rewrite(tmp_path)
    assert list(faults(tmp_path)) == []
    return tmp_path


def record_lines(text: str) -> list[str]:
    """The records in a transcript: of the round, then of the session."""
    lines = [line.strip() for line in text.splitlines() if line.lstrip().startswith(records.VERSION)]
    assert len(lines) == 1 + ROUNDS
    return lines


def table_of(s: np.void, seats: int) -> list[object]:
    """What lies on the table, seat by seat, and what it won."""
    hands = [
        (seat, h, hand["kind"], hand["stake"], hand["buys"].tolist(), hand["cards"][: hand["count"]].tolist())
        for seat, h, hand in hands_of(s, seats)
    ]
    return [*hands, s["result"][:seats].tolist()]


# --- the files ---------------------------------------------------------------------------------------------------


def test_the_transcripts_are_current() -> None:
    assert set(GAMES) == set(PRESETS)
    assert list(faults()) == [], "\n".join(faults())


def test_they_can_be_read() -> None:
    for name, text in current().items():
        assert text.index("A ROUND") < text.index("A SESSION")
        round_part = text[text.index("A ROUND") : text.index("A SESSION")]
        assert len(text.splitlines()) <= MOST_LINES, name
        assert len(round_part.splitlines()) <= MOST_LINES_OF_A_ROUND, name


@pytest.mark.parametrize("name", GAMES)
def test_the_stored_records_replay(name: str) -> None:
    play = GAMES[name]
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    first, *session = record_lines(text)
    replayed = [records.replay(first), *records.replay_session("\n".join(session))]
    for s, played in zip(replayed, [play_round(play), *play_session(play, ROUNDS)], strict=True):
        assert table_of(s, play.table.seats) == table_of(played.s, play.table.seats)


@pytest.mark.parametrize("name", GAMES)
def test_the_said_state_of_the_shoe_is_the_recorded_one(name: str) -> None:
    ends = play_session(GAMES[name], ROUNDS)
    for before, after in zip([None, *ends], ends, strict=False):
        words = shoe_words(GAMES[name], None if before is None else before.s)
        assert ("carried" in words) == records.parse(after.record).carried


@pytest.mark.parametrize("name", GAMES)
def test_a_longer_session_begins_as_a_shorter_one(name: str) -> None:
    """Each round's end is played to on its own: what was chosen before it must be the same."""
    ends = play_session(GAMES[name], ROUNDS)
    for shorter, longer in pairwise(ends):
        seen = [
            [(one.allowed, one.choice, one.reward, one.picture) for one in end.moments] for end in (shorter, longer)
        ]
        assert seen[1][: len(seen[0])] == seen[0]
        assert len(seen[1]) > len(seen[0])


def test_everything_of_note_comes_up() -> None:
    text = "".join(current().values())
    had = {kind for line in re.findall(r"^   had: (.*)$", text, re.MULTILINE) for kind in line.split(", ")}
    assert set(KINDS) <= had
    assert "five-card trick" in text and "sudden death pays" in text and "carried=yes" in text
    shoes = re.findall(r"^Round [2-5]: (.*)$", text, re.MULTILINE)
    assert {"shuffled, for there was a Pontoon", "the shoe is carried on, no Pontoon fell"} <= set(shoes)
    assert {play.role for play in GAMES.values()} == {"player", "banker"}
    assert {play.table.seats for play in GAMES.values()} == {2, 3, 5}


# --- planted faults ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["blackjack", "british"])
def test_other_rules_make_another_transcript(name: str) -> None:
    """The stored round has a tie, or a trick of the banker's, so that the chips change and not the header alone."""
    change: dict[str, object] = {"ties": "player"} if name == "blackjack" else {"banker_trick_loss": 2}
    play = GAMES[name]._replace(rules=GAMES[name].rules.with_changes(change))
    stored = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    planted = transcript(name, play)
    results = [[records.parse(line).results for line in record_lines(text)] for text in (stored, planted)]
    assert results[0] != results[1]
    assert re.search(r"^\+rules .*=", difference(stored, planted), re.MULTILINE)


def test_a_changed_file_is_stale(folder: Path) -> None:
    file = folder / "home.txt"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("reward +0", "reward +1", 1), encoding="utf-8")
    (fault,) = faults(folder)
    assert fault.startswith("home.txt is stale") and "make golden" in fault
    assert re.search(r"^-1\. .*reward \+1$", fault, re.MULTILINE)
    rewrite(folder)
    assert file.read_text(encoding="utf-8") == text


def test_a_missing_and_an_extra_file_are_named_and_mended(folder: Path) -> None:
    (folder / "british.txt").rename(folder / "scottish.txt")
    assert list(faults(folder)) == ["british.txt is missing", "scottish.txt is of no game"]
    rewrite(folder)
    assert list(faults(folder)) == []
