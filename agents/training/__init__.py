"""The life of a run: its configuration, folder, loop, curves, several seeds, and what is shipped."""
