"""Stations of a flexible body: where its deformation is looked at, and how wrong the modal theory is there.

The surface is cut into slices by the distance along it from where the body's frame is held; connected pieces of a slice are the
stations of a tree, from the one at the frame to the ends.  Each turns and moves as the rigid body that fits its points best.

The error is that of the displacements against an exact rod through the stations, under the loads that the modal
coordinates stand for.  The linear theory turns each station by the vectors theta, with the curvature kappa = theta' of
dead loads on the undeformed rod.  In the deformed one the part 1 - cos theta of each lever arm is missing, so that

    kappa(s) = kappa_lin(s) + int_s^L kappa_lin' (1 - t . exp(theta~) t) ds,     u(s) = int_0^s (exp(theta~) - 1) t ds

(Antman, Nonlinear Problems of Elasticity (2005), ch. 4: the planar elastica, of which this is the solution when iterated).
The modal theory has u = int (theta~ + 1/2 theta~^2) t ds, theta of the linear theory, with its second-order field.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, dijkstra
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from flexmbs.reduction.flexible_body import FlexibleBody

SLICES = 24
ITERATIONS, PART = 60, 0.3  # of the rod's curvature, and how much of a correction is taken: converges up to 6 rad
SETTLED = 0.02  # last correction relative to all of them
APART = 0.6  # of the thickness of a slice: pieces closer together are one station, as of a section that two slices share
LEAST = 3  # points that show how a piece of a surface turns
EVERY = 3  # of the stations are looked at in every step: rotations and stretches of others lie between theirs
SHOWN = 200  # points of which displacements of second order are compared
ROUNDS = 50  # in which separate pieces of a surface are connected to the one that grows


@dataclass(frozen=True)
class Stations:
    """Stations of one body, k of them with the root first; n modes.

    Attributes
    ----------
    positions : (k, 3) m, body frame
    rotations : (n, k, 3) rad per unit q, of first order
    stretch : (n, k) strain per unit q along the segment from the station before
    strains : (n, e) strain per unit q along edges of the surface, those of the stations where modes strain most
    edges : (e, 3) m, the middles of these edges
    parent, child : (k,) station before (of the root: itself) and the one behind with most points (at ends: -1)
    path : (k, k) whether the segment to station j is on the way from the root to station i
    """

    positions: np.ndarray
    rotations: np.ndarray
    stretch: np.ndarray
    strains: np.ndarray
    edges: np.ndarray
    parent: np.ndarray
    child: np.ndarray
    path: np.ndarray

    @cached_property
    def watched(self) -> tuple[np.ndarray, tuple[int, int], np.ndarray]:
        """What is looked at in every step: fields (n, columns), where rotations and stretch end, bounds (n, 2) of both kinds."""
        seen = np.union1d(np.arange(0, len(self.parent), EVERY), np.flatnonzero(self.child < 0))  # and all ends
        turns, stretch = self.rotations[:, seen].reshape(len(self.rotations), -1), self.stretch[:, seen]
        strained = np.concatenate([stretch, self.strains], axis=1)
        reach = np.stack([np.sqrt(3.0) * np.abs(turns).max(axis=1), np.abs(strained).max(axis=1)], axis=1)
        return np.concatenate([turns, strained], axis=1), (3 * len(seen), 4 * len(seen)), reach

    def error(self, q: np.ndarray) -> float:
        """Estimated error of displacements against the frame at modal coordinates q (n,), relative to the largest one."""
        turns = np.tensordot(q, self.rotations, axes=1)
        turns = turns - turns[0]
        along = self.positions - self.positions[self.parent]
        lengths = np.maximum(np.linalg.norm(along, axis=1), 1e-300)[:, None]
        path = self.path.astype(float)
        curvature, directions = (turns - turns[self.parent]) / lengths, along / lengths
        jump = np.where(self.child[:, None] >= 0, curvature[self.child] - curvature, 0.0)
        jump[0] = 0.0
        exact = turns
        for _ in range(ITERATIONS):
            missing = 1.0 - np.einsum("ki,ki->k", Rotation.from_rotvec(exact).apply(directions), directions)
            change = path @ ((curvature + path.T @ (jump * missing[:, None])) * lengths) - exact
            exact = exact + PART * change
            if np.abs(change).max() <= SETTLED * np.abs(exact - turns).max():
                break
        moved = path @ (Rotation.from_rotvec(0.5 * (exact + exact[self.parent])).apply(along) - along)
        middle = 0.5 * (turns + turns[self.parent])
        first = np.cross(middle, along)
        modal = path @ (first + 0.5 * np.cross(middle, first))
        missed, size = (float(np.linalg.norm(field, axis=1).max()) for field in (moved - modal, moved))
        return missed / size if size > 0.0 else 0.0


def second_order_share(body: FlexibleBody, q: np.ndarray) -> float:
    """Largest displacement of second order of a body at modal coordinates q (n,), relative to the largest of first."""
    source = body.surface if len(body.surface.points) else body
    if not len(source.quadratic):
        return 0.0
    products, some = body.quadratic_coordinates(q), slice(None, None, 1 + len(source.points) // SHOWN)
    first, second = (
        float(np.linalg.norm(np.tensordot(x, fields[:, some], axes=1), axis=1).max(initial=0.0))
        for x, fields in ((q, source.modes), (products, source.quadratic))
    )
    return second / first if first > 0.0 else 0.0


def validity_sentence(stats: Mapping[str, Any]) -> str:
    """What the statistics of an analysis say of its modal bodies, in words; empty without any."""
    if "deformation_error" not in stats:
        return ""
    name, error, when = (stats[f"deformation_error{part}"] for part in ("_body", "", "_time"))
    turned, strain = np.degrees(stats["largest_rotation"]), stats["largest_strain"]
    return (
        f"Displacements of body '{name}' are wrong by about {error:.2g} of the largest for its large deformation, at t = "
        f"{when:.6g} s; bodies turn by up to {turned:.3g} degrees against their frames, the largest strain is {strain:.2g}."
    )


_KNOWN: dict[int, tuple[weakref.ref[FlexibleBody], Stations | None]] = {}  # of bodies that are still in use


def stations_of(body: FlexibleBody) -> Stations | None:
    """The stations of a body; None without modes, or with too few points to know how it deforms."""
    known = _KNOWN.get(id(body))
    if known is None or known[0]() is not body:
        known = weakref.ref(body), _found(body)
        _KNOWN[id(body)] = known
        weakref.finalize(body, _KNOWN.pop, id(body), None)
    return known[1]


def _found(body: FlexibleBody) -> Stations | None:
    surface = len(body.surface.faces) > 0
    points = body.surface.points if surface else body.points
    if body.mode_count == 0 or len(points) < 2 or not surface and body.rotations is None:
        return None
    origin = body.center if body.attached_at is None else body.markers[body.attached_at].position
    away = np.linalg.norm(points - origin, axis=1)
    if surface:
        edges = _connected(points, _edges(body.surface.faces, (1, 2)))  # middle nodes are neighbours of each other alone
    else:  # from plain arrays: a row of points that turn
        order = np.argsort(away)
        edges = np.column_stack([order[:-1], order[1:]])
    distance = _along(points, edges, away)
    thickness = max(float(np.ptp(distance)), 1e-300) / SLICES
    slices = np.minimum(((distance - distance.min()) / thickness).astype(int), SLICES - 1)
    within = edges[slices[edges[:, 0]] == slices[edges[:, 1]]]
    label, parent = _tree(connected_components(_graph(within, len(points)), directed=False)[1], edges, distance)
    sizes = np.bincount(label)
    places = np.stack([np.bincount(label, x) / sizes for x in points.T], axis=1)
    near = np.linalg.norm(places - places[parent], axis=1) < APART * thickness
    near = np.flatnonzero(near | (sizes < LEAST) if surface else near)
    joined = connected_components(_graph(np.column_stack([near, parent[near]]), len(parent)), directed=False)[1]
    return _made(body, surface, edges, *_tree(joined[label], edges, distance))


def _along(points: np.ndarray, edges: np.ndarray, away: np.ndarray) -> np.ndarray:
    """(points,) m, distance from the place of the frame along the body, of points that are ``away`` (m) from it."""
    near = np.flatnonzero(away <= away.min() + np.ptp(away) / SLICES)
    count, lengths = len(points), np.linalg.norm(np.diff(points[edges], axis=1)[:, 0], axis=1)
    ends = np.concatenate([edges, np.column_stack([np.full(len(near), count), near])])
    weights = np.maximum(np.concatenate([lengths, away[near]]), 1e-12 * float(away.max()))
    graph = csr_array((weights, (ends[:, 0], ends[:, 1])), shape=(count + 1, count + 1))
    return dijkstra(graph, directed=False, indices=count)[:-1]


def _tree(label: np.ndarray, edges: np.ndarray, distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pieces ``label`` (points,) renumbered from the one at the frame outwards, and the piece (k,) before each."""
    sizes = np.bincount(label)
    root = int(np.argmin(np.bincount(label, distance) / sizes))
    order, before = breadth_first_order(_graph(label[edges], len(sizes)), root, directed=False)
    number = np.empty(len(sizes), dtype=int)
    number[order] = np.arange(len(sizes))
    return number[label], np.append(0, number[before[order[1:]]])


