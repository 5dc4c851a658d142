"""`Pontoon/Player-v0`: the learner stakes, buys, twists, splits and sticks against a banker."""

from __future__ import annotations

from pontoon_gym.envs.single import SingleEnv
from pontoon_gym.names import Role


class PlayerEnv(SingleEnv):
    """One player's seat. Keyword arguments: see `SingleEnv`.

    Actions are `names.Action`: STICK, TWIST, SPLIT, the buys from least to most (DOUBLE is the first buy), the stakes
    from least to most.
    """

    role = Role.PLAYER
