"""Vibrations of an assembled machine in which its bodies bend, and the damping that they have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from flexmbs.analysis.evaluation.constraint_directions import dense, null_space
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.evaluation.massless_coordinates import massless_coordinates
from flexmbs.model.compiled_model import Model
from flexmbs.reduction.flexible_body import FlexibleBody

BENT = 0.01  # part of the energy of a mode that bodies must hold for it to be one of theirs, not of springs or gravity
INCREMENT = 1e-6  # m, rad and their rates, to both sides


@dataclass(frozen=True)
class MachineModes:
    """Vibrations of an assembled machine at its start, its drivers held, in which its bodies bend.

    Attributes
    ----------
    frequencies : (k,) Hz, ascending
    damping_ratios : (k,) of everything that acts at the start, to first order
    shapes : (coordinates, k) of unit inertia
    """

    frequencies: np.ndarray
    damping_ratios: np.ndarray
    shapes: np.ndarray

    def text(self, count: int = 3) -> str:
        """ "6.1 Hz 0.18 %, 16.2 Hz 0.21 %": the lowest ``count``."""
        pairs = zip(self.frequencies[:count], self.damping_ratios[:count], strict=True)
        return ", ".join(f"{frequency:.4g} Hz {100.0 * ratio:.2g} %" for frequency, ratio in pairs)

    def __str__(self) -> str:
        return f"lowest modes of the machine and their damping: {self.text(8)}"


def machine_modes(model: Model, t: float = 0.0) -> MachineModes:
    """The modes of a prepared model at its start values, at rest, at time ``t`` (s)."""
    n, evaluator = model.coordinate_count, Evaluator(model)
    free = np.flatnonzero(~model.is_driven & ~model.state_coordinates[:n])
    zero, units = np.zeros(evaluator.size), INCREMENT * np.eye(evaluator.size)[free]
    K, D = (
        np.array([forces(unit) - forces(-unit) for unit in units]).reshape(len(free), -1)[:, free].T / (2.0 * INCREMENT)
        for forces in (
            lambda unit: evaluator.residual(model.q + unit, zero, zero, model.reference, t),
            lambda unit: evaluator.residual(model.q, unit, zero, model.reference, t),
        )
    )
    M, G = evaluator.mass_matrix(model.q, model.reference, t), dense(evaluator.constraint_matrix(model.q, model.reference, t))
    M, K, D = (0.5 * (part + part.T) for part in (M[np.ix_(free, free)], K, D))
    massless = np.isin(free, massless_coordinates(model))
    following = np.eye(len(free))[:, ~massless]
    if np.any(massless):
        following[massless] = -np.linalg.solve(K[np.ix_(massless, massless)], K[np.ix_(massless, ~massless)])
    motions = following @ null_space(G[:, free] @ following)
    M, K, D = (motions.T @ part @ motions for part in (M, K, D))
    squares, vectors = eigh(K, M + 1e-14 * np.trace(M) * np.eye(len(M)))
    shapes = np.zeros((n, len(squares)))
    shapes[free] = motions @ vectors
    energy = sum((np.diag(share) for share in bending(model, shapes).values()), np.zeros(len(squares)))
    kept = (squares > 0.0) & (energy > BENT * np.abs(squares))
    omega = np.sqrt(squares[kept])
    ratios = np.einsum("ik,ij,jk->k", vectors[:, kept], D, vectors[:, kept]) / (2.0 * omega)
    return MachineModes(omega / (2.0 * np.pi), ratios, shapes[:, kept])


def bending(model: Model, shapes: np.ndarray) -> dict[str, np.ndarray]:
    """S_b (k, k) of every flexible body."""
    found = {}
    for name, part in model.modal.items():
        body = model.bodies[name]
        if isinstance(body, FlexibleBody):
            found[name] = shapes[part].T @ body.Ke @ shapes[part]
    return found
