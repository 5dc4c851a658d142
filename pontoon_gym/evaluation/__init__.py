"""The judge: policies against each other."""
