"""Ordering of the unknowns such that the matrices of long chains of bodies have a small bandwidth.

Two unknowns are coupled if they belong to one body (its own coordinates and those on its path to ground), or to one
constraint, spring, contact or load. Reverse Cuthill-McKee on that graph (scipy.sparse.csgraph).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmbs.core.layout.tables import BALL, CABLE, CLOSURE, COUPLING, Tables
from flexmbs.model.force_groups import force_groups

# A band matrix is used if its half bandwidth is smaller than the size by this factor; small matrices are faster dense.
NARROW = 5
SMALLEST = 100


def banded_order(tables: Tables, unknowns: np.ndarray) -> tuple[np.ndarray, int]:
    """The unknowns in an order with small bandwidth, and the half bandwidth (0: dense, in the given order)."""
    if len(unknowns) < SMALLEST:
        return unknowns, 0
    graph = coupling_graph(tables, unknowns, NARROW)
    if graph is None:
        return unknowns, 0
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order = np.asarray(reverse_cuthill_mckee(graph, symmetric_mode=True))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    rows = np.repeat(np.arange(len(order)), np.diff(graph.indptr))
    band = int(np.abs(number[rows] - number[graph.indices]).max())
    return (unknowns[order], band) if NARROW * band < len(unknowns) else (unknowns, 0)


def coupling_graph(tables: Tables, unknowns: np.ndarray, narrow: int = 1):
    """Which unknowns are coupled, in their order: a symmetric CSR matrix of ones.

    None where a group has more than 1 / ``narrow`` of all unknowns. Entries of tangent matrices outside it are zero.
    """
    from scipy.sparse import csr_matrix

    place = np.full(len(tables.coordinates), -1)
    place[unknowns] = np.arange(len(unknowns))
    if np.any(place[tables.switches["row"]] >= 0):  # a slot may serve contacts of any bodies
        return None
    members, sizes = [], []
    for group in _groups(tables):
        own = place[group]
        own = own[own >= 0]
        if narrow * len(own) > len(unknowns):
            return None
        members.append(own)
        sizes.append(len(own))
    if not members:
        return None
    start = np.concatenate([[0], np.cumsum(sizes)])
    joined = np.concatenate(members)
    belongs = csr_matrix((np.ones(len(joined), dtype=np.int32), joined, start), shape=(len(sizes), len(unknowns)))
    graph = (belongs.T @ belongs).tocsr()
    graph.sort_indices()
    graph.data[:] = 1
    return graph


def _groups(tables: Tables) -> Iterator[np.ndarray]:
    """Groups of coupled coordinates and multipliers."""
    paths = _paths(tables)
    markers = tables.markers["body"]
    yield from paths[1:]
    for own, coordinates in constraint_groups(tables):
        yield np.concatenate([own, coordinates])
    coupled = (tables.contacts["group"] < 0) & (tables.contacts["rigid"] == 0)
    for record in tables.contacts[coupled]:  # groups need no matrices, rigid contacts have slots
        bristles = np.arange(record["bristle"], record["bristle"] + record["bristles"])
        yield np.concatenate([paths[markers[record["a"]]], paths[markers[record["b"]]], bristles])
    for record in tables.couplers:
        yield tables.terms["coordinate"][record["start"] : record["end"]]
    yield from force_groups(tables, paths)


def constraint_groups(tables: Tables) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each constraint, its multipliers and the coordinates on which it depends (unique)."""
    paths, owner, moved = _paths(tables), tables.markers["body"].tolist(), _moved_by_each(tables.axes)
    groups = []
    names = ("kind", "a", "b", "row", "rows", "start", "end")
    columns = (tables.constraints[name].tolist() for name in names)
    for kind, a, b, row, rows, start, end in zip(*columns, strict=True):
        if kind == COUPLING:
            touched = set(tables.terms["coordinate"][start:end].tolist())
        else:
            ends = tables.terms["coordinate"][start:end].tolist() if kind == CABLE else [a, b]
            own_axes = moved[start:end] if kind == CLOSURE else []
            touched = set().union(*own_axes, *(paths[owner[marker]].tolist() for marker in ends))
        groups.append((np.arange(row, row + rows), np.array(sorted(touched), dtype=np.int64)))
    return groups


def coloured(groups: list[tuple[np.ndarray, np.ndarray]], count: int) -> list[np.ndarray]:
    """Coordinates 0 ... count - 1 in sets without two members of one group (greedy colouring)."""
    members: list[list[int]] = [[] for _ in range(count)]
    for number, (_own, coordinates) in enumerate(groups):
        for k in coordinates:
            members[k].append(number)
    used: list[set[int]] = [set() for _ in groups]
    colour = np.zeros(count, dtype=np.int64)
    for k in range(count):
        taken = set().union(*(used[number] for number in members[k]))
        while colour[k] in taken:
            colour[k] += 1
        for number in members[k]:
            used[number].add(int(colour[k]))
    return [np.flatnonzero(colour == c) for c in range(int(colour.max(initial=-1)) + 1)]


def _paths(tables: Tables) -> list[np.ndarray]:
    """For each body, its own coordinates and those on its path to ground."""
    paths = [np.zeros(0, dtype=np.int64)]
    # columns as lists: reading single fields of single records takes most of the time of large models
    bodies, owner = tables.bodies, tables.markers["body"].tolist()
    columns = (bodies[name].tolist() for name in ("parent_marker", "axis_start", "axis_end", "modal_start", "modes"))
    moved = _moved_by_each(tables.axes)
    for parent, axis_start, axis_end, modal_start, modes in list(zip(*columns, strict=True))[1:]:
        own = set(range(modal_start, modal_start + modes)).union(*moved[axis_start:axis_end])
        paths.append(np.concatenate([paths[owner[parent]], np.array(sorted(own), dtype=np.int64)]))
    return paths


def _moved_by_each(axes: np.ndarray) -> list[list[int]]:
    """Coordinates of each joint axis."""
    found = []
    columns = (axes[name].tolist() for name in ("kind", "coordinate", "second"))
    for kind, coordinate, second in zip(*columns, strict=True):
        count = 3 if kind == BALL else 1
        found.append([*range(coordinate, coordinate + count), *([second] if second >= 0 else [])])
    return found
