"""The lists of what scenes show: bodies, symbols of joints, tracks, links between markers; spheres and planes of contacts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.view.contact_phases import Closed, closed_contacts
from flexmbs.view.drawable import DrawableBody, DrawableResult, DrawableStructure
from flexmbs.view.exaggerated_motion import in_world
from flexmbs.view.solids import Solid, axes_along, joined, joint_size, joint_symbol, polygons, sphere, thickness_at, tube, vtk_faces

#: Of bodies, in the order of the mechanism (after Tol 2021, "muted", lightened so that edges and text stay visible).
BODIES = ("#6f9bd1", "#e0a458", "#74b26f", "#c97fb5", "#4fb3bf", "#d9776d", "#8f7fd6", "#c2bd4e", "#8f9aa8", "#96705a")
GROUND, SHAPE, PLANE, JOINT = "#d7dbe1", "#98a2b0", "#c9ced6", "#4a5361"
SPRING, LINE, TRACK = "#3d7f5f", "#3f4650", "#767f8c"
#: Groups of parts, in the order in which they are listed.
GROUPS = ("bodies", "contact shapes", "joints", "tracks", "springs", "cables")
SYMBOL = 0.019  # size of symbols relative to the size of the mechanism
ROD = 0.006  # radius of the rods that stand for bodies without a shape
COIL, WIRE = 0.018, 0.0035
TORSION, SPIRAL, INNER, TURNS = "torsion spring", 0.035, 0.45, 3  # radius relative to the size, the inner one to it
MARGIN = 0.1  # around what is touched of a plane, relative to the size of the motion
PATH, PATHS = 9, 60  # times at which the path of a contact over its plane is looked at; most contacts looked at
NO_LINES = np.zeros((0, 2), dtype=np.int64)
SLENDER = 0.02  # scatter of points across a line, relative to that along it, up to which they are a beam


@dataclass(frozen=True)
class Part:
    """A surface that moves with a body or with a marker.

    Attributes
    ----------
    name : what the user calls it
    group : one of :data:`GROUPS`
    body : index of the body it moves with
    marker : None, or index of the marker it moves with (``points`` are in the axes of that marker)
    color : "#rrggbb"
    points : (np, 3) m in axes of the body or of the marker, undeformed
    faces : (k,) int, VTK style [count, i, j, k, ...]
    lines : (k, 2) int, pairs of points drawn as lines
    flexible : the body whose modes deform it (``points`` are ``flexible.surface.points``), or None
    opacity : 1 is opaque
    flat : whether its facets have sharp corners
    """

    name: str
    group: str
    body: int
    color: str
    points: np.ndarray
    faces: np.ndarray
    marker: int | None = None
    lines: np.ndarray = field(default_factory=lambda: NO_LINES)
    flexible: FlexibleBody | None = None
    opacity: float = 1.0
    flat: bool = True


@dataclass(frozen=True)
class Link:
    """A line between markers: a spring (a coil), a damper, a rod, a cable.

    Attributes
    ----------
    kind : as the mechanism calls it: "spring damper", "bushing", "rod", "cable" ...
    markers : indices into ``structure.markers``, two or more
    coil : whether it is drawn as a coil
    radius : m, of the coil, or of the line
    radii, axis : of a belt, m of its pulleys (negative on its other side), and (3,) their axis in axes of the first
        marker; :func:`flexmbs.view.solids.belt` makes the line of them
    """

    name: str
    group: str
    kind: str
    color: str
    markers: tuple[int, ...]
    coil: bool
    radius: float
    radii: tuple[float, ...] = ()
    axis: np.ndarray | None = None


class SceneParts(NamedTuple):
    """Everything that a scene shows of a mechanism."""

    parts: tuple[Part, ...]
    links: tuple[Link, ...]


def scene_parts(result: DrawableResult, size: float) -> SceneParts:
    """Parts and links of a result whose motion has this ``size`` (m), without spheres and planes of contacts."""
    structure = result.structure
    parts = [_body(structure, index, size) for index in range(1, len(structure.bodies))]
    parts += [*_outlines(structure), *_joints(structure, size), *_tracks(structure, size), *_spirals(structure, size)]
    return SceneParts(tuple(part for part in parts if len(part.points)), _links(structure, size))


def body_color(number: int) -> str:
    """Colour of the body with this number (ground is 0; the first body is 1)."""
    return GROUND if number == 0 else BODIES[(number - 1) % len(BODIES)]


def on_ground(structure: DrawableStructure, shapes: Iterable[tuple[int, np.ndarray]]) -> list[np.ndarray]:
    """(k, 3) m, world: points of those ``shapes`` (marker, and points in its axes) that have any and are on ground."""
    marks = [(structure.markers[marker], points) for marker, points in shapes if len(points)]
    return [mark.position + points @ mark.rotation.T for mark, points in marks if mark.body == structure.bodies[0].name]


def used_places(structure: DrawableStructure, body: DrawableBody) -> list[np.ndarray]:
    """(3,) m each, in axes of the body: markers at which joints, springs and cables end."""
    marks = [structure.markers[index] for index in used_markers(structure)]
    return [mark.position for mark in marks if mark.body == body.name]


def used_markers(structure: DrawableStructure) -> list[int]:
    """Markers at which joints, springs and cables end."""
    used = {index for joint in structure.joints for index in (joint.marker_a, joint.marker_b)}
    return sorted(used | {int(index) for link in structure.links for index in link.markers})


def _body(structure: DrawableStructure, index: int, size: float) -> Part:
    body, color = structure.bodies[index], body_color(index)
    if body.flexible is not None:
        surface = body.flexible.surface
        rings = polygons(surface.faces)
        lines = rings.pop(2, NO_LINES) if len(surface.faces) else _along_beam(surface.points)  # elements of beams
        faces = vtk_faces(*rings.values())
        return Part(body.name, "bodies", index, color, surface.points, faces, lines=lines, flexible=body.flexible)
    if len(body.shape_points):
        return Part(body.name, "bodies", index, color, body.shape_points, body.shape_faces)
    solid = _rods(structure, body, size)
    return Part(body.name, "bodies", index, color, solid.points, solid.faces, flat=False)


def _along_beam(points: np.ndarray) -> np.ndarray:
    """(k, 2) pairs of neighbours along points that lie near a line: the axis of a beam without elements; else none."""
    if len(points) < 2:
        return NO_LINES
    away = points - points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(away, full_matrices=False)
    if len(sizes) > 1 and sizes[1] > SLENDER * sizes[0]:
        return NO_LINES
    order = np.argsort(away @ axes[0], kind="stable")
    return np.stack([order[:-1], order[1:]], axis=1).astype(np.int64)


def _rods(structure: DrawableStructure, body: DrawableBody, size: float) -> Solid:
    """A body without a shape: a ball at its centre, and rods to its markers that joints and forces use."""
    far = [end for end in used_places(structure, body) if np.linalg.norm(end - body.center) > 2.0 * ROD * size]
    solids = [tube(np.array([body.center, end], dtype=float), ROD * size) for end in far]
    return joined([sphere(2.0 * ROD * size).moved(body.center, np.eye(3)), *solids])


def marker_part(structure: DrawableStructure, marker: int, name: str, group: str, color: str, solid: Solid, **look: Any) -> Part:
    """A part that moves with a marker, whose name it has unless it is given; ``solid``: in axes of the marker."""
    record = structure.markers[marker]
    name = name or f"{record.body}.{record.name}"
    return Part(name, group, structure.body_index(record.body), color, *solid, marker, **look)


def _outlines(structure: DrawableStructure) -> list[Part]:
    found = []
    for outline in structure.outlines:
        on_ground = structure.markers[outline.marker].body == structure.bodies[0].name
        color, opacity = (PLANE, 1.0) if on_ground else (SHAPE, 0.6)
        shape = Solid(np.asarray(outline.points, dtype=float), outline.faces)
        found.append(marker_part(structure, outline.marker, "", "contact shapes", color, shape, opacity=opacity))
    return found


def _joints(structure: DrawableStructure, size: float) -> list[Part]:
    found = []
    for joint in structure.joints:
        own = joint_size(structure, joint, SYMBOL * size)
        solid = joint_symbol(joint, own, thickness_at(structure, joint, own))
        place = joint.marker_b if len(joint.curve) else joint.marker_a  # on a curve, where it is now
        found.append(marker_part(structure, place, joint.name, "joints", JOINT, solid, flat=False))
    return found


def _tracks(structure: DrawableStructure, size: float) -> list[Part]:
    """Curves along which joints move, each once."""
    curves = {(joint.marker_a, joint.curve.tobytes()): joint for joint in reversed(structure.joints) if len(joint.curve) > 1}
    every = reversed(curves.values())
    return [marker_part(structure, one.marker_a, one.name, "tracks", TRACK, tube(one.curve, 0.3 * ROD * size)) for one in every]


def _spirals(structure: DrawableStructure, size: float) -> list[Part]:
    """Torsion springs, as spirals about the axis of the hinge that they are at (without one the z axis of their marker)."""
    turn = np.linspace(0.0, 2.0 * np.pi * TURNS, 24 * TURNS + 1)
    spiral = np.linspace(INNER, 1.0, len(turn))[:, None] * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    found = []
    for link in structure.links:
        if link.kind != TORSION:
            continue
        record = structure.markers[link.markers[0]]
        ends = {structure.markers[marker].body for marker in link.markers}
        hinges = [joint for joint in structure.joints if len(joint.free_rotations) == 1]
        hinges = [joint for joint in hinges if {structure.markers[m].body for m in (joint.marker_a, joint.marker_b)} == ends]
        axis, beside = np.array([0.0, 0.0, 1.0]), 0.0
        if hinges:
            axis = record.rotation.T @ structure.markers[hinges[0].marker_a].rotation @ hinges[0].free_rotations[0]
            beside = thickness_at(structure, hinges[0], joint_size(structure, hinges[0], SYMBOL * size))  # else it is inside
        path = SPIRAL * size * spiral @ axes_along(axis).T
        sides = (1.0, -1.0) if beside else (0.0,)
        solid = joined([tube(path + side * 1.05 * beside * axis, 0.06 * SPIRAL * size) for side in sides])
        found.append(marker_part(structure, link.markers[0], link.name, "springs", SPRING, solid, flat=False))
    return found


def _links(structure: DrawableStructure, size: float) -> tuple[Link, ...]:
    found = []
    for link in structure.links:
        if link.kind == TORSION:
            continue
        coil = link.kind.startswith(("spring", "bushing"))
        group, color = ("springs", SPRING) if coil else ("cables", LINE)
        radius = (COIL if coil else WIRE) * size
        hinges = [joint for joint in structure.joints if joint.marker_a == link.markers[0] and len(joint.free_rotations) == 1]
        axis = hinges[0].free_rotations[0] if hinges and len(link.radii) else None  # of the first pulley
        radii = () if axis is None else tuple(link.radii)
        found.append(Link(link.name, group, link.kind, color, tuple(map(int, link.markers)), coil, radius, radii, axis))
    return tuple(found)


def sphere_parts(structure: DrawableStructure) -> list[Part]:
    """Spheres of contacts, each once, without those on which all points of the surface of their body lie."""
    found = []
    for marker, radius in contact_spheres(structure):
        away = _distances(structure, marker)
        if not len(away) or np.any(np.abs(away - radius) >= 0.02 * radius):
            look = {"opacity": 0.6, "flat": False}
            found.append(marker_part(structure, marker, "", "contact shapes", SHAPE, sphere(radius), **look))
    return found


def plane_parts(result: DrawableResult, size: float) -> list[Part]:
    """Planes of contacts, each once, as far as they are touched or nearly; ``size`` of the motion, m."""
    planes: dict[tuple[int, bytes], list[int]] = {}
    for index, pair in enumerate(result.structure.contacts):
        if pair.normal is not None:
            planes.setdefault((pair.marker_b, np.asarray(pair.normal, dtype=float).tobytes()), []).append(index)
    closed = closed_contacts(result) if planes else {}
    return [_plane(result, indices, closed, MARGIN * size) for indices in planes.values()]


def _plane(result: DrawableResult, indices: list[int], closed: dict[int, list[Closed]], margin: float) -> Part:
    """The rectangle of a plane that these contacts touch, and at least ``margin`` (m) around it."""
    structure, first = result.structure, result.structure.contacts[indices[0]]
    few = indices[:: max(1, len(indices) // PATHS)]
    count = max(2, min(PATH, PATHS // len(few)))
    margin = max(_margin(structure, index, margin) + structure.contacts[index].radius_a for index in few)
    _, _, axes = np.linalg.svd(np.asarray(first.normal, dtype=float)[None])  # rows: the normal, two directions in the plane
    paths = [_path(result, index, closed.get(index), count) @ axes[1:].T for index in few]
    around = np.concatenate(paths)
    low, high = around.min(axis=0), around.max(axis=0)
    if np.all(high - low < margin):  # touched in one place
        low = high = np.mean([path[0] for path in paths], axis=0)
    (x0, y0), (x1, y1) = low - margin, high + margin
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]) @ axes[1:]
    name, shape = first.name if len(indices) == 1 else "", Solid(corners, np.array([4, 0, 1, 2, 3]))
    return marker_part(structure, first.marker_b, name, "contact shapes", PLANE, shape, opacity=0.5)


def _margin(structure: DrawableStructure, index: int, margin: float) -> float:
    """``margin`` (m) around what touches a plane, or so much that the plane is seen around the body."""
    away = _distances(structure, structure.contacts[index].marker_a)
    return max(margin, min(1.3 * float(away.min()), 4.0 * margin)) if len(away) else margin


def _path(result: DrawableResult, index: int, closed: list[Closed] | None, count: int) -> np.ndarray:
    """(k, 3) m, axes of the marker of a plane: the other marker while contact ``index`` is closed, or where it is nearest."""
    nearest = result.t[int(np.argmin(result.trajectory.contact_gap[:, index]))]
    times = np.linspace(closed[0].start, closed[-1].end, count) if closed else [nearest]
    here, pair = result.resampled(np.unique(times)), result.structure.contacts[index]
    (origin, axes), (place, _) = (in_world(here, marker) for marker in (pair.marker_b, pair.marker_a))
    return np.einsum("fji,fj->fi", axes, place - origin)


def contact_spheres(structure: DrawableStructure) -> list[tuple[int, float]]:
    """Marker and radius (m) of the spheres of contacts, each once."""
    pairs = structure.contacts
    ends = [(pair.marker_a, pair.radius_a) for pair in pairs] + [(pair.marker_b, pair.radius_b) for pair in pairs]
    return [(int(marker), float(radius)) for marker, radius in dict.fromkeys(ends) if radius > 0.0]


def _distances(structure: DrawableStructure, marker: int) -> np.ndarray:
    """(k,) m from a marker to the points of the drawn surface of its body; none of a flexible body."""
    record = structure.markers[marker]
    body = structure.bodies[structure.body_index(record.body)]
    return np.linalg.norm(body.shape_points - record.position, axis=1) if body.flexible is None else np.zeros(0)
