"""Parts and links of a scene as actors of pyvista."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.reduction.recovery import surface_displacement
from flexmbs.view.canvas import in_front, surface
from flexmbs.view.colours import has_values, mixed, values_of
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.exaggerated_motion import marker_in_world
from flexmbs.view.look import Look
from flexmbs.view.scene_parts import Link, Part
from flexmbs.view.solids import EMPTY, Solid, axes_along, belt, coil, light_and_dark, tube, vtk_faces

SHARP = 30.0  # deg between faces, from which their edge is drawn
DARKER, OF_EDGES = 0.22, 0.5  # black in shades of the quarters of bodies of revolution, and of edges
AMBIENT = 0.25
QUIET = {"pickable": False, "reset_camera": False}
LINE = 6  # pixels, of beams without a drawn section
APART = 8  # parts that are drawn at different depths where they lie in one plane
_CROWD = 80  # parts; of more, none has edges or a shadow


class PartActors:
    """Moves parts with their bodies or markers.

    ``flattening``: (4, 4) projection onto the floor, or None for no shadows.
    """

    def __init__(self, plotter, parts: tuple[Part, ...], look: Look, flattening: np.ndarray | None) -> None:
        self.plotter, self.look, self.flattening = plotter, look, flattening
        self._known: dict[tuple[bytes, bytes], Any] = {}
        plain = sum(part.group != "contact shapes" for part in parts) > _CROWD
        self.shown = [_Shown(self, part, number, plain) for number, part in enumerate(parts)]

    def shaded(self, mesh):
        """The mesh with normals; the same object for the same mesh."""
        key = np.asarray(mesh.points).tobytes(), np.asarray(mesh.faces).tobytes()
        if key not in self._known:
            self._known[key] = _shaded(mesh)
        return self._known[key]

    def recolor(self, color: str, limits: tuple[float, float]) -> None:
        """Show another quantity, with the range ``limits`` in the unit of the bar."""
        for one in self.shown:
            one.actor.mapper.scalar_visibility = has_values(one.part.flexible, color)
            one.actor.mapper.scalar_range = limits

    def move(self, here: DrawableResult, scale: float, color: str, factor: float) -> None:
        """Put everything where it is in a one-time result as drawn; values of ``color`` are times ``factor``."""
        for one in self.shown:
            one.place(_frame(here, one.part, scale))
            if one.part.flexible is not None:
                one.deform(here.trajectory.q[0, here.structure.bodies[one.part.body].coordinates], scale, color, factor)


class _Shown:
    """One part: its surface, edges, darker quarters and shadow, all with the same frame."""

    def __init__(self, of: PartActors, part: Part, number: int, plain: bool) -> None:
        self.part, self._flattening, self._shadow = part, of.flattening, None
        is_rigid_body = part.flexible is None and part.group == "bodies"
        light, dark = light_and_dark(part.points, part.faces) if is_rigid_body and not plain else (None, EMPTY)
        self.surface = surface(part.points, part.faces, vtk_faces(part.lines))
        look = {"color": part.color, "opacity": part.opacity, **QUIET}
        if part.flexible is None:
            shaded = of.shaded(self.surface if light is None else surface(*light))
            self.actor = of.plotter.add_mesh(shaded, smooth_shading=True, ambient=AMBIENT, **look)
        else:
            self.surface.point_data["value"] = np.zeros(len(part.points))
            if len(part.lines):
                look |= {"line_width": LINE, "render_lines_as_tubes": True}
            elif not len(part.faces):  # bodies of other tools: nodes without elements
                look |= {"point_size": 8, "render_points_as_spheres": True}
            look |= {"ambient": 0.35, "scalars": "value", "cmap": of.look.color_map, "clim": (0.0, 1.0), "show_scalar_bar": False}
            self.actor = of.plotter.add_mesh(self.surface, **look)
        self._of_frame = [self.actor]
        in_front(self.actor, 2.0 * (number % APART))  # faces of two parts in one plane do not flicker
        if is_rigid_body:
            self._add_marks(of, dark, plain)
        if part.group == "bodies" and of.flattening is not None and not plain:
            look = {"color": of.look.shadow, "lighting": False, "point_size": 4, "scalars": None, "show_scalar_bar": False, **QUIET}
            self._shadow = of.plotter.add_mesh(self.surface, **look)
            self._shadow.mapper.scalar_visibility = False

    def place(self, frame: np.ndarray) -> None:
        for actor in self._of_frame:
            actor.user_matrix = frame
        if self._shadow is not None:
            self._shadow.user_matrix = self._flattening @ frame

    def deform(self, q: np.ndarray, scale: float, color: str, factor: float) -> None:
        flexible = self.part.flexible
        assert flexible is not None
        moved = surface_displacement(flexible, q)
        self.surface.points[:] = self.part.points + scale * moved
        if has_values(flexible, color):
            self.surface.point_data["value"][:] = factor * values_of(flexible, q, color, moved)
        self.surface.Modified()

    def _add_marks(self, of: PartActors, dark: Solid, plain: bool) -> None:
        """Edges, and quarters that show how a round body turns."""
        if len(dark.faces):
            look = {"color": mixed(self.part.color, "#000000", DARKER), "opacity": self.part.opacity, "ambient": AMBIENT, **QUIET}
            quarters = _shaded(surface(*dark))
            self._of_frame.append(of.plotter.add_mesh(quarters, smooth_shading=True, **look))
        if plain:
            return
        edges = self.surface.extract_feature_edges(SHARP, boundary_edges=True, non_manifold_edges=False)
        if edges.n_cells:
            color = mixed(self.part.color, "#000000", OF_EDGES)
            actor = of.plotter.add_mesh(edges, color=color, line_width=1, lighting=False, **QUIET)
            in_front(actor, -2.0, -2.0)
            self._of_frame.append(actor)


def _frame(here: DrawableResult, part: Part, scale: float) -> np.ndarray:
    """(4, 4) of the marker or the body with which a part moves."""
    found = np.eye(4)
    if part.marker is not None:
        found[:3, 3], found[:3, :3] = marker_in_world(here, part.marker, scale)
    else:
        run = here.trajectory
        found[:3, 3], found[:3, :3] = run.body_position[0, part.body], run.body_rotation[0, part.body]
    return found


def _shaded(mesh):
    """The mesh with normals: smooth where faces meet at less than SHARP."""
    if not mesh.n_cells:
        return mesh
    return mesh.compute_normals(split_vertices=True, feature_angle=SHARP, auto_orient_normals=False)


_WIRE = 0.16  # radius of the wire of a coil relative to that of the coil
_SIDES = 6
STRETCHED = 1.4  # change of length up to which the points of a coil are stretched


class LinkActors:
    """Lines between markers in a pyvista plotter."""

    def __init__(self, plotter, links: tuple[Link, ...], here: DrawableResult, scale: float) -> None:
        self._links, self._meshes = links, []
        self._coils: dict[int, tuple[float, np.ndarray]] = {}  # length, and points along z at that length
        for link in links:
            solid = tube(path_of(link, here, scale), *_thickness(link))
            mesh = surface(*solid)
            plotter.add_mesh(mesh, color=link.color, ambient=0.3, **QUIET)
            self._meshes.append(mesh)

    def move(self, here: DrawableResult, scale: float) -> None:
        """Put every line between its markers in a one-time result as drawn."""
        for number, (link, mesh) in enumerate(zip(self._links, self._meshes, strict=True)):
            if link.coil:
                ends = (marker_in_world(here, marker, scale)[0] for marker in (link.markers[0], link.markers[-1]))
                mesh.points[:] = self._coil(number, link, *ends)
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


def path_of(link: Link, here: DrawableResult, scale: float) -> np.ndarray:
    """(k, 3) m, world: the wire of a coil, the line of a belt, or the markers that a cable passes."""
    places = np.array([marker_in_world(here, marker, scale)[0] for marker in link.markers])
    if link.axis is not None:
        return belt(places, np.array(link.radii), marker_in_world(here, link.markers[0], scale)[1] @ link.axis)
    return coil(places[0], places[-1], link.radius) if link.coil else places


def _thickness(link: Link) -> tuple[float, int]:
    return (_WIRE * link.radius if link.coil else link.radius), _SIDES
