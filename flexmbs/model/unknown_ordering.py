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
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    place = np.full(len(tables.coordinates), -1)
    place[unknowns] = np.arange(len(unknowns))
    rows, columns = [], []
    for group in _groups(tables):
        own = place[group]
        own = own[own >= 0]
        if NARROW * len(own) > len(unknowns):
            return unknowns, 0
        rows.append(np.repeat(own, len(own)))
        columns.append(np.tile(own, len(own)))
    i, j = np.concatenate(rows), np.concatenate(columns)
    graph = coo_matrix((np.ones(len(i), dtype=np.int8), (i, j)), shape=(len(unknowns),) * 2).tocsr()
    order = np.asarray(reverse_cuthill_mckee(graph, symmetric_mode=True))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    band = int(np.abs(number[i] - number[j]).max())
    return (unknowns[order], band) if NARROW * band < len(unknowns) else (unknowns, 0)


def _groups(tables: Tables) -> Iterator[np.ndarray]:
    """Groups of coupled coordinates and multipliers."""
    paths = _paths(tables)
    markers = tables.markers["body"]
    yield from paths[1:]
    for own, coordinates in constraint_groups(tables):
        yield np.concatenate([own, coordinates])
    for record in tables.contacts:
        yield np.concatenate([paths[markers[record["a"]]], paths[markers[record["b"]]]])
    for record in tables.couplers:
        yield tables.terms["coordinate"][record["start"] : record["end"]]
    yield from force_groups(tables, paths)


def constraint_groups(tables: Tables) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each constraint, its multipliers and the coordinates on which it depends (unique)."""
    paths, markers, groups = _paths(tables), tables.markers["body"], []
    for constraint in tables.constraints:
        own = np.arange(constraint["row"], constraint["row"] + constraint["rows"])
        if constraint["kind"] == COUPLING:
            touched = tables.terms["coordinate"][constraint["start"] : constraint["end"]]
        else:
            part = slice(constraint["start"], constraint["end"])
            ends = [constraint["a"], constraint["b"]]
            if constraint["kind"] == CABLE:
                ends = tables.terms["coordinate"][part]
            own_axes = tables.axes[part] if constraint["kind"] == CLOSURE else tables.axes[:0]
            touched = np.concatenate([_moved_by(own_axes), *(paths[markers[end]] for end in ends)])
        groups.append((own, np.unique(touched).astype(np.int64)))
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
    for body in tables.bodies[1:]:
        own = list(np.arange(body["modal_start"], body["modal_start"] + body["modes"]))
        own += _moved_by(tables.axes[body["axis_start"] : body["axis_end"]]).tolist()
        parent = int(tables.markers["body"][body["parent_marker"]])
        paths.append(np.concatenate([paths[parent], np.unique(own).astype(np.int64)]))
    return paths


def _moved_by(axes: np.ndarray) -> np.ndarray:
    """Coordinates of joint axes: three for a ball joint, two for a surface."""
    ball = axes["coordinate"][axes["kind"] == BALL]
    return np.concatenate([axes["coordinate"], axes["second"][axes["second"] >= 0], ball + 1, ball + 2])
