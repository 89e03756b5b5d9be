"""Degrees of freedom of a mechanism."""
