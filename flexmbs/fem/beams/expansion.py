"""Beams with offsets, three nodes or a taper, as the uniform straight two-node beams that are computed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.fem.beams.elements import beam_frames, checked_section
from flexmbs.mesh.mesh import Coupling, ElementBlock, Mesh
from flexmbs.mesh.properties import BeamSection

_KINDS = ("beam2", "beam3")
_PLACES = {"beam2": np.array([0.0, 1.0]), "beam3": np.array([0.0, 0.5, 1.0])}  # of the nodes, one after the other
_IN_TURN = {"beam2": [0, 1], "beam3": [0, 2, 1]}  # ends first, then the middle, in ``ElementBlock.nodes``
# Parts of the mesh's size: an offset below it is none, and two points nearer than that are one.
_SAME_PLACE = 1e-12
# A chord of an arc of angle a is a^2 / 24 short: a thin ring of 16 elements errs by 3e-4 in its frequencies (of 8 by
# 1e-3, for a parabola is no arc), with 0.1 rad by 1.2e-3.
_LARGEST_TURN = 0.05
# What changes most changes by this factor from piece to piece. A cantilever whose area and moments fall to a half gets
# 29 pieces, and errs by 3e-4 in its frequencies (15 pieces, 1.05: 1.1e-3).
_LARGEST_STEP = 1.025
_MOST_PIECES = 64


def expanded(mesh: Mesh) -> Mesh:
    """The mesh with all its beams straight, uniform, of two nodes and with their centroids on their nodes.

    - A beam whose centroid lies off its nodes (``ElementBlock.offsets``, ``BeamSection.centroid``) runs between added
      points, one at each node for all beams that end there; a rigid coupling joins them to the node.
    - A three-node beam becomes two through its middle node; where it is curved, chords of its parabola that turn by
      0.05 rad at most, with added nodes between.
    - A tapered beam becomes uniform pieces with the section in their middle; area, moments, torsion constant, centroid
      and mass vary linearly from end to end (Nastran, PBEAM), by at most 2.5 % from piece to piece.

    Added points come after the mesh's own, with numbers above the file's; pieces keep the number of their element, and
    element sets hold all of them. The mesh itself comes back when there is nothing to do.

    Raises
    ------
    MeshError
        Such a beam has no section or an impossible one, or lies along its section's y axis.
    """
    if not any(_is_expanded(block) for block in mesh.blocks):
        return mesh
    added = _AddedPoints(mesh)
    blocks: list[ElementBlock] = []
    owners, first = [], 0
    for block in mesh.blocks:
        own = first + np.arange(len(block.ids))
        made = _pieces(mesh, block, own, added) if _is_expanded(block) else [(block, own)]
        blocks += [piece for piece, _ in made]
        owners += [owner for _, owner in made]
        first += len(own)
    owner = np.concatenate(owners)
    return replace(
        mesh,
        points=np.vstack([mesh.points, *added.points]),
        node_ids=np.concatenate([mesh.node_ids, mesh.node_ids.max() + 1 + np.arange(len(added.points))]),
        blocks=tuple(blocks),
        couplings=(*mesh.couplings, *added.couplings()),
        element_sets={name: np.flatnonzero(np.isin(owner, rows)) for name, rows in mesh.element_sets.items()},
    )


def _is_expanded(block: ElementBlock) -> bool:
    if block.kind not in _KINDS or not len(block.ids):
        return False
    section = block.section
    if isinstance(section, BeamSection) and (np.any(section.centroid) or section.end is not None):
        return True
    return block.kind == "beam3" or (block.offsets is not None and bool(np.any(np.nan_to_num(block.offsets))))


class _AddedPoints:
    """Points added after those of the mesh: free points, and points that follow a node rigidly."""

    def __init__(self, mesh: Mesh) -> None:
        self._mesh, self._size = mesh, np.ptp(mesh.points, axis=0).max()
        self.points: list[np.ndarray] = []
        self._followers: dict[int, dict[tuple, int]] = {}
        self._where: dict[int, str] = {}

    def free(self, position: np.ndarray) -> int:
        """Index of a new point at ``position`` (3,), m."""
        self.points.append(np.asarray(position, float))
        return len(self._mesh.points) + len(self.points) - 1

    def following(self, node: int, position: np.ndarray, where: str) -> int:
        """Index of the point at ``position`` (3,) that moves with ``node``; the node itself where they coincide."""
        tolerance = _SAME_PLACE * self._size
        offset = position - self._mesh.points[node]
        if np.abs(offset).max() <= tolerance:
            return node
        others = self._followers.setdefault(node, {})
        key = tuple(np.round(offset / (1e3 * tolerance)).tolist())
        if key not in others:
            others[key] = self.free(position)
            self._where.setdefault(node, where)
        return others[key]

    def couplings(self) -> list[Coupling]:
        """A rigid coupling of each node to the points that follow it."""
        ids = self._mesh.node_ids
        return [
            Coupling(f"beam offset at node {ids[node]}", "rigid", node, np.array(list(of_node.values())), where=self._where[node])
            for node, of_node in self._followers.items()
        ]


def _pieces(mesh: Mesh, block: ElementBlock, own: np.ndarray, added: _AddedPoints) -> list[tuple[ElementBlock, np.ndarray]]:
    """Blocks of straight uniform beams, each with the elements of the mesh (by ``own`` index) that its own are of."""
    section = checked_section(mesh, block)
    end = section if section.end is None else checked_section(mesh, replace(block, section=section.end))
    at_nodes = _centroids(mesh, block, section, end)
    halves = at_nodes.shape[1] - 1
    count = max(-(-_taper_pieces(section, end) // halves), _chords(block.kind, at_nodes))
    places = np.linspace(0.0, 1.0, halves * count + 1)
    positions = np.einsum("sk,eki->esi", _interpolation(block.kind, places), at_nodes)
    nodes = np.empty(positions.shape[:2], int)
    for e, in_turn in enumerate(block.nodes[:, _IN_TURN[block.kind]]):
        for s, position in enumerate(positions[e]):
            if s % count:
                nodes[e, s] = added.free(position)
            else:
                nodes[e, s] = added.following(int(in_turn[s // count]), position, block.where)
    pairs = np.stack([nodes[:, :-1], nodes[:, 1:]], axis=2)  # (ne, pieces, 2)
    plain = replace(block, kind="beam2", offsets=None)
    if section.end is None:
        uniform = replace(section, centroid=(0.0, 0.0))
        return [_rows(replace(plain, section=uniform), np.repeat(np.arange(len(own)), halves * count), pairs, own)]
    middles = 0.5 * (places[:-1] + places[1:])
    return [
        _rows(replace(plain, section=_section_at(section, end, t)), np.arange(len(own)), pairs[:, j], own)
        for j, t in enumerate(middles)
    ]


def _rows(block: ElementBlock, rows: np.ndarray, nodes: np.ndarray, own: np.ndarray) -> tuple[ElementBlock, np.ndarray]:
    y_axes = None if block.y_axes is None else np.asarray(block.y_axes)[rows]
    return replace(block, ids=np.asarray(block.ids)[rows], nodes=nodes.reshape(-1, 2), y_axes=y_axes), own[rows]


def _centroids(mesh: Mesh, block: ElementBlock, section: BeamSection, end: BeamSection) -> np.ndarray:
    """(ne, 2 or 3, 3) m: the section's centroid at the nodes, one after the other."""
    in_turn = _IN_TURN[block.kind]
    line = mesh.points[block.nodes[:, in_turn]]
    if block.offsets is not None:
        line = line + np.nan_to_num(np.asarray(block.offsets, float))[:, in_turn]
    places = _PLACES[block.kind]
    tangents = np.einsum("sk,eki->esi", _interpolation(block.kind, places, slope=True), line)
    centroids = np.empty_like(line)
    for k, t in enumerate(places):
        length = np.linalg.norm(tangents[:, k], axis=1, keepdims=True)
        frames = beam_frames(tangents[:, k] / np.where(length > 0.0, length, 1.0), block, mesh.source)
        y, z = (1.0 - t) * np.asarray(section.centroid) + t * np.asarray(end.centroid)
        centroids[:, k] = line[:, k] + y * frames[:, 1] + z * frames[:, 2]
    return centroids


