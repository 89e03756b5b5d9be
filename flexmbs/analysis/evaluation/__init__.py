"""The compiled mechanism at one state: residual, constraints, mass and constraint matrices, constraint directions."""
