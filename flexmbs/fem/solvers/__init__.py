"""Sparse factorisation, eigenvalues, and the memory that they take."""
