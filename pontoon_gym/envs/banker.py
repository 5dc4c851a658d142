"""`Pontoon/Banker-v0`: the learner banks against all the players."""

from __future__ import annotations

from pontoon_gym.envs.single import SingleEnv
from pontoon_gym.names import Role


class BankerEnv(SingleEnv):
    """The banker's seat: STICK or TWIST, seeing what lies up on the table. Keyword arguments: see `SingleEnv`.

    The banker is asked at least once a round: for a STICK, the only action, where nothing is left to choose (9.4). One
    whom the rules bind (7.2) is asked card by card with one action allowed.
    """

    role = Role.BANKER
