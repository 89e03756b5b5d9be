"""Beam sections from their dimensions, from chains of thin walls, or from rigidities alone."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MeshError
from flexmbs.mesh.properties import BeamSection, Material

_ANGLES = 2.0 * math.pi * np.arange(32) / 32
_CIRCLE = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])  # corners of its outline
_CORNERS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])  # of a rectangle
_LARGEST = 1e75  # of any length or moment; the fourth power of it is still a number
_SYMMETRIC = 1e-10  # a product of inertia below this is rounding
# Any modulus gives the same rigidities; steel's keeps the equivalent section near a real one for display.
_NOMINAL_MODULUS = 210e9
_NOMINAL_SHEAR_MODULUS = 80e9


def rectangle(width_y: float, width_z: float, y_axis: ArrayLike = (0.0, 1.0, 0.0)) -> BeamSection:
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
        outline=_CORNERS * (half_y, half_z),
        y_axis=unit_direction(y_axis),
    )


def circle(radius: float, y_axis: ArrayLike = (0.0, 1.0, 0.0), poisson_ratio: float = 0.3) -> BeamSection:
    """Solid circle of ``radius`` (m); shear factor of Cowper (J. Appl. Mech. 33, 1966) for ``poisson_ratio``."""
    _require_positive("circular section", radius=radius)
    return _ring(radius, 0.0, y_axis, poisson_ratio)


def pipe(radius: float, thickness: float, y_axis: ArrayLike = (0.0, 1.0, 0.0), poisson_ratio: float = 0.3) -> BeamSection:
    """Ring of outer ``radius`` and wall ``thickness`` (m); shear factor of Cowper (1966)."""
    _require_positive("pipe section", radius=radius, thickness=thickness)
    if thickness > radius:
        raise MeshError(f"pipe section: wall thickness {thickness:g} m exceeds the outer radius {radius:g} m.")
    return _ring(radius, radius - thickness, y_axis, poisson_ratio)


def ellipse(half_y: float, half_z: float, y_axis: ArrayLike = (0.0, 1.0, 0.0)) -> BeamSection:
    """Solid ellipse of semi-axes ``half_y``, ``half_z`` (m).

    Torsion constant of Saint-Venant (exact); shear factors of Cowper (J. Appl. Mech. 33, 1966) for Poisson's ratio 0.
    """
    _require_positive("elliptical section", half_y=half_y, half_z=half_z)
    return BeamSection(
        area=math.pi * half_y * half_z,
        Iy=math.pi / 4.0 * half_y * half_z**3,
        Iz=math.pi / 4.0 * half_z * half_y**3,
        torsion_constant=math.pi * half_y**3 * half_z**3 / (half_y**2 + half_z**2),
        outline=_CIRCLE * (half_y, half_z),
        y_axis=unit_direction(y_axis),
        shear_factor_y=_ellipse_shear_factor(half_y / half_z),
        shear_factor_z=_ellipse_shear_factor(half_z / half_y),
    )


def _ellipse_shear_factor(ratio: float) -> float:
    """``ratio``: the semi-axis along the shear force over the other one."""
    return 12.0 * (3.0 * ratio**2 + 1.0) / (40.0 * ratio**2 + 16.0)


def general_section(
    area: float,
    Iy: float,
    Iz: float,
    torsion_constant: float,
    y_axis: ArrayLike = (0.0, 1.0, 0.0),
    shear_factor: float | tuple[float, float] = 1.0,
    Iyz: float = 0.0,
    centroid: tuple[float, float] = (0.0, 0.0),
) -> BeamSection:
    """Section known by its integrals only (m2, m4); its outline is the rectangle with the same area radii.

    Parameters
    ----------
    Iy, Iz, Iyz : float, m4
        Integrals of z z, y y and y z about the centroid, in the axes of ``y_axis``; the section gets its principal
        ones and ``principal_angle``.
    shear_factor : one for both directions, or those of y and z; with ``Iyz`` they are taken for the principal axes
    centroid : (float, float), m, in the axes of ``y_axis``, from the line of the element
    """
    _require_positive("general section", area=area, Iy=Iy, Iz=Iz, torsion_constant=torsion_constant)
    if not Iyz**2 < Iy * Iz:
        raise MeshError(f"general section: Iyz = {Iyz:g} must be less than the root of Iy Iz = {Iy * Iz:g} (m4).")
    angle, Iy, Iz = principal_axes(Iy, Iz, Iyz)
    cos, sin = math.cos(angle), math.sin(angle)
    factor_y, factor_z = np.broadcast_to(np.asarray(shear_factor, float), (2,)).tolist()
    half_y, half_z = math.sqrt(3.0 * Iz / area), math.sqrt(3.0 * Iy / area)
    return BeamSection(
        area=area,
        Iy=Iy,
        Iz=Iz,
        torsion_constant=torsion_constant,
        outline=_CORNERS * (half_y, half_z),
        y_axis=unit_direction(y_axis),
        shear_factor_y=factor_y,
        shear_factor_z=factor_z,
        principal_angle=angle,
        centroid=(cos * centroid[0] + sin * centroid[1], cos * centroid[1] - sin * centroid[0]),
    )


def principal_axes(Iy: float, Iz: float, Iyz: float) -> tuple[float, float, float]:
    """Angle (rad) from the given y axis to the nearest principal axis, and Iy, Iz about the principal axes.

    Iy is the integral of z z, Iz of y y, Iyz of y z; the angle lies between -pi/4 and pi/4.
    """
    if abs(Iyz) <= _SYMMETRIC * (Iy + Iz):
        return 0.0, float(Iy), float(Iz)
    sign = -1.0 if Iz < Iy else 1.0
    angle = 0.5 * math.atan2(2.0 * Iyz * sign, abs(Iz - Iy))
    mean, radius = (Iy + Iz) / 2.0, sign * math.hypot((Iz - Iy) / 2.0, Iyz)
    return angle, float(mean - radius), float(mean + radius)


def thin_walled_section(points: np.ndarray, thickness: np.ndarray) -> BeamSection:
    """A chain of straight thin walls with ``points`` (n + 1, 2), y and z, on its middle line, closed when the last is the first.

    Torsion: one third of the sum of length times thickness cubed, and Bredt's formula for a closed chain. As in
    Abaqus, walls have no bending stiffness about their own middle line, and the shear factors are 1. A wall with
    ``thickness`` 0 is none (the way back along a branch).
    """
    along = np.diff(points, axis=0)
    lengths = np.linalg.norm(along, axis=1)
    areas = lengths * thickness
    if np.any(thickness < 0.0) or not areas.sum() > 0.0:
        raise MeshError("the wall thicknesses must not be negative, and the total area must not be zero.")
    size = np.ptp(points, axis=0).max()
    if thickness.max() > size:
        raise MeshError(f"a wall thickness of {thickness.max():g} exceeds the size of the section ({size:g}).")
    middles = (points[:-1] + points[1:]) / 2.0
    centroid = areas @ middles / areas.sum()
    middles = middles - centroid
    second = (areas[:, None] * middles).T @ middles + (areas[:, None] / 12.0 * along).T @ along
    angle, Iy, Iz = principal_axes(second[1, 1], second[0, 0], second[0, 1])
    if not min(Iy, Iz) > 1e-12 * max(Iy, Iz):
        raise MeshError("all walls lie on one line, so the section has no bending stiffness about it; use RECT.")
    torsion = float(np.sum(lengths * thickness**3)) / 3.0
    if np.linalg.norm(points[-1] - points[0]) < 1e-6 * size and np.all(thickness > 0.0):
        y, z = (points[:-1] - centroid).T
        enclosed = abs(np.sum(y * np.roll(z, -1) - z * np.roll(y, -1))) / 2.0
        torsion += 4.0 * enclosed**2 / float(np.sum(lengths / thickness))
    if torsion > Iy + Iz:
        raise MeshError("the walls are too thick relative to their lengths for a thin-walled section.")
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return BeamSection(
        float(areas.sum()),
        Iy,
        Iz,
        torsion,
        (_outline(points, thickness) - centroid) @ turn,
        np.array([0.0, 1.0, 0.0]),
        1.0,
        1.0,
        angle,
        tuple((centroid @ turn).tolist()),
    )


def _outline(points: np.ndarray, thickness: np.ndarray) -> np.ndarray:
    """Along one side of the walls and back along the other."""
    along = np.diff(points, axis=0)
    lengths = np.linalg.norm(along, axis=1)
    kept = lengths > 0.0
    normals = np.column_stack([-along[kept, 1], along[kept, 0]]) / lengths[kept, None] * thickness[kept, None] / 2.0
    pairs = np.stack([points[:-1][kept], points[1:][kept]], axis=1)
    one_side = (pairs + normals[:, None]).reshape(-1, 2)
    other_side = (pairs - normals[:, None]).reshape(-1, 2)
    return np.concatenate([other_side, one_side[::-1]])


def section_from_rigidities(
    axial_rigidity: float,
    bending_rigidity_y: float,
    bending_rigidity_z: float,
    torsional_rigidity: float,
    mass_per_length: float,
    y_axis: ArrayLike = (0.0, 1.0, 0.0),
    name: str = "EQUIVALENT",
) -> tuple[BeamSection, Material]:
    """A section and a material with given rigidities, for problems that state nothing else.

    Parameters
    ----------
    axial_rigidity : float, N, E A
    bending_rigidity_y, bending_rigidity_z : float, N m2
        E Iy (bending in the local x-z plane) and E Iz (bending in the local x-y plane).
    torsional_rigidity : float, N m2, G It
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


