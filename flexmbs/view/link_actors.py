"""Springs as coils, and cables, belts and rods as lines, between markers that move."""

from __future__ import annotations

import numpy as np

from flexmbs.view.drawable import DrawableResult
from flexmbs.view.exaggerated_motion import marker_in_world
from flexmbs.view.parts.links import coil
from flexmbs.view.parts.scene_parts import Link
from flexmbs.view.parts.solids import tube

_WIRE = 0.16  # radius of the wire of a coil relative to that of the coil
_SIDES = 6


class LinkActors:
    """Lines between markers in a pyvista plotter."""

    def __init__(self, plotter, links: tuple[Link, ...], here: DrawableResult, scale: float) -> None:
        import pyvista

        self._links, self._meshes = links, []
        for link in links:
            solid = tube(path_of(link, here, scale), *_thickness(link))
            mesh = pyvista.PolyData(solid.points, solid.faces)
            plotter.add_mesh(mesh, color=link.color, ambient=0.3, pickable=False, reset_camera=False)
            self._meshes.append(mesh)

    def move(self, here: DrawableResult, scale: float) -> None:
        """Put every line between its markers in a one-time result as drawn."""
        for link, mesh in zip(self._links, self._meshes, strict=True):
            mesh.points[:] = tube(path_of(link, here, scale), *_thickness(link)).points
            mesh.Modified()


def path_of(link: Link, here: DrawableResult, scale: float) -> np.ndarray:
    """(k, 3) m, world: the wire of a coil, or the markers that a cable passes."""
    places = np.array([marker_in_world(here, marker, scale)[0] for marker in link.markers])
    return coil(places[0], places[-1], link.radius) if link.coil else places


def _thickness(link: Link) -> tuple[float, int]:
    return (_WIRE * link.radius if link.coil else link.radius), _SIDES
