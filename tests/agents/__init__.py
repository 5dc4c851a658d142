"""Learners and what they leave behind."""
