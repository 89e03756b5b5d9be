"""Finite elements: from a mesh with materials to mass and stiffness matrices and second-order loads."""
