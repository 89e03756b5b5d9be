"""Results: storage of runs, and access to their histories and fields."""