def _made(body: FlexibleBody, surface: bool, edges: np.ndarray, label: np.ndarray, parent: np.ndarray) -> Stations:
    """``label`` (points,): station of each point."""
    source = body.surface if surface else body
    points, modes = source.points, source.modes
    k, sizes = len(parent), np.bincount(label)
    mean = csr_array((1.0 / sizes[label], (label, np.arange(len(label)))), shape=(k, len(label)))

    def means(fields: Iterable[np.ndarray]) -> np.ndarray:
        """(n, k, 3) of n fields (points, 3)."""
        return np.array([mean @ field for field in fields])

    positions, displacements = mean @ points, means(modes)
    if surface:
        arms = points - positions[label]
        squares = (mean @ np.einsum("pi,pj->pij", arms, arms).reshape(-1, 9)).reshape(k, 3, 3)
        inertia = np.trace(squares, axis1=1, axis2=2)[:, None, None] * np.eye(3) - squares
        moments = means(np.cross(arms, mode - shift[label]) for mode, shift in zip(modes, displacements, strict=True))
        rotations = np.einsum("kij,nkj->nki", np.linalg.pinv(inertia, rcond=1e-6, hermitian=True), moments)
    else:
        rotations = means(body.rotations)  # type: ignore[arg-type]
    if body.attached_at is not None:  # the frame's own place, where nothing moves
        positions[0] = body.markers[body.attached_at].position
        rotations[:, 0] = displacements[:, 0] = 0.0
    path, child = np.diag(np.arange(k) > 0), np.full(k, -1)
    for i in range(1, k):
        path[i] |= path[parent[i]]
    for i in 1 + np.argsort((sizes @ path)[1:]):
        child[parent[i]] = i  # the one with most points behind it comes last
    along = positions - positions[parent]
    squared = np.maximum(np.einsum("ki,ki->k", along, along), 1e-300)
    stretch = np.einsum("ki,nki->nk", along, displacements - displacements[:, parent]) / squared
    sides = _edges(body.surface.faces, (1,)) if surface else edges
    return Stations(positions, rotations, stretch, *_strains(points, modes, sides, label), parent, child, path)


