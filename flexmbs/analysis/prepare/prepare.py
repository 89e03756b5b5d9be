"""From a system to a model that is ready to run: loops closed, coordinates and independent constraints chosen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.analysis.assembly.independent_constraints import independent_rows
from flexmbs.analysis.assembly.misalignment import warn_of_misalignment
from flexmbs.analysis.evaluation.driver_elimination import with_tables
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.evaluation.massless_motions import check_inertia
from flexmbs.analysis.prepare.bind_functions import bound
from flexmbs.analysis.prepare.driver_conflicts import closed_with_drivers
from flexmbs.analysis.prepare.moved_starts import warn_of_moved_starts
from flexmbs.analysis.prepare.prescribed_motions import check_stated_start
from flexmbs.analysis.prepare.unmet_starts import check_start_rotations, marker_motion, warn_of_cable_lengths
from flexmbs.core.layout.tables import CONSTRAINTS, SWITCHED, has_rows
from flexmbs.mechanism.geometry.rotations import as_quaternion
from flexmbs.model.compile_mechanism import compile_system
from flexmbs.model.compiled_model import Model
from flexmbs.model.spanning_tree import DEEP
from flexmbs.model.tangent_shifts import tangent_shifts
from flexmbs.model.unknown_ordering import banded_order


def ready(system, whole: bool = False) -> Model:
    """:func:`prepared` for a run, in the fastest coordinates; MechanismError if a motion has no inertia.

    In a tree without closed loops the integrator detects missing inertia itself. ``whole``: leave deep trees uncut, as
    explicit methods require (their accelerations cost O(bodies) in any tree).
    """
    model = _in_coordinates(system, closed(system, 0.0, check=True), 0.0, system.coordinates)
    if system.coordinates == "reduced" and model.tree.depth > DEEP and not whole:
        model = _in_coordinates(system, model, 0.0, "segmented")
    if len(model.tables.constraints):
        check_inertia(model, 0.0)
    return bound(with_independent_constraints(model, 0.0), 0.0)


def prepared(system, t: float = 0.0, coordinates: str | None = None) -> Model:
    """Model of a system with consistent start values, in the given ``coordinates`` (None: those of the system)."""
    model = closed(system, t, check=True)
    model = _in_coordinates(system, model, t, coordinates or system.coordinates)
    return bound(with_independent_constraints(model, t), t)


def closed(system, t: float, check: bool = False) -> Model:
    """The system in joint coordinates with its loops closed.

    Where joints carry bodies whose place in the world was given, start values of these joints follow from it: with six
    coordinates for each such body all joints to it close loops. Where no velocity was given, rates are those that joints and
    drivers state, and others zero, as without places. ``check``: warn of what is not as stated, such as bodies that
    were moved or bent.
    """
    stated = compile_system(system)
    carried = [system.bodies[branch.body] for branch in stated.tree.branches if not branch.added]
    if not any(body.pose is not None for body in carried):
        return _checked(system, stated, t) if check else closed_with_drivers(stated, t)
    placed = compile_system(system, "placed")
    placed = _checked(system, placed, t) if check else closed_with_drivers(placed, t)
    model = in_other_coordinates(system, placed, t, "reduced")
    if any(body.stated & {"velocity", "angular_velocity"} for body in carried):
        return model
    return replace(closed_with_drivers(replace(model, v=stated.v), t), closing=model.closing)


def _checked(system, stated: Model, t: float) -> Model:
    if t == 0.0:
        check_stated_start(system, stated)
        warn_of_cable_lengths(stated, t)
    model = closed_with_drivers(stated, t)
    warn_of_misalignment(model.closing)
    if t == 0.0 and len(stated.tables.constraints):
        warn_of_moved_starts(stated, model, t)
    check_start_rotations(model, t)
    return model


def _in_coordinates(system, reduced: Model, t: float, coordinates: str) -> Model:
    return reduced if coordinates == "reduced" else in_other_coordinates(system, reduced, t, coordinates)


def in_other_coordinates(system, reduced: Model, t: float, coordinates: str) -> Model:
    """The assembled mechanism in other coordinates (with another spanning tree, model.spanning_tree), same state."""
    model = compile_system(system, coordinates, reduced.signals)
    evaluator = Evaluator(reduced)
    zero = np.zeros_like(reduced.q)
    evaluator.residual(reduced.q, reduced.v, zero, reduced.reference, t, CONSTRAINTS)
    q, v, reference = model.q.copy(), model.v.copy(), model.reference.copy()
    balls = {name.removesuffix(".x"): k for k, name in enumerate(model.coordinate_names) if k in model.balls}
    known = {reduced.coordinate_names[k].removesuffix(".x"): (n, k) for n, k in enumerate(reduced.balls)}
    for number, start in enumerate(model.balls):
        name = model.coordinate_names[start].removesuffix(".x")
        if name in known:
            same, at = known[name]
            reference[number] = reduced.reference[same]
            v[start : start + 3] = reduced.v[at : at + 3]
    for branch in model.tree.branches:
        rotation = f"{branch.joint.name}.{branch.joint.type.axes[-1].coordinate}" if branch.joint.type.ends_with_ball else ""
        if not branch.added and branch.turns and rotation and rotation not in known:
            ends = (branch.joint.a, branch.joint.b)
            (R_a, w_a), (R_b, w_b) = (marker_motion(evaluator, reduced, reduced.marker_index[end.body, end.name]) for end in ends)
            start = balls[rotation]
            reference[model.balls.index(start)] = as_quaternion(R_a.T @ R_b, f"joint '{branch.joint.name}'")
            v[start : start + 3] = R_b.T @ (w_b - w_a)
        if not branch.added:
            continue
        frame = evaluator.work.frame[reduced.body_names.index(branch.body)]
        for k, letter in enumerate("xyz"):
            at = model.coordinate_index[f"{branch.joint.name}.{letter}"]
            q[at], v[at] = frame["p_WB"][k], frame["v_WB"][k]
        if branch.joint.type.ends_with_ball:
            turn, start = frame["R_WB"], balls[f"{branch.joint.name}.rotation"]
            reference[model.balls.index(start)] = as_quaternion(turn, f"joint '{branch.joint.name}'")
            v[start : start + 3] = turn.T @ frame["w_WB"]
    for name, part in model.modal.items():
        q[part], v[part] = reduced.q[reduced.modal[name]], reduced.v[reduced.modal[name]]
    planted = {branch.joint.name for branch in model.tree.branches if branch.added}
    for name, at in model.coordinate_index.items():
        if name in reduced.coordinate_index and name.rsplit(".", 1)[0] not in planted:
            same = reduced.coordinate_index[name]
            q[at], v[at] = reduced.q[same], reduced.v[same]
    return replace(model, q=q, v=v, reference=reference, closing=reduced.closing)


def with_independent_constraints(model: Model, t: float) -> Model:
    """``model`` with its free coordinates and the multipliers of independent constraints as unknowns."""
    if not has_rows(model.tables):
        return model
    constrained = len(model.tables.constraints) > 0
    return with_unknowns(model, independent_rows(model, t) if constrained else np.zeros(0, dtype=np.int64))


def with_unknowns(model: Model, rows: np.ndarray) -> Model:
    """``model`` with the multipliers ``rows`` (coordinate numbers) among the unknowns, ordered for small bandwidth.

    Those of switched constraints are always among them.
    """
    tables = model.tables
    switched = np.flatnonzero(tables.coordinates["multiplier"] == SWITCHED)
    free, band = banded_order(tables, np.concatenate([model.free_coordinates, np.sort(rows), switched]))
    return with_choice(model, free, band)


def with_choice(model: Model, free: np.ndarray, band: int | np.ndarray) -> Model:
    """``model`` with given unknowns and half bandwidth, and what follows from them."""
    chosen = with_tables(model, free=free, band=band)
    return with_tables(chosen, **tangent_shifts(chosen.tables, chosen.tables.free))
