"""Beam sections from their dimensions, or from rigidities alone."""

from __future__ import annotations

import math

import numpy as np

from flexmbs.errors import MeshError
from flexmbs.mesh.mesh import BeamSection, Material

_CIRCLE_CORNERS = 32
# Any modulus gives the same rigidities; steel's keeps the equivalent section near a real one for display.
_NOMINAL_MODULUS = 210e9
_NOMINAL_SHEAR_MODULUS = 80e9


def rectangle(width_y: float, width_z: float, y_axis=(0.0, 1.0, 0.0)) -> BeamSection:
    """Solid rectangle, ``width_y`` (m) along local y, ``width_z`` (m) along local z.

    Torsion constant from Saint-Venant's series (Timoshenko and Goodier, Theory of Elasticity, art. 109).
    Raises MeshError unless both widths are positive.
    """
    _require_positive("rectangular section", width_y=width_y, width_z=width_z)
    half_y, half_z = width_y / 2.0, width_z / 2.0
    return BeamSection(
        area=width_y * width_z,
        Iy=width_y * width_z**3 / 12.0,
        Iz=width_z * width_y**3 / 12.0,
        torsion_constant=_rectangle_torsion_constant(width_y, width_z),
        outline=np.array([(-half_y, -half_z), (half_y, -half_z), (half_y, half_z), (-half_y, half_z)]),
        y_axis=_direction(y_axis),
    )


def circle(radius: float, y_axis=(0.0, 1.0, 0.0), poisson_ratio: float = 0.3) -> BeamSection:
    """Solid circle of ``radius`` (m); shear factor of Cowper (J. Appl. Mech. 33, 1966) for ``poisson_ratio``."""
    _require_positive("circular section", radius=radius)
    return _ring(radius, 0.0, y_axis, poisson_ratio)


def pipe(radius: float, thickness: float, y_axis=(0.0, 1.0, 0.0), poisson_ratio: float = 0.3) -> BeamSection:
    """Ring of outer ``radius`` and wall ``thickness`` (m); shear factor of Cowper (1966)."""
    _require_positive("pipe section", radius=radius, thickness=thickness)
    if thickness > radius:
        raise MeshError(f"pipe section: wall thickness {thickness:g} m exceeds the outer radius {radius:g} m.")
    return _ring(radius, radius - thickness, y_axis, poisson_ratio)


def general_section(area, Iy, Iz, torsion_constant, y_axis=(0.0, 1.0, 0.0), shear_factor=1.0) -> BeamSection:
    """Section known by its integrals only (m2, m4); its outline is the rectangle with the same area radii."""
    _require_positive("general section", area=area, Iy=Iy, Iz=Iz, torsion_constant=torsion_constant)
    half_y, half_z = math.sqrt(3.0 * Iz / area), math.sqrt(3.0 * Iy / area)
    return BeamSection(
        area=area,
        Iy=Iy,
        Iz=Iz,
        torsion_constant=torsion_constant,
        outline=np.array([(-half_y, -half_z), (half_y, -half_z), (half_y, half_z), (-half_y, half_z)]),
        y_axis=_direction(y_axis),
        shear_factor_y=shear_factor,
        shear_factor_z=shear_factor,
    )


def section_from_rigidities(
    axial_rigidity: float,
    bending_rigidity_y: float,
    bending_rigidity_z: float,
    torsional_rigidity: float,
    mass_per_length: float,
    y_axis=(0.0, 1.0, 0.0),
    name: str = "EQUIVALENT",
) -> tuple[BeamSection, Material]:
    """A section and a material with given rigidities, for problems that state nothing else.

    Parameters
    ----------
    axial_rigidity : float, N
        E A.
    bending_rigidity_y, bending_rigidity_z : float, N m2
        E Iy (bending in the local x-z plane) and E Iz (bending in the local x-y plane).
    torsional_rigidity : float, N m2
        G It.
    mass_per_length : float, kg/m
    """
    area = axial_rigidity / _NOMINAL_MODULUS
    section = general_section(
        area,
        bending_rigidity_y / _NOMINAL_MODULUS,
        bending_rigidity_z / _NOMINAL_MODULUS,
        torsional_rigidity / _NOMINAL_SHEAR_MODULUS,
        y_axis,
    )
    _require_positive("beam from rigidities", mass_per_length=mass_per_length)
    poisson_ratio = _NOMINAL_MODULUS / (2.0 * _NOMINAL_SHEAR_MODULUS) - 1.0
    return section, Material(name, _NOMINAL_MODULUS, poisson_ratio, mass_per_length / area)


def _ring(outer: float, inner: float, y_axis, poisson_ratio: float) -> BeamSection:
    second_moment = math.pi / 4.0 * (outer**4 - inner**4)
    ratio2 = (inner / outer) ** 2
    shear_factor = (
        6.0
        * (1.0 + poisson_ratio)
        * (1.0 + ratio2) ** 2
        / ((7.0 + 6.0 * poisson_ratio) * (1.0 + ratio2) ** 2 + (20.0 + 12.0 * poisson_ratio) * ratio2)
    )
    angles = 2.0 * math.pi * np.arange(_CIRCLE_CORNERS) / _CIRCLE_CORNERS
    return BeamSection(
        area=math.pi * (outer**2 - inner**2),
        Iy=second_moment,
        Iz=second_moment,
        torsion_constant=2.0 * second_moment,
        outline=outer * np.column_stack([np.cos(angles), np.sin(angles)]),
        y_axis=_direction(y_axis),
        shear_factor_y=shear_factor,
        shear_factor_z=shear_factor,
    )


def _rectangle_torsion_constant(width_y: float, width_z: float) -> float:
    wide, thin = max(width_y, width_z), min(width_y, width_z)
    odd = np.arange(1, 60, 2)  # terms fall as 1/n^5: the first one left out is 1e-9 of the sum
    series = np.sum(np.tanh(odd * math.pi * wide / (2.0 * thin)) / odd**5)
    return float(wide * thin**3 / 3.0 * (1.0 - 192.0 / math.pi**5 * thin / wide * series))


def _direction(axis) -> np.ndarray:
    axis = np.asarray(axis, float)
    length = np.linalg.norm(axis) if axis.shape == (3,) else math.nan
    if not (math.isfinite(length) and length > 0.0):
        raise MeshError(f"beam section: y_axis must be three finite numbers, not all zero; got {axis.tolist()}.")
    return axis / length


def _require_positive(what: str, **values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0.0):
            raise MeshError(f"{what}: {name} = {value:g} must be a positive finite number (SI units).")
