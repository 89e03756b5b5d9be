"""Reader of Exodus II files (.e, .exo, .ex2, .g)."""

from flexmbs.mesh.readers.exodus.read_exodus import read_exodus

__all__ = ["read_exodus"]
