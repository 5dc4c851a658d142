"""The canonical text of a round and of a session."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pontoon_gym import records
from pontoon_gym.cards import MOST_ENDLESS, card_text, parse_cards
from pontoon_gym.engine import bank, legal, rng, state
from pontoon_gym.engine.round import actions_of_turn, choose, clear_table, open_round
from pontoon_gym.engine.run.episode import open_episode
from pontoon_gym.errors import BadArgument, BadRecord
from pontoon_gym.names import SPLIT, STICK, TWIST, Phase
from pontoon_gym.rules import PRESETS, Rules, Table

SCALE = 0.05 if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") else 1
"""Kernels run a thousand times slower uncompiled."""


def scaled(rounds: int) -> int:
    return max(int(rounds * SCALE), 1)


def line(
    rules: str, cards: str, choices: str, results: str, table: str = "seats=2 banker=1 stakes=1-1/1 buys=2"
) -> str:
    return f"pontoon/1 | {rules} | {table} | {cards} | {choices} | {results}"


# --- literal rounds ----------------------------------------------------------------------------------------------

WORKED = [
    line("home", "AS TC KD 9C", "W0 S", "+2 -2"),
    line("home", "AS AC KD TC", "W0 S", "-2 +2"),
    line("home", "9S AC 8D QC", "W0 S", "-2 +2"),
    line("home", "5S TC 6D 7C 2H 4C", "W0 B1 T S S", "-3 +3"),
    line("home", "5S TC 6D 9C KH", "W0 B1 S S", "+3 -3"),
    line("home", "2S TC 3D TH 2H 2C 4C", "W0 B1 B1 B1 S", "+14 -14"),
    line("home", "2S AC 3D AH 2H 2C 4C 3H 4H 5H", "W0 B1 B1 B1 T T T", "-14 +14"),
    line("british", "2S AC 3D AH 2H 2C 4C 3H 4H 5H", "W0 B1 B1 B1 T T T", "-7 +7"),
    line("home,peek=no", "2S AC 3D KH 2H 2C 4C", "W0 B1 B1 B1 S", "-14 +14"),
    line("home", "TS TC 5D 7C 9H", "W0 T S", "-1 +1"),
    line("home", "9S TC 8D 6C TH", "W0 S T", "+1 -1"),
    line("home", "8S TC 8D 8C TH 3C KH", "W0 P S B0 S S", "+1 -1"),
    line("home", "AS TC AD 9C KH 5C", "W0 P S S", "+1 -1"),
    line("casino8", "5S TC 6D TH KH", "W0 B0 S S", "+2 -2"),
    line("malaysian", "9S TC 8D 7C", "W0 S S", "+1 -1"),
    line("malaysian", "AS AC KD QC", "W0 S", "+1.5 -1.5"),
    line("spanish", "6S KC 7S QC 8S", "W0 T S S", "+3 -3"),
]
"""Section 15, row by row; the split aces' second hand (16) is stuck and loses 1."""

THREE = "seats=3 banker=1 stakes=500-1000/3 buys=1"

LITERAL = [
    line("home,split=none", "5S 9C 6D 8H QC", "W0 B1 S S", "+3 -3", "seats=2 banker=1 stakes=1-10/2 buys=2"),
    line("home", "5S 9C", "-", "..."),
    line("home", "5S 9C 6D 8H", "W1", "...", "seats=2 banker=0 stakes=1-10/2 buys=2"),
    line("casino8", "-", "-", "...", "seats=9 banker=8 stakes=1-1/1 buys=1"),
    line("casino8", "-", "W0", "...", THREE),
    line("casino8", "TC 8S 9H TD 7C 8D", "W0 W2 S S S", "-1000 +500 +500", THREE),
    line("blackjack", "AS 9C KD 8H", "W0 S", "+1.5 -1.5"),
    line("blackjack", "9S 9C KD KH", "W0 S S", "0 0"),
    line("blackjack", "AS AS AS AS AS AS", "W0 P", "...", "seats=2 banker=1 stakes=1-1/1 buys=2 shoe=AS"),
    line("home", "TC 9C 7D 6D 3C", "W0 S T S", "-1 +1", "seats=2 banker=1 stakes=1-1/1 buys=2 shoe=3C,6D,7D,9C,TC"),
    line("home", "9C 5S 6D 8H", "W0 S S", "+1 -1", "seats=2 banker=1 stakes=1-1/1 buys=2 carried=yes"),
    line("sudden_death", "AS TC KD 9C", "W0 S", "+2 -2"),
]


