"""Damping of bodies with which the modes of the assembled machine have stated ratios.

A ratio that is stated for a body holds for the modes of that body alone.  Modes of the machine are slower, since other
masses move with them, and 2 zeta w of the body becomes less of theirs; joints mix modes of several bodies.

Modes phi of unit inertia have the part phi_b in the modal coordinates of body b.  With forces g_bj of body b and
    De_b = sum_j c_bj g_bj g_bj^T,  c_bj >= 0,
mode i has, to first order,    2 zeta_i w_i = sum_b phi_bi^T De_b phi_bi = sum_bj c_bj (g_bj^T phi_bi)^2.
If one body bends and holds all energy, its forces g_j = Ke phi_j in the modes are orthogonal to all other modes, and
c_j = 2 zeta_j / w_j^3 gives every mode its ratio, without coupling them (the converse of Caughey, J. Appl. Mech. 27 (1960)
269).  Otherwise the c_bj follow by least squares of relative errors (Lawson and Hanson, Solving Least Squares Problems, 1974,
23), with the forces of each body in the modes of the machine and in its own.  Such damping acts on the deformation of each
body alone: it neither slows a joint nor a free flight.  Modes in which every body bends alike cannot be told apart by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import nnls

from flexmbs.analysis.linear.machine_modes import MachineModes, machine_modes
from flexmbs.analysis.prepare.prepare import prepared
from flexmbs.analysis.statics.equilibrium import equilibrium
from flexmbs.common.errors import BodyError, MechanismError, SimulationError
from flexmbs.mechanism.high_modes import DampedModes, eigenvectors
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model
from flexmbs.reduction.damping import DampingByFrequency, Rayleigh, stated_damping
from flexmbs.reduction.flexible_body import FlexibleBody

ROUGH, LEAST = 1e-3, 1e-9  # weight of high modes; ratio, in parts of the largest, below which it counts as none

MachineDamping = float | Sequence[float] | Rayleigh | DampingByFrequency


def damped_as_stated(system: Mechanism, damping: MachineDamping, high_modes: DampedModes | None = None) -> MachineModes:
    """Replace the damping of all flexible bodies of a system by one with which its own modes have stated ratios.

    See :meth:`flexmbs.System.damp`.  Returns the modes with the ratios that were reached.
    """
    model = prepared(system)
    if not model.modal:
        raise MechanismError("damp: no body of this system bends (rigid ones have no damping of their own)")
    modes = _modes_about_rest(model)
    omega, others = 2.0 * np.pi * modes.frequencies, modes.damping_ratios - modes.of_bodies
    wanted, high = _ratios(damping, modes.frequencies), np.zeros(len(omega), dtype=bool)
    if high_modes is not None:
        high = modes.frequencies > high_modes.above
        wanted = np.where(high, np.maximum(wanted, high_modes.ratio), wanted)
    wanted = np.maximum(wanted - others, 0.0)
    forces = {name: _forces(model.bodies[name], modes.shapes[part], len(model.modal) == 1) for name, part in model.modal.items()}
    works = [(modes.shapes[model.modal[name]].T @ found) ** 2 / (2.0 * omega[:, None]) for name, found in forces.items()]
    # relative errors; those of high modes, which need not be exact, weigh little
    shares, heaviness = np.hstack(works), np.where(high, ROUGH, 1.0) / np.maximum(wanted, LEAST * wanted.max(initial=LEAST))
    sizes = np.maximum(shares.max(axis=0, initial=0.0), 1e-300)
    amounts = nnls(shares / sizes * heaviness[:, None], wanted * heaviness, maxiter=100 * shares.shape[1])[0] / sizes
    ends = np.cumsum([found.shape[1] for found in forces.values()])[:-1]
    for (name, found), own in zip(forces.items(), np.split(amounts, ends), strict=True):
        system.bodies[name].body = replace(system.bodies[name].body, De=(found * own) @ found.T)
    return _modes_about_rest(prepared(system))


def _modes_about_rest(model: Model) -> MachineModes:
    """The modes about the steady state at which a model is linearised; where there is none, as it starts."""
    try:
        balance = equilibrium(model, 0.0, "damp", stable=False, moving=True)
    except (SimulationError, MechanismError):
        balance = None
    try:
        modes = machine_modes(model if balance is None else balance.model, 0.0, balance)
    except np.linalg.LinAlgError as error:
        raise MechanismError(f"damp: the machine has no vibrations about rest ({error}); linearize() says more") from error
    if not len(modes.frequencies):
        raise MechanismError("damp: no vibration of this system bends a body")
    return modes


def _forces(body: FlexibleBody, shapes: np.ndarray, alone: bool) -> np.ndarray:
    """(modes, k) modal forces of a body, of unit length: in the modes of the machine and, unless it is alone, in its own."""
    found = body.Ke @ (shapes if alone else np.hstack([shapes, eigenvectors(body)[1]]))
    return found / np.maximum(np.linalg.norm(found, axis=0), 1e-300)


def _ratios(damping: MachineDamping, frequencies: np.ndarray) -> np.ndarray:
    """(k,) ratios of modes with these frequencies (Hz); of a list, the last one holds for all modes beyond it."""
    omega, count = 2.0 * np.pi * frequencies, len(frequencies)
    try:
        stated = np.nan if damping is None else damping
        every = np.pad(stated, (0, count), mode="edge")[:count] if np.ndim(stated) == 1 else stated
        return np.diag(stated_damping(every, omega, np.eye(count), np.diag(omega**2))) / (2.0 * omega)
    except (BodyError, ValueError) as error:
        raise MechanismError(
            "damp: damping must be a ratio, such as 0.02, ratios from the lowest mode on, Rayleigh or DampingByFrequency; "
            f"finite and not negative, not {damping!r}"
        ) from error
