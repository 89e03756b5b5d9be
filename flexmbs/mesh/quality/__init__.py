"""Checks and summary of a mesh: distortion, locking, wall thickness, suspicious units."""