@pytest.mark.parametrize("text", WORKED + LITERAL)
def test_literal_rounds_replay_and_read_back(text: str) -> None:
    record = records.parse(text)
    assert record.text() == text
    s = records.replay(text)
    assert records.write(record.rules, record.table, s) == text
    assert (s["phase"] == Phase.DONE) == (record.results is not None)


def test_a_record_says_what_its_text_says() -> None:
    record = records.parse(LITERAL[5])
    assert record.rules == PRESETS["casino8"]
    assert record.table == Table(seats=3, stake_min=500, stake_max=1000, stake_levels=3, buy_levels=1)
    assert (record.banker, record.carried, len(record.shoe)) == (1, False, 416)
    assert record.cards == tuple(parse_cards("TC 8S 9H TD 7C 8D"))
    assert record.choices == (4, 6, STICK, STICK, STICK)
    assert record.results == (-2000, 1000, 1000)
    assert records.parse(WORKED[15]).results == (3, -3)
    assert records.parse(LITERAL[9]).shoe == (8, 21, 25, 32, 36)


def test_other_spellings_are_read_and_one_is_written() -> None:
    table = "seats=2  banker=1\tstakes=01-10/02 buys=2 shoe=" + ",".join(map(card_text, reversed(range(52))))
    loose = line("home , peek=yes,split=none", "5s 9c 6D  8H 10H", "W0 B1 S  S", "3 -3", table)
    assert records.parse(loose.replace(" | 5s", "|5s") + " \r\n").text() == LITERAL[0].replace("QC", "TH")


def test_steps_stop_at_each_decision() -> None:
    turns = [(int(s["phase"]), int(s["turn"]), int(s["dealt"])) for s in records.steps(WORKED[4])]
    assert turns == [(Phase.STAKE, 0, 2), (Phase.PLAY, 0, 4), (Phase.PLAY, 0, 5), (Phase.BANKER, 1, 5), (3, 1, 5)]


# --- the shoe runs out (1.5) -------------------------------------------------------------------------------------

SHORT = "seats=3 banker=2 stakes=1-1/1 buys=2 shoe="
SEVEN = SHORT + "5S,6D,7C,8H,9H,TC,KC"
"""Seat 0 busts on the seventh card, so that seat 1 draws from TC 5S KC, the bust."""
IN_ORDER = line("home", "TC 6D 8H 5S 7C 9H KC TC", "W0 W0 T T S", "-1 -1 +2", SEVEN)
BY_LOT = line("home,reshuffle=round", "TC 6D 8H 5S 7C 9H KC 5S KC", "W0 W0 T T S T", "-1 +1 0", SEVEN)
SPLIT_ON_LAST = line(
    "home,reshuffle=round",
    "TC 6D 8H 5S 6C 9H KC 2C 5S KC TC",
    "W0 W0 T P T S T S S",
    "-1 +2 -1",
    SHORT + "2C,5S,6C,6D,8H,9H,TC,KC",
)


