"""Pictures of a round: `text` for terminals. They read a round, and neither change it nor draw a random number."""
