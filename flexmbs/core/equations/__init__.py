"""Equations of motion: residual, tangent matrices, accelerations, constraints."""