def _edges(faces: np.ndarray, steps: tuple[int, ...]) -> np.ndarray:
    """(edges, 2) between corners so many ``steps`` apart around the faces of a VTK face list, each once."""
    starts, at = [], 0
    while at < len(faces):
        starts.append(at)
        at += int(faces[at]) + 1
    sizes, found, base = faces[starts], [], int(faces.max()) + 1
    for size in np.unique(sizes):
        corners = faces[np.array(starts)[sizes == size][:, None] + 1 + np.arange(size)]
        for step in steps:
            ends = np.roll(corners, -step, axis=1)
            found.append((np.minimum(corners, ends) * base + np.maximum(corners, ends)).ravel())
    return np.column_stack(np.divmod(np.unique(np.concatenate(found)), base))


def _graph(edges: np.ndarray, count: int) -> csr_array:
    return csr_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count))


def _connected(points: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """``edges`` with one more between separate pieces of the surface, as of beams at a corner, where they are nearest."""
    for left in range(ROUNDS, 0, -1):
        count, label = connected_components(_graph(edges, len(points)), directed=False)
        if count == 1:
            break
        first, others = np.flatnonzero(label == 0), np.flatnonzero(label != 0)
        gaps, nearest = cKDTree(points[first]).query(points[others])
        order = np.lexsort((gaps, label[others]))
        each = order[np.unique(label[others][order], return_index=True)[1]]  # the nearest point of each piece
        each = each[(gaps[each] <= 2.0 * gaps[each].min()) | (left == 1)]  # others may hang on these
        edges = np.concatenate([edges, np.column_stack([first[nearest[each]], others[each]])])
    return edges


def _strains(points: np.ndarray, modes: np.ndarray, edges: np.ndarray, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Strains (n, e) along the edge of each station that all modes together strain most, and the middles (e, 3) of these."""
    along = points[edges[:, 1]] - points[edges[:, 0]]
    squared = np.einsum("ei,ei->e", along, along)
    real = squared > 1e-12 * squared.max()
    (a, b), along, squared = edges[real].T, along[real], squared[real]
    strains = np.array([np.einsum("ei,ei->e", along, mode[b] - mode[a]) for mode in modes]) / squared
    shares = strains / np.maximum(np.abs(strains).max(axis=1), 1e-300)[:, None]
    order = np.lexsort((np.einsum("ne,ne->e", shares, shares), label[a]))
    last = order[np.flatnonzero(np.diff(label[a][order], append=len(points)))]
    chosen = np.union1d(last, np.abs(strains).argmax(axis=1))
    return strains[:, chosen], 0.5 * (points[a] + points[b])[chosen]
