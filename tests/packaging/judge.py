"""How a user judges a shipped policy: run on its own against an installed package, and checked by mypy --strict.

Prints the exact value that the policy's card tells, and the one that is found.
"""

import sys
from typing import assert_type

from pontoon_gym import Rules, Table, solver
from pontoon_gym.policies.pretrained import cards
from pontoon_gym.policies.resolve import resolve
from pontoon_gym.solver import Regret

rules, table = Rules.of("home"), Table()
player = resolve("pretrained", "player", rules, table)
regret = assert_type(solver.regrets(rules, player="pretrained", banker="stand17", table=table), Regret)
value = assert_type(solver.value(rules, player=player, banker="stand17", table=table), float)
assert abs(regret.value - value) < 1e-9 and 0 < regret.total < 0.01
assert abs(regret.infostates.loss.sum() - regret.total) < 1e-9

(card,) = (card for card in cards() if card["name"] == "home-player")
assert card["opponent"] == "stand17"
print(card["network_value"], value)

EXTRAS = {"torch", "safetensors", "tqdm", "PIL", "matplotlib"} & set(sys.modules)
assert not EXTRAS, EXTRAS
