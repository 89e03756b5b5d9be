"""Modes without inertia in a simulation: condensed ones (QuasiStatic), and those of contact patches (ContactPatch).

Statics and linearisation use all modes as they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.analysis.evaluation.constraint_directions import dense
from flexmbs.analysis.evaluation.driver_elimination import with_tables
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.evaluation.massless_motions import massless_coordinates
from flexmbs.common.errors import MechanismError
from flexmbs.model.compiled_model import Model
from flexmbs.reduction.flexible_body import FlexibleBody

NEGLIGIBLE = 1e-9  # relative to the largest entry in a row of the constraint matrix


def with_condensed_modes(model: Model, t: float, integrator) -> Model:
    """``model`` with condensed modes without inertia (core.mechanics.condensed_modes); their rates are zero.

    Raises
    ------
    MechanismError
        A constraint acts on a marker that moves with a condensed mode, a joint on a contact patch, or the integrator is
        explicit.
    """
    chosen = np.flatnonzero(model.condensed_units)
    if len(chosen) == 0:
        return model
    massless = massless_coordinates(model)
    what = "QuasiStatic: condensed modes need" if len(massless) < len(chosen) else "massless contact patches need"
    if integrator.trees_only:
        raise MechanismError(f"{what} an implicit integrator, not {integrator}")
    _check_joints(model)
    _check_constraints(model, chosen, t)
    coordinates, v = model.tables.coordinates.copy(), model.v.copy()
    coordinates["unit"] = model.condensed_units
    v[chosen] = 0.0
    return replace(with_tables(model, coordinates=coordinates, condensed=chosen, massless=massless), v=v)


def with_all_modes(model: Model) -> Model:
    """``model`` without condensation of modes."""
    coordinates = model.tables.coordinates.copy()
    coordinates["unit"] = 0.0
    nothing = np.zeros(0, dtype=np.int64)
    return with_tables(model, coordinates=coordinates, condensed=nothing, massless=nothing)


def start_values(model: Model) -> np.ndarray:
    """(coordinates,) initial guess of the accelerations, from the positions of condensed modes; zero for all others."""
    units = model.tables.coordinates["unit"]
    return np.divide(model.q, units, out=np.zeros_like(model.q), where=units != 0.0)


def _check_joints(model: Model) -> None:
    """MechanismError if a joint carries a body on a massless patch: that would move without velocity."""
    for branch in model.tree.branches:
        for marker in (branch.joint.a, branch.joint.b):
            body = model.bodies.get(marker.body)
            if isinstance(body, FlexibleBody) and body.yields_at(marker.fields):
                raise MechanismError(
                    f"the joint of body '{branch.body}' is at '{marker.name}' on '{marker.body}', a massless contact "
                    "patch, which carries contacts and forces only: put the joint on another interface, or use "
                    'ContactPatch(kind="attachment")'
                )


def _check_constraints(model: Model, chosen: np.ndarray, t: float) -> None:
    """MechanismError if a constraint involves a condensed mode: constraints need accelerations, which these lack."""
    if len(model.tables.constraints) == 0:
        return
    G = np.abs(dense(Evaluator(model).constraint_matrix(model.q, model.reference, t)))
    touched = G[:, chosen] > NEGLIGIBLE * G.max(axis=1, keepdims=True)
    if not np.any(touched):
        return
    row, column = np.argwhere(touched)[0]
    names = model.coordinate_names
    raise MechanismError(
        f"QuasiStatic: constraint '{names[model.coordinate_count + row]}' acts on a marker that moves with "
        f"'{names[chosen[column]]}', which has no acceleration because it is condensed: use DampedModes for that body "
        '(of a contact patch, ContactPatch(kind="attachment")); in reduced coordinates, joints that close no loop are '
        "not constraints"
    )
