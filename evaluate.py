#!/usr/bin/env python3
"""Judge policies: the command `pontoon-gym`, run from the checkout.

python evaluate.py match --player thumb runs/player --banker stand17     every player against every banker
python evaluate.py solve --player thumb --banker stand17                 best responses, regret by infostate
python evaluate.py chart --banker stand17 --out best.html                a player's policy on a sheet of paper
"""

from pontoon_gym.cli import entry

if __name__ == "__main__":
    entry()
