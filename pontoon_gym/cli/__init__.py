"""The command `pontoon-gym`, which is also `python -m pontoon_gym` and the checkout's `evaluate.py`.

`main` lists the commands, a file each; `flags` and `progress` are what they share, `console` begins and ends them.
"""

from __future__ import annotations

import signal
from typing import NoReturn


def entry() -> NoReturn:
    """Run the command with the words of this process. Ctrl-C while libraries load ends it quietly."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from pontoon_gym.cli.console import run
    from pontoon_gym.cli.main import main

    run(main)
