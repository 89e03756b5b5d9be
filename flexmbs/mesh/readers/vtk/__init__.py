"""Readers of VTK files: legacy (.vtk) and XML (.vtu, .vtp)."""