@pytest.mark.parametrize("text", [IN_ORDER, BY_LOT, SPLIT_ON_LAST])
def test_busts_come_back(text: str) -> None:
    record = records.parse(text)
    assert record.text() == records.write(record.rules, record.table, records.replay(text)) == text


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (BY_LOT.replace(",reshuffle=round", ""), "card 8 cannot come: got '5S'; allowed: TC [clause 1.5, 11.2"),
        (BY_LOT.replace("KC 5S", "KC 6D"), "card 8 cannot come: got '6D' [clause 1.1"),
        (SPLIT_ON_LAST.replace("KC 2C 5S", "KC 5S 2C"), "card 8 cannot come: got '5S' [clause 1.1"),
    ],
)
def test_busts_cannot_come_otherwise(text: str, fault: str) -> None:
    with pytest.raises(BadRecord) as error:
        records.replay(text)
    assert fault in str(error.value)


# --- sessions ----------------------------------------------------------------------------------------------------

EIGHT = "seats=2 banker=1 stakes=1-1/1 buys=2 shoe=2S,5S,6D,7D,8C,8H,9C,TC"
SESSION = [
    line("home", "9C 5S 6D 8H", "W0 S S", "+1 -1", EIGHT),
    line("home", "TC 7D 2S 8C 9C", "W0 T S S", "+1 -1", EIGHT + " carried=yes"),
    line("home", "6D 5S 8H TC 2S 9C", "W0 T S T", "+1 -1", EIGHT + " carried=yes"),
]
"""The second round deals the four cards left and the first used one; in the third the order of all is known."""
SHUFFLED = [
    line("home", "AS TC KD 9C", "W0 S", "+2 -2"),
    line("home", "AS TC KD 9C", "W0 S", "-2 +2", "seats=2 banker=0 stakes=1-1/1 buys=2"),
]


@pytest.mark.parametrize("lines", [SESSION, SESSION[:1], SHUFFLED])
def test_literal_sessions(lines: list[str]) -> None:
    text = "\n".join(lines)
    rounds = records.parse_session(text + "\n")
    assert records.write_session(rounds) == text
    ends = records.replay_session(text)
    again = [records.record_of(record.rules, record.table, s) for record, s in zip(rounds, ends, strict=True)]
    assert records.write_session(again) == text
    assert [int(s["round"]) for s in records.replay_session(rounds)] == list(range(len(lines)))


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([*SESSION[:2], SESSION[2].replace("6D 5S", "5S 6D")], "round 3 of the session: card 1 cannot come"),
        ([SESSION[0], SESSION[1].replace(" carried=yes", "")], "round 2 of the session: wrong state of the shoe"),
        ([SHUFFLED[0], LITERAL[10]], "round 2 of the session: wrong state of the shoe"),
        ([LITERAL[10], LITERAL[10]], "round 1 of the session: wrong state of the shoe"),
        ([LITERAL[1], LITERAL[10]], "round 2 of the session: the round before is not over"),
        ([SESSION[0], LITERAL[10]], "round 2 of the session: other rules, another table or another shoe"),
        ([SHUFFLED[0], WORKED[7]], "round 2 of the session: other rules, another table or another shoe"),
        ([SHUFFLED[0], SHUFFLED[0][:-9]], "round 2 of the session: a record is version | rules"),
        ([SHUFFLED[0], "", SHUFFLED[0]], "round 2 of the session: a record is one line of ASCII"),
        ([SESSION[0], SESSION[1].replace("TC 7D", "9C 7D")], "round 2 of the session: card 1 cannot come: got '9C'"),
        (
            [SHUFFLED[0], SHUFFLED[1][:-5] + "+2 -2"],
            "round 2 of the session: wrong results: got '+2 -2'; allowed: -2 +2",
        ),
        ([], "round 1 of the session: a record is one line of ASCII"),
    ],
)
def test_bad_sessions(lines: list[str], fault: str) -> None:
    with pytest.raises(BadRecord) as error:
        records.replay_session("\n".join(lines))
    assert fault in str(error.value) and len(str(error.value).splitlines()) == 1


# --- random rounds -----------------------------------------------------------------------------------------------

Mood = tuple[int, ...]
ANY: Mood = ()
GREEDY: Mood = (SPLIT, TWIST)
"""What a random player does whenever it is allowed; the rest at random."""


