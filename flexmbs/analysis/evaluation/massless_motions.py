"""Motions that the constraints allow but that move no mass, so that their accelerations are undetermined."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.evaluation.constraint_directions import null_space
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.common.errors import MechanismError
from flexmbs.core.layout.tables import CONSTRAINTS
from flexmbs.model.compiled_model import Model
from flexmbs.model.mechanism_size import size_in_pose
from flexmbs.reduction.flexible_body import FlexibleBody

# Inertia of a motion relative to that of bodies with their largest moment of inertia about every axis.
WITHOUT_INERTIA = 1e-12
MAX_UNKNOWNS = 1000  # above, the check would cost as much as the run


def mass_properties(body) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass (kg), centre of mass (3,) m, inertia (3, 3) kg m2 about it, body axes; flexible bodies undeformed."""
    if not isinstance(body, FlexibleBody):
        return float(body.mass), body.center, body.inertia
    X = body.inertia.X  # int x x^T dm = X X^T (docs/notation.md)
    center = X[:, 0] / np.sqrt(body.mass)
    second = X @ X.T - body.mass * np.outer(center, center)
    return float(body.mass), center, np.trace(second) * np.eye(3) - second


def axis_name(axis: np.ndarray) -> str:
    """An axis in the frame of a body, for messages: "its x axis" or "the axis (0, 0.6, 0.8) of its frame"."""
    for i, letter in enumerate("xyz"):
        if abs(axis[i]) > 0.9999:
            return f"its {letter} axis"
    return "the axis (" + ", ".join(f"{x:.3g}" for x in axis) + ") of its frame"


def check_inertia(model: Model, t: float) -> None:
    """MechanismError naming the bodies if a motion has no inertia (not checked above ``MAX_UNKNOWNS`` unknowns)."""
    if len(model.q) > MAX_UNKNOWNS:
        return
    sentences = freedoms_without_inertia(model, t)
    if sentences:
        raise MechanismError(f"the mass matrix is singular: {'; '.join(sentences)}")


def freedoms_without_inertia(model: Model, t: float) -> tuple[str, ...]:
    """One sentence for each independent motion that the constraints allow and that moves no mass."""
    free = model.free_coordinates
    motions = null_space(Evaluator(model).constraint_matrix(model.q, model.reference, t)[:, free])
    return tuple(sentence for _motion, sentence in motions_without_inertia(model, t, free, motions))


def motions_without_inertia(model: Model, t: float, free: np.ndarray, motions: np.ndarray) -> list[tuple[np.ndarray, str]]:
    """Each independent unit combination (k,) of ``motions`` (free, k) that moves no mass, and the sentence that names it.

    ``free``: numbers of the coordinates that move.
    """
    if motions.shape[1] == 0:
        return []
    evaluator = Evaluator(model)
    mass = evaluator.mass_matrix(model.q, model.reference, t)[np.ix_(free, free)]
    own = motions.T @ mass @ motions
    turns, shifts = _body_motions(model, evaluator, free, motions, t)
    weights = _weights(model, size_in_pose(model.tables, evaluator.work.frame))
    compared = np.einsum("b,bik,bil->kl", weights[:, 0], shifts, shifts)
    compared += np.einsum("b,bik,bil->kl", weights[:, 1], turns, turns)
    modal = np.isin(free, [k for part in model.modal.values() for k in range(part.start, part.stop)])
    compared += motions[modal].T @ (np.diag(mass)[modal][:, None] * motions[modal])
    root = np.linalg.cholesky(compared + 1e-14 * np.trace(compared) * np.eye(len(compared)) + 1e-300 * np.eye(len(own)))
    inverse = np.linalg.inv(root)
    values, vectors = np.linalg.eigh(inverse @ own @ inverse.T)
    directions = [z / np.linalg.norm(z) for z in (inverse.T @ vectors[:, values < WITHOUT_INERTIA]).T]
    names = [model.coordinate_names[k] for k in free]
    return [(z, _sentence(model, evaluator, names, motions @ z, turns @ z, weights[:, 1])) for z in directions]


def _body_motions(model: Model, evaluator: Evaluator, free, motions, t: float) -> tuple[np.ndarray, np.ndarray]:
    """(bodies, 3, k) angular velocity and velocity of the centre of mass of every body, for each motion; world axes."""
    zero = np.zeros_like(model.q)
    bodies, count = len(model.body_names) - 1, motions.shape[1]
    turns, shifts = np.zeros((bodies, 3, count)), np.zeros((bodies, 3, count))
    frames = evaluator.work.frame
    evaluator.residual(model.q, zero, zero, model.reference, t, CONSTRAINTS)
    base = frames[1:].copy()
    for k in range(count):
        v = zero.copy()
        v[free] = motions[:, k]
        evaluator.residual(model.q, v, zero, model.reference, t, CONSTRAINTS)
        turns[:, :, k] = frames["w_WB"][1:] - base["w_WB"]
        shifts[:, :, k] = frames["v_WB"][1:] - base["v_WB"]
    for b, name in enumerate(model.body_names[1:]):
        arm = base["R_WB"][b] @ mass_properties(model.bodies[name])[1]
        shifts[b] += np.cross(turns[b].T, arm).T
    return turns, shifts


def _weights(model: Model, length: float) -> np.ndarray:
    """(bodies, 2) mass and largest moment of inertia (of a point mass: its mass times ``length`` squared)."""
    found = []
    for name in model.body_names[1:]:
        mass, _center, inertia = mass_properties(model.bodies[name])
        largest = float(np.linalg.eigvalsh(inertia)[-1])
        found.append((mass, largest if largest > 0.0 else mass * length**2))
    return np.array(found)


def _sentence(model: Model, evaluator: Evaluator, names, motion, turns, weights) -> str:
    """Names the body that rotates most in a motion without inertia."""
    b = int(np.argmax(weights * (turns**2).sum(axis=1)))
    size = float(np.linalg.norm(turns[b]))
    if size <= 1e-9 * float(np.abs(motion).max()):
        return f"'{names[int(np.argmax(np.abs(motion)))]}' has no inertia: it moves no body"
    axis = evaluator.work.frame["R_WB"][b + 1].T @ turns[b] / size
    return (
        f"body '{model.body_names[b + 1]}' has no inertia about {axis_name(axis)}, and nothing constrains that "
        "rotation; give it an inertia about that axis, or a joint that constrains the rotation (universal instead of "
        "spherical; rod(...) instead of a body)"
    )


def massless_coordinates(model: Model) -> np.ndarray:
    """(k,) indices of the coordinates without any inertia."""
    found = [np.arange(part.start, part.stop)[model.bodies[name].massless] for name, part in model.modal.items()]
    return np.concatenate([np.zeros(0, dtype=np.int64), *found])


def following_motions(model: Model, free: np.ndarray, K: np.ndarray) -> np.ndarray:
    """(free, others) motions of the coordinates ``free`` with those of the others: massless ones balance their load by K."""
    massless = np.isin(free, massless_coordinates(model))
    following = np.eye(len(free))[:, ~massless]
    if np.any(massless):
        following[massless] = -np.linalg.solve(K[np.ix_(massless, massless)], K[np.ix_(massless, ~massless)])
    return following
