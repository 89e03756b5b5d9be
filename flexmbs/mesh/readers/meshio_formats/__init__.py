"""Reader of the formats that only meshio knows."""

from flexmbs.mesh.readers.meshio_formats.read_with_meshio import read_with_meshio

__all__ = ["read_with_meshio"]
