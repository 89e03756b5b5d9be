"""What the names of sets and surfaces stand for, when the whole deck is known."""

from __future__ import annotations

import re

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.element_kinds import KINDS, face_of, faces_of
from flexmbs.mesh.mesh import MeshSurface
from flexmbs.mesh.reader_tools.degenerate_elements import mirrored as opposite
from flexmbs.mesh.reader_tools.degenerate_elements import true_kinds
from flexmbs.mesh.reader_tools.element_blocks import ElementIndex
from flexmbs.mesh.reader_tools.numbering import ElementRows, NumberIndex
from flexmbs.mesh.readers.abaqus.cards import Line, is_integer
from flexmbs.mesh.readers.abaqus.deck import SetItem, SurfaceDraft
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region, shape_of

_DEEPEST_SET = 100
_MOST_OVERLAP = 300  # sets that a node may be in on average; beyond, a small file would fill the memory
_TOP = {"SPOS", "POS", "SP", "P", "S2"}
_BOTTOM = {"SNEG", "NEG", "SN", "N", "S1"}
Faces = list[tuple[str, np.ndarray]]


class Sets:
    """The node sets, or the element sets, of a model: members in the order given, each once; some of them may be missing."""

    def __init__(self, model: Model, elements: Sets | None = None) -> None:
        self._model, self._elements = model, elements  # for node sets: the element sets
        self._what, self._title = ("element", "*ELSET") if elements is None else ("node", "*NSET")
        self._done: dict[tuple[str, str], np.ndarray] = {}
        self._total = 0

    def names(self, region: Region) -> dict[str, list[SetItem]]:
        """The sets of a region as the file gives them."""
        return region.scope.element_sets if self._elements is None else region.scope.node_sets

    def members(self, region: Region, name: str, depth: int = 0) -> np.ndarray:
        """Members of a set that the region has: node indices or serial numbers of elements."""
        if (region.name, name) not in self._done:
            if depth > _DEEPEST_SET:
                where = self.names(region)[name][0].line.where
                raise MeshError(f"{where}: {self._title} {name} contains itself, or is nested too deep.")
            self._done[region.name, name] = self._collected(region, name, depth)
        return self._done[region.name, name]

    def named(self, region: Region, name: str, where: str, depth: int = 0) -> np.ndarray:
        """Members by a name as a card uses it (number, SET, INSTANCE.SET, INSTANCE.number); MeshError when there is none."""
        found = self.find(region, name, depth)
        if found is None and is_integer(name):
            raise MeshError(f"{where} names {self._what} {name}, which is not defined.")
        if found is None:
            raise self._model.undefined(f"{self._what} set", name, where, self.names)
        return found

    def find(self, region: Region, name: str, depth: int = 0) -> np.ndarray | None:
        """As ``named``; None when there is no such set or number."""
        place = self._model.place_of(region, name, lambda r, n: n in self.names(r) or is_integer(n))
        if place is None:
            return None
        holder, own = place
        return self.members(holder, own, depth + 1) if own in self.names(holder) else self._numbers(holder).find_one(int(own))

    def _numbers(self, region: Region) -> NumberIndex:
        return region.elements if self._elements is None else region.nodes

    def _collected(self, region: Region, name: str, depth: int) -> np.ndarray:
        items, parts, size = self.names(region)[name], [np.empty(0, np.int64)], 0
        where = f"{items[0].line.where}: {self._title} {name}"
        absent: list[tuple[int, int]] = []  # how many numbers do not exist, and the first of these
        for item in items:
            parts.append(self._of_item(region, name, item, depth, absent))
            size += len(parts[-1])
            if size > 4 * (len(self._model.points) + len(self._model.element_numbers)) + 1000:
                parts = [_once(np.concatenate(parts))]
                size = len(parts[0])
        members, missing = _once(np.concatenate(parts)), sum(count for count, _ in absent)
        if not len(members):
            why = f"none of its {missing} members exists (first: {absent[0][1]})" if absent else "it has no members"
            raise MeshError(f"{where} is empty: {why}; give numbers or sets that exist.")
        self._total += len(members)
        if self._total > _MOST_OVERLAP * (len(self._model.points) + 1000):
            count = f"{self._total} members, more than {_MOST_OVERLAP} for each node"
            raise MeshError(f"{where}: the {self._what} sets of the file have {count}; check the ranges of GENERATE.")
        if absent:
            doubt = f"{self._what} set {name} names {missing} that do not exist (first: {absent[0][1]})"
            self._model.deck.warn(f"{items[0].line.where}: {doubt}; they are left out.")
        return members

    def _of_item(self, region: Region, name: str, item: SetItem, depth: int, absent: list[tuple[int, int]]) -> np.ndarray:
        """Members of a part of a set; numbers that do not exist are added to ``absent``."""
        if item.instance:
            instances = {instance.name: instance for instance in self._model.instances}
            known = instances.get(item.instance) or instances.get(self._model.deck.in_assembly(item.instance))
            if known is None:
                near = near_names(item.instance, instances)
                raise MeshError(f"{item.line.where}: INSTANCE={item.instance} is not defined by any *INSTANCE. {near}")
            region = known
        if item.set_name is not None:
            named = (self._elements if item.of_elements else self).named
            members = named(region, item.set_name, f"{item.line.where}: {self._title} {name}", depth)
            return self._model.nodes_of_elements(members) if item.of_elements else members
        numbers = self._in_range(region, *item.generated, absent) if item.generated else item.numbers
        found = self._numbers(region).find(numbers)
        missing = numbers[found < 0]
        absent += [(len(missing), missing[0])] if len(missing) else []
        return found[found >= 0]

    def _in_range(self, region: Region, first: int, last: int, step: int, absent: list[tuple[int, int]]) -> np.ndarray:
        """The numbers of a range that exist."""
        existing = self._numbers(region).rising
        inside = existing[np.searchsorted(existing, first) : np.searchsorted(existing, last, "right")]
        inside = inside[(inside - first) % step == 0]
        missing = (last - first) // step + 1 - len(inside)
        if missing:
            expected = first + step * np.arange(len(inside) + 1, dtype=np.int64)
            gaps = expected[np.flatnonzero(inside != expected[:-1])]
            absent.append((missing, int([*gaps[:1], expected[-1]][0])))
        return inside


