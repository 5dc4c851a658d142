"""Learners, run from the checkout: they see what an environment shows and nothing else.

`deep` learns, `sb3_bridge` hands it the environment, `network` is what it leaves behind, `runs` keeps a run's folder,
`settings/` holds every setting by algorithm and role.
"""
