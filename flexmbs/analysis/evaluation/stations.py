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

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from flexmbs.fem.rigid_motion import rigid_motions
from flexmbs.reduction.flexible_body import FlexibleBody

SLICES = 24
APART = 0.6  # of the thickness of a slice: pieces closer together are one station, as of a section that two slices share
LEAST = 3  # points that show how a piece of a surface turns
SEEN = 2000  # points, at random, of which stations are made
ITERATIONS, PART = 60, 0.3  # of the rod's curvature, and how much of a correction is taken: converges up to 6 rad
SETTLED = 1e-4  # last correction relative to the largest rotation
ROUNDING = 1e-9  # displacements relative to the body's length that are none
OF_STRETCH = 1.5  # error relative to the stretch between stations, of laws for small strains
AS_ROTATION = 10.0  # rad: of a stretch that is looked at like a rotation


@dataclass(frozen=True)
class Stations:
    """Stations of one body, k of them from the root outwards; n modes.

    Attributes
    ----------
    positions : (k, 3) m, body frame
    parent : (k,) station before (of the root: itself)
    rotations : (n, k, 3) rad per unit q, of first order
    stretch : (n, k) strain per unit q along the segment from the station before
    strains, places : (n, e) strain per unit q along lines between points outwards from the root, (e, 3) m their middles
    """

    positions: np.ndarray
    parent: np.ndarray
    rotations: np.ndarray
    stretch: np.ndarray
    strains: np.ndarray
    places: np.ndarray

    @cached_property
    def watched(self) -> tuple[np.ndarray, np.ndarray]:
        """What is looked at in every step: rotations and stretch (n, k, 4), and the largest of each mode (n,)."""
        fields = np.concatenate([self.rotations, AS_ROTATION * self.stretch[..., None]], axis=2)
        return fields, np.linalg.norm(fields, axis=2).max(axis=1)

    def error(self, q: np.ndarray) -> tuple[float, float]:
        """Estimated error of displacements against the frame at modal coordinates q (n,), relative to the largest one.

        And the largest displacement of second order relative to that of first.
        """
        turns = np.tensordot(q, self.rotations, axes=1)
        turns = turns - turns[0]
        along = self.positions - self.positions[self.parent]
        lengths = np.maximum(np.linalg.norm(along, axis=1), 1e-300)[:, None]
        curvature, directions = (turns - turns[self.parent]) / lengths, along / lengths
        before = np.eye(len(along))[self.parent]
        before[0] = 0.0
        path = np.linalg.inv(np.eye(len(along)) - before)  # 1 for all stations on the way from the root
        behind = before.sum(axis=0)[:, None]
        jump = before.T @ curvature / np.maximum(behind, 1.0) - np.where(behind > 0.0, curvature, 0.0)  # no loads behind ends
        exact = turns
        for _ in range(ITERATIONS):
            missing = 1.0 - np.einsum("ki,ki->k", Rotation.from_rotvec(exact).apply(directions), directions)
            change = path @ ((curvature + path.T @ (jump * missing[:, None])) * lengths) - exact
            exact = exact + PART * change
            if np.abs(change).max() <= SETTLED * np.abs(exact).max():
                break
        middle = 0.5 * (turns + turns[self.parent])
        first = np.cross(middle, along)
        moved = path @ (Rotation.from_rotvec(0.5 * (exact + exact[self.parent])).apply(along) - along)
        fields = (moved, path @ first, path @ (0.5 * np.cross(middle, first)))
        size, linear, second, missed = (np.linalg.norm(u, axis=1).max() for u in (*fields, moved - fields[1] - fields[2]))
        missed /= size + ROUNDING * lengths.sum()
        return max(float(missed), OF_STRETCH * float(np.abs(q @ self.stretch).max())), float(second / max(linear, 1e-300))


def stations_of(body: FlexibleBody) -> Stations | None:
    """The stations of a body, which keeps them; None without modes, or with too few points to know how it deforms."""
    known: dict[str, Stations | None] = vars(body)
    if "stations" not in known:
        known["stations"] = _found(body)
    return known["stations"]


