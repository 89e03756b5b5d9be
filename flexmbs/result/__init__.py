"""Results: what a run stores and serves."""
