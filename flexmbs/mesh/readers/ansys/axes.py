"""Directions: local axes of beams and of materials, and nodes whose displacements are in turned systems."""

from __future__ import annotations

import math

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem, unit_vectors
from flexmbs.mesh.element_kinds import is_shell, is_solid
from flexmbs.mesh.materials import AnisotropicMaterial, OrthotropicMaterial
from flexmbs.mesh.readers.ansys.deck import Deck
from flexmbs.mesh.readers.ansys.element_groups import Group
from flexmbs.mesh.readers.ansys.node_commands import rotation, system_of

_ALONG_Z = 1e-4  # sine of the angle below which Ansys takes a beam as parallel to global z


def beam_axes(points: np.ndarray, group: Group, turned: float) -> np.ndarray | None:
    """(k, 3) directions of local y of beams.

    With an orientation node K the local z axis points to it; without, local y is parallel to the global x-y plane
    (beams along global z: y is global y).
    """
    if not group.rows.kind.startswith("beam"):
        return None
    all_points, points = points, points[group.rows.nodes]
    along = points[:, 1] - points[:, 0]
    length = np.linalg.norm(along, axis=1, keepdims=True)
    along = along / np.where(length > 0.0, length, 1.0)
    towards = np.tile([0.0, 0.0, 1.0], (len(along), 1))
    y = np.cross(towards, along)
    upright = np.linalg.norm(y, axis=1) < _ALONG_Z
    y[upright] = (0.0, 1.0, 0.0)
    orientation = group.rows.data.get("orientation", np.full(len(points), -1))
    given = np.flatnonzero(orientation >= 0)
    if given.size:
        across = np.cross(all_points[orientation[given]] - points[given, 0], along[given])
        size = np.linalg.norm(across, axis=1)
        wrong = np.flatnonzero(size <= 1e-8 * np.maximum(length[given, 0], 1e-300))
        if wrong.size:
            where, number = group.rows.where(given[wrong[0]]), group.rows.ids[given[wrong[0]]]
            raise MeshError(f"{where}: the orientation node of beam {number} lies on the line of the beam; use another.")
        y[given] = across
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return math.cos(turned) * y + math.sin(turned) * np.cross(along, y)


def material_axes(deck: Deck, group: Group, fields) -> np.ndarray | None:
    """(k, 3, 3) directions of materials that are not the same in all of them; None where they do not matter."""
    kind, system_number = group.rows.kind, group.key[4]
    layers = getattr(fields["section"], "layers", ())
    directed = isinstance(fields["material"], OrthotropicMaterial | AnisotropicMaterial)
    directed |= any(isinstance(layer.material, OrthotropicMaterial | AnisotropicMaterial) for layer in layers)
    if not directed or not (is_solid(kind) or is_shell(kind)) or (is_solid(kind) and system_number == 0):
        return None
    points = deck.nodes.points[group.rows.nodes]
    if system_number:
        return _system_directions(deck, group, system_number, points.mean(axis=1))
    return _shell_directions(points, kind)


def _system_directions(deck: Deck, group: Group, number: int, centers: np.ndarray) -> np.ndarray:
    system = system_of(deck, number)
    if system is None:
        raise MeshError(
            f"{group.rows.where(0)}: element {group.rows.ids[0]} has coordinate system {number}, which no LOCAL or CS defines."
        )
    directions = system.directions(centers)
    if system.kind == "spherical":  # Ansys: radius, azimuth, elevation
        directions = np.stack([directions[..., 0], directions[..., 2], -directions[..., 1]], axis=-1)
    return directions


def _shell_directions(points: np.ndarray, kind: str) -> np.ndarray:
    """Ansys's own axes of shells: x along the first natural direction, z along the normal."""
    if kind.startswith("quad"):
        x = points[:, 1] + points[:, 2] - points[:, 0] - points[:, 3]
        across = points[:, 2] + points[:, 3] - points[:, 0] - points[:, 1]
    else:
        x, across = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
    z = np.cross(x, across)
    x = unit_vectors(x)
    z = unit_vectors(z)
    return np.stack([x, np.cross(z, x), z], axis=-1)


def displacement_systems(deck: Deck) -> dict[str, tuple[CoordinateSystem, np.ndarray]]:
    """Systems of the nodes that have rotation angles, with the indices of their nodes."""
    if not deck.angles:
        return {}
    ids = np.concatenate([ids for ids, _ in deck.angles])
    angles = np.concatenate([angles for _, angles in deck.angles])
    # The last statement about a node counts.
    _, last = np.unique(ids[::-1], return_index=True)
    chosen = len(ids) - 1 - last
    indices = deck.nodes.find(ids[chosen])
    known = (indices >= 0) & np.isfinite(angles[chosen]).all(axis=1)
    indices, angles = indices[known], angles[chosen][known]
    triples, which = np.unique(angles, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    pieces = np.split(indices[order], np.flatnonzero(np.diff(which.ravel()[order])) + 1)
    systems = {}
    for triple, nodes in zip(triples, pieces, strict=False):
        name = "NODE ANGLES " + ",".join(f"{angle:.10g}" for angle in triple)
        systems[name] = (CoordinateSystem(name, "rectangular", np.zeros(3), rotation(triple)), np.sort(nodes))
    return systems
