"""Doors into a round: one learner's (`player`, `banker`), many learners' side by side (`vector`).

`spaces` says what is observed and chosen, `desk` runs the rows that all of these stand on.
"""