def _interpolation(kind: str, t: np.ndarray, slope: bool = False) -> np.ndarray:
    """(len(t), nodes) polynomials (or their derivatives) that are 1 at one node's place and 0 at the others'."""
    powers = np.arange(len(_PLACES[kind]))
    values = t[:, None] ** powers
    if slope:
        values = powers * t[:, None] ** np.maximum(powers - 1, 0)
    return values @ np.linalg.inv(_PLACES[kind][:, None] ** powers)


def _chords(kind: str, at_nodes: np.ndarray) -> int:
    """Chords between two nodes of the most curved element."""
    tangents = np.einsum("sk,eki->esi", _interpolation(kind, _PLACES[kind], slope=True), at_nodes)
    length = np.linalg.norm(tangents, axis=2)
    cosine = np.sum(tangents[:, 1:] * tangents[:, :-1], axis=2) / np.maximum(length[:, 1:] * length[:, :-1], 1e-300)
    turn = np.arccos(np.clip(cosine, -1.0, 1.0)).max(initial=0.0)
    return int(np.clip(np.ceil(turn / _LARGEST_TURN - 1e-9), 1, _MOST_PIECES))


def _taper_pieces(section: BeamSection, end: BeamSection) -> int:
    """Uniform pieces of a tapered beam."""
    if end is section:
        return 1
    ratios = [getattr(end, name) / getattr(section, name) for name in ("area", "Iy", "Iz", "torsion_constant")]
    return int(np.clip(np.ceil(np.abs(np.log(ratios)).max() / np.log(_LARGEST_STEP)), 2, _MOST_PIECES))


def _section_at(section: BeamSection, end: BeamSection, t: float) -> BeamSection:
    """The section at t in 0..1 of a tapered beam, its centroid on the line."""

    def between(name: str):
        return (1.0 - t) * getattr(section, name) + t * getattr(end, name)

    names = ("area", "Iy", "Iz", "torsion_constant", "nonstructural_mass")
    center = (1.0 - t) * np.asarray(section.shear_center) + t * np.asarray(end.shear_center)
    alike = np.shape(section.outline) == np.shape(end.outline)
    factors = ("shear_factor_y", "shear_factor_z")
    return replace(
        section,
        **{name: between(name) for name in names},
        **{name: np.inf if np.isinf(getattr(section, name)) else between(name) for name in factors},
        outline=between("outline") if alike else section.outline if t < 0.5 else end.outline,
        centroid=(0.0, 0.0),
        shear_center=tuple(center.tolist()),
        dimensions=(),
        profile="",
        end=None,
    )
