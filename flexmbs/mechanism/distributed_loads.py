"""Loads spread over a flexible body, reduced to a force, a moment and modal forces that depend linearly on q.

With nodal forces F_i(q) in body axes at the places r_i(q) = x_i + Phi_i q + Z_i s(q):
    force sum F_i,  moment sum r_i x F_i,  modal forces sum F_i . dr_i/dq
at q = 0 and their derivatives there, (1 + n, 6 + n) numbers.  The derivatives are taken with complex steps (Squire and
Trapp, SIAM Review 40 (1998) 110), so they are exact to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.body_in_system import BodyInSystem
from flexmbs.mechanism.geometry.surface_mesh import SurfaceMesh, chosen_points
from flexmbs.mechanism.markers import Marker
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields

STEP = 1e-30  # complex step: no difference is formed, so it may be as small as one likes


@dataclass(frozen=True)
class Places:
    """Loaded points: position (k, 3), Phi (n, k, 3), rotation Psi (n, k, 3) or None, second-order fields (K, k, 3)."""

    body: FlexibleBody
    points: np.ndarray
    Phi: np.ndarray
    Psi: np.ndarray | None
    Z: np.ndarray

    def at(self, q: np.ndarray) -> np.ndarray:
        """(k, 3) where the points are at q (n,)."""
        moved = self.points + np.tensordot(q, self.Phi, axes=(0, 0))
        if len(self.body.pairs) == 0:
            return moved
        return moved + np.tensordot(self.body.quadratic_coordinates(q), self.Z, axes=(0, 0))

    def gradient(self, q: np.ndarray) -> np.ndarray:
        """(n, k, 3) dr/dq at q."""
        if len(self.body.pairs) == 0:
            return self.Phi.astype(q.dtype)
        rates = self.body.quadratic_coordinates(q[None, :], np.eye(len(q)))  # (n, K)
        return self.Phi + np.tensordot(rates, self.Z, axes=(1, 0))


def expanded(places: Places, forces: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """(1 + n, 6 + n) force, moment and modal forces of ``forces``(q, r (k, 3)) -> (k, 3) N: at q = 0, then d/dq_a."""
    n = len(places.Phi)

    def whole(q):
        r = places.at(q)
        F = forces(q, r)
        modal = np.einsum("nkc,kc->n", places.gradient(q), F)
        return np.concatenate([F.sum(axis=0), np.cross(r, F).sum(axis=0), modal])

    rows = [whole(np.zeros(n))]
    for a in range(n):
        q = np.zeros(n, dtype=complex)
        q[a] = 1j * STEP
        rows.append(whole(q).imag / STEP)
    return np.array(rows)


def pressure_fields(body: BodyInSystem, where, follower: bool, label: str) -> np.ndarray:
    """Fields of a unit pressure on the chosen faces; each flat triangle gives a third of its force to each corner."""
    flexible = body.body
    surface = flexible.surface
    triangles = SurfaceMesh(surface.points, surface.faces).triangles
    if len(triangles) == 0:
        raise MechanismError(f"{label}: body '{body.name}' was made without elements, so it has no surface")
    if where is not None:
        chosen = chosen_points(where, surface.points, label)
        triangles = triangles[chosen[triangles].all(axis=1)]
        if len(triangles) == 0:
            low, high = surface.points.min(axis=0), surface.points.max(axis=0)
            raise MechanismError(f"{label}: where= chooses no face (the surface spans {low} to {high} m)")
    used, local = np.unique(triangles, return_inverse=True)
    local = local.reshape(triangles.shape)
    places = Places(flexible, surface.points[used], surface.modes[:, used], None, surface.quadratic[:, used])

    def forces(q, r):
        corners = (places.points.astype(r.dtype) if not follower else r)[local]
        areas = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        F = np.zeros_like(r)
        for corner in range(3):
            np.add.at(F, local[:, corner], -areas / 3.0)
        return F

    return expanded(places, forces)


def node_lengths(body: BodyInSystem, nodes, where: str) -> tuple[np.ndarray, Places]:
    """Length (k,) m of the line that each node carries, and the places of the nodes."""
    flexible = body.body
    numbers = np.atleast_1d(np.asarray(nodes))
    if numbers.ndim != 1 or len(numbers) < 2:
        raise MechanismError(f"{where}: give at least two node numbers in the order of the line, got {nodes!r}")
    unknown = [int(number) for number in numbers if number not in flexible.node_ids]
    if unknown:
        low, high = flexible.node_ids.min(), flexible.node_ids.max()
        raise MechanismError(f"{where}: body '{body.name}' has no node {unknown[0]} (its numbers run from {low} to {high})")
    index = np.array([int(np.flatnonzero(flexible.node_ids == number)[0]) for number in numbers])
    steps = np.linalg.norm(np.diff(flexible.points[index], axis=0), axis=1)
    if not np.all(steps > 0.0):
        raise MechanismError(f"{where}: nodes {numbers[:-1][steps == 0.0].tolist()} and their successors coincide")
    lengths = np.zeros(len(index))
    lengths[:-1] += 0.5 * steps
    lengths[1:] += 0.5 * steps
    turns = None if flexible.rotations is None else flexible.rotations[:, index]
    places = Places(flexible, flexible.points[index], flexible.modes[:, index], turns, flexible.quadratic[:, index])
    return lengths, places


def mean_marker(body: BodyInSystem, places: Places, weights: np.ndarray, name: str) -> Marker:
    """Marker that moves as the weighted mean of places: a load of one direction acts there with all its moments."""
    share = weights / weights.sum()
    Phi, Zu = np.einsum("k,nkc->nc", share, places.Phi), np.einsum("k,nkc->nc", share, places.Z)
    fields = PointFields(share @ places.points, Phi, np.zeros_like(Phi), Zu, np.zeros_like(Zu), has_rotation=False)
    return Marker(body.name, f"mean of {name}", fields.position, np.eye(3), fields)


def following_lines(body: BodyInSystem, places: Places, lengths: np.ndarray, where: str) -> list[np.ndarray]:
    """Fields of a unit force per length along each axis of the body, turning with the nodes."""
    if places.Psi is None:
        raise MechanismError(
            f"{where}: the nodes of body '{body.name}' have no rotations (solid elements), so no load can turn with "
            "them; use pressure, or follower=False"
        )

    def forces_along(k: int):
        def forces(q, r):
            turn = np.tensordot(q, places.Psi, axes=(0, 0))
            unit = np.eye(3)[k]
            return lengths[:, None] * (unit + np.cross(turn, unit))  # exp(th~) e to first order

        return forces

    return [expanded(places, forces_along(k)) for k in range(3)]
