"""Momentum and angular momentum of bodies over a run, from their motion and their inertia."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.mechanism.rigid_body import RigidBody
from flexmbs.model.compile_bodies import rigid_inertia_basis
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.result.result import Result


def momenta(
    result: Result, bodies: Mapping[str, RigidBody | FlexibleBody], about: ArrayLike = (0.0, 0.0, 0.0)
) -> tuple[np.ndarray, np.ndarray]:
    """Sums over some bodies: momentum (nt, 3) N s and angular momentum (nt, 3) N m s, world axes.

    Both are of a simulated result: they need velocities of bodies.

    Parameters
    ----------
    bodies : name in the system -> the body as it was added
    about : (3,) or (nt, 3) m, the point of the angular momentum
    """
    run, about = result.trajectory, np.asarray(about, dtype=float)[..., None, :]
    linear, angular = np.zeros((2, len(result.t), 3))
    for name, body in bodies.items():
        index = result.structure.body_index(name)
        place, speed = (values[:, index] for values in (run.body_position, run.body_velocity))
        turn, spin = run.body_rotation[:, index], run.body_angular_velocity[:, index]
        points, rates = (turn @ values for values in _mass_points(result, index, body))
        weights = np.zeros(points.shape[2])  # integrals of the functions of the inertia basis
        weights[0] = np.sqrt(body.mass)
        arms = np.swapaxes(points, 1, 2)
        signs = np.ones(len(weights))
        signs[1:2] = rigid_inertia_basis(body)[1] if isinstance(body, RigidBody) else 1.0
        moved = speed[:, None] * weights[:, None] + np.cross(spin[:, None], arms) + np.swapaxes(rates, 1, 2)
        linear += np.einsum("s,tsk->tk", weights, moved)
        angular += np.cross(arms + (place[:, None] - about) * weights[:, None], signs[:, None] * moved).sum(axis=1)
    return linear, angular


def _mass_points(result: Result, index: int, body: RigidBody | FlexibleBody) -> tuple[np.ndarray, np.ndarray]:
    """(nt, 3, R) c(q) and its rate: as unit masses they have the inertia of the body (docs/notation.md)."""
    times = len(result.t)
    if isinstance(body, RigidBody):
        fixed = rigid_inertia_basis(body)[0]
        return np.broadcast_to(fixed, (times, *fixed.shape)), np.zeros((times, *fixed.shape))
    record, fields = result.structure.bodies[index], body.inertia
    q, v = result.trajectory.q[:, record.coordinates], result.trajectory.v[:, record.rates]
    quadratic = body.quadratic_coordinates(q), body.quadratic_coordinates(q, v)
    points, rates = (
        np.einsum("ta,aks->tks", modal, fields.P) + np.einsum("tp,pks->tks", squared, fields.Z)
        for modal, squared in zip((q, v), quadratic, strict=True)
    )
    return fields.X + points, rates
