"""Pictures of a round: `told` has what a viewer may know, `text` writes it for terminals, `picture` draws it in pixels.

They read a round, and neither change it nor draw a random number.
"""
