"""Reduction: from a mesh to a flexible body with few coordinates."""
