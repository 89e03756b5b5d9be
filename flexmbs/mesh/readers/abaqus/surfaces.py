"""Surfaces: faces of elements by their labels, and the free faces of element sets."""

from __future__ import annotations

import re

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.element_kinds import KINDS, faces_of
from flexmbs.mesh.mesh import MeshSurface
from flexmbs.mesh.reader_tools.degenerate_elements import true_kinds
from flexmbs.mesh.reader_tools.numbering import ElementRows, row_labels
from flexmbs.mesh.reader_tools.shapes_to_mesh import mirrored as opposite
from flexmbs.mesh.readers.abaqus.deck import SurfaceDraft, SurfaceItem
from flexmbs.mesh.readers.abaqus.element_types import element_type
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region
from flexmbs.mesh.readers.abaqus.set_members import Sets

_TOP = {"SPOS", "POS", "SP", "P", "S2"}
_BOTTOM = {"SNEG", "NEG", "SN", "N", "S1"}
Faces = list[tuple[str, np.ndarray]]


class Surfaces:
    """The surfaces of a model by their names: faces, or the nodes of a surface of nodes."""

    def __init__(self, model: Model, node_sets: Sets, element_sets: Sets) -> None:
        self._model = model
        self._node_sets = node_sets
        self._element_sets = element_sets
        self._free: dict[int, list[np.ndarray]] = {}  # by id() of the group: of each of its faces

    def faces(self, region: Region, draft: SurfaceDraft) -> MeshSurface:
        """Faces of a surface of elements, each once."""
        parts: dict[str, list[np.ndarray]] = {}
        for item in draft.items:
            for kind, nodes in self._of_item(region, item):
                parts.setdefault(kind, []).append(nodes)
        return MeshSurface({kind: np.concatenate(nodes) for kind, nodes in parts.items()})

    def nodes(self, region: Region, draft: SurfaceDraft) -> np.ndarray:
        """Node indices of a surface, each once."""
        if not draft.of_nodes:
            return self.faces(region, draft).nodes
        parts = [self._nodes_of(region, item) for item in draft.items]
        return np.unique(np.concatenate(parts or [np.empty(0, np.int64)]))

    def find(self, region: Region, name: str) -> tuple[Region, SurfaceDraft] | None:
        """A surface by a name as a card uses it: SURFACE or INSTANCE.SURFACE."""
        place = self._model.place_of(region, name, lambda r, n: r.scope.surface(n) is not None)
        return place and (place[0], place[0].scope.surface(place[1]))

    def named(self, region: Region, name: str, where: str) -> tuple[Region, SurfaceDraft]:
        """As ``find``; MeshError starting with ``where`` when there is no such surface."""
        found = self.find(region, name)
        if found is None:
            known = [self._model.final_name(r, n) for r in self._model.regions for n in known_names(r)]
            raise MeshError(f"{where} names the surface {name}, which is not defined. {near_names(name, known)}")
        return found

    def _nodes_of(self, region: Region, item: SurfaceItem) -> np.ndarray:
        """Nodes of a node, a node set or a surface of faces."""
        found = self._node_sets.find(region, item.region)
        if found is not None:
            return found
        other = self.find(region, item.region)
        if other is not None and not other[1].of_nodes:
            return self.nodes(*other)
        return self._node_sets.named(region, item.region, f"{item.line.where}: *SURFACE")

    def _of_item(self, region: Region, item: SurfaceItem) -> Faces:
        where = f"{item.line.where}: *SURFACE"
        if item.region:
            serials = self._element_sets.named(region, item.region, where)
        else:
            serials = np.concatenate([rows.ids for rows in region.rows] or [np.empty(0, np.int64)])
        mirrored = self._model.mirrored
        if mirrored is None:
            return self._faces_of(serials, item.face, where)
        # The labels of faces count the nodes as the file has them; those of mirrored solids then point inward.
        inward = self._faces_of(serials[mirrored[serials]], item.face, where)
        turned = [(kind, nodes[:, opposite(kind)]) for kind, nodes in inward]
        return self._faces_of(serials[~mirrored[serials]], item.face, where) + turned

    def _faces_of(self, serials: np.ndarray, label: str, where: str) -> Faces:
        faces: Faces = []
        for rows, _, own in self._model.rows_of(serials):
            faces += labelled_faces(rows, own, label, where) if label else self._free_faces(rows, own)
        return faces

    def _free_faces(self, rows: ElementRows, own: np.ndarray) -> Faces:
        """Faces that no other element of the model has; shells and lines are their own surface."""
        kind = shape_of(rows)
        if kind is None or kind.startswith("spring"):
            return []
        if KINDS[kind].dimension == 2:
            return without_repeats(kind, rows.nodes[own])
        if KINDS[kind].dimension < 2:
            return [(f"line{rows.nodes.shape[1]}", rows.nodes[own])]
        if not self._free:
            self._find_free()
        chosen = np.zeros(len(rows.ids), bool)
        chosen[own] = True
        faces: Faces = []
        for (face_kind, columns), free in zip(faces_of(kind), self._free[id(rows)], strict=True):
            faces += without_repeats(face_kind, rows.nodes[free & chosen][:, list(columns)])
        return faces

    def _find_free(self) -> None:
        """For each group of solids and each of its faces the (k,) bool that says where it is free."""
        groups = [rows for region in self._model.regions for rows in region.rows]
        groups = [rows for rows in groups if rows.kind is not None and KINDS[rows.kind].dimension == 3]
        keys = []
        for rows in groups:
            for ring in KINDS[rows.kind].faces:
                corners = np.sort(rows.nodes[:, list(ring)], axis=1)
                keys.append(corners[:, -3:])  # three corners tell faces apart, whatever their number of corners
        labels = row_labels(np.concatenate(keys))
        alone = np.bincount(labels)[labels] == 1
        start = 0
        for rows in groups:
            free = []
            for _ in KINDS[rows.kind].faces:
                free.append(alone[start : start + len(rows.ids)])
                start += len(rows.ids)
            self._free[id(rows)] = free


