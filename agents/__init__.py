"""Learners, run from the checkout: they see what an environment shows and nothing else.

`algorithms` names them; `learner` is what all have in common; `tabular` and `deep` are the two families; `sb3_bridge`
hands the second their environment; `hyperparameters` checks settings, which stand in `settings/` by algorithm and role.
`training` is the life of a run.
"""
