"""From a mechanism to a model that is ready to run: assembly, choice of coordinates, and checks."""
