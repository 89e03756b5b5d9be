"""Reduction: a mesh becomes a flexible body with few coordinates."""

from flexmbs.reduction.basis_advice import Advice
from flexmbs.reduction.body_store import load_body, read_body, save_body, write_body
from flexmbs.reduction.damping import Rayleigh
from flexmbs.reduction.flexible_body import FlexibleBody, InertiaFields, PointFields, SurfaceFields
from flexmbs.reduction.high_modes import DampedModes, QuasiStatic
from flexmbs.reduction.interface import Interface
from flexmbs.reduction.options import ClampedFree, CraigBampton, FreeFree, Patch, SecondOrder, StaticModes
from flexmbs.reduction.reduce import reduce, reduce_model

__all__ = [
    "Advice",
    "ClampedFree",
    "CraigBampton",
    "DampedModes",
    "FlexibleBody",
    "FreeFree",
    "InertiaFields",
    "Interface",
    "Patch",
    "PointFields",
    "QuasiStatic",
    "Rayleigh",
    "SecondOrder",
    "StaticModes",
    "SurfaceFields",
    "load_body",
    "read_body",
    "reduce",
    "reduce_model",
    "save_body",
    "write_body",
]
