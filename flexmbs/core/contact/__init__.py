"""Contact geometry."""
