"""Pictures of a round: `description` says what a viewer may know, `text` writes it for terminals, `picture` draws it.

They read a round, and neither change it nor draw a random number.
"""