def known_names(region: Region) -> list[str]:
    """Names of the surfaces of a region."""
    return [*region.scope.surfaces, *region.scope.node_surfaces]


def shape_of(rows: ElementRows) -> str | None:
    """Kind of the element itself, or of the face that it is (CPS3: "tri3")."""
    shape = rows.kind or element_type(rows.type_name).shape
    return shape if shape in KINDS else None


def labelled_faces(rows: ElementRows, own: np.ndarray, label: str, where: str) -> Faces:
    """Faces of elements by the format's label: S1 to S6, SPOS, SNEG, E1 to E4, END1, END2, EDGE."""
    kind = shape_of(rows)
    if kind is None or kind.startswith("spring"):
        return []
    dimension, nodes = KINDS[kind].dimension, rows.nodes[own]
    number = re.fullmatch(r"[SE]?F?(\d)", label)
    if dimension == 3 and number:
        faces = faces_of(kind)
        if 1 <= int(number[1]) <= len(faces):
            face_kind, columns = faces[int(number[1]) - 1]
            return without_repeats(face_kind, nodes[:, list(columns)])
    if dimension == 2:
        return _shell_faces(rows, kind, nodes, label, number, where)
    if dimension < 2:
        return [(f"line{nodes.shape[1]}", nodes)]
    raise MeshError(f"{where}: element type {rows.type_name} has no face {label[:20]}; it has S1 to S{len(faces_of(kind))}.")


def _shell_faces(rows: ElementRows, kind: str, nodes: np.ndarray, label: str, number, where: str) -> Faces:
    edges = KINDS[kind].edges
    is_shell = rows.kind is not None or rows.role == "geometry"  # rigid and surface elements have two sides too
    if label in _TOP and is_shell:
        return without_repeats(kind, nodes)
    if label in _BOTTOM and is_shell:
        count = KINDS[kind].corner_count
        turned = list(range(count))[::-1]
        middles = [count + (i - 1) % count for i in turned] if KINDS[kind].has_middle_nodes else []
        inner = list(range(count + len(middles), nodes.shape[1]))
        return without_repeats(kind, nodes[:, turned + middles + inner])
    if number or label == "EDGE":
        # Edges of shells are E1, ... (or S3, ... after the two sides); those of plane elements S1, ...
        first = 3 if is_shell and label.startswith("S") else 1
        chosen = range(len(edges)) if label == "EDGE" else [int(number[1]) - first]
        if all(0 <= i < len(edges) for i in chosen):
            middle = [[KINDS[kind].corner_count + i] if nodes.shape[1] > len(edges) else [] for i in chosen]
            rings = [[*edges[i], *more] for i, more in zip(chosen, middle, strict=True)]
            return [(f"line{len(ring)}", nodes[:, ring]) for ring in rings]
    raise MeshError(f"{where}: element type {rows.type_name} has no face {label[:20]}; it has SPOS, SNEG and E1 to E{len(edges)}.")


def without_repeats(kind: str, nodes: np.ndarray) -> Faces:
    """Faces of collapsed elements as what they are (triangles in place of quadrilaterals); lines are left out."""
    parts = []
    for true, _, own in true_kinds(kind, nodes + 1):  # 0 means an absent middle node there
        if true and (own > 0).all():
            parts.append((true, own - 1))
        elif true:
            corners = KINDS[true].corner_count
            parts.append(({3: "tri3", 4: "quad4"}[corners], own[:, :corners] - 1))
    return parts
