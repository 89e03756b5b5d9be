"""Extent of a motion and range of its colours: determined once, so that camera and colour scale stay fixed."""

from __future__ import annotations

import numpy as np

from flexmbs.reduction.modal_fields import surface_displacement
from flexmbs.view.contact_spheres import ContactSpheres
from flexmbs.view.drawable import DrawableResult, DrawableStructure
from flexmbs.view.exaggerated_motion import drawing, marker_in_world

SAMPLES = 60
NEAR = 0.15  # of the size of the motion: so far from it shapes on ground are within the picture


def sample_times(result: DrawableResult) -> np.ndarray:
    """Times spread evenly over the run, and over its steps, which are dense in fast phases such as contacts."""
    steps = result.t[np.linspace(0, len(result.t) - 1, min(SAMPLES, len(result.t))).astype(int)]
    even = np.linspace(result.t[0], result.t[-1], SAMPLES)
    return np.unique(np.concatenate([steps, even]))


def surface_points(here: DrawableResult, index: int, scale: float = 1.0) -> np.ndarray:
    """(np, 3) world positions of the surface of body ``index`` of a one-time result, deformation times ``scale``."""
    body = here.structure.bodies[index]
    if body.flexible is None:
        local = body.shape_points if len(body.shape_points) else body.center[None, :]
    else:
        q = here.trajectory.q[0, body.coordinates]
        local = body.flexible.surface.points + scale * surface_displacement(body.flexible, q)
    return here.trajectory.body_position[0, index] + local @ here.trajectory.body_rotation[0, index].T


def motion_bounds(result: DrawableResult, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest world coordinates (3,) that any moving body reaches, with its shapes of contacts.

    Shapes on ground count where they are near the motion.
    """
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    spheres, outlines = ContactSpheres(result.structure), _moving_outlines(result.structure)
    rolling, radii = spheres.bodies > 0, spheres.radii[:, None]
    for time in sample_times(result):
        here = drawing(result.resampled([time]), scale).here
        for index in range(1, len(result.structure.bodies)):
            points = surface_points(here, index, scale)
            low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
        if rolling.any():
            centers = spheres.centers(here, scale)
            low = np.minimum(low, (centers - radii)[rolling].min(axis=0))
            high = np.maximum(high, (centers + radii)[rolling].max(axis=0))
        for marker, shape in outlines:
            place, axes = marker_in_world(here, marker, scale)
            points = place + shape @ axes.T
            low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
    if not np.all(np.isfinite(low)):
        return -np.ones(3), np.ones(3)
    reach = NEAR * float(np.linalg.norm(high - low))
    around = low - reach, high + reach
    for points in _ground_shapes(result.structure):
        low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
    return np.maximum(low, around[0]), np.minimum(high, around[1])


def _moving_outlines(structure: DrawableStructure) -> list[tuple[int, np.ndarray]]:
    """Marker and points (k, 3) in its axes, m, of each outline of a contact's shape that is not on ground."""
    ground = structure.bodies[0].name
    every = [(outline.marker, outline.points) for outline in structure.outlines if len(outline.points)]
    return [(marker, points) for marker, points in every if structure.markers[marker].body != ground]


def _ground_shapes(structure: DrawableStructure) -> list[np.ndarray]:
    """Points (k, 3), m, in world axes, of the outlines on ground."""
    places = [(structure.markers[outline.marker], outline.points) for outline in structure.outlines]
    ground = structure.bodies[0].name
    return [mark.position + points @ mark.rotation.T for mark, points in places if mark.body == ground and len(points)]


def colour_values(result: DrawableResult, body: str, time: float, color: str) -> np.ndarray:
    """(np,) values shown in colour on the surface: displacement magnitude in m or von Mises stress in Pa."""
    flexible = result.flexible(body)
    if color == "von_mises":
        return result.von_mises(body, time) if flexible.has_stress else np.zeros(len(flexible.surface.points))
    return np.linalg.norm(surface_displacement(flexible, result.modal(body, time)), axis=1)


def colour_range(result: DrawableResult, color: str) -> float:
    """Largest value shown in colour, over all flexible bodies and sampled times (at least a tiny positive number)."""
    largest = 0.0
    for body in result.structure.bodies:
        if body.flexible is None:
            continue
        for time in sample_times(result):
            largest = max(largest, float(colour_values(result, body.name, time, color).max(initial=0.0)))
    return largest or 1e-12


def view_direction(low: np.ndarray, high: np.ndarray, gravity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Direction from the motion to the camera and the camera's up vector.

    Up is against gravity (y without gravity); the camera looks along the horizontal direction in which the motion is
    flattest, slightly from above and from the side.
    """
    strength = float(np.linalg.norm(gravity))
    up = -gravity / strength if strength > 0.0 else np.array([0.0, 1.0, 0.0])
    size = high - low
    axes = np.eye(3)
    horizontal = [k for k in (2, 1, 0) if abs(axes[k] @ up) < 0.9]
    flattest = min(horizontal, key=lambda k: size[k])
    beside = np.cross(up, axes[flattest])
    sign = -1.0 if flattest == 1 else 1.0
    return sign * axes[flattest] + 0.25 * beside + 0.2 * up, up
