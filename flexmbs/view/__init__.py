"""Pictures of results: plots, animations and an interactive window (nothing heavy is imported before it is used)."""
