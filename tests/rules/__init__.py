"""One test per clause of the rule book (`docs/rules.md`), named by it; `play` plays scripted rounds."""
