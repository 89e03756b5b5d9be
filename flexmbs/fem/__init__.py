"""Finite elements: a mesh with materials becomes mass and stiffness matrices and second-order loads."""