def pick(r: np.void, s: np.void, dice: random.Random, mood: Mood) -> int:
    mask = np.zeros(actions_of_turn(r, s), np.bool_)
    legal.mask(r, s, mask)
    allowed = np.flatnonzero(mask).tolist()
    return next((action for action in mood if action in allowed), dice.choice(allowed))


def open_table(rules: Rules, table: Table, seed: int, shoe: list[int] | None = None) -> tuple[np.void, np.void]:
    game, rows = state.pack(rules, table), np.zeros(1, state.ROUND)
    if shoe is not None:
        state.set_shoe(game, sorted(shoe))
    rows["source"] = rng.seed_words(seed)
    open_episode(game[0], rows[0])
    open_round(game[0], rows[0])
    return game[0], rows[0]


def check_alone(rules: Rules, table: Table, s: np.void) -> str:
    """A round's line reads back, and alone is played to the same end."""
    text = records.write(rules, table, s)
    assert records.parse(text).text() == text
    assert records.write(rules, table, records.replay(text)) == text
    return text


def same_round(a: np.void, b: np.void, seats: int) -> bool:
    """Whether two rounds agree in all but where the cards that nobody knows lie, and where random numbers come from."""
    names = ("result", "round", "size", "endless", "pool", "stacked", "fresh", "under", "dealt", "logged", "phase")
    names += ("banker", "turn", "hand", "sudden", "seen", "hands_of")
    held = [(h, seat) for seat in range(seats) for h in range(a["hands_of"][seat])]
    return (
        all(np.array_equal(a[name], b[name]) for name in names)
        and all(bool(a["hands"][at] == b["hands"][at]) for at in held)
        and below_pool(a) == below_pool(b)
    )


def below_pool(s: np.void) -> list[int]:
    return [int(s["shoe"][(s["head"] + s["pool"] + i) % state.RING]) for i in range(s["under"])]


def play_session(
    rules: Rules, table: Table, seed: int, rounds: int, mood: Mood, shoe: list[int] | None = None
) -> list[np.void]:
    """Random rounds as they end, the bank moving by the rules alone (11.1); one decision of many is checked."""
    dice = random.Random(seed)
    r, s = open_table(rules, table, seed, shoe)
    ends: list[np.void] = []
    while True:
        stop = dice.randrange(12)
        while s["phase"] != Phase.DONE:
            if s["logged"] == stop:
                check_alone(rules, table, s)
            choose(r, s, pick(r, s, dice, mood))
        check_alone(rules, table, s)
        ends.append(s.copy())
        if len(ends) == rounds:
            return ends
        banker = bank.next_banker(r, s)
        clear_table(r, s)
        s["round"] += 1
        s["banker"] = banker
        open_round(r, s)


def check_session(rules: Rules, table: Table, ends: list[np.void]) -> None:
    """The session's text reads back and is played to the same ends."""
    rounds = [records.record_of(rules, table, s) for s in ends]
    text = records.write_session(rounds)
    assert records.parse_session(text) == tuple(rounds)
    again = records.replay_session(text)
    assert all(same_round(a, b, table.seats) for a, b in zip(ends, again, strict=True))


@pytest.mark.parametrize("seats", [2, 5, 9])
@pytest.mark.parametrize("preset", PRESETS)
def test_random_rounds(preset: str, seats: int) -> None:
    rules = Rules.of(preset)
    table = Table(seats=seats, stake_min=2, stake_max=9, stake_levels=3, buy_levels=3)
    ends = play_session(rules, table, seats, scaled(60), ANY)
    check_session(rules, table, ends)


@pytest.mark.parametrize("seats", [2, 5, 9])
@pytest.mark.parametrize("text", ["home", "home,reshuffle=round", "spanish,split=value", "casino6,packs=1"])
def test_random_shoes_that_run_out(text: str, seats: int) -> None:
    rules, table, dice = Rules.of(text), Table(seats=seats, buy_levels=1), random.Random(seats)
    ran_out = 0
    for seed in range(scaled(40)):
        shoe = [dice.randrange(52) for _ in range(dice.randint(2 * seats, 4 * seats))]
        ends = play_session(rules, table, seed, 5, GREEDY if seed % 2 else ANY, shoe)
        check_session(rules, table, ends)
        ran_out += sum(int(s["dealt"]) > len(shoe) for s in ends)
    assert ran_out > 0 or SCALE < 1 or seats == 2


