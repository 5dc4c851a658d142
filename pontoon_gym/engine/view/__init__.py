"""What is seen of a round: `columns` lays an observation out, `observe` fills it, `infostate` makes a lookup's key."""
