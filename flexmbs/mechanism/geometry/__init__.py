"""Geometry of mechanisms: rotations, curves, surfaces, solids."""
