"""The judge."""
