"""Evaluations of the compiled mechanism at one state: residual, constraints, their matrices and directions."""
