"""What a user writes: run on its own against an installed package, and checked by mypy --strict.

Prints the file that was imported, then the record of each round played.
"""

import sys
from collections.abc import Iterator
from typing import Any, assert_type

import gymnasium

import pontoon_gym
from pontoon_gym import Rules, Table

COMPILER = {"numba", "llvmlite", "torch"} & set(sys.modules)
assert not COMPILER, COMPILER


def play(role: str, seeds: range, **asked: Any) -> Iterator[str]:
    """Rounds of somebody who chooses at random."""
    from pontoon_gym.envs.single import SingleEnv

    env: gymnasium.Env[Any, Any] = gymnasium.make(f"pontoon_gym:Pontoon/{role}-v0", **asked)
    table = env.unwrapped
    assert isinstance(table, SingleEnv)
    env.action_space.seed(seeds.start)
    for seed in seeds:
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            action = env.action_space.sample(mask=info["action_mask"])
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        yield assert_type(table.record(), str)


def play_against_shipped(seeds: range) -> Iterator[str]:
    """Rounds against the policies that are shipped, by their word and as an object."""
    from pontoon_gym import Policy
    from pontoon_gym.policies.resolve import resolve

    player = assert_type(resolve("pretrained", "player", Rules.of("home"), Table()), Policy)
    assert (player.role, player.rules, player.table) == ("player", Rules.of("home"), Table())
    yield from play("Player", seeds, stake_max=1, stake_levels=1, banker="pretrained")
    yield from play("Banker", seeds, stake_max=1, stake_levels=1, players="pretrained")
    yield from play("Banker", seeds, stake_max=1, stake_levels=1, players=player)


def play_rows(count: int) -> None:
    """One choice in each of many rows."""
    envs = gymnasium.make_vec("pontoon_gym:Pontoon/Player-v0", count, vectorization_mode="vector_entry_point")
    _, infos = envs.reset(seed=0)
    _, rewards, *_ = envs.step(infos["action_mask"].argmax(axis=1))
    assert rewards.shape == (count,)


def is_typed() -> None:
    """Not called: without the package's types the comment would be an unused one."""
    Rules.of(17)  # type: ignore[arg-type]
    assert_type(Rules.of("home"), Rules)
    assert_type(Table(seats=3).seats, int)


print(pontoon_gym.__file__)
print("\n".join(play("Player", range(7, 12))))
print("\n".join(play_against_shipped(range(3))))
play_rows(4)
