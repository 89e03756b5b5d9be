"""Isolated degrees of freedom: rotations of bodies about an axis of symmetry that nothing drives, loads or rubs."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.evaluation.constraint_directions import ConstraintDirections, null_space
from flexmbs.analysis.evaluation.driver_elimination import with_drivers, without_drivers
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.evaluation.massless_motions import axis_name
from flexmbs.analysis.prepare.bind_functions import bound
from flexmbs.analysis.prepare.prepare import in_other_coordinates
from flexmbs.core.layout.force_tables import COORDINATE_ELEMENT
from flexmbs.core.layout.tables import COUPLING
from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.mechanism.rigid_body import RigidBody
from flexmbs.model.compiled_model import Model

ROUND = 1e-9  # differences of principal moments, relative


class _Body:
    """Columns of a body in the rows of :class:`ConstraintDirections`, and its inertia."""

    def __init__(self, name: str, system: Mechanism, model: Model, directions: ConstraintDirections, turn: np.ndarray):
        branch = next(branch for branch in model.tree.branches if branch.body == name)
        self.name, self.body = name, system.bodies[name].body
        first = model.coordinate_index[f"{branch.joint.name}.x"]
        self.coordinates = np.arange(first, first + (6 if branch.joint.type.ends_with_ball else 3))
        self.columns = np.searchsorted(directions.columns, self.coordinates)
        self.turn = turn
        self.turns = len(self.coordinates) == 6


def isolated_freedoms(system: Mechanism, start: Model, directions: ConstraintDirections, t: float) -> tuple[str, ...]:
    """Rigid bodies that can rotate about an axis of symmetry without moving others, and that nothing drives or loads.

    An example is a rod between two ball joints: rotation about its axis leaves the centre of mass in place, the moments
    of inertia about all transverse axes are equal, and no force, spring, driver or start velocity acts on it.
    """
    model = bound(with_drivers(in_other_coordinates(system, without_drivers(start, t), t, "absolute"), ()), t)
    evaluator = Evaluator(model)
    evaluator.residual(model.q, 0.0 * model.q, 0.0 * model.q, model.reference, t)
    turns = dict(zip(model.body_names, evaluator.work.frame["R_WB"].copy(), strict=True))
    jointed = {joint_end for joint in system.joints.values() for joint_end in (joint.a.body, joint.b.body)}
    rubbing = [contact for contact in system.contacts.values() if contact.friction is not None or contact.law.is_rigid]
    rubbed = {shape.marker.body for contact in rubbing for shape in (contact.first, contact.second)}
    found = []
    for name in model.body_names[1:]:
        body = _Body(name, system, model, directions, turns[name])
        if not body.turns or body.name not in jointed or body.name in rubbed or not isinstance(body.body, RigidBody):
            continue
        for spin in _central_spins(body, directions):
            axis = spin[3:]
            if _is_symmetric(body.body, axis) and _is_left_alone(model, evaluator, body, spin, directions, t):
                found.append(f"body '{body.name}' can spin about {axis_name(axis)}: nothing drives or loads it")
    return tuple(found)


def _central_spins(body: _Body, directions: ConstraintDirections) -> list[np.ndarray]:
    """Motions with the centre of mass at rest: velocity of the origin, world axes; unit angular velocity, body axes."""
    motions = null_space(directions.rows[:, body.columns]) * directions.scales[body.columns][:, None]
    if motions.shape[1] == 0 or motions.shape[1] == 6:
        return []
    center = body.body.center
    # velocity of the centre: v + R (w x c)
    drift = motions[:3] + body.turn @ np.cross(motions[3:].T, center).T
    left = null_space(drift / max(1.0, float(np.abs(motions[:3]).max())))
    spins = motions @ left
    if spins.shape[1] != 1 or np.linalg.norm(spins[3:]) < 1e-6:
        return []
    spin = spins[:, 0] / np.linalg.norm(spins[3:])
    return [spin * (1.0 if spin[3 + np.argmax(np.abs(spin[3:]))] > 0.0 else -1.0)]


def _is_symmetric(body: RigidBody, axis: np.ndarray) -> bool:
    inertia, size = body.inertia, max(float(np.abs(body.inertia).max()), 1e-300)
    along = inertia @ axis
    if np.abs(along - axis * (axis @ along)).max() > ROUND * size:
        return False
    across = null_space(axis[None, :])
    moments = np.linalg.eigvalsh(across.T @ inertia @ across)
    return bool(moments[1] - moments[0] <= ROUND * size)


def _is_left_alone(model: Model, evaluator: Evaluator, body: _Body, spin: np.ndarray, directions: ConstraintDirections, t) -> bool:
    """Whether no driver or force depends on the rotation, and it starts at rest."""
    motion = np.zeros(len(directions.columns))
    motion[body.columns] = spin / directions.scales[body.columns]
    elements = model.tables.elements
    used = elements["a"][elements["geometry"] == COORDINATE_ELEMENT]
    for number, rate in directions.rates.items():
        if abs(rate @ motion) > 1e-9 and (number in used or _is_driven(model, number)):
            return False
    q, zero = model.q, np.zeros_like(model.q)
    force = evaluator.residual(q, zero, zero, model.reference, t)
    size = max(float(np.abs(force).max()), 1e-300)
    v = zero.copy()
    v[body.coordinates] = spin
    moving = evaluator.residual(q, v, zero, model.reference, t)
    turned = q.copy()
    turned[body.coordinates[3:]] += 0.5 * spin[3:]
    arm = matrices_of_vectors(0.5 * spin[3:]) - np.eye(3)
    turned[body.coordinates[:3]] -= body.turn @ (arm @ body.body.center)
    elsewhere = evaluator.residual(turned, zero, zero, model.reference, t)
    at = body.coordinates
    if abs(spin @ force[at]) > 1e-9 * size or abs(model.v[at[3:]] @ spin[3:]) > 1e-9:
        return False
    others = np.setdiff1d(directions.columns, at)
    changes = [(moving - force)[others], (elsewhere - force)[others], (moving - force)[at[:3]], (elsewhere - force)[at[:3]]]
    return max(float(np.abs(change).max(initial=0.0)) for change in changes) < 1e-7 * size


def _is_driven(model: Model, number: int) -> bool:
    """Whether a coordinate is driven or coupled; drivers are recorded in the joint, as the absolute model has none."""
    joint, coordinate = model.coordinate_names[number].rsplit(".", 1)
    stated = next(one for one in model.tree.cut if one.name == joint)
    tables = model.tables
    records = [*tables.constraints[tables.constraints["kind"] == COUPLING], *tables.couplers]
    coupled = {int(k) for one in records for k in tables.terms["coordinate"][one["start"] : one["end"]]}
    return coordinate in stated.drivers or number in coupled