def _once(numbers: np.ndarray) -> np.ndarray:
    """Each number once, in the order of first appearance."""
    if len(numbers) < 2 or (np.diff(numbers) > 0).all():
        return numbers
    _, first = np.unique(numbers, return_index=True)
    return numbers[np.sort(first)]


class Surfaces:
    """The surfaces of a model by their names: faces, or the nodes of a surface of nodes."""

    def __init__(self, model: Model, node_sets: Sets, element_sets: Sets) -> None:
        self._model, self._node_sets, self._element_sets = model, node_sets, element_sets

    def faces(self, region: Region, draft: SurfaceDraft) -> MeshSurface:
        """Faces of a surface of elements, each once."""
        return _surface([part for line, name, face in draft.items for part in self._of_item(region, line, name, face)])

    def nodes(self, region: Region, draft: SurfaceDraft) -> np.ndarray:
        """Node indices of a surface, each once."""
        if not draft.of_nodes:
            return self.faces(region, draft).nodes
        parts = [self._nodes_of(region, line, name) for line, name, _ in draft.items]
        return np.unique(np.concatenate([np.empty(0, np.int64), *parts]))

    def find(self, region: Region, name: str) -> tuple[Region, str] | None:
        """A surface by a name as a card uses it, SURFACE or INSTANCE.SURFACE: the region that has it, and its name there."""
        return self._model.place_of(region, name, lambda r, n: r.scope.surface(n) is not None)

    def named(self, region: Region, name: str, where: str) -> tuple[Region, str]:
        """As ``find``; MeshError starting with ``where`` when there is no such surface."""
        found = self.find(region, name)
        if found is None:
            raise self._model.undefined("surface", name, where, lambda r: (*r.scope.surfaces, *r.scope.node_surfaces))
        return found

    def _nodes_of(self, region: Region, line: Line, name: str) -> np.ndarray:
        """Nodes of a node, a node set or a surface of faces."""
        other = self.find(region, name) if self._node_sets.find(region, name) is None else None
        draft = None if other is None else other[0].scope.surface(other[1])
        if draft is not None and not draft.of_nodes:
            return self.nodes(other[0], draft)
        return self._node_sets.named(region, name, f"{line.where}: *SURFACE")

    def _of_item(self, region: Region, line: Line, name: str, face: str) -> Faces:
        where, mirrored = f"{line.where}: *SURFACE", self._model.mirrored
        everything = [np.empty(0, np.int64), *[rows.ids for rows in region.rows]]
        serials = self._element_sets.named(region, name, where) if name else np.concatenate(everything)
        serials = serials[~self._model.collapsed[serials]]
        # The labels of faces count the nodes as the file has them; those of mirrored solids then point inward.
        inward = self._faces_of(serials[mirrored[serials]], face, where)
        turned = [(kind, nodes[:, opposite(kind)]) for kind, nodes in inward]
        return self._faces_of(serials[~mirrored[serials]], face, where) + turned

    def _faces_of(self, serials: np.ndarray, face: str, where: str) -> Faces:
        faces: Faces = []
        for rows, own in self._model.rows_of(serials):
            faces += _labelled_faces(rows, own, face, where) if face else self._free_faces(rows, own)
        return faces

    def _free_faces(self, rows: ElementRows, own: np.ndarray) -> Faces:
        """Faces that no other element of the model has; shells and lines are their own surface."""
        kind = shape_of(rows)
        if kind is None or KINDS[kind].dimension < 3:
            return _own_face(rows, own)
        own, faces = np.sort(own), []
        for (face_kind, columns), free in zip(faces_of(kind), self._model.free_faces[id(rows)], strict=True):
            faces += _without_repeats(face_kind, rows.nodes[own[free[own]]][:, list(columns)])
        return faces


