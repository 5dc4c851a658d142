"""How a banker plays and ends."""
