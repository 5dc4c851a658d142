"""One round, from the shoe to the settlement: kernels on one record, in the order in which a round uses them.

`deal` draws cards, `legal` says what is allowed, `act` does it, `bank` is the banker's side, `settle` pays, and `round`
goes from one decision to the next. `state` lays out the record, `hand` values a hand, `rng` is where chance comes from.
What is seen of a round is in `view`, many rounds in a row or side by side in `run`.
"""
