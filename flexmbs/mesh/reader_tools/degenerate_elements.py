"""Elements whose nodes are not what they seem: degenerate ones, solids that their node order mirrors or that have no volume.

One with repeated nodes is another kind (a hexahedron with a collapsed edge is a wedge).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import permutations

import numpy as np

from flexmbs.mesh.connectivity import by_key
from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS, jacobian_determinants, kind_without_inner_nodes, triple_product

# Corners, then number of faces with 3 and with 4 corners: what a collapsed hexahedron can be.
_SOLIDS = {
    (kind.corner_count, sum(len(face) == 3 for face in kind.faces), sum(len(face) == 4 for face in kind.faces)): (
        FIRST_ORDER[name],
        name,
    )
    for name, kind in KINDS.items()
    if name in FIRST_ORDER and kind.dimension == 3 and kind.corner_count < 8 and not kind.inner_count
}
_AT_ONCE = 1 << 14  # pieces that stay in the processor's cache
_MAY_COINCIDE = ("spring1", "spring2")  # springs work between two nodes at one place, and a ground has no node

Part = tuple[str, np.ndarray, np.ndarray]


def true_kinds(kind: str, nodes: np.ndarray) -> list[Part]:
    """Split elements with repeated corners into their true kinds.

    A middle node that repeats an end of its edge is absent (-1 in the result). Shapes that are none of the kinds (a
    hexahedron with 7 corners) stay what they are, with their repeated nodes. ``nodes`` (k, n) are indices or numbers, -1
    where a middle node is absent.

    Returns a list of kind, rows (m,) of the given array, and nodes (m, n of that kind). Elements that are collapsed to
    nothing (a shell to a line, a solid to a face, a beam to a point) have the kind "".
    """
    nodes = np.asarray(nodes)
    corner_count = KINDS[kind].corner_count
    repeated = np.zeros(len(nodes), bool)
    for start in range(0, len(nodes) if kind not in _MAY_COINCIDE else 0, _AT_ONCE):
        corners = np.sort(nodes[start : start + _AT_ONCE, :corner_count], axis=1)
        repeated[start : start + _AT_ONCE] = (corners[:, 1:] == corners[:, :-1]).any(axis=1)
    if not repeated.any():
        return [(kind, np.arange(len(nodes)), _without_repeated_middles(kind, nodes))]
    whole = np.flatnonzero(~repeated)
    parts = [(kind, whole, _without_repeated_middles(kind, nodes[whole]))] if whole.size else []
    rows = np.flatnonzero(repeated)
    own = nodes[rows, :corner_count]
    labels = (own[:, :, None] == own[:, None, :]).argmax(axis=2)  # of each corner: the first one with its number
    patterns, which = np.unique(labels, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        true, columns = _collapsed(kind, tuple(pattern.tolist()))
        chosen = rows[which.ravel() == number]
        if true in ("", kind):
            parts.append((true, chosen, nodes[chosen]))
        else:
            parts += _renumbered(kind, true, columns, chosen, nodes[chosen])
    return _joined(parts)


def without_missing_middles(kind: str, nodes: np.ndarray, new_nodes: Callable[[np.ndarray], np.ndarray]) -> list[Part]:
    """Elements of second order (k, n) without absent (negative) middle nodes, as from ``true_kinds``.

    Elements all of whose middle nodes are absent become first-order ones; where only some are, a new node stands in
    the middle of the edge: ``new_nodes`` makes it of the ends (m, 2) of edges, the smaller first, each edge once. Elements
    with nodes inside lose these where any node is absent.
    """
    known = KINDS[kind]
    if known.inner_count and not (whole := (nodes >= 0).all(axis=1)).all():
        rest, smaller = np.flatnonzero(~whole), kind_without_inner_nodes(kind)
        parts = without_missing_middles(smaller, nodes[rest, : KINDS[smaller].node_count], new_nodes)
        parts = [(name, rest[rows], own) for name, rows, own in parts]
        return ([(kind, np.flatnonzero(whole), nodes[whole])] if whole.any() else []) + parts
    absent = nodes[:, known.corner_count :] < 0
    if kind not in FIRST_ORDER or not absent.any():
        return [(kind, np.arange(len(nodes)), nodes)]
    linear, partly = np.flatnonzero(absent.all(axis=1)), np.flatnonzero(~absent.all(axis=1))
    parts = [(FIRST_ORDER[kind], linear, nodes[linear, : known.corner_count])] if linear.size else []
    if partly.size:
        completed = np.array(nodes[partly], np.int64)
        row, edge = np.nonzero(absent[partly])
        ends = np.sort(completed[row[:, None], np.array(known.edges)[edge]], axis=1)
        ends, which = np.unique(ends, axis=0, return_inverse=True)
        completed[row, known.corner_count + edge] = new_nodes(ends)[which.ravel()]
        parts.append((kind, partly, completed))
    return parts


def _without_repeated_middles(kind: str, nodes: np.ndarray) -> np.ndarray:
    known = KINDS[kind]
    if not known.has_middle_nodes:
        return nodes
    first, last = known.corner_count, known.node_count - known.inner_count
    middles, edges = nodes[:, first:last], np.array(known.edges)
    repeated = (middles == nodes[:, edges[:, 0]]) | (middles == nodes[:, edges[:, 1]])
    if not repeated.any():
        return nodes
    return np.hstack([nodes[:, :first], np.where(repeated, -1, middles), nodes[:, last:]])


def _renumbered(kind: str, true: str, columns, rows: np.ndarray, nodes: np.ndarray) -> list[Part]:
    """Nodes of collapsed elements in the order of their true kind; those with contradicting middle nodes stay."""
    corners, edges = columns
    result = [nodes[:, corners]]
    agree = np.ones(len(rows), bool)
    for candidates in edges:
        middles = nodes[:, candidates]
        agree &= (middles == middles[:, :1]).all(axis=1)
        result.append(middles[:, :1])
    renumbered = np.hstack(result)
    parts = [(true, rows[agree], _without_repeated_middles(true, renumbered[agree]))] if agree.any() else []
    return parts + ([(kind, rows[~agree], nodes[~agree])] if not agree.all() else [])


@lru_cache(maxsize=4096)
def _collapsed(kind: str, pattern: tuple[int, ...]):
    """True kind of a pattern of equal corners, and for it (columns of its corners, for each edge those of its middle).

    ``pattern[i]`` is the first corner with the same node as corner i.
    """
    known = KINDS[kind]
    faces = _remaining_faces(known.faces, pattern)
    if known.dimension == 3:
        true, corners = _solid_of(kind, faces)
    elif known.dimension == 2 and faces:
        true, corners = ("tri6" if kind in FIRST_ORDER else "tri3"), faces[0]
    else:
        true, corners = "", ()
    if true in ("", kind):
        return true, None
    if not known.has_middle_nodes:
        return true, (corners, ())
    middles: dict[frozenset, list[int]] = {}
    for number, (first, second) in enumerate(known.edges):
        middles.setdefault(frozenset((pattern[first], pattern[second])), []).append(known.corner_count + number)
    edges = tuple(middles.get(frozenset((corners[i], corners[j])), []) for i, j in KINDS[true].edges)
    return (true, (corners, edges)) if all(edges) else (kind, None)


def _remaining_faces(faces, pattern) -> list[tuple[int, ...]]:
    """Faces with each corner once; faces that became edges, and pairs that lie on each other, are gone."""
    rings = []
    for face in faces:
        ring = [pattern[corner] for corner in face]
        ring = [corner for i, corner in enumerate(ring) if corner != ring[i - 1]]
        if len(set(ring)) == len(ring) >= 3:
            rings.append(_first_smallest(ring))
    while True:
        turned = Counter(rings)
        pair = next((ring for ring in rings if turned[_first_smallest(ring[::-1])]), None)
        if pair is None:
            return rings
        rings.remove(pair)
        rings.remove(_first_smallest(pair[::-1]))


def _first_smallest(ring) -> tuple[int, ...]:
    start = ring.index(min(ring))
    return (*ring[start:], *ring[:start])


def _solid_of(kind: str, faces):
    if not faces:
        return "", ()
    corners = sorted({corner for face in faces for corner in face})
    names = _SOLIDS.get((len(corners), sum(len(f) == 3 for f in faces), sum(len(f) == 4 for f in faces)))
    if names is None:
        return kind, ()
    wanted = set(faces)
    for order in permutations(corners):
        rings = {_first_smallest([order[corner] for corner in face]) for face in KINDS[names[0]].faces}
        if rings == wanted:
            return names[kind in FIRST_ORDER], order
    return kind, ()


def _joined(parts: list[Part]) -> list[Part]:
    """One part per kind, its rows rising."""
    rows, nodes = (by_key((kind, rows) for kind, rows, _ in parts), by_key((kind, nodes) for kind, _, nodes in parts))
    order = {kind: np.argsort(own, kind="stable") for kind, own in rows.items()}
    return [(kind, own[order[kind]], nodes[kind][order[kind]]) for kind, own in rows.items()]


# Jacobians below this part of the largest extent cubed are zero (``check_mesh`` refuses elements with those).
_FLATTEST = 1e-12


def turned(kind: str, nodes: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Elements with all of those the right way round that are mirrored: whose Jacobians at all corners are negative.

    ``nodes`` (ne, n) are indices into ``points`` (nn, 3), in any unit of length.

    Middle nodes stay on their edges. Twisted elements, with Jacobians of both signs, and flat ones stay what they are:
    no other order of their nodes is surely the one that is meant. Of elements of second order the corners decide. Only
    where the first corner is in doubt are the others looked at, which takes a tenth of the time. What is no solid is never
    mirrored.

    Returns the nodes (ne, n), which are the same array when none is mirrored; (ne,) bool: those that were turned; (ne,) bool:
    those that have no volume, and twisted ones whose Jacobian is not positive at the first corner.
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
    corners = known.shape.mirrored
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
    for start in range(0, len(nodes), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        own = np.ascontiguousarray(nodes[part, used].T)
        corners = [column[own] for column in columns]  # x, y, z: (corners, ne)
        edges = [along[second] - along[first] for along in corners]
        longest = np.max([np.maximum(edge.max(axis=0), -edge.min(axis=0)) for edge in edges], axis=0)
        scale = np.where(longest > 0.0, longest, 1.0) ** 3
        for row, (three, sign) in enumerate(at):
            result[row, part] = sign * triple_product(*([edge[number[one]] for edge in edges] for one in three)) / scale
    return result


@cache
def _corner_edges(kind: str) -> list[tuple[list[int], float]]:
    """For each corner at which three edges meet: these edges, and the sign that makes their triple product positive."""
    known = KINDS[kind]
    places = known.reference_nodes
    along = np.array([places[second] - places[first] for first, second in known.edges])
    meeting = [[at for at, edge in enumerate(known.edges) if corner in edge] for corner in range(known.corner_count)]
    return [(three, float(np.sign(np.linalg.det(along[three])))) for three in meeting if len(three) == 3]
