"""Reduction: a mesh becomes a flexible body with few coordinates."""
