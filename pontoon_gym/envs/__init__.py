"""Doors into a round: one learner's (`player`, `banker`), many learners' side by side (`vector`).

`settings` says what may be asked for, `spaces` what is observed and chosen; `rows` plays the rows that all of these
stand on, `single_row` one alone.
"""
