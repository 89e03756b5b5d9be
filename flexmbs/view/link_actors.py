"""Springs as coils, and cables, belts and rods as lines, between markers that move."""

from __future__ import annotations

import numpy as np

from flexmbs.view.drawable import DrawableResult
from flexmbs.view.exaggerated_motion import marker_in_world
from flexmbs.view.parts.joint_symbols import belt, coil
from flexmbs.view.parts.scene_parts import Link
from flexmbs.view.parts.solids import axes_along, tube

_WIRE = 0.16  # radius of the wire of a coil relative to that of the coil
_SIDES = 6
STRETCHED = 1.4  # change of length up to which the points of a coil are stretched


class LinkActors:
    """Lines between markers in a pyvista plotter."""

    def __init__(self, plotter, links: tuple[Link, ...], here: DrawableResult, scale: float) -> None:
        import pyvista

        self._links, self._meshes = links, []
        self._coils: dict[int, tuple[float, np.ndarray]] = {}  # length, and points along z at that length
        for link in links:
            solid = tube(path_of(link, here, scale), *_thickness(link))
            mesh = pyvista.PolyData(solid.points, solid.faces)
            plotter.add_mesh(mesh, color=link.color, ambient=0.3, pickable=False, reset_camera=False)
            self._meshes.append(mesh)

    def move(self, here: DrawableResult, scale: float) -> None:
        """Put every line between its markers in a one-time result as drawn."""
        for number, (link, mesh) in enumerate(zip(self._links, self._meshes, strict=True)):
            if link.coil:
                mesh.points[:] = self._coil(number, link, *_ends(link, here, scale))
            else:
                mesh.points[:] = tube(path_of(link, here, scale), *_thickness(link)).points
            mesh.Modified()

    def _coil(self, number: int, link: Link, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Points of the wire: those of nearly the same length stretched, which is much faster than a new tube."""
        length = max(float(np.linalg.norm(end - start)), 1e-12)
        known, points = self._coils.get(number, (0.0, np.zeros((0, 3))))
        if not known / STRETCHED < length < known * STRETCHED:
            known = length
            points = tube(coil(np.zeros(3), np.array([0.0, 0.0, length]), link.radius), *_thickness(link)).points
            self._coils[number] = known, points
        along = end - start if length > 1e-12 else np.array([0.0, 0.0, 1.0])
        return start + (points * [1.0, 1.0, length / known]) @ axes_along(along).T


def _ends(link: Link, here: DrawableResult, scale: float) -> tuple[np.ndarray, np.ndarray]:
    first, last = (marker_in_world(here, marker, scale)[0] for marker in (link.markers[0], link.markers[-1]))
    return first, last


def path_of(link: Link, here: DrawableResult, scale: float) -> np.ndarray:
    """(k, 3) m, world: the wire of a coil, the line of a belt, or the markers that a cable passes."""
    places = np.array([marker_in_world(here, marker, scale)[0] for marker in link.markers])
    if link.axis is not None:
        return belt(places, np.array(link.radii), marker_in_world(here, link.markers[0], scale)[1] @ link.axis)
    return coil(places[0], places[-1], link.radius) if link.coil else places


def _thickness(link: Link) -> tuple[float, int]:
    return (_WIRE * link.radius if link.coil else link.radius), _SIDES
