"""Transcripts of known rounds, one file a preset, to be read when dynamics change. `make golden` writes them.

`games` says who plays what, `episodes` plays it, `transcript` writes it down, `files` compares.
"""
