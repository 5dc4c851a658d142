"""The chances of cards."""
