"""Reader of Medit's text files (.mesh)."""

from __future__ import annotations

from flexmbs.mesh.readers.medit.read_medit import read_medit

__all__ = ["read_medit"]
