"""From a mechanism to a model that is ready to run, and what is refused on the way."""
