"""What a profile of an FE program is: names of its dimensions, and how they make a shape, also of thin walls."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.properties import BeamSection
from flexmbs.mesh.sections.beam_sections import principal_axes
from flexmbs.mesh.sections.profiles.shapes import Shape

# Sizes whose fourth powers are still numbers.
_SMALLEST, _LARGEST = 1e-60, 1e60


@dataclass(frozen=True)
class Profile:
    """One profile.

    Attributes
    ----------
    names : str
        Names of the dimensions in the program's order, with blanks between. A name with "?" may be zero, one with
        "~" any number; the others must be positive.
    shape : dimensions -> Shape, or a BeamSection, or a function of Poisson's ratio that returns one
    optional : int
        So many of the last dimensions may be missing; they are then None.
    many : bool
        Any number of dimensions, which ``shape`` checks itself.
    lengths : bool
        All dimensions are lengths (and so are kept with the section, for display and for change of units).
    """

    names: str
    shape: Callable[..., Shape | BeamSection | Callable[[float], BeamSection]]
    optional: int = 0
    many: bool = False
    lengths: bool = True

    def checked(self, dimensions: tuple[float, ...]) -> tuple[float, ...]:
        """The dimensions that the profile has; MeshError when one is missing or impossible."""
        names = self.names.split()
        plain = [name.strip("?~") for name in names]
        if len(dimensions) < len(names) - self.optional:
            raise MeshError(f"{len(dimensions)} dimensions are given, {len(names) - self.optional} are needed: {', '.join(plain)}.")
        used = dimensions if self.many else dimensions[: len(names)]
        for number, value in enumerate(used):
            name = names[number] if number < len(names) else "~value"
            if not math.isfinite(value) or abs(value) > _LARGEST:
                raise MeshError(f"{name.strip('?~')} = {value:g} must be a finite number.")
            if "~" in name or ("?" in name and value == 0.0):
                continue
            if value < _SMALLEST:
                raise MeshError(f"{name.strip('?~')} = {value:g} must be positive.")
        return used


def require(**lengths: float) -> None:
    """MeshError when a length that follows from the dimensions is not positive; "__" in its name is a minus."""
    for name, value in lengths.items():
        if not value > 0.0:
            text = name.replace("__", " - ").replace("_", " ")
            raise MeshError(f"{text} = {value:g} must be positive.")


def thin_walled_section(points: np.ndarray, thickness: np.ndarray) -> BeamSection:
    """A chain of straight thin walls, closed when its last point is its first.

    Torsion: one third of the sum of length times thickness cubed, and Bredt's formula for a closed chain. As in
    Abaqus, walls have no bending stiffness about their own middle line, and the shear factors are 1.

    Parameters
    ----------
    points : (n + 1, 2) corners of the middle line, y and z
    thickness : (n,) of each wall; 0 makes no wall (the way back along a branch)
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
