"""Suspicions about units: which system the numbers of a mesh look like."""

from __future__ import annotations

import numpy as np

from flexmbs.errors import MeshError
from flexmbs.mesh.mesh import Material, Mesh
from flexmbs.mesh.operations import bounding_box

_LARGEST_PART = 50.0  # m; parts of mechanisms are smaller, and 50 mm of millimetres is already a small part
_DENSITIES_SI = (500.0, 25000.0)  # kg/m3, from light plastics to tungsten
_DENSITIES_MM_TONNE = (5e-10, 2.5e-8)  # the same in t/mm3
_MODULI_MPA = (1e4, 1e6)  # metals in MPa; with a metal's density in kg/m3 nothing real is that soft
_METAL_DENSITY = 2000.0
_ADVICE = "flexmbs takes m, kg, s, N, Pa (steel: E = 210e9, density = 7850)"


def check_units(mesh: Mesh, trust_units: bool = False) -> tuple[str, ...]:
    """Warnings about doubtful units; MeshError when units seem mixed, unless ``trust_units``."""
    low, high = bounding_box(mesh)
    size = float(np.max(high - low))
    warnings = []
    for material in dict.fromkeys(block.material for block in mesh.blocks if block.material is not None):
        mixed = _mixed_units(mesh.source, material, size)
        if mixed and not trust_units:
            raise MeshError(mixed)
        warnings += [message for message in (mixed, _consistent_other_units(mesh.source, material)) if message]
    return tuple(warnings)


def _mixed_units(source: str, material: Material, size: float) -> str | None:
    density = material.density
    if density is None or not _DENSITIES_SI[0] <= density <= _DENSITIES_SI[1]:
        return None
    if density >= _METAL_DENSITY and _MODULI_MPA[0] <= material.youngs_modulus <= _MODULI_MPA[1]:
        return (
            f"{source}: inconsistent units suspected: material {material.name} has density {density:g} (kg/m3) but E ="
            f" {material.youngs_modulus:g}, as if in MPa (the mm-t-s system); {_ADVICE}: multiply E by 1e6."
        )
    if size > _LARGEST_PART:
        return (
            f"{source}: inconsistent units suspected: the mesh is {size:g} m long, material {material.name} has density"
            f" {density:g} (kg/m3): coordinates in millimetres (the mm-t-s system)? {_ADVICE}: scaled(mesh, 1e-3)"
            " turns millimetres into metres (beam sections are given in metres too)."
        )
    return None


def _consistent_other_units(source: str, material: Material) -> str | None:
    density = material.density
    if density is not None and _DENSITIES_MM_TONNE[0] <= density <= _DENSITIES_MM_TONNE[1]:
        return (
            f"{source}: material {material.name} has density {density:g}, as in the mm-t-s system (t/mm3, N, MPa);"
            f" {_ADVICE}. Results come in the units of the input, and gravity must be given in mm/s2."
        )
    return None
