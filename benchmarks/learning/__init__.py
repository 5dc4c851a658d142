"""Every learner on the same tasks with the same rounds, judged by exact regret: `python -m benchmarks.learning`.

`cells` says what is run, `report` what is made of it.
"""
