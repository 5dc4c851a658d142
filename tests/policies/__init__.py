"""Policies: tables, networks, charts, where they come from and where they sit."""
