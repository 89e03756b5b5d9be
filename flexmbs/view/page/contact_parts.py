"""Spheres and planes of contacts as parts of a page."""

from __future__ import annotations

import numpy as np

from flexmbs.view.contact_shapes import ContactSpheres
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.page.motion import marks_in_world
from flexmbs.view.parts import palette
from flexmbs.view.parts.scene_parts import Part
from flexmbs.view.parts.solids import sphere

MARGIN = 0.1  # around what is touched of a plane, relative to the size of the motion


def contact_parts(here: DrawableResult, size: float) -> list[Part]:
    """Spheres that touch, and planes as far as they are touched or nearly, each once."""
    structure, found = here.structure, []
    spheres = ContactSpheres(structure)
    for marker, radius, body in zip(spheres.markers, spheres.radii, spheres.bodies, strict=True):
        solid = sphere(float(radius))
        record = structure.markers[int(marker)]
        found.append(
            Part(
                f"{record.body}.{record.name}",
                "contact shapes",
                int(body),
                palette.SHAPE,
                solid.points,
                solid.faces,
                int(marker),
                opacity=0.6,
                flat=False,
            )
        )
    planes: dict[tuple[int, bytes], list[int]] = {}
    for index, pair in enumerate(structure.contacts):
        if pair.normal is not None:
            planes.setdefault((pair.marker_b, np.asarray(pair.normal, dtype=float).tobytes()), []).append(index)
    return found + [_plane(here, marker, indices, MARGIN * size) for (marker, _), indices in planes.items()]


def _plane(here: DrawableResult, marker: int, indices: list[int], margin: float) -> Part:
    """The rectangle of a plane above which contacts are, where and when they are nearest to it."""
    structure = here.structure
    normal = np.asarray(structure.contacts[indices[0]].normal, dtype=float)
    _, _, axes = np.linalg.svd(normal[None])  # rows: the normal, two directions in the plane
    origin, turn = marks_in_world(here, marker)
    around = []
    for index in indices:
        place = np.einsum("fji,fj->fi", turn, marks_in_world(here, structure.contacts[index].marker_a)[0] - origin)
        gap = here.trajectory.contact_gap[:, index]
        near = gap <= gap.min() + 0.02 * np.ptp(gap)
        around.append(place[near] @ axes[1:].T)
    touched = np.concatenate(around)
    margin += max(structure.contacts[index].radius_a for index in indices)
    (x0, y0), (x1, y1) = touched.min(axis=0) - margin, touched.max(axis=0) + margin
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]) @ axes[1:]
    record = structure.markers[marker]
    body = structure.body_index(record.body)
    names = structure.contacts[indices[0]].name if len(indices) == 1 else f"{record.body}.{record.name}"
    faces = np.array([4, 0, 1, 2, 3])
    return Part(names, "contact shapes", body, palette.PLANE, corners, faces, marker, opacity=0.5)
