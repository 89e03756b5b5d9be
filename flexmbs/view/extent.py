"""Points that a motion passes, and its extent: determined once, so that camera and sizes of symbols stay fixed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmbs.reduction.modal_fields import superpose
from flexmbs.view.colours import sample_times
from flexmbs.view.contact_scene import contact_spheres
from flexmbs.view.drawable import DrawableBody, DrawableResult, DrawableStructure
from flexmbs.view.exaggerated_motion import drawing, in_world

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
            place, axes = in_world(here, slice(None), marker, scale)
            yield body, place[:, None] + shape @ np.swapaxes(axes, 1, 2)


def motion_bounds(
    result: DrawableResult, scale: float, points: dict[int, np.ndarray] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest world coordinates (3,) that any moving body reaches, with its shapes of contacts.

    Shapes on ground count where they are near the motion, ends of springs and joints on ground in full.
    ``points``: of :func:`motion_points`, if known.
    """
    every = motion_points(result, scale) if points is None else points
    if not every:
        return -np.ones(3), np.ones(3)
    low = np.min([part.min(axis=(0, 1)) for part in every.values()], axis=0)
    high = np.max([part.max(axis=(0, 1)) for part in every.values()], axis=0)
    reach = NEAR * float(np.linalg.norm(high - low))
    around = low - reach, high + reach
    for shape in _ground_shapes(result.structure):
        low, high = np.minimum(low, shape.min(axis=0)), np.maximum(high, shape.max(axis=0))
    low, high = np.maximum(low, around[0]), np.minimum(high, around[1])
    for place in _ends_on_ground(result.structure):
        low, high = np.minimum(low, place), np.maximum(high, place)
    return low, high


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
    own = [structure.markers[index].position for index in used_markers(structure) if structure.markers[index].body == body.name]
    return np.array([body.center, *own])


def used_markers(structure: DrawableStructure) -> list[int]:
    """Markers at which joints, springs and cables end."""
    used = {index for joint in structure.joints for index in (joint.marker_a, joint.marker_b)}
    return sorted(used | {int(index) for link in structure.links for index in link.markers})


def _ground_shapes(structure: DrawableStructure) -> list[np.ndarray]:
    """Points (k, 3), m, in world axes: outlines and tracks on ground."""
    ground = structure.bodies[0].name
    places = [(outline.marker, outline.points) for outline in structure.outlines if len(outline.points)]
    places += [(joint.marker_a, joint.curve) for joint in structure.joints if len(joint.curve)]
    marks = [(structure.markers[marker], points) for marker, points in places]
    return [mark.position + points @ mark.rotation.T for mark, points in marks if mark.body == ground]


def _ends_on_ground(structure: DrawableStructure) -> list[np.ndarray]:
    """(3,) m each, where joints with drawn symbols, springs and cables end on ground."""
    free = [joint for joint in structure.joints if len(joint.free_translations) == len(joint.free_rotations) == 3]
    used = set(used_markers(structure)) - {joint.marker_a for joint in free}
    marks = [structure.markers[marker] for marker in sorted(used)]
    return [mark.position for mark in marks if mark.body == structure.bodies[0].name]


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
