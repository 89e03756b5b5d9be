"""Simple shapes as solids of density 1: their dimensions checked, their moments exact, their surface to draw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import BodyError
from flexmbs.mechanism.geometry.outline import checked_loops, circle, drawn_points
from flexmbs.mechanism.geometry.swept_solids import Solid, extruded, revolved

_QUARTER = np.tan(np.pi / 8.0)  # bulge of a quarter of a circle


def positive(shape: str, **sizes: ArrayLike) -> None:
    """BodyError naming the first dimension that is not one or more positive finite numbers."""
    for name, value in sizes.items():
        if isinstance(value, str):
            raise BodyError(f"rigid {shape}: {name} must be a number, in m, not {value!r}")
        try:
            numbers = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.size == 0 or not (np.all(np.isfinite(numbers)) and np.all(numbers > 0.0)):
            raise BodyError(f"rigid {shape}: {name} {value!r} m must be positive")


def box(size: ArrayLike) -> Solid:
    """Edges ``size`` (3,) m along x, y, z, centred at the origin."""
    positive("box", size=size)
    if np.shape(size) != (3,):
        raise BodyError(f"rigid box: size {size!r} must be three lengths in m, along x, y and z")
    return _rectangular(*np.asarray(size, dtype=float))


def sphere(radius: float) -> Solid:
    """Centred at the origin."""
    positive("sphere", radius=radius)
    drawn = revolved([np.array([[0.0, -radius, 1.0], [0.0, radius, 0.0]])], 2.0 * np.pi)
    volume = 4.0 / 3.0 * np.pi * radius**3
    return Solid(volume, np.zeros(3), 0.2 * volume * radius**2 * np.eye(3), drawn.surface)


def cylinder(radius: float, length: float, inner_radius: float = 0.0, axis: str = "x") -> Solid:
    """Centred at the origin; a tube with ``inner_radius``."""
    positive("cylinder", radius=radius, length=length)
    _below("cylinder", "inner_radius", inner_radius, "radius", radius)
    half = 0.5 * length
    profile = [[inner_radius, -half], [radius, -half], [radius, half], [inner_radius, half]]
    drawn = revolved(checked_loops(profile, (), "rigid cylinder"), 2.0 * np.pi)
    volume = np.pi * (radius**2 - inner_radius**2) * length
    across = volume * (radius**2 + inner_radius**2) / 4.0
    second = np.diag([across, across, volume * length**2 / 12.0])
    return Solid(volume, np.zeros(3), second, drawn.surface).along(axis)


def cone(radius: float, length: float, top_radius: float = 0.0, axis: str = "x") -> Solid:
    """Base at the origin, tip (or the smaller end) at ``length`` along the axis."""
    positive("cone", radius=radius, length=length)
    if not (np.isfinite(top_radius) and top_radius >= 0.0):
        raise BodyError(f"rigid cone: top_radius {top_radius!r} m must not be negative")
    profile = [[0.0, 0.0], [radius, 0.0], [top_radius, length], [0.0, length]]
    if top_radius == 0.0:
        profile.pop()
    return revolved(checked_loops(profile, (), "rigid cone"), 2.0 * np.pi).along(axis)


def torus(radius: float, tube_radius: float, axis: str = "z") -> Solid:
    """Centred at the origin; ``radius`` to the middle of the tube."""
    positive("torus", radius=radius, tube_radius=tube_radius)
    _below("torus", "tube_radius", tube_radius, "radius", radius)
    return revolved([circle(radius, 0.0, tube_radius)], 2.0 * np.pi).along(axis)


def link(length: float, width: float, thickness: float, hole_radius: float = 0.0) -> Solid:
    """Rectangle with rounded ends in the plane x y, eyes at x = 0 and ``length``; the thickness is centred on it."""
    positive("link", length=length, width=width, thickness=thickness)
    _below("link", "hole_radius", hole_radius, "half of width", 0.5 * width)
    half = 0.5 * width
    outline = [[0.0, -half, 0.0], [length, -half, 1.0], [length, half, 0.0], [0.0, half, 1.0]]
    eyes = [circle(x, 0.0, hole_radius) for x in (0.0, length)] if hole_radius else []
    return extruded(checked_loops(outline, eyes, "rigid link"), -0.5 * thickness, 0.5 * thickness)


def plate(size: ArrayLike, thickness: float, corner_radius: float = 0.0, holes: Sequence[Sequence[float]] = ()) -> Solid:
    """Rectangle ``size`` (2,) m along x, y, centred at the origin; round ``holes`` as (x, y, radius)."""
    positive("plate", size=size, thickness=thickness)
    if np.shape(size) != (2,):
        raise BodyError(f"rigid plate: size {size!r} must be two lengths in m, along x and y")
    x, y = 0.5 * np.asarray(size, dtype=float)
    if not 0.0 <= corner_radius <= min(x, y):
        raise BodyError(f"rigid plate: corner_radius {corner_radius!r} m must lie between 0 and half the shorter edge")
    for hole in holes:
        if np.shape(hole) != (3,):
            raise BodyError(f"rigid plate: hole {hole!r} must be x, y and radius in m")
        positive("plate", hole_radius=hole[2])
    rounded = checked_loops(_rounded(x, y, corner_radius), [circle(*hole) for hole in holes], "rigid plate")
    return extruded(rounded, -0.5 * thickness, 0.5 * thickness)


def extrusion(outline: ArrayLike, length: float, holes: Sequence[ArrayLike] = (), axis: str = "z") -> Solid:
    """The outline swept from 0 to ``length`` along the axis."""
    positive("extrusion", length=length)
    return extruded(checked_loops(outline, holes, "rigid extrusion"), 0.0, length).along(axis)


def revolution(outline: ArrayLike, angle: float = 2.0 * np.pi, holes: Sequence[ArrayLike] = (), axis: str = "z") -> Solid:
    """The outline in the half plane (r, z), r >= 0, swept about the axis by ``angle`` (rad)."""
    if not (np.isfinite(angle) and 0.0 < angle <= 2.0 * np.pi * (1.0 + 1e-12)):
        raise BodyError(f"rigid revolution: angle {angle!r} rad must lie above 0 and not above 2 pi")
    loops = checked_loops(outline, holes, "rigid revolution")
    nearest = drawn_points(loops[0])[:, 0].min()
    if nearest < -1e-12 * np.abs(loops[0][:, :2]).max():
        raise BodyError(
            f"rigid revolution: the outline (r, z) reaches r = {nearest:g} m; it must stay on one side of the axis: r >= 0"
        )
    return revolved(loops, float(angle)).along(axis)


def _rectangular(x: float, y: float, z: float) -> Solid:
    corners = 0.5 * np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
    drawn = extruded([corners], -0.5 * z, 0.5 * z)
    volume = x * y * z
    return Solid(volume, np.zeros(3), volume / 12.0 * np.diag([x * x, y * y, z * z]), drawn.surface)


def _rounded(x: float, y: float, radius: float) -> np.ndarray:
    """Rectangle from -x, -y to x, y with rounded corners; straight edges without length are left out."""
    a, b = x - radius, y - radius
    if radius == 0.0:
        return np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
    bulges = [0.0, _QUARTER]
    vertices = [[-a, -y], [a, -y], [x, -b], [x, b], [a, y], [-a, y], [-x, b], [-x, -b]]
    rows = np.array([[*vertex, bulges[k % 2]] for k, vertex in enumerate(vertices)])
    lengths = np.linalg.norm(np.roll(rows[:, :2], -1, axis=0) - rows[:, :2], axis=1)
    return rows[lengths > 1e-12 * (x + y)]


def _below(shape: str, name: str, value: float, limit_name: str, limit: float) -> None:
    if not (np.isfinite(value) and 0.0 <= value < limit):
        raise BodyError(f"rigid {shape}: {name} {value!r} m must lie between 0 and {limit_name} ({limit!r} m)")
