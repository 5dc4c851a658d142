"""One round, from the shoe to the settlement: kernels on one record, in the order in which a round uses them.

`deal` draws cards, `legal` says what is allowed, `act` does it, `bank` is the banker's side, `settle` pays,
`fields` and `observe` show it, `infostate` makes it a table's key, `tables` choose, `conduct` moves a round from one
decision to the next, `rows` plays many side by side. `state` lays out the record, `hand` values a hand, `rng` is where
chance comes from.
"""
