"""The text of a transcript: a round decision by decision, then a session round by round."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

from pontoon_gym import records
from pontoon_gym.cards import card_text
from pontoon_gym.engine import legal, settle, state
from pontoon_gym.engine.hand import total_of
from pontoon_gym.engine.round import actions_of_turn
from pontoon_gym.names import HandKind, action_name
from pontoon_gym.render.text import picture
from tests.envs.rounds import hands_of
from tests.golden.episodes import Episode, Moment, Observation, play_round, play_session
from tests.golden.games import ROUNDS, Play

KINDS = (
    *("split", "buy", "double", "trick", "Pontoon", "bust", "split A-K", "bonus", "sudden death"),
    *("banker's bust", "banker's trick", "banker's Pontoon", "tie"),
)
"""What a round can have of note."""
_WIDTH = 112


def transcript(name: str, play: Play) -> str:
    """The whole file of a game."""
    parts = (_header(name, play), _round_part(play), _session_part(play))
    return "\n".join(line for part in parts for line in part) + "\n"


def _header(name: str, play: Play) -> Iterator[str]:
    table = play.table
    stakes = (
        f"stakes {table.stake_min}-{table.stake_max}, levels of stakes {table.stake_levels}, of buys {table.buy_levels}"
    )
    yield f"TRANSCRIPT {name}"
    yield f"rules    {play.rules.text()}, digest {play.rules.digest()}"
    yield f"table    {table.seats} seats, {stakes}"
    yield f"learner  {play.role} choosing by lot, with memory; observes {_columns(play)} columns"
    yield f"others   {play.others}"


def _columns(play: Play) -> int:
    """How many numbers the learner observes."""
    moment = play_round(play).moments[0]
    return sum(len(field) for name, field in moment.observation.items() if name != "action_mask")


# --- a round -----------------------------------------------------------------------------------------------------


def _round_part(play: Play) -> Iterator[str]:
    """Every decision as the seat sees it whose turn it is, with what the learner observes at theirs."""
    episode = play_round(play)
    record, moments = records.parse(episode.record), iter(episode.moments)
    yield f"\nA ROUND, seed {play.round_seed}"
    for number, s in enumerate(records.steps(record)):
        if number == len(record.choices):
            break
        choice = action_name(record.choices[number], play.table.buy_levels)
        moment = next(moments) if s["turn"] == episode.s["agent"] else None
        yield from _decision(play, s, f"{number + 1}.", choice, moment)
    assert next(moments, None) is None
    yield "\nThe end"
    yield from _observed(episode.observation)
    yield from _end(play, episode)


def _decision(play: Play, s: np.void, number: str, choice: str, moment: Moment | None) -> Iterator[str]:
    """One decision, the learner's if there is a `moment` to observe."""
    who = "the banker" if s["turn"] == s["banker"] else f"player {s['turn'] + 1}"
    allowed = moment.allowed if moment else _allowed(play, s)
    learner, reward = (", the learner", f", reward {moment.reward:+g}") if moment else ("", "")
    yield f"\n{number} {who}{learner}, may {allowed}: {choice}{reward}"
    if moment:
        yield from _observed(moment.observation)
    # Whoever can do one thing only is not asked; their picture would say nothing new.
    if moment or " " in allowed:
        shown = moment.picture if moment else picture(play.rules, play.table, s, int(s["turn"]))
        yield textwrap.indent(shown, "   ")


def _allowed(play: Play, s: np.void) -> str:
    """What the seat whose turn it is may do, by letters."""
    r = state.pack(play.rules, play.table)[0]
    mask = np.zeros(actions_of_turn(r, s), np.bool_)
    legal.mask(r, s, mask)
    return " ".join(action_name(int(action), play.table.buy_levels) for action in np.flatnonzero(mask))


def _observed(observation: Observation) -> list[str]:
    """What is not zero of an observation: fields of one column by value, of more as column:value."""
    fields = {name: field for name, field in observation.items() if name != "action_mask" and field.any()}
    texts = [f"{name}={_cells(field)}" for name, field in fields.items()]
    return textwrap.wrap(" ".join(texts), _WIDTH, initial_indent="   sees ", subsequent_indent="        ")


def _cells(field: np.ndarray) -> str:
    if len(field) == 1:
        return f"{field[0]:g}"
    return ",".join(f"{i}:{field[i]:g}" for i in np.flatnonzero(field))


