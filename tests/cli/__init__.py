"""The commands, as processes."""
