"""Finite elements: a mesh with materials becomes mass and stiffness matrices and second-order loads."""

from flexmbs.fem.assemble import assemble
from flexmbs.fem.fe_model import FEModel

__all__ = ["FEModel", "assemble"]
