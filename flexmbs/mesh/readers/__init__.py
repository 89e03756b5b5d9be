"""Readers of mesh files: one package per format."""
