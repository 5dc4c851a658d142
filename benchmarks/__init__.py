"""Measurements, and the results that the documentation shows."""