def _own_face(rows: ElementRows, own: np.ndarray) -> Faces:
    """Shells and lines as the surface that they are themselves; springs and points have none."""
    kind, nodes = shape_of(rows), rows.nodes[own]
    if kind is None or kind.startswith("spring"):
        return []
    return _lines(nodes) if KINDS[kind].dimension < 2 else _without_repeats(kind, nodes)


def _labelled_faces(rows: ElementRows, own: np.ndarray, face: str, where: str) -> Faces:
    """Faces of elements by the format's label: S1 to S6, SPOS, SNEG, E1 to E4, END1, END2, EDGE."""
    kind, nodes = shape_of(rows), rows.nodes[own]
    if kind is None or KINDS[kind].dimension < 2:
        return _own_face(rows, own)
    is_solid = KINDS[kind].dimension == 3
    is_shell = not is_solid and (rows.kind is not None or rows.role == "geometry")  # rigid and surface elements have two sides
    count = KINDS[kind].corner_count
    if is_shell and face in (*_TOP, *_BOTTOM):
        columns = range(nodes.shape[1]) if face in _TOP else face_of(kind, tuple(range(count))[::-1])[1]
        return _without_repeats(kind, nodes[:, list(columns)])
    rings = KINDS[kind].faces if is_solid else KINDS[kind].edges
    # Edges of shells are E1, ... (or S3, ... after the two sides); those of plane elements S1, ...
    first = 3 if is_shell and face.startswith("S") else 1
    number = re.fullmatch(r"[SE]?F?(\d)", face)
    chosen = [int(number[1]) - first] if number else range(len(rings)) if face == "EDGE" and not is_solid else [-1]
    if not all(0 <= i < len(rings) for i in chosen):
        known = f"S1 to S{len(rings)}" if is_solid else f"SPOS, SNEG and E1 to E{len(rings)}"
        raise MeshError(f"{where}: element type {rows.type_name} has no face {face[:20]}; it has {known}.")
    faces = [(name, nodes[:, list(columns)]) for name, columns in (face_of(kind, rings[i]) for i in chosen)]
    return [part for name, own in faces for part in (_without_repeats(name, own) if is_solid else _lines(own))]


