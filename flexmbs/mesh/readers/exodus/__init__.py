"""Reader of Exodus II files (.e, .exo, .ex2, .g)."""

from flexmbs.mesh.readers.exodus.reader import read_exodus

__all__ = ["read_exodus"]