@pytest.mark.parametrize("mood", [ANY, GREEDY])
def test_random_endless_shoes(mood: Mood) -> None:
    rules, table, dice = Rules.of("blackjack"), Table(seats=9, buy_levels=1), random.Random(1)
    for seed in range(scaled(30)):
        shoe = [dice.randrange(20) for _ in range(dice.randint(1, MOST_ENDLESS))]
        check_session(rules, table, play_session(rules, table, seed, 2, mood, shoe))


# --- what cannot be written or read ------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["home", "casino8", "blackjack"])
def test_a_cleared_table_has_no_round(preset: str) -> None:
    rules, table = Rules.of(preset), Table()
    r, s = open_table(rules, table, 1)
    while s["phase"] != Phase.DONE:
        choose(r, s, pick(r, s, random.Random(1), (STICK,)))
    records.write(rules, table, s)
    clear_table(r, s)
    with pytest.raises(BadArgument, match="before its table is cleared"):
        records.write(rules, table, s)


def test_a_shoe_dealt_to_its_end_still_tells_whether_it_was_carried() -> None:
    table = "seats=2 banker=1 stakes=1-1/1 buys=2 shoe=2C,2S,3C,9C,TC"
    first = line("home", "TC 9C 2C 3C 2S", "W0 T", "...", table)
    for text in (first, first.replace(" | TC", " carried=yes | TC")):
        record = records.parse(text)
        assert records.record_of(record.rules, record.table, records.replay(text)).carried == record.carried


