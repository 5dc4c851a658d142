"""How fast the environments are, beside others of the same kind: `python -m benchmarks.speed`.

All contestants run in one process, in short slices in turn, with random legal actions. Only what makes transitions is
timed, beginning episodes included; choosing actions and counting are not, for any contestant.
"""
