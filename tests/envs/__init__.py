"""Tests of the environments: what their doors promise, and that nobody sees what lies face down."""