GOOD = LITERAL[0]
TWO_RESULTS = "2 of chips, as +2, -1.5 or 0, or ..."
BAD: list[tuple[str, str]] = [
    ("", "a record is one line of ASCII: got ''"),
    (" \n ", "a record is one line of ASCII"),
    (GOOD + "\n" + GOOD, "a record is one line of ASCII"),
    (GOOD.replace("home", "hóme"), "a record is one line of ASCII"),
    (GOOD.replace("/1 ", "/2 "), "unknown version of a record: got 'pontoon/2'; allowed: pontoon/1"),
    ("checkers", "unknown version of a record: got 'checkers'"),
    (GOOD[: GOOD.rindex("|")], "a record is version | rules | table | cards | choices | results"),
    (GOOD + " | x", "a record is version | rules | table | cards | choices | results"),
    (GOOD + " " * 10_000, "a record is too long: got 10"),
    (GOOD.replace("home", "hme"), "unknown preset: got 'hme'"),
    (GOOD.replace("split=none", "split=some"), "bad split: got 'some'; allowed: none, aces, rank, value"),
    (GOOD.replace("split=none", "packs=nan"), "bad packs: got 'nan'"),
    (GOOD.replace("5S", "1S"), "no such card: got '1S'"),
    (GOOD.replace("5S", "5"), "no such card: got '5'"),
    (GOOD.replace("5S", "-"), "no such card: got '-'"),
    (GOOD.replace("W0", "X0"), "no such choice: got 'X0'; allowed: S T P B0 B1 W0 W1"),
    (GOOD.replace("W0", "W2"), "no such choice: got 'W2'"),
    (GOOD.replace("B1", "B2"), "no such choice: got 'B2'"),
    (GOOD.replace("B1", "B+1"), "no such choice: got 'B+1'"),
    (GOOD.replace("B1", "b1"), "no such choice: got 'b1'"),
    (GOOD.replace("seats=2", "seats=1"), "bad table"),
    (GOOD.replace("seats=2 ", ""), "bad table"),
    (GOOD.replace("seats=2", "seats=2 seats=2"), "bad table"),
    (GOOD.replace("buys=2", "buys=2 bank=3"), "pontoon/1 knows no such token of a table: got 'bank=3'; allowed: seats"),
    (GOOD.replace("buys=2", "buys=2 fast"), "pontoon/1 knows no such token of a table: got 'fast'"),
    (GOOD.replace("banker=1", "banker=2"), "no such seat for the banker: got 2; allowed: 0 to 1"),
    (GOOD.replace("1-10/2", "10-1/2"), "bad stake_max of a table: got 1; allowed: stake_min (10) to"),
    (GOOD.replace("1-10/2", "0-1/2"), "bad stake_min of a table: got 0"),
    (GOOD.replace("1-10/2", "1-10/17"), "bad stake_levels of a table: got 17; allowed: 1 to 16"),
    (GOOD.replace("buys=2", "buys=2 shoe=5S,9C,6D"), "bad number of cards in shoe=: got 3; allowed: 4 to 468"),
    (GOOD.replace("buys=2", "buys=2 shoe=AS" + ",AS" * 468), "bad number of cards in shoe=: got 469"),
    (GOOD.replace("buys=2", "buys=2 shoe=5S,,6D,8H,9C"), "no such card: got ''"),
    (GOOD.replace("buys=2", "buys=2 carried=no"), "bad table"),
    (WORKED[13].replace("buys=2", "buys=2 carried=yes"), "these rules never carry a shoe over"),
    (GOOD.replace("+3 -3", "+3"), f"bad results: got '+3'; allowed: {TWO_RESULTS}"),
    (GOOD.replace("+3 -3", "+3 -3 0"), f"bad results: got '+3 -3 0'; allowed: {TWO_RESULTS}"),
    (GOOD.replace("+3 -3", ""), f"bad results: got ''; allowed: {TWO_RESULTS}"),
    (GOOD.replace("+3", "+2.75"), "bad results"),
    (GOOD.replace("+3", "9" * 13), "bad results"),
    (GOOD.replace("+3 -3", "... ..."), "bad results"),
    (GOOD.replace("+3 -3", "+2 -2"), f"wrong results: got '+2 -2'; allowed: +3 -3 [clause 7, 10 in {GOOD[:9]}"),
    (GOOD.replace("+3 -3", "..."), "wrong results: got '...'; allowed: +3 -3"),
    (GOOD.replace("B1 S S", "B1 S"), "wrong results, seat 1 has yet to choose: got '+3 -3'; allowed: ..."),
    (GOOD.replace("S S", "S S S"), "choice 5, of seat 1, is not allowed: got 'S'; allowed: nothing, the round is over"),
    (
        GOOD.replace("W0 B1", "B1 W0"),
        "choice 1, of seat 0, is not allowed: got 'B1'; allowed: W0 W1 [clause 3.2, 3.3, 9.3",
    ),
    (GOOD.replace("B1", "S"), "choice 2, of seat 0, is not allowed: got 'S'; allowed: T B0 B1 [clause 6.2"),
    (GOOD.replace("B1 S", "B1 T T"), "card 6, dealt after choice 3, is missing [clause 4.1, 6"),
    (GOOD.replace("B1", "P"), "choice 2, of seat 0, is not allowed: got 'P'; allowed: T B0 B1 [clause 6.6"),
    (GOOD.replace("B1", "W0"), "choice 2, of seat 0, is not allowed: got 'W0'; allowed: T B0 B1 [clause 3.2, 3.3, 9.3"),
    (GOOD.replace("S S", "S B0"), "choice 4, of seat 1, is not allowed: got 'B0'; allowed: S T [clause 7"),
    (GOOD.replace("home", "home,twist_under=20").replace("B1 S", "B1 T"), "got 'T'; allowed: S [clause 6.3"),
    (GOOD.replace(" QC", ""), "card 5, dealt after choice 2, is missing"),
    (GOOD.replace(" QC", " QC KC"), "card 6 is left over: got 'KC'"),
    (GOOD.replace("5S 9C 6D 8H QC", "-"), "card 1, dealt after choice 0, is missing"),
    (GOOD.replace("QC", "5S"), "card 5 cannot come: got '5S' [clause 1.1"),
    (GOOD.replace("5S 9C 6D 8H QC", "5S " * 900), "card 2 cannot come: got '5S' [clause 1.1"),
    (WORKED[0].replace("home", "blackjack").replace("AS ", "AS " * 1500), "card 5 is left over"),
]


