"""Local coordinate systems of mesh files: rectangular, cylindrical, spherical."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError


@dataclass(frozen=True)
class CoordinateSystem:
    """A coordinate system in mesh coordinates.

    Attributes
    ----------
    kind : str
        "rectangular" (x, y, z), "cylindrical" (r, theta about z, z) or "spherical" (r, polar angle from z, azimuth
        about z), as in Nastran.
    origin : (3,) float, m
    axes : (3, 3) float, columns are the directions of its x, y and z
    """

    name: str
    kind: str
    origin: np.ndarray
    axes: np.ndarray

    def points(self, coordinates: np.ndarray) -> np.ndarray:
        """Mesh coordinates (n, 3), m, of points given in this system (n, 3); angles in rad."""
        local = np.array(coordinates, float)
        if self.kind == "cylindrical":
            r, theta, z = local.T
            local = np.column_stack([r * np.cos(theta), r * np.sin(theta), z])
        elif self.kind == "spherical":
            r, polar, azimuth = local.T
            local = r[:, None] * np.column_stack([np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)])
        return self.origin + local @ self.axes.T

    def directions(self, at: np.ndarray) -> np.ndarray:
        """(n, 3, 3): columns are the system's local directions at mesh points ``at`` (n, 3), in mesh coordinates.

        On the axis of a cylindrical or spherical system, where they have no meaning, they are the system's axes.
        """
        at = np.asarray(at, float)
        x, y, z = ((at - self.origin) @ self.axes).T
        turned = np.broadcast_to(np.eye(3), (len(at), 3, 3)).copy()
        if self.kind != "rectangular":
            flat = np.hypot(x, y)
            on_axis = flat <= 1e-12 * np.maximum(np.abs(at - self.origin).max(axis=1), 1e-300)
            cos, sin = np.where(on_axis, 1.0, x), np.where(on_axis, 0.0, y)
            length = np.hypot(cos, sin)
            cos, sin = cos / length, sin / length
            zero, one = np.zeros(len(at)), np.ones(len(at))
            if self.kind == "cylindrical":
                turned = np.stack([(cos, sin, zero), (-sin, cos, zero), (zero, zero, one)]).transpose(2, 1, 0)
            else:
                radius = np.where(on_axis, 1.0, np.hypot(flat, z))
                sp, cp = np.where(on_axis, 0.0, flat) / radius, np.where(on_axis, 1.0, z) / radius
                turned = np.stack([(sp * cos, sp * sin, cp), (cp * cos, cp * sin, -sp), (-sin, cos, zero)]).transpose(2, 1, 0)
        return self.axes @ turned


def axes_along(x: np.ndarray, in_xy: np.ndarray, where: list[str]) -> np.ndarray:
    """(..., 3, 3) right-handed axes (columns): the first along ``x`` (..., 3), the second in the plane of x and ``in_xy``.

    Raises MeshError where the two are parallel or zero; ``where`` (file, line, card, for each) starts the message.
    """
    z = np.cross(x, in_xy)
    lengths = np.linalg.norm(x, axis=-1) * np.linalg.norm(in_xy, axis=-1)
    wrong = np.flatnonzero(~(np.linalg.norm(z, axis=-1) > 1e-10 * lengths))
    if wrong.size:
        raise MeshError(f"{where[wrong[0]]}: the points that define the axes are collinear or coincide.")
    x, z = unit_vectors(x), unit_vectors(z)
    return np.stack([x, np.cross(z, x), z], axis=-1)


def system_from_points(name: str, kind: str, origin, on_z, in_xz, where: str) -> CoordinateSystem:
    """System from its origin, a point on its z axis and a point in its x-z plane (Nastran CORD2R, ...)."""
    z, x, y = axes_along(np.subtract(on_z, origin), np.subtract(in_xz, origin), [where]).T
    return CoordinateSystem(name, kind, np.asarray(origin, float), np.column_stack([x, y, z]))


def unit_vectors(vectors: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) of length 1 in the same directions; zero vectors stay."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths > 0.0, lengths, 1.0)


def across(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors (..., 3) perpendicular to unit vectors ``axis`` (..., 3), right-handed with them as the third."""
    first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis), axis=-1)])
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    return first, np.cross(axis, first)
