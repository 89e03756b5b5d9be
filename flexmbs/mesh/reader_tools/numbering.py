"""From the numbers that a file gives its nodes and elements to indices, with the place of every number."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS

_AT_ONCE = 1 << 18


class NumberIndex:
    """Which index each number of a file has: its place among ``ids`` (n,), the first where it is there twice, and ``offset``."""

    def __init__(self, ids: np.ndarray, offset: int = 0) -> None:
        self.ids, self.offset = ids, offset

    @cached_property
    def order(self) -> np.ndarray:
        """(n,) the places of the numbers by rising number."""
        return np.argsort(self.ids, kind="stable")

    @cached_property
    def rising(self) -> np.ndarray:
        """(n,) the numbers in rising order."""
        return self.ids[self.order]

    def find(self, numbers: np.ndarray) -> np.ndarray:
        """Indices of numbers, of the same shape; -1 where there is no such number."""
        numbers = np.asarray(numbers, np.int64)
        found = np.full(numbers.shape, -1, np.int64)
        flat, source = found.reshape(-1), np.ascontiguousarray(numbers).reshape(-1)
        for start in range(0, len(source) if len(self.ids) else 0, _AT_ONCE):  # pieces: no large array besides the result
            flat[start : start + _AT_ONCE] = self._found(source[start : start + _AT_ONCE])
        return found

    def _found(self, numbers: np.ndarray) -> np.ndarray:
        first, last = self.rising[0], len(self.ids) - 1
        if self.rising[-1] - first == last and self._is_unique:  # numbers without gaps need no search
            position = np.clip(numbers - first, 0, last)
        else:
            position = np.minimum(np.searchsorted(self.rising, numbers), last)
        return np.where(self.rising[position] == numbers, self.order[position] + self.offset, -1)

    @cached_property
    def _is_unique(self) -> bool:
        return bool((self.rising[1:] > self.rising[:-1]).all())

    def find_one(self, number: int) -> np.ndarray | None:
        """As ``find`` for one number, many times faster: an array of one index, or None."""
        at = int(np.searchsorted(self.rising, number)) if abs(number) < 2**63 else len(self.ids)
        return self.order[at : at + 1] + self.offset if at < len(self.ids) and self.rising[at] == number else None


@dataclass
class NodeTable:
    """The nodes of a file, chunk by chunk as they are read; after ``close`` it turns numbers into indices.

    ``card`` is how the format calls the statement of a node ("*NODE", "GRID", ...), for messages.
    """

    source: str
    card: str
    _ids: list[np.ndarray] = field(default_factory=list)
    _points: list[np.ndarray] = field(default_factory=list)
    _places: list[tuple[str, np.ndarray]] = field(default_factory=list)  # file and lines of each chunk

    def add(self, ids: np.ndarray, points: np.ndarray, file: str, lines: np.ndarray) -> None:
        """Append nodes: ``ids`` (k,) int, ``points`` (k, 3) float, ``lines`` (k,) of ``file``."""
        self._ids.append(np.asarray(ids, np.int64))
        self._points.append(np.asarray(points, float).reshape(-1, 3))
        self._places.append((file, np.asarray(lines)))

    def close(self) -> None:
        """Make ``ids`` (n,) and ``points`` (n, 3) in the order of the file.

        A node that is given again with the same coordinates counts once. Raises MeshError when there are no nodes,
        when one is given again with other coordinates, or has coordinates that are no finite numbers.
        """
        ids = np.concatenate(self._ids or [np.empty(0, np.int64)])
        points = np.concatenate(self._points or [np.empty((0, 3))])
        if not len(ids):
            raise MeshError(f"{self.source}:1: the file has no {self.card} with data, so it holds no mesh.")
        wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
        if wrong.size:
            what = f"node {ids[wrong[0]]} has the coordinates {points[wrong[0]].tolist()}"
            raise MeshError(f"{self._place(wrong[0])}: {self.card}: {what}; they must be finite numbers.")
        _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
        if len(first) < len(ids):
            other = np.flatnonzero((points != points[first[inverse]]).any(axis=1))
            if other.size:
                what = f"node {ids[other[0]]} is defined twice with different coordinates"
                before = self._place(first[inverse[other[0]]])
                raise MeshError(f"{self._place(other[0])}: {self.card}: {what} (first in {before}); give each node once.")
        kept = np.sort(first)
        self.ids, self.points, self._kept = ids[kept], points[kept], kept
        self._index = NumberIndex(self.ids)

    def place(self, index: int) -> str:
        """ "file:line" of a node by its index."""
        return self._place(self._kept[index])

    def _place(self, row: int) -> str:
        """ "file:line" of one of all that were added."""
        for file, lines in self._places:
            if row < len(lines):
                return f"{file}:{lines[row]}"
            row -= len(lines)
        raise IndexError(row)

    def find(self, ids: np.ndarray) -> np.ndarray:
        """Indices of node numbers, of the same shape; -1 where there is no such node."""
        return self._index.find(ids)

    def indices(self, ids: np.ndarray, where: str, user: str) -> np.ndarray:
        """As ``find``; MeshError starting with ``where`` and naming ``user`` when a node does not exist."""
        found = self.find(ids)
        missing = np.asarray(ids)[found < 0]
        if missing.size:
            raise MeshError(f"{where}: {user} uses node {missing.flat[0]}, which no {self.card} defines.")
        return found


@dataclass
class ElementRows:
    """Elements of one type as they stand in a file."""

    # a name in ``KINDS``, or None for a type that is not structural (``role`` as in UnsupportedElements)
    kind: str | None
    type_name: str  # as the file calls it, for users
    ids: np.ndarray  # (k,)
    # (k, n) VTK order. Numbers of the file, 0 for a node that is absent; of ``with_indices`` indices, -1 for absent
    nodes: np.ndarray
    file: str
    lines: np.ndarray  # (k,)
    role: str = ""
    data: dict[str, Any] = field(default_factory=dict)  # name -> (k, ...) what else the file says of each element

    def where(self, row: int) -> str:
        """ "file:line" of one element."""
        return f"{self.file}:{self.lines[row]}"

    def take(self, chosen, **changed) -> ElementRows:
        """Some of the elements (their rows, a (k,) bool array or a slice), perhaps with another kind, other nodes, ..."""
        own = {"ids": self.ids[chosen], "lines": np.asarray(self.lines)[chosen]}
        own["data"] = {name: values[chosen] for name, values in self.data.items()}
        if "nodes" not in changed:
            own["nodes"] = self.nodes[chosen]
        return replace(self, **{**own, **changed})

    def with_indices(self, table: NodeTable) -> ElementRows:
        """The elements with indices of nodes in place of numbers.

        MeshError naming the first element that uses a node that does not exist, or lacks a corner node.
        """
        found = table.find(self.nodes)
        unknown = found < 0
        if unknown.any():
            needed = KINDS[self.kind].corner_count if self.kind is not None else 0
            is_number = (self.nodes != 0) if needed else (self.nodes > 0)
            wrong = np.argwhere(unknown & (is_number | (np.arange(found.shape[1]) < needed)))
            if wrong.size:
                row, column = wrong[0]
                element, number = f"{self.where(row)}: element {self.ids[row]} ({self.type_name})", self.nodes[row, column]
                if number == 0:
                    raise MeshError(f"{element} lacks a corner node; only midside nodes may be omitted.")
                raise MeshError(f"{element} uses node {number}, which no {table.card} defines.")
        return replace(self, nodes=found)


def split_by(rows: ElementRows, keys: np.ndarray) -> list[tuple[Any, ElementRows]]:
    """The elements of each of the keys (k,), in the order in which these first appear."""
    values, first, which = np.unique(keys, return_index=True, return_inverse=True)
    if len(values) == 1:
        return [(values[0].item(), rows)]
    order = np.argsort(which.ravel(), kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(which.ravel()))[:-1])
    return [(values[i].item(), rows.take(parts[i])) for i in np.argsort(first, kind="stable")]


def distinct_numbers(numbers: np.ndarray | None, count: int) -> np.ndarray:
    """The numbers of a file, where they are ``count`` different positive ones; else 1 to ``count``."""
    if numbers is not None and len(numbers) == count == len(np.unique(numbers)) and numbers.min(initial=1) > 0:
        return numbers
    return np.arange(1, count + 1)


def numbers_of_nodes(node_ids: np.ndarray, places: np.ndarray, where: str) -> np.ndarray:
    """The numbers of the nodes (k, n) of elements that name them by their places in the file, from 1 on."""
    wrong = np.argwhere((places < 1) | (places > len(node_ids)))
    if len(wrong):
        row, column = wrong[0]
        what = f"uses node {places[row, column]}, but there are only {len(node_ids)} nodes"
        raise MeshError(f"{where}, element:{row + 1}: {what}.")
    return node_ids[places - 1]


def check_element_numbers(groups: list[ElementRows]) -> None:
    """MeshError when two elements have the same number, with the lines of both."""
    ids = np.concatenate([rows.ids for rows in groups] or [np.empty(0, int)])
    first = np.unique(ids, return_index=True)[1]
    if len(first) < len(ids):
        number = np.delete(ids, first)[0]
        places = [(rows.where(row), rows.type_name) for rows in groups for row in np.flatnonzero(rows.ids == number)]
        (before, _), (again, name) = places[:2]
        raise MeshError(f"{again}: {name}: element {number} is defined twice (first in {before}); renumber one.")


def row_labels(rows: np.ndarray) -> np.ndarray:
    """(k,) numbers, equal where rows (k, n) of whole numbers from 0 on are equal."""
    label = np.unique(rows[:, 0], return_inverse=True)[1].ravel().astype(np.int64)
    for column in rows.T[1:]:
        # Renumbering after each column keeps the product of label and number small, whatever the number of columns.
        joint = label * (int(column.max(initial=0)) + 1) + column
        label = np.unique(joint, return_inverse=True)[1].ravel().astype(np.int64)
    return label
