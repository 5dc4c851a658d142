"""Rounds and sessions as text, and played again from it."""

from pontoon_gym.records.audit import check_row
from pontoon_gym.records.record import VERSION, Record, parse
from pontoon_gym.records.replay import replay, steps
from pontoon_gym.records.row import record_of, write
from pontoon_gym.records.session import parse_session, replay_session, write_session

__all__ = [
    "VERSION",
    "Record",
    "check_row",
    "parse",
    "parse_session",
    "record_of",
    "replay",
    "replay_session",
    "steps",
    "write",
    "write_session",
]
