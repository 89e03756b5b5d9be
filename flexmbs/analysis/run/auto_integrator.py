"""The choice of ``integrator="auto"``: the integrator for a model, and the reason."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.run.integrators import named
from flexmbs.core.equations.tangent import update_tangent
from flexmbs.core.laws.force.stop import StopLaw
from flexmbs.core.layout import state as s
from flexmbs.core.layout.tables import CURVE, make_workspace
from flexmbs.core.methods.explicit import Explicit
from flexmbs.core.methods.integrator import Integrator
from flexmbs.core.methods.method_table import METHODS
from flexmbs.core.methods.radau import Radau
from flexmbs.model.compile_forces import law_number
from flexmbs.model.compiled_model import Model

# Explicit steps are limited by the fastest component, implicit ones by the accuracy of the motion: below this ratio of
# the largest to the smallest rate the explicit integrator costs less (docs/integrators.md).
STIFF = 300.0
SLOWEST = 1e-2  # rad/s
FEW = 12  # coordinates that vibrate on springs: Radau IIA of high order costs less up to there
MAX_DENSE = 400  # coordinates; larger models are not analysed, and rigid trees among them are assumed not stiff


def choose_integrator(integrator: str | Integrator, model: Model) -> tuple[Integrator, str]:
    """The integrator of a run, and the reason for the choice.

    It does not depend on how long the run is, so that a resumed one finds the same.
    """
    if integrator != "auto":
        return named(integrator), "as requested"
    if len(model.tables.joint_frictions):
        return Radau(), f"{len(model.tables.joint_frictions)} joints with friction that sticks"
    if len(model.tables.constraints):
        return Radau(), f"{len(model.tables.constraints)} constraints (closed loops, cut joints, couplings)"
    if len(model.tables.switches) and not model.contact_names:
        return Radau(), f"what events lock or let go ({', '.join(model.switch_names[:3])})"
    if np.any(model.condensed_units):
        return Radau(), "modes condensed to their static deflection"
    if len(model.tables.groups):
        return Explicit(), f"many bodies that may touch each other ({model.recorded_contacts} other contacts)"
    if model.contact_names:
        return Radau(), f"contacts ({', '.join(model.contact_names[:3])}{', ...' if model.contact_names[3:] else ''})"
    if np.any(model.tables.axes["kind"] >= CURVE):
        return Radau(), "curves or surfaces, which are only piecewise smooth"
    if len(model.tables.free) == 0:
        return Radau(), "every coordinate is prescribed"
    if model.modal:  # each evaluation would need the mass matrix, a residual per unknown
        return Radau(), f"flexible bodies ({', '.join(list(model.modal)[:3])}{', ...' if len(model.modal) > 3 else ''})"
    tables = model.tables
    if not (len(tables.elements) or len(tables.bushings) or len(tables.couplers) or len(tables.functions)):
        return Explicit(), "a tree of rigid bodies without contacts, on which nothing stiff acts"
    if np.any(tables.elements["law"] == law_number(StopLaw)):
        return Radau(), "stops in joints, which are stiff where they are met"
    if np.any(tables.elements["slides"]):
        return Radau(), "friction laws in joints, which are stiff where they stick, with bristles where they slip"
    if len(tables.free) > MAX_DENSE:
        return Explicit(), "a tree of rigid bodies without contacts"
    fastest, slowest = extreme_rates(model)
    if fastest <= STIFF * slowest and len(tables.elements):  # friction is stiff where sliding ends
        fastest = max(fastest, extreme_rates(model, at_rest=True)[0])
    if fastest > STIFF * slowest:
        return Radau(), f"stiff: rates from {slowest:.3g} to {fastest:.3g} rad/s"
    springs = bool(np.any(tables.elements["energy"] != 0)) or len(tables.bushings) > 0 or len(tables.couplers) > 0
    if springs and len(tables.free) <= FEW:
        return Radau(), "springs and few coordinates: vibrations, for which high orders cost least"
    return Explicit(), f"a tree without contacts, not stiff (rates from {slowest:.3g} to {fastest:.3g} rad/s)"


def extreme_rates(model: Model, at_rest: bool = False) -> tuple[float, float]:
    """Largest and smallest non-zero |eigenvalue| (rad/s) of the equations of motion at the start, or at rest there."""
    tables, m = model.tables, len(model.tables.free)
    state, scratch = s.make_state(tables, len(model.balls), 0), s.make_scratch(tables, METHODS["radau"])
    state.q[:], state.v[:], state.reference[:] = model.q, model.v, model.reference
    if at_rest:
        state.v[:] = np.where(model.state_coordinates, state.v, 0.0)
    update_tangent(tables, state, scratch, make_workspace(tables), 3)
    M, D, K = (unbanded(matrix, int(tables.band)) for matrix in (state.mass, state.damping, state.stiffness))
    states = model.state_coordinates[tables.free]
    try:
        solved = np.linalg.solve(M, np.hstack([K, D]))
    except np.linalg.LinAlgError:
        return 1.0, 1.0  # the run will name the coordinate without inertia
    if not np.all(np.isfinite(solved)):
        sizes = np.ones(1)
    elif not np.any(states) and np.any(solved[:, :m]) and np.abs(solved[:, m:]).sum(axis=1).max(initial=0.0) < 1e-3 * SLOWEST:
        # M^-1 D moves no rate of interest (``SLOWEST`` and above) by as much as a thousandth, and s^2 are the eigenvalues of a
        # matrix half as large: an eighth of the work
        sizes = np.sqrt(np.abs(np.linalg.eigvals(solved[:, :m])))
    else:
        matrix = np.block([[np.zeros((m, m)), np.diag(np.where(states, 0.0, 1.0))], [-solved[:, :m], -solved[:, m:]]])
        sizes = np.abs(np.linalg.eigvals(matrix))
    # smaller ones are zero up to the finite-difference error of K, or slower than any run
    sizes = sizes[sizes > max(1e-3 * sizes.max(initial=0.0) / STIFF, SLOWEST)]
    return (float(sizes.max()), float(sizes.min())) if len(sizes) else (SLOWEST, SLOWEST)


def unbanded(matrix: np.ndarray, band: int) -> np.ndarray:
    """A banded or full matrix of the integrator (core.linalg.matrix) as a square array."""
    if band == 0:
        return matrix
    n = len(matrix)
    full = np.zeros((n, n))
    for i in range(n):
        first, end = max(0, i - band), min(n, i + band + 1)
        full[i, first:end] = matrix[i, first - i + band : end - i + band]
    return full
