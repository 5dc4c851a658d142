"""The contestants of other projects. Each library is imported when its contestant is made."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.contest import Dice, Entry, Rows, RowsRun, Single, SingleRun

HIT_OR_STICK = (0, 1)


class GymnasiumBlackjack(Single):
    """Blackjack-v1 as `gymnasium.make` gives it."""

    def __init__(self) -> None:
        self.env: gymnasium.Env[Any, Any] = gymnasium.make("Blackjack-v1")
        self.env.reset(seed=0)

    def begin(self) -> None:
        """Reset."""
        self.env.reset()

    def move(self, action: int) -> None:
        """Step."""
        _, _, self._terminated, self._truncated, _ = self.env.step(action)

    def over(self) -> bool:
        """Terminated or truncated."""
        return self._terminated or self._truncated

    def legal(self) -> Sequence[int]:
        """Always both."""
        return HIT_OR_STICK


class SyncBlackjack(Rows):
    """Blackjack-v1 in gymnasium's own vector environment, in its default mode."""

    skips = True

    def __init__(self, rows: int) -> None:
        self.env = gymnasium.make_vec("Blackjack-v1", num_envs=rows, vectorization_mode="sync")
        self.shape = (rows, len(HIT_OR_STICK))

    def begin(self) -> None:
        """Reset."""
        self.env.reset(seed=0)

    def move(self, actions: NDArray[Any]) -> None:
        """Step."""
        _, _, self._terminated, self._truncated, _ = self.env.step(actions)

    def ended(self) -> NDArray[np.bool_]:
        """Terminated or truncated."""
        ended: NDArray[np.bool_] = self._terminated | self._truncated
        return ended


class EnvPoolBlackjack(Rows):
    """EnvPool's Blackjack-v1 through its gymnasium interface, synchronous."""

    kind = np.int32
    skips = True

    def __init__(self, rows: int, threads: int) -> None:
        import envpool

        self.env = envpool.make("Blackjack-v1", env_type="gymnasium", num_envs=rows, num_threads=threads, seed=0)
        self.shape = (rows, len(HIT_OR_STICK))

    def begin(self) -> None:
        """Reset."""
        self.env.reset()

    def move(self, actions: NDArray[Any]) -> None:
        """Step."""
        _, _, self._terminated, self._truncated, _ = self.env.step(actions)

    def ended(self) -> NDArray[np.bool_]:
        """Terminated or truncated."""
        ended: NDArray[np.bool_] = self._terminated | self._truncated
        return ended


class OpenSpielBlackjack(Single):
    """OpenSpiel's states in C++, cards drawn at its chance nodes, all of which are uniform here.

    No observation is asked for and the list of legal actions is made outside of the time, both in its favour.
    """

    def __init__(self) -> None:
        import pyspiel

        self.game = pyspiel.load_game("blackjack")
        self.dice = Dice(1)

    def begin(self) -> None:
        """A new state, dealt."""
        self.state = self.game.new_initial_state()
        self._deal()

    def move(self, action: int) -> None:
        """Apply the action and deal what follows."""
        self.state.apply_action(action)
        self._deal()

    def _deal(self) -> None:
        state = self.state
        while state.is_chance_node():
            state.apply_action(self.dice.one(state.legal_actions()))

    def over(self) -> bool:
        """A terminal state."""
        return bool(self.state.is_terminal())

    def legal(self) -> Sequence[int]:
        """The state's list."""
        actions: Sequence[int] = self.state.legal_actions()
        return actions


class RLCardBlackjack(Single):
    """RLCard's Blackjack; a transition is one action of one of its players."""

    def __init__(self, players: int) -> None:
        import rlcard

        self.env = rlcard.make("blackjack", config={"game_num_players": players, "seed": 0})

    def begin(self) -> None:
        """Reset."""
        self.state, _ = self.env.reset()

    def move(self, action: int) -> None:
        """Step."""
        self.state, _ = self.env.step(action)

    def over(self) -> bool:
        """The game's own answer."""
        return bool(self.env.is_over())

    def legal(self) -> Sequence[int]:
        """What the state names."""
        return list(self.state["legal_actions"])


class PettingZooLeduc(Single):
    """Leduc hold'em, agent by agent; `last`, by which the next agent sees anything, is part of a move."""

    def __init__(self) -> None:
        from pettingzoo.classic import leduc_holdem_v4

        self.env = leduc_holdem_v4.env()
        self.env.reset(seed=0)

    def begin(self) -> None:
        """Reset, and see."""
        self.env.reset()
        self.seen = self.env.last()

    def move(self, action: int) -> None:
        """Step, and see."""
        self.env.step(action)
        self.seen = self.env.last()

    def over(self) -> bool:
        """The hand is over for both at once."""
        _, _, terminated, truncated, _ = self.seen
        return bool(terminated or truncated)

    def legal(self) -> Sequence[int]:
        """What the mask allows."""
        actions: list[int] = np.flatnonzero(self.seen[0]["action_mask"]).tolist()
        return actions


def _single(kind: type[Single], **settings: Any) -> SingleRun:
    return SingleRun(kind(**settings))


def _rows(kind: type[Rows], **settings: Any) -> RowsRun:
    return RowsRun(kind(**settings))


def entries() -> list[Entry]:
    """All of them. RLCard's players sit at a table with a dealer, so that there is one seat more."""
    return [
        Entry("gymnasium/blackjack/single", partial(_single, GymnasiumBlackjack)),
        *(
            Entry(f"gymnasium/blackjack/sync/rows={n}", partial(_rows, SyncBlackjack, rows=n), rows=n)
            for n in (64, 1024)
        ),
        *(
            Entry(
                f"envpool/blackjack/rows={n}/threads={threads}",
                partial(_rows, EnvPoolBlackjack, rows=n, threads=threads),
                rows=n,
                threads=threads,
            )
            for n in (64, 1024, 4096)
            for threads in (1, 2)
        ),
        Entry("openspiel/blackjack", partial(_single, OpenSpielBlackjack)),
        *(
            Entry(f"rlcard/blackjack/players={n}", partial(_single, RLCardBlackjack, players=n), seats=n + 1)
            for n in (1, 4, 5)
        ),
        Entry("pettingzoo/leduc", partial(_single, PettingZooLeduc)),
    ]
