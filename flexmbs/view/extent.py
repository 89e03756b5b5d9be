"""Points that a motion passes, and its extent: determined once, so that camera and sizes of symbols stay fixed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmbs.reduction.recovery import superpose
from flexmbs.view.colours import sample_times
from flexmbs.view.drawable import DrawableBody, DrawableResult, DrawableStructure
from flexmbs.view.exaggerated_motion import drawing, in_world
from flexmbs.view.scene_parts import contact_spheres, on_ground, used_markers, used_places

NEAR = 0.15  # of the size of the motion: so far from it shapes on ground are within the picture
_POINTS = 3000  # of all bodies, at one time
_DIRECTIONS = 64  # in which the outermost points of a body are looked for


def motion_points(
    result: DrawableResult, scale: float, first: float | None = None, last: float | None = None
) -> dict[int, np.ndarray]:
    """Body -> (nt, k, 3) m: outermost points of each moving body at sampled times, with its shapes of contacts.

    Bodies without a shape are their markers and centre. World axes; deformation times ``scale``.
    """
    moving = range(1, len(result.structure.bodies))
    most = max(12, _POINTS // max(1, len(moving)))
    here = drawing(result.resampled(sample_times(result, first, last)), scale).here
    found = {index: [_during(here, index, scale, most)] for index in moving}
    for index, points in _of_contacts(here, scale):
        found[index].append(points)
    return {index: np.concatenate(parts, axis=1) for index, parts in found.items()}


def _of_contacts(here: DrawableResult, scale: float) -> Iterator[tuple[int, np.ndarray]]:
    """Body and points (nt, k, 3) m of each of its spheres and other shapes of contacts."""
    structure = here.structure
    shapes = [(marker, radius * _SPHERE[::4]) for marker, radius in contact_spheres(structure)]
    shapes += [(outline.marker, outline.points) for outline in structure.outlines if len(outline.points)]
    for marker, shape in shapes:
        body = structure.body_index(structure.markers[marker].body)
        if body:
            place, axes = in_world(here, marker, scale)
            yield body, place[:, None] + shape @ np.swapaxes(axes, 1, 2)


def motion_bounds(structure: DrawableStructure, points: dict[int, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest world coordinates (3,) of the ``points`` of :func:`motion_points`, and of what is on ground.

    Outlines and tracks on ground count where they are near the motion, ends of springs and joints on ground in full.
    """
    if not points:
        return -np.ones(3), np.ones(3)
    low = np.min([part.min(axis=(0, 1)) for part in points.values()], axis=0)
    high = np.max([part.max(axis=(0, 1)) for part in points.values()], axis=0)
    reach = NEAR * float(np.linalg.norm(high - low))
    shapes = [(outline.marker, outline.points) for outline in structure.outlines]
    shapes += [(joint.marker_a, joint.curve) for joint in structure.joints]
    near = [np.clip(shape, low - reach, high + reach) for shape in on_ground(structure, shapes)]
    free = [joint for joint in structure.joints if len(joint.free_translations) == len(joint.free_rotations) == 3]  # no symbols
    ends = set(used_markers(structure)) - {joint.marker_a for joint in free}
    every = np.concatenate([[low, high], *near, *on_ground(structure, [(marker, np.zeros((1, 3))) for marker in sorted(ends)])])
    return every.min(axis=0), every.max(axis=0)


def _during(here: DrawableResult, index: int, scale: float, most: int) -> np.ndarray:
    """(nt, k, 3) m, world: outermost points of a body."""
    body, run = here.structure.bodies[index], here.trajectory
    places = _places(here.structure, body)
    rows = _outermost(places, most)
    local = places[rows]
    if body.flexible is not None:
        surface, q = body.flexible.surface, run.q[:, body.coordinates]
        local = local + scale * superpose(body.flexible, surface.modes[:, rows], surface.quadratic[:, rows], q)
    return run.body_position[:, index, None] + local @ np.swapaxes(run.body_rotation[:, index], 1, 2)


def _outermost(places: np.ndarray, most: int) -> np.ndarray:
    """Rows of the outermost ones of many points (k, 3), and of some between them, which may bend outwards."""
    if len(places) <= most:
        return np.arange(len(places))
    rows = np.unique(np.argmax(places @ _SPHERE[:: max(1, 2 * _DIRECTIONS // most)].T, axis=0))
    between = np.linspace(0, len(places) - 1, max(2, most - len(rows))).astype(int)
    return np.unique(np.concatenate([rows, between]))


def _places(structure: DrawableStructure, body: DrawableBody) -> np.ndarray:
    """(k, 3) m, points of a body in its axes."""
    if body.flexible is not None:
        return body.flexible.surface.points
    if len(body.shape_points):
        return body.shape_points
    return np.array([body.center, *used_places(structure, body)])


def view_direction(low: np.ndarray, high: np.ndarray, gravity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Direction from the motion to the camera and the camera's up vector.

    Up is against gravity (y without gravity); the camera looks along the horizontal direction in which the motion is
    flattest, slightly from above and from the side, and more so where the motion is not flat.
    """
    strength = float(np.linalg.norm(gravity))
    up = -gravity / strength if strength > 0.0 else np.array([0.0, 1.0, 0.0])
    size = high - low
    axes = np.eye(3)
    horizontal = [k for k in (2, 1, 0) if abs(axes[k] @ up) < 0.9]
    flattest = min(horizontal, key=lambda k: size[k])
    beside = np.cross(up, axes[flattest])
    sign = -1.0 if flattest == 1 else 1.0
    flat = size[flattest] < 0.3 * max(float(size.max()), 1e-300)
    to_side, above = (0.25, 0.2) if flat else (0.6, 0.45)
    return sign * axes[flattest] + to_side * beside + above * up, up


def _sphere_directions(count: int) -> np.ndarray:
    """(count, 3) directions spread over the sphere."""
    height = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    turn = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count)
    across = np.sqrt(1.0 - height**2)
    return np.stack([across * np.cos(turn), across * np.sin(turn), height], axis=1)


_SPHERE = _sphere_directions(_DIRECTIONS)
