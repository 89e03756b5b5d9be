"""Springs, rods and cables of an exported scene: meshes of unit length that a node stretches between two markers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.result.export.parts import ExportedPart, Faces, Motion, mechanism_size
from flexmbs.view.parts.joint_symbols import coil
from flexmbs.view.parts.scene_parts import Link, scene_parts
from flexmbs.view.parts.solids import EMPTY, Solid, axes_along, cylinder, tube

_WIRE = 0.16  # radius of the wire of a coil, relative to that of the coil


@dataclass(frozen=True, eq=False)
class Stretched:
    """A link between two markers.

    Attributes
    ----------
    solid : from z = 0 to z = 1 m
    place : (k, 3) m, of its start; turn : (k, 3, 3), third columns point to its end; scale : (k, 3), of its length
    """

    name: str
    kind: str
    color: str
    solid: Solid
    place: np.ndarray
    turn: np.ndarray
    scale: np.ndarray


def stretched_links(result: Any, motion: Motion) -> list[Stretched]:
    """All links of a result; a cable is one between each two of its markers."""
    found = []
    for link in scene_parts(result, mechanism_size(result)).links:
        ends = [_place(result, motion, marker) for marker in link.markers]
        for first, last in zip(ends, ends[1:], strict=False):
            lengths = np.linalg.norm(last - first, axis=1)
            if lengths.max(initial=0.0) > 0.0:
                found.append(_between(link, first, last, lengths))
    return found


def _place(result: Any, motion: Motion, marker: int) -> np.ndarray:
    """(k, 3) m, where a marker is in the world."""
    record = result.structure.markers[marker]
    body = result.structure.body_index(record.body)
    none = Faces.of_vtk(EMPTY.faces)
    part = ExportedPart(record.name, "", EMPTY.points, none, "", 1.0, body, result.structure.bodies[body], record, None)
    return motion.frames(part)[0]


def _between(link: Link, first: np.ndarray, last: np.ndarray, lengths: np.ndarray) -> Stretched:
    up, turns = np.array([0.0, 0.0, 1.0]), []
    for span, length in zip(last - first, lengths, strict=True):
        up = span / length if length > 0.0 else up
        turns.append(axes_along(up))
    scale = np.ones((len(lengths), 3))
    scale[:, 2] = np.maximum(lengths, 1e-9)
    return Stretched(link.name, link.kind, link.color, _unit(link, float(lengths[0]) or 1.0), first, np.array(turns), scale)


def _unit(link: Link, length: float) -> Solid:
    """The link at ``length`` m, its z divided by the length."""
    if not link.coil:
        return cylinder(np.zeros(3), np.array([0.0, 0.0, 1.0]), link.radius, sides=12)
    solid = tube(coil(np.zeros(3), np.array([0.0, 0.0, length]), link.radius), _WIRE * link.radius, sides=6)
    return solid._replace(points=solid.points / [1.0, 1.0, length])
