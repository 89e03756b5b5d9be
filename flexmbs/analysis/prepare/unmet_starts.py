"""What the start does not meet: rotations of ball joints that close loops, lengths of cables, axes of angles."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.evaluation.driver_elimination import imposed
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.common.errors import MechanismError, MechanismWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.frames import MARKER_FRAME
from flexmbs.core.layout.tables import CABLE, CONSTRAINTS, VALUE
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.mechanism.geometry.euler_angles import rotation_vectors
from flexmbs.mechanism.geometry.rotations import as_matrix
from flexmbs.mechanism.joint import Joint
from flexmbs.model.compiled_model import Model

TOLERANCE = 1e-6  # rad, rad/s; rates by finite differences are no more accurate
OPPOSITE = 1e-6  # rad: an axis is opposite to another one that is turned by half a turn and so much
CABLE_FITS = 0.01  # of the length of a cable: a larger misfit of the stated start is reported


def check_start_rotations(model: Model, t: float) -> None:
    """Compare stated start rotations and angular velocities of cut ball joints with those of an assembled model.

    MechanismWarning naming the joint if they differ; MechanismError if they were to be held, or if the axis of an angle
    points opposite ways in its two markers.
    """
    stated = [joint for joint in model.tree.cut if _states_a_ball(joint)]
    if not stated and not model.turn_names:
        return
    still = imposed(model, t)
    evaluator = Evaluator(model)
    evaluator.residual(still.q, still.v, np.zeros_like(still.q), still.reference, t, CONSTRAINTS)
    for joint in stated:
        numbers = (model.marker_index[marker.body, marker.name] for marker in (joint.a, joint.b))
        _compare(joint, *(marker_motion(evaluator, still, number) for number in numbers))
    for name, turn in zip(model.turn_names, model.tables.turns, strict=True):
        (R_a, _w), (R_b, _w) = (marker_motion(evaluator, still, int(turn[end])) for end in "ab")
        if np.linalg.norm(R_a @ turn["axis"] + R_b @ turn["axis"]) < OPPOSITE * np.linalg.norm(turn["axis"]):
            raise MechanismError(
                f"angle of marker {name}: at t = {t:g} s this axis points opposite ways in the two markers, where the angle "
                "has no value. Turn one of them by half a turn across it"
            )


def warn_of_cable_lengths(stated: Model, t: float) -> None:
    """MechanismWarning naming each cable whose length does not fit the start as stated: assembly moves bodies for it."""
    cables = np.flatnonzero(stated.tables.constraints["kind"] == CABLE)
    if not len(cables):
        return
    evaluator, start = Evaluator(stated), imposed(stated, t)
    openings, _rates = evaluator.openings(start.q, start.v, start.reference, t)
    for c in cables:
        record = stated.tables.constraints[c]
        excess = float(openings[record["row"] - evaluator.rows[0]])
        length = float(record["length"] if record["signal"] < 0 else evaluator.work.signal[record["signal"], VALUE])
        if abs(excess) > CABLE_FITS * length:
            warn(
                f"cable '{stated.constraint_names[c]}': its length at t = {t:g} s is {length:.6g} m, but along its markers as "
                f"stated there are {length + excess:.6g} m; bodies are moved until it fits. length = {length + excess:.6g} "
                "fits the stated positions",
                MechanismWarning,
            )


def _states_a_ball(joint: Joint) -> bool:
    stated = joint.given | joint.given_rates | joint.held
    return joint.type.ends_with_ball and joint.type.axes[-1].coordinate in stated and joint.a.can_turn


def marker_motion(evaluator: Evaluator, model: Model, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Rotation matrix and angular velocity (world axes) of a marker."""
    frame = np.zeros(1, MARKER_FRAME).view(np.recarray)[0]
    marker_in_world(model.tables, number, model.q, model.v, np.zeros_like(model.q), evaluator.work, frame)
    return frame["R_WM"], frame["w_WM"]


def _compare(joint: Joint, a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> None:
    name = joint.type.axes[-1].coordinate
    turn = a[0].T @ b[0]
    off = float(np.linalg.norm(rotation_vectors(as_matrix(joint.rotation, joint.name).T @ turn)))
    omega = b[0].T @ (b[1] - a[1])
    off_rate = float(np.linalg.norm(omega - joint.angular_velocity))
    missed = []
    if name in joint.given | joint.held and off > TOLERANCE:
        missed.append(f"the start rotation by {off:.4g} rad")
    if name in joint.given_rates and off_rate > TOLERANCE * max(1.0, float(np.abs(omega).max())):
        missed.append(f"the start angular velocity by {off_rate:.4g} rad/s")
    if not missed:
        return
    text = (
        f"joint '{joint.name}' closes a loop, so its rotation follows from the other joints; this differs from "
        f"{' and from '.join(missed)}. Give start values to the other joints of its loop instead"
    )
    if name in joint.held:
        raise MechanismError(f"{text}; hold('{name}') cannot be satisfied")
    warn(f"{text}.", MechanismWarning)