@pytest.mark.parametrize(("text", "fault"), BAD)
def test_bad_records(text: str, fault: str) -> None:
    with pytest.raises(BadRecord) as error:
        records.replay(text)
    message = str(error.value)
    assert fault in message and len(message.splitlines()) == 1


def survives(text: str) -> None:
    """Any text is a session that can be replayed, and has one canonical text, or a `BadRecord` of one line."""
    for read in (records.parse, records.replay, records.replay_session):
        try:
            read(text)
        except BadRecord as fault:
            assert len(str(fault).splitlines()) == 1
        else:
            rounds = records.parse_session(text)
            assert records.parse_session(records.write_session(rounds)) == rounds


PIECES = [
    "",
    " ",
    "|",
    "-",
    "...",
    "=",
    ",",
    "\n",
    "5S",
    "QC",
    "S",
    "T",
    "P",
    "B0",
    "W0",
    "+1",
    "-1.5",
    "0",
    "99999999999999",
]
PIECES += [
    "carried=yes",
    "shoe=AS",
    "seats=9",
    "banker=0",
    "home",
    "casino8",
    "blackjack",
    "packs=0",
    "reshuffle=round",
]
TEXTS = [*WORKED, *LITERAL, IN_ORDER, BY_LOT, SPLIT_ON_LAST, "\n".join(SESSION), "\n".join(SHUFFLED)]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        stop = start + draw(st.integers(0, 6))
        middle = draw(st.sampled_from(PIECES) | st.text(max_size=3) | st.just(text[start : stop + 4]))
        text = text[:start] + middle + text[stop:]
    return text


@settings(max_examples=scaled(500), deadline=None)
@given(mutated())
def test_mutated_texts_never_crash(text: str) -> None:
    survives(text)


@settings(max_examples=scaled(500), deadline=None)
@given(mutated().map(str.split).flatmap(st.permutations).map(" ".join))
def test_shuffled_words_never_crash(text: str) -> None:
    survives(text)


@settings(max_examples=max(scaled(300), 50), deadline=None)
@given(st.text() | st.text("pontoon/1 |=-.") | st.text().map(lambda tail: f"pontoon/1 | home | {tail}"))
def test_random_texts_never_crash(text: str) -> None:
    survives(text)


def test_a_round_too_long_for_its_ring_is_no_record() -> None:
    """Hands of 22 aces at nine seats: dealt again and again (1.5), the first cards are gone."""
    rules = Rules.of("home,trick_cards=0,packs=8,second_pack_from=2,stick_minimum=21,buying=none")
    table = Table(seats=9)
    game, rows = state.pack(rules, table), np.zeros(1, state.ROUND)
    state.set_shoe(game, [0] * 468)
    rows[0]["source"] = rng.seed_words(1)
    open_episode(game[0], rows[0])
    open_round(game[0], rows[0])
    told = 0
    with pytest.raises(BadArgument, match="more cards were dealt than a record can tell: got 5"):
        while rows[0]["phase"] != Phase.DONE:
            line = records.write(rules, table, rows[0])
            told += 1
            if told % 100 == 0:
                records.replay(line)
            allowed = np.zeros(actions_of_turn(game[0], rows[0]), np.bool_)
            legal.mask(game[0], rows[0], allowed)
            choose(game[0], rows[0], next(a for a in (2, 1, *range(3, len(allowed)), 0) if allowed[a]))
    assert told > 300
