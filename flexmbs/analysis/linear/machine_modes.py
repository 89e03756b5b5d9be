"""Vibrations of an assembled machine in which its bodies bend, and the damping that they have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.analysis.evaluation.driver_elimination import without_drivers
from flexmbs.analysis.linear.small_motions import small_motions
from flexmbs.analysis.statics.equilibrium import Balance, Forces
from flexmbs.model.compiled_model import Model

BENT = 0.1  # part of the energy of a mode that bodies must hold for it to be one of theirs, not of springs or gravity


@dataclass(frozen=True)
class MachineModes:
    """Vibrations of an assembled machine about rest, its drivers held, in which its bodies bend.

    Attributes
    ----------
    frequencies : (k,) Hz, ascending
    damping_ratios : (k,) of everything that acts, to first order
    of_bodies : (k,) the part of them that is the damping of flexible bodies
    shapes : (coordinates, k) of unit inertia
    """

    frequencies: np.ndarray
    damping_ratios: np.ndarray
    of_bodies: np.ndarray
    shapes: np.ndarray

    def text(self, count: int = 3) -> str:
        """ "6.1 Hz 0.18 %, 16.2 Hz 0.21 %": the lowest ``count``."""
        pairs = zip(self.frequencies[:count], self.damping_ratios[:count], strict=True)
        return ", ".join(f"{frequency:.4g} Hz {100.0 * ratio:.2g} %" for frequency, ratio in pairs)

    def __str__(self) -> str:
        return f"lowest modes of the machine and their damping: {self.text(8)}"


def machine_modes(model: Model, t: float, balance: Balance | None = None) -> MachineModes:
    """The modes at the position of a prepared model, at time ``t`` (s); with what touches in a ``balance``.

    numpy.linalg.LinAlgError where mass or the stiffness of massless coordinates is singular.
    """
    forces = Forces(without_drivers(model, t), t, moving=True, contacts=False)
    forces.free, forces.steady[:] = np.flatnonzero(~(model.is_driven | model.state_coordinates[: model.coordinate_count])), 0.0
    if balance is not None:
        forces.evaluator.active[:], forces.evaluator.contact_history[:] = balance.active, balance.contact_history
        forces.rows = balance.rows
    G = forces.constraint_matrix(forces.model.q, model.reference)
    found = small_motions(forces, forces.model.q, forces.multipliers(forces.model.q, model.reference, G)[0])
    motions = found.following @ found.natural(found.allowed())[0]
    shapes = np.zeros((model.coordinate_count, motions.shape[1]))
    shapes[forces.free] = motions
    squares, damping = _forms(found.K, motions), _forms(found.D, motions)
    bent = np.sum([_forms(model.bodies[name].Ke, shapes[part]) for name, part in model.modal.items()], axis=0)
    lost = np.sum([_forms(model.bodies[name].De, shapes[part]) for name, part in model.modal.items()], axis=0)
    kept = (squares > 0.0) & (bent > BENT * np.abs(squares))
    omega = np.sqrt(squares[kept])
    return MachineModes(omega / (2.0 * np.pi), damping[kept] / (2.0 * omega), lost[kept] / (2.0 * omega), shapes[:, kept])


def _forms(matrix: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """(k,) quadratic forms of vectors (n, k)."""
    return np.einsum("ik,ij,jk->k", vectors, matrix, vectors)
