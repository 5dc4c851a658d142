"""Every infostate of a heads-up round, made by the engine."""
