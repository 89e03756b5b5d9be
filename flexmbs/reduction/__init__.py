"""Reduction: a mesh becomes a flexible body with few coordinates."""

from flexmbs.reduction.body import FlexibleBody, InertiaFields, PointFields, SurfaceFields
from flexmbs.reduction.damping import Rayleigh
from flexmbs.reduction.interface import Interface
from flexmbs.reduction.options import ClampedFree, FreeFree, SecondOrder
from flexmbs.reduction.reduce import reduce, reduce_model
from flexmbs.reduction.store import load_body, read_body, save_body, write_body

__all__ = [
    "ClampedFree",
    "FlexibleBody",
    "FreeFree",
    "InertiaFields",
    "Interface",
    "PointFields",
    "Rayleigh",
    "SecondOrder",
    "SurfaceFields",
    "load_body",
    "read_body",
    "reduce",
    "reduce_model",
    "save_body",
    "write_body",
]
