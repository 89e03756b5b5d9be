"""Solids whose node order mirrors them, which are turned, and solids without volume."""

from __future__ import annotations

from functools import cache

import numpy as np

from flexmbs.mesh.element_kinds import KINDS, jacobian_determinants

# Jacobians below this part of the largest extent cubed are zero (``quality.check_mesh`` refuses elements with those).
_FLATTEST = 1e-12
_AT_ONCE = 1 << 14


def turned(kind: str, nodes: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Elements with all of those the right way round that are mirrored: whose Jacobians at all corners are negative.

    Middle nodes stay on their edges. Twisted elements, with Jacobians of both signs, and flat ones stay what they are:
    no other order of their nodes is surely the one that is meant. Of elements of second order the corners decide. Only
    where the first corner is in doubt are the others looked at, which takes a tenth of the time.

    Parameters
    ----------
    kind : a name in ``KINDS``; what is no solid is never mirrored
    nodes : (ne, n) int indices into ``points``
    points : (nn, 3) coordinates, any length unit

    Returns
    -------
    nodes : (ne, n) int
        The same array when none is mirrored.
    mirrored : (ne,) bool
        Those that were turned.
    flat : (ne,) bool
        Those that have no volume, and twisted ones whose Jacobian is not positive at the first corner.
    """
    reversed_ones, flat = np.zeros(len(nodes), bool), np.zeros(len(nodes), bool)
    if KINDS[kind].dimension < 3:
        return nodes, reversed_ones, flat
    rows = np.flatnonzero(_jacobians(kind, nodes, points, _corner_edges(kind)[:1])[0] <= _FLATTEST)
    if not rows.size:
        return nodes, reversed_ones, flat
    at_corners = _jacobians(kind, nodes[rows], points, _corner_edges(kind))
    # A corner that is collapsed to an edge has zero.
    reversed_ones[rows] = (at_corners.min(axis=0) < -_FLATTEST) & (at_corners.max(axis=0) <= _FLATTEST)
    if reversed_ones.any():
        nodes = np.where(reversed_ones[:, None], nodes[:, mirrored(kind)], nodes)
    flat[rows] = (np.where(reversed_ones[rows], -1.0, 1.0) * at_corners).min(axis=0) <= _FLATTEST
    rows = np.flatnonzero(flat)
    if len(rows) and KINDS[kind].sample_points is not None:  # at a collapsed corner it is zero, but inside it is not
        coordinates = points[nodes[rows]]
        inside = jacobian_determinants(KINDS[kind], coordinates).min(axis=1)
        flat[rows] = inside <= _FLATTEST * np.ptp(coordinates, axis=1).max(axis=1) ** 3
    return nodes, reversed_ones, flat


def mirrored(kind: str) -> list[int]:
    """Positions of the nodes of an element of this kind in the opposite orientation."""
    known = KINDS[kind]
    corners = known.mirrored_corners or range(known.corner_count)
    order = list(corners)
    if known.has_middle_nodes:
        place = {frozenset(edge): known.corner_count + i for i, edge in enumerate(known.edges)}
        order += [place[frozenset((corners[a], corners[b]))] for a, b in known.edges]
    return [*order, *range(known.node_count - known.inner_count, known.node_count)]


def _jacobians(kind: str, nodes: np.ndarray, points: np.ndarray, at: list[tuple[list[int], float]]) -> np.ndarray:
    """(len(at), ne) Jacobians at corners (of ``_corner_edges``) of solids, over the longest of their edges cubed."""
    ends = np.array(KINDS[kind].edges).T
    edges_used = sorted({edge for three, _ in at for edge in three})
    used, places = np.unique(ends[:, edges_used], return_inverse=True)
    first, second = np.reshape(places, (2, -1))
    number = {edge: place for place, edge in enumerate(edges_used)}
    result = np.empty((len(at), len(nodes)))
    columns = np.ascontiguousarray(points.T)
    for start in range(0, len(nodes), _AT_ONCE):  # in pieces that stay in the processor's cache
        part = slice(start, start + _AT_ONCE)
        own = np.ascontiguousarray(nodes[part, used].T)
        corners = [column[own] for column in columns]  # x, y, z: (corners, ne)
        edges = [along[second] - along[first] for along in corners]
        longest = np.max([np.maximum(edge.max(axis=0), -edge.min(axis=0)) for edge in edges], axis=0)
        scale = np.where(longest > 0.0, longest, 1.0) ** 3
        for row, (three, sign) in enumerate(at):
            result[row, part] = sign * _triple(*([edge[number[one]] for edge in edges] for one in three)) / scale
    return result


def _triple(a: list[np.ndarray], b: list[np.ndarray], c: list[np.ndarray]) -> np.ndarray:
    """a . (b x c) of vectors by their components."""
    across = a[0] * (b[1] * c[2] - b[2] * c[1])
    across += a[1] * (b[2] * c[0] - b[0] * c[2])
    across += a[2] * (b[0] * c[1] - b[1] * c[0])
    return across


@cache
def _corner_edges(kind: str) -> list[tuple[list[int], float]]:
    """For each corner at which three edges meet: these edges, and the sign that makes their triple product positive."""
    known = KINDS[kind]
    places = known.reference_nodes if known.collapsed is None else known.collapsed[0]
    along = np.array([places[second] - places[first] for first, second in known.edges])
    meeting = [[at for at, edge in enumerate(known.edges) if corner in edge] for corner in range(known.corner_count)]
    return [(three, float(np.sign(np.linalg.det(along[three])))) for three in meeting if len(three) == 3]
