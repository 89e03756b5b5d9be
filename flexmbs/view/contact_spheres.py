"""Where the spheres of contacts are: all of them at once."""

from __future__ import annotations

import numpy as np

from flexmbs.view.drawable import DrawableResult, DrawableStructure
from flexmbs.view.exaggerated_motion import marker_in_world


class ContactSpheres:
    """The spheres of a structure's contacts, each once; ``radii`` (n,) m, ``bodies`` (n,) indices."""

    def __init__(self, structure: DrawableStructure) -> None:
        ends = [(pair.marker_a, pair.radius_a) for pair in structure.contacts]
        ends += [(pair.marker_b, pair.radius_b) for pair in structure.contacts]
        found = [end for end in dict.fromkeys(ends) if end[1] > 0.0]
        #: (n,) whether a sphere is not the surface of its body, which is drawn anyway
        self.visible = np.array([not _is_surface(structure, *end) for end in found], dtype=bool)
        self.markers = np.array([marker for marker, _ in found], dtype=int)
        self.radii = np.array([radius for _, radius in found])
        records = [structure.markers[marker] for marker in self.markers]
        self.bodies = np.array([structure.body_index(record.body) for record in records], dtype=int)
        self._places = np.array([record.position for record in records]).reshape(-1, 3)
        self._moving = [row for row, record in enumerate(records) if record.fields is not None]  # with the modes

    def centers(self, here: DrawableResult, scale: float) -> np.ndarray:
        """(n, 3) m in world axes in a one-time result, with deformation times ``scale``."""
        position, rotation = here.trajectory.body_position[0], here.trajectory.body_rotation[0]
        found = position[self.bodies] + np.einsum("nij,nj->ni", rotation[self.bodies], self._places)
        for row in self._moving:
            found[row] = marker_in_world(here, int(self.markers[row]), scale)[0]
        return found


def _is_surface(structure: DrawableStructure, marker: int, radius: float) -> bool:
    """Whether all points of the drawn surface of a marker's body lie on the sphere."""
    record = structure.markers[marker]
    body = structure.bodies[structure.body_index(record.body)]
    if body.flexible is not None or not len(body.shape_points):
        return False
    return bool(np.all(np.abs(np.linalg.norm(body.shape_points - record.position, axis=1) - radius) < 0.02 * radius))
