"""Closed loops: their equations, closing them, misaligned joints, independent constraints."""
