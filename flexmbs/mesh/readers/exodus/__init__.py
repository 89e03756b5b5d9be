"""Reader of Exodus II files (.e, .exo, .ex2, .g)."""
