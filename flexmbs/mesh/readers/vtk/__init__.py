"""Readers of VTK files: legacy (.vtk) and XML (.vtu, .vtp)."""

from flexmbs.mesh.readers.vtk.read_vtk import read_vtk

__all__ = ["read_vtk"]
