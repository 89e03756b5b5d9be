"""Pictures of a study: one file for each kind of plot."""
