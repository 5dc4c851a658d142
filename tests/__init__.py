"""The tests mirror the rooms of the package; `rules` has one test per clause of the rule book, named by it."""