def _ring(outer: float, inner: float, y_axis: ArrayLike, poisson_ratio: float) -> BeamSection:
    second_moment = math.pi / 4.0 * (outer**4 - inner**4)
    ratio2 = (inner / outer) ** 2
    squared = (1.0 + ratio2) ** 2
    shear_factor = 6.0 * (1.0 + poisson_ratio) * squared
    shear_factor /= (7.0 + 6.0 * poisson_ratio) * squared + (20.0 + 12.0 * poisson_ratio) * ratio2
    return BeamSection(
        area=math.pi * (outer**2 - inner**2),
        Iy=second_moment,
        Iz=second_moment,
        torsion_constant=2.0 * second_moment,
        outline=outer * _CIRCLE,
        y_axis=unit_direction(y_axis),
        shear_factor_y=shear_factor,
        shear_factor_z=shear_factor,
    )


def _rectangle_torsion_constant(width_y: float, width_z: float) -> float:
    wide, thin = max(width_y, width_z), min(width_y, width_z)
    odd = np.arange(1, 60, 2)  # terms fall as 1/n^5: the first one left out is 1e-9 of the sum
    series = np.sum(np.tanh(odd * math.pi * wide / (2.0 * thin)) / odd**5)
    return float(wide * thin**3 / 3.0 * (1.0 - 192.0 / math.pi**5 * thin / wide * series))


def unit_direction(axis: ArrayLike) -> np.ndarray:
    """The direction (3,) of a y axis with length 1; MeshError unless it is three finite numbers, not all zero."""
    axis = np.asarray(axis, float)
    length = np.linalg.norm(axis) if axis.shape == (3,) else math.nan
    if not (math.isfinite(length) and length > 0.0):
        raise MeshError(f"beam section: y_axis must be three finite numbers, not all zero; got {axis.tolist()}.")
    return axis / length


def _require_positive(what: str, **values: float) -> None:
    for name, value in values.items():
        if not 0.0 < value <= _LARGEST:
            raise MeshError(f"{what}: {name} = {value:g} must be a positive finite number (SI units).")