def _end(play: Play, episode: Episode) -> Iterator[str]:
    """How a round ended: picture, what it had of note, record."""
    yield textwrap.indent(episode.picture, "   ")
    yield f"   had: {', '.join(kinds_of(play, episode.s)) or 'nothing of note'}"
    yield f"   {episode.record}"


# --- a session ---------------------------------------------------------------------------------------------------


def _session_part(play: Play) -> Iterator[str]:
    """Every round: what lies where before it, the learner's decisions, its end."""
    ends = play_session(play, ROUNDS)
    yield f"\nA SESSION of {ROUNDS} rounds, seed {play.session_seed}"
    for number, end in enumerate(ends):
        moments = end.moments[len(ends[number - 1].moments) if number else 0 :]
        yield f"\nRound {number + 1}: {shoe_words(play, ends[number - 1].s if number else None)}"
        yield from textwrap.wrap(_lies(moments[0].s), _WIDTH, initial_indent="   ", subsequent_indent="     ")
        yield from _choices(moments)
        yield f"   seen at the end: {_seen(end.observation)}"
        yield from _end(play, end)


def shoe_words(play: Play, before: np.void | None) -> str:
    """Why the shoe was shuffled after the round `before`, or that it was carried (1.1, 11.2)."""
    if before is None:
        return "a full shoe, shuffled"
    if play.rules.packs == 0:
        return "an endless shoe, as ever"
    if play.rules.reshuffle == "round":
        return "shuffled, as for every round"
    held = any(hand["kind"] == HandKind.PONTOON for _, _, hand in hands_of(before, play.table.seats))
    return "shuffled, for there was a Pontoon" if held else "the shoe is carried on, no Pontoon fell"


def _lies(s: np.void) -> str:
    """Where the cards lie when the learner is first asked; those under the shoe first to last (11.2)."""
    if s["endless"]:
        return "every card comes from a full pack"
    start = int(s["head"] + s["pool"])
    under = [card_text(int(s["shoe"][(start + i) % state.RING])) for i in range(int(s["under"]))]
    shoe = f"{s['dealt']} dealt, {s['pool']} to be dealt next ({s['fresh']} of them new since the shuffle)"
    return f"{shoe}, {len(under)} used ones under them" + (f": {' '.join(under)}" if under else "")


def _choices(moments: Sequence[Moment]) -> list[str]:
    """The learner's decisions, one a line."""
    rows = [
        (
            f"{moment.choice} of {moment.allowed}",
            f"total {moment.observation['total'][0]:g}",
            f"reward {moment.reward:+g}",
            f"seen {_seen(moment.observation)}",
        )
        for moment in moments
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["   " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _seen(observation: Observation) -> str:
    """The learner's memory: cards by value."""
    counts = zip("A23456789T", observation["seen"], strict=True)
    return " ".join(f"{value}:{count:g}" for value, count in counts if count) or "none"


# --- what is of note ---------------------------------------------------------------------------------------------


def kinds_of(play: Play, s: np.void) -> list[str]:
    """Which of `KINDS` a finished round has."""
    found: set[str] = {"sudden death"} if s["sudden"] >= 0 else set()
    bank = s["hands"][0, s["banker"]]
    for seat, h, hand in hands_of(s, play.table.seats):
        found |= _of_hand(hand, "banker's " if seat == s["banker"] else "")
        if seat != s["banker"]:
            found |= _of_player(play, s, seat, h)
            totals = hand["kind"] == bank["kind"] == HandKind.TOTAL and s["sudden"] < 0
            found |= {"tie"} if totals and total_of(hand) == total_of(bank) else set()
    return [kind for kind in KINDS if kind in found]


def _of_hand(hand: np.void, whose: str) -> set[str]:
    names = {HandKind.BUST: "bust", HandKind.TRICK: "trick", HandKind.PONTOON: "Pontoon"}
    return {whose + names[kind] for kind in names if hand["kind"] == kind}


def _of_player(play: Play, s: np.void, seat: int, h: int) -> set[str]:
    """What only a player's hand can have; a bonus counts where it is paid."""
    r, hand = state.pack(play.rules, play.table)[0], s["hands"][h, seat]
    raised = {"buy": "buy", "double": "double"}.get(play.rules.buying, "")
    won = settle.settle_hand(r, s, seat, h) > 0
    marks = {
        "split": hand["split"] > 0,
        raised: hand["bought"] > 0,
        "split A-K": hand["kind"] == HandKind.ACE_KING,
        "bonus": play.rules.bonus != "none" and won and settle.hand_bonus(r, hand, total_of(hand)) > 0,
    }
    return {kind for kind, is_so in marks.items() if is_so}