def _without_repeats(kind: str, nodes: np.ndarray) -> Faces:
    """Faces of collapsed elements as what they are (triangles in place of quadrilaterals); lines are left out."""
    parts: Faces = []
    for true, _, own in true_kinds(kind, nodes):
        count = KINDS[true].corner_count if true else 0
        own = own[(own[:, :count] >= 0).all(axis=1)]
        parts += _whole_and_corners(true, {3: "tri3", 4: "quad4"}[count], own, count) if true else []
    return parts


def _lines(nodes: np.ndarray) -> Faces:
    """Edges and lines as what they are: none between a node and itself, none with a middle node that is an end."""
    nodes = nodes[nodes[:, 0] != nodes[:, 1]]
    middles = np.where((nodes[:, 2:] == nodes[:, :1]) | (nodes[:, 2:] == nodes[:, 1:2]), -1, nodes[:, 2:])
    return _whole_and_corners(f"line{nodes.shape[1]}", "line2", np.hstack([nodes[:, :2], middles]), 2)


def _whole_and_corners(kind: str, first_order: str, nodes: np.ndarray, corner_count: int) -> Faces:
    """Faces with all their nodes, and of those that lack one the corners."""
    whole = (nodes >= 0).all(axis=1)
    return [part for part in ((kind, nodes[whole]), (first_order, nodes[~whole, :corner_count])) if len(part[1])]


def _surface(faces: Faces) -> MeshSurface:
    kinds: dict[str, list[np.ndarray]] = {}
    for kind, nodes in faces:
        kinds.setdefault(kind, []).append(nodes)
    return MeshSurface({kind: np.concatenate(nodes) for kind, nodes in kinds.items()})


def named_sets(model: Model, node_sets: Sets, element_sets: Sets, surfaces: Surfaces, index: ElementIndex) -> dict[str, dict]:
    """``node_sets``, ``element_sets`` and ``surfaces`` of the mesh, by their names in it.

    An element set of faces becomes a surface and a node set of the same name.
    """
    nodes: dict[str, np.ndarray] = {}
    elements: dict[str, np.ndarray] = {}
    faces: dict[str, MeshSurface] = {}

    def add_surface(name: str, surface: MeshSurface, where: str) -> None:
        if surface.size:
            faces.setdefault(name, surface)
            nodes.setdefault(name, surface.nodes)
        else:
            model.deck.warn(f"{where}: the surface {name} has no faces; it is left out.")

    def add_nodes(name: str, own: np.ndarray, where: str) -> None:
        if not len(own):
            model.deck.warn(f"{where}: {name} has no nodes; it is left out.")
        elif not np.array_equal(np.sort(nodes.setdefault(name, own)), np.sort(own)):
            model.deck.warn(f"{where}: the nodes of {name} are not kept, because another node set has that name.")

    for region in model.regions:
        for name in list(node_sets.names(region)):
            nodes[model.final_name(region, name)] = node_sets.members(region, name)
    for region in model.regions:
        for name, draft in region.scope.surfaces.items():
            add_surface(model.final_name(region, name), surfaces.faces(region, draft), draft.line.where)
        for name, draft in region.scope.node_surfaces.items():
            add_nodes(model.final_name(region, name), surfaces.nodes(region, draft), draft.line.where)
    for region in model.regions:
        for name, items in list(element_sets.names(region).items()):
            final, where, serials = model.final_name(region, name), items[0].line.where, element_sets.members(region, name)
            found = index.find(serials)
            if (found >= 0).any():
                elements[final] = found[found >= 0]
                continue
            parts = [part for part in model.rows_of(serials) if part[0].role in ("", "geometry", "plane", "axisymmetric")]
            own = [face for rows, chosen in parts for face in _own_face(rows, chosen)]
            if own:
                add_surface(final, _surface(own), where)
            else:
                add_nodes(final, model.nodes_of_elements(serials), where)
    return {"node_sets": nodes, "element_sets": elements, "surfaces": faces}
