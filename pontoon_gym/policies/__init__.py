"""What a choice is, and who makes it: see `policy`."""
