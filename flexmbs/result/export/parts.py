"""The surfaces that exported scenes consist of, and how each moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmbs.reduction.recovery import superpose
from flexmbs.result.structure import BodyRecord, Structure
from flexmbs.view.exaggerated_motion import in_world
from flexmbs.view.scene_parts import SHAPE, Part, body_color, contact_spheres, scene_parts
from flexmbs.view.solids import sphere

#: Groups of parts that hold the bodies themselves.
SOLID = ("bodies", "contact shapes")
MANY = 64  # spheres; more are drawn with fewer facets


class Motion:
    """Frames of bodies and modal coordinates of a result at ``t`` (k,) s."""

    def __init__(self, result: Any, t: np.ndarray) -> None:
        self.structure: Structure = result.structure
        self.t, self._here = t, result.resampled(t)
        self._run = self._here.trajectory

    def modal(self, body: int) -> np.ndarray:
        """(k, n) modal coordinates of a body."""
        return self._run.q[:, self.structure.bodies[body].coordinates]

    def frames(self, body: int, marker: int | None) -> tuple[np.ndarray, np.ndarray]:
        """(k, 3) m and (k, 3, 3): where the axes of a body, or of a marker on it, are in the world."""
        place, turn = self._run.body_position[:, body], self._run.body_rotation[:, body]
        if marker is None:
            return place, turn
        return in_world(self._here, marker)

    def world_points(self, part: Part, times: slice) -> tuple[np.ndarray, np.ndarray]:
        """(j, m, 3) m each, at some of the times: positions in the world; displacements by deformation, in its axes."""
        place, turn = self.frames(part.body, part.marker)
        place, across = place[times, None], turn[times].swapaxes(1, 2)
        if part.flexible is None:
            found = place + part.points @ across
            return found, np.zeros_like(found)
        surface = part.flexible.surface
        moved = superpose(part.flexible, surface.modes, surface.quadratic, self.modal(part.body)[times])
        return place + (part.points + moved) @ across, moved @ across


def exported_parts(result: Any, bodies: Sequence[int], groups: Sequence[str] = SOLID) -> list[Part]:
    """Parts of these bodies (indices) in these groups; a body without a shape has spheres of its contacts, else rods."""
    structure: Structure = result.structure
    spheres = _spheres(structure) if "contact shapes" in groups else []
    with_spheres = {part.body for part in spheres}

    def is_drawn(part: Part) -> bool:
        record = structure.bodies[part.body]
        stands_in = part.group == "bodies" and record.flexible is None and not len(record.shape_points)
        chosen = part.body in bodies or part.body == 0 and part.group != "bodies"
        return part.group in groups and chosen and not (stands_in and part.body in with_spheres)

    found = [part for part in scene_parts(result, mechanism_size(result)).parts if is_drawn(part)]
    return found + [part for part in spheres if part.body in bodies or part.body == 0]


def mechanism_size(result: Any) -> float:
    """m, diagonal of the box around all markers and bodies at the start."""
    structure: Structure = result.structure
    here = result.trajectory
    position, rotation = here.body_position[0], here.body_rotation[0]
    points = [np.zeros((1, 3))]
    for index, body in enumerate(structure.bodies[1:], start=1):
        own = body.shape_points if body.flexible is None else body.flexible.points
        own = own if len(own) else body.center[None]
        points.append(position[index] + np.array([own.min(axis=0), own.max(axis=0)]) @ rotation[index].T)
    for marker in structure.markers:
        index = structure.body_index(marker.body)
        points.append((position[index] + rotation[index] @ marker.position)[None])
    return float(np.linalg.norm(np.ptp(np.concatenate(points), axis=0))) or 1.0


def _spheres(structure: Structure) -> list[Part]:
    """Spheres of contacts, each once, without those that the shape of their rigid body shows already."""
    spheres, found = contact_spheres(structure), []
    rings, sides = (12, 20) if len(spheres) <= MANY else (8, 12)
    for marker, radius in spheres:
        own = structure.markers[marker]
        body = structure.body_index(own.body)
        record = structure.bodies[body]
        if not _shown(record, own.position, radius):
            ball = sphere(radius, rings, sides)
            color = SHAPE if body == 0 or record.flexible is not None else body_color(body)
            found.append(Part(f"{own.body}.{own.name}", "contact shapes", body, color, ball.points, ball.faces, marker))
    return found


def _shown(record: BodyRecord, center: np.ndarray, radius: float) -> bool:
    """Whether the shape of a rigid body reaches as far as a sphere on it."""
    if record.flexible is not None or not len(record.shape_points):
        return False
    slack = 0.05 * radius  # the shape is a polyhedron
    low, high = record.shape_points.min(axis=0) - slack, record.shape_points.max(axis=0) + slack
    return bool(np.all(center - radius >= low) and np.all(center + radius <= high))
