"""Running the points of a study: worker processes, limits, schedulers, progress."""
