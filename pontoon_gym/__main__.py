"""`python -m pontoon_gym` is the command `pontoon-gym`."""

from pontoon_gym.cli import entry

entry()
