"""Rounds: `lookup` reads policies as tables, `episode` plays to the next choice, `batch` and `single` step on."""
