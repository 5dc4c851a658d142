"""The environment as Stable-Baselines3 gets it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the extra `train` is not installed")

from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from agents.sb3_bridge import SB3VecEnv
from pontoon_gym.envs.vector import BankerVectorEnv, PlayerVectorEnv, PontoonVectorEnv
from pontoon_gym.errors import BadArgument, IllegalAction
from tests.scale import scaled

ROWS = 8


def first_allowed(masks: np.ndarray) -> np.ndarray:
    return masks.argmax(axis=1)


@pytest.mark.parametrize("env", [PlayerVectorEnv, BankerVectorEnv])
def test_it_plays_the_native_rows(env: type[PontoonVectorEnv]) -> None:
    under, native = (env(ROWS, illegal="raise", autoreset_mode="SAME_STEP") for _ in range(2))
    bridge = SB3VecEnv(under)
    bridge.seed(5)
    assert (bridge.reset() == native.reset(seed=5)[0]).all()
    total = np.zeros(ROWS)
    for _ in range(max(10, scaled(200))):
        masks = get_action_masks(bridge)
        assert (masks == native.action_masks()).all()
        seen, rewards, dones, infos_of_rows = bridge.step(first_allowed(masks))
        again, same, terminated, truncated, infos = native.step(first_allowed(masks))
        total += rewards
        assert (seen == again).all() and (rewards == same).all() and (dones == (terminated | truncated)).all()
        for row in range(ROWS):
            assert bool(infos_of_rows[row]) == dones[row]
            if dones[row]:
                assert (infos_of_rows[row]["terminal_observation"] == infos["final_obs"][row]).all()
                assert infos_of_rows[row]["episode"]["r"] == total[row]
        total[dones] = 0


def test_masks_come_from_one_array() -> None:
    bridge = SB3VecEnv(PlayerVectorEnv(ROWS, autoreset_mode="SAME_STEP"))
    bridge.reset()
    assert is_masking_supported(bridge)
    masks = bridge.env_method("action_masks")
    assert isinstance(masks, np.ndarray) and masks.shape == (ROWS, bridge.env.settings.actions)
    assert bridge.env_method("action_masks", indices=[1, 2]).shape[0] == 2


def test_unmasked_code_fails_loudly() -> None:
    bridge = SB3VecEnv(PlayerVectorEnv(ROWS, illegal="raise", autoreset_mode="SAME_STEP"))
    bridge.reset()
    with pytest.raises(IllegalAction):
        bridge.step(np.zeros(ROWS, np.int64))


def test_what_the_bridge_refuses() -> None:
    with pytest.raises(BadArgument, match="the bridge needs another environment"):
        SB3VecEnv(PlayerVectorEnv(ROWS, observation="dict", autoreset_mode="SAME_STEP"))
    with pytest.raises(BadArgument, match="the bridge needs another environment"):
        SB3VecEnv(PlayerVectorEnv(ROWS, autoreset_mode="NEXT_STEP"))
    bridge = SB3VecEnv(PlayerVectorEnv(ROWS, autoreset_mode="SAME_STEP"))
    with pytest.raises(BadArgument, match="no such method"):
        bridge.env_method("seed")
    with pytest.raises(BadArgument, match="no attributes"):
        bridge.set_attr("x", 1)
    assert bridge.get_attr("render_mode") == [None] * ROWS
    bridge.close()