def _found(body: FlexibleBody) -> Stations | None:
    source, surface = body.surface if body.has_stress else body, body.has_stress
    if body.mode_count == 0 or not np.any(np.ptp(source.points, axis=0)) or not surface and body.rotations is None:
        return None
    some = np.random.default_rng(0).permutation(len(source.points))[:SEEN]
    points, modes = source.points[some], source.modes[:, some]
    origin = body.center if body.attached_at is None else body.markers[body.attached_at].position
    pieces, parent, before = _tree(points, origin, LEAST if surface else 1)
    positions = np.array([points[piece].mean(axis=0) for piece in pieces])
    moves = np.stack([modes[:, piece].mean(axis=1) for piece in pieces], axis=1)
    if surface:
        rotations = np.stack([_turn(points[piece], modes[:, piece]) for piece in pieces], axis=1)
    else:
        rotations = np.stack([body.rotations[:, some[piece]].mean(axis=1) for piece in pieces], axis=1)
    if body.attached_at is not None:  # the frame's own place, where nothing moves
        positions[0], rotations[:, 0], moves[:, 0] = origin, 0.0, 0.0
    stretch, strains = _strains(positions, moves, parent), _strains(points, modes, before)
    return Stations(positions, parent, rotations, stretch, strains, 0.5 * (points + points[before]))


def _strains(points: np.ndarray, modes: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(n, m) strains per unit q of modes (n, m, 3) between points (m, 3) and those ``before`` them (m,)."""
    along = points - points[before]
    squared = np.einsum("mi,mi->m", along, along)
    return np.einsum("mi,nmi->nm", along, modes - modes[:, before]) / np.maximum(squared, max(1e-12 * squared.max(), 1e-300))


def _turn(points: np.ndarray, modes: np.ndarray) -> np.ndarray:
    """(n, 3) rad per unit q, of the rigid body that fits the modes (n, m, 3) at points (m, 3) best."""
    turning = rigid_motions(points, 3, points.mean(axis=0))[:, 3:]
    return modes.reshape(len(modes), -1) @ np.linalg.pinv(turning, rcond=1e-3).T


def _tree(points: np.ndarray, origin: np.ndarray, least: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Numbers of the points (m, 3) in each of k pieces from ``origin`` outwards; piece (k,) and point (m,) before each.

    Points are neighbours within the distance that connects all of them; pieces have ``least`` points.
    """
    tree, near = cKDTree(points), float(np.ptp(points, axis=0).max()) / SLICES
    while connected_components(links := tree.sparse_distance_matrix(tree, near, output_type="coo_matrix"))[0] > 1:
        near *= 1.3
    links.data += 1e-12 * near  # where points coincide
    away = np.linalg.norm(points - origin, axis=1)
    first = np.flatnonzero(away <= away.min() + near)
    distance, before, _ = dijkstra(links, indices=first, min_only=True, return_predecessors=True)
    before[first] = away.argmin()
    thickness = max(float(distance.max()), near) / SLICES
    slices = np.minimum((distance / thickness).astype(int), SLICES - 1)
    links.data[slices[links.row] != slices[links.col]] = 0.0
    links.eliminate_zeros()
    label = connected_components(links)[1]
    found = sorted((np.flatnonzero(label == i) for i in np.unique(label)), key=lambda piece: float(distance[piece].min()))
    number, pieces, parent = np.zeros(len(points), dtype=int), found[:1], [0]
    for piece in found[1:]:
        last = number[before[piece[distance[piece].argmin()]]]
        apart = np.linalg.norm(points[piece].mean(axis=0) - points[pieces[last]].mean(axis=0))
        if len(piece) < least or apart < APART * thickness:
            pieces[last], number[piece] = np.append(pieces[last], piece), last
        else:
            number[piece] = len(pieces)
            pieces.append(piece)
            parent.append(last)
    return pieces, np.array(parent), before
