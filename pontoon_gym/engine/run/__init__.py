"""Rounds played on: `lookup` reads policies, `episode` plays to a choice, `step` takes it, in `batch` or `single`."""
