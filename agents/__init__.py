"""Learners, run from the checkout: they see what an environment shows and nothing else.

`algorithms` names them; `learner` is what all have in common, `tabular` and `deep` are the two families, `sb3_bridge`
hands the second their environment; `hyperparameters` and `settings/` hold every setting by algorithm and role.
`training` is one run, `seeds` are several, `runs` its folder. `network` is what deep learners leave behind, `zoo` finds
those that are shipped.
"""
