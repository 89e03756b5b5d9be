"""Names of all time histories of a result, and how each is computed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmbs.reduction.recovery import marker_displacement, marker_velocity
from flexmbs.result.clearance_histories import clearance_catalogue
from flexmbs.result.energy_ledger import BALANCE, STORED_IN_CONTACTS, history_name, is_loss
from flexmbs.result.structure import BodyRecord, MarkerRecord, Structure
from flexmbs.result.trajectory import Trajectory

#: What computes a history (nt,) from the trajectory.
History = Callable[[Trajectory], np.ndarray]
AXES = ("x", "y", "z")


def catalogue(structure: Structure, ledger: bool = False) -> dict[str, History]:
    """Every history by name, those of the energy ledger only with ``ledger``.

    "J.angle", "J.angle.rate", "J.angle.acceleration" (J a joint), "B.bending y 1" (modal coordinate of body B),
    "B.position.x", "B.M.position.x", "B.M.velocity.x" (M a marker; world axes), "B.M.displacement.x" (body axes),
    "C.gap" and "C.force" (C a contact; normal), "C.friction" and "C.slip" (speed of sliding), "C.point.x",
    "J.eccentricity", "J.penetration", "J.contact_angle" and "J.phase" (J a joint with clearance: docs/clearance.md),
    "J.reaction.force.x", "J.reaction.moment.x" (on the body of its second marker, at that marker, world axes),
    "J.angle.driving_force", "constraint_error" (of all loops), "energy.kinetic",
    ".gravity", ".elastic" and ".total"; with the energy ledger ".contact" (a part of ".elastic"), ".work", ".loss",
    ".balance", and "E.work" or "E.loss" of every element E that supplies or dissipates energy (docs/energy.md); what
    springs, sensors, user functions and states add: docs/forces.md.
    """
    found: dict[str, History] = {}
    for i, name in enumerate(structure.coordinate_names):
        found[name] = lambda run, i=i: run.q[:, i]
    for i, name in enumerate(structure.rate_names):
        found[name] = lambda run, i=i: run.v[:, i]
        found[acceleration_name(name)] = lambda run, i=i: run.a[:, i]
    for i, name in enumerate(structure.contact_names):
        found[f"{name}.gap"] = lambda run, i=i: run.contact_gap[:, i]
        found[f"{name}.force"] = lambda run, i=i: run.contact_force[:, i]
        _add_contact_point(found, name, i)
    found |= clearance_catalogue(structure)
    for i, name in enumerate(("kinetic", "gravity", "elastic")):
        found[f"energy.{name}"] = lambda run, i=i: run.energy[:, i]
    for i, name in enumerate(structure.reaction_names):
        for k, axis in enumerate(AXES):
            found[f"{name}.reaction.force.{axis}"] = lambda run, i=i, k=k: run.reaction[:, i, k]
            found[f"{name}.reaction.moment.{axis}"] = lambda run, i=i, k=k: run.reaction[:, i, 3 + k]
    for i, name in enumerate(structure.driven_names):
        found[f"{name}.driving_force"] = lambda run, i=i: run.driving_force[:, i]
    if structure.reaction_names:
        found["constraint_error"] = lambda run: run.constraint_error
    for i, name in enumerate(structure.record_names):
        found[name] = lambda run, i=i: run.record[:, i]
    found["energy.total"] = lambda run: run.energy.sum(axis=1)
    if ledger:
        found |= _of_ledger(structure)
    for index, body in enumerate(structure.bodies[1:], start=1):
        for k, axis in enumerate(AXES):
            found[f"{body.name}.position.{axis}"] = lambda run, b=index, k=k: run.body_position[:, b, k]
    for marker in all_markers(structure):
        _add_marker(found, structure, marker)
    return found


def _of_ledger(structure: Structure) -> dict[str, History]:
    """Histories of the energy ledger; lines of one name are added."""
    kinds, names = structure.ledger_kinds, structure.ledger_names
    columns: dict[str, list[int]] = {"energy.work": [], "energy.loss": []}
    for i, (kind, name) in enumerate(zip(kinds, names, strict=True)):
        columns["energy.loss" if is_loss(kind) else "energy.work"].append(i)
        columns.setdefault(history_name(kind, name), []).append(i)
    found: dict[str, History] = {name: lambda run, own=own: run.ledger[:, own].sum(axis=1) for name, own in columns.items()}
    found["energy.contact"] = lambda run: run.ledger[:, STORED_IN_CONTACTS]
    found["energy.balance"] = lambda run: run.ledger[:, BALANCE]
    return found


def all_markers(structure: Structure) -> list[MarkerRecord]:
    """The markers of the mechanism and every interface of its flexible bodies, each once."""
    found = {(marker.body, marker.name): marker for marker in structure.markers}
    for body in structure.bodies:
        interfaces = {} if body.flexible is None else body.flexible.markers
        for name, fields in interfaces.items():
            found.setdefault((body.name, name), MarkerRecord(name, body.name, fields))
    return list(found.values())


def acceleration_name(rate: str) -> str:
    """Name of the derivative: "X.rate" -> "X.acceleration", "X.omega.x" -> "X.alpha.x", "X" (a state) -> "X.rate"."""
    if ".omega." in rate:
        return rate.replace(".omega.", ".alpha.")
    if not rate.endswith(".rate"):
        return f"{rate}.rate"  # a user state, which stands among the velocities
    return rate.removesuffix(".rate") + ".acceleration"


def _is_of_ledger(structure: Structure, name: str) -> bool:
    lines = zip(structure.ledger_kinds, structure.ledger_names, strict=True)
    return name.endswith((".work", "loss", ".impact", ".lock")) and any(history_name(*line) == name for line in lines)


def unit_of(structure: Structure, name: str) -> str:
    """Unit of a history ("" for quaternions and user states)."""
    if name in structure.record_names:
        return structure.record_units[structure.record_names.index(name)]
    if name in structure.rate_names and not name.endswith(".rate") and ".omega." not in name:
        return ""
    for ending, suffix in ((".rate", "/s"), (".acceleration", "/s2")):
        if name.endswith(ending):
            return unit_of(structure, name.removesuffix(ending)) + suffix
    if structure.coordinate_units and name in structure.coordinate_names:
        return structure.coordinate_units[structure.coordinate_names.index(name)]
    if name.startswith("energy.") or _is_of_ledger(structure, name):
        return "J"
    if name.endswith(".driving_force"):
        return "N m" if unit_of(structure, name.removesuffix(".driving_force")) == "rad" else "N"
    words = {
        ".reaction.moment.": "N m",
        ".force": "N",
        ".friction": "N",
        ".slip": "m/s",
        ".omega.": "rad/s",
        ".alpha.": "rad/s2",
        ".quaternion.": "",
        ".angle": "rad",
        ".contact_angle": "rad",
        ".velocity.": "m/s",
        ".phase": "",
    }
    for word, unit in words.items():
        if word in name:
            return unit
    return "m"


def marker_displacement_history(body: BodyRecord, marker: MarkerRecord, run: Trajectory) -> np.ndarray:
    """(nt, 3) displacement of a marker in the axes of its body, m (zero on rigid bodies)."""
    if body.flexible is None or marker.fields is None:
        return np.zeros((len(run.t), 3))
    return marker_displacement(body.flexible, marker.fields, run.q[:, body.coordinates])


def marker_position_history(structure: Structure, marker: MarkerRecord, run: Trajectory) -> np.ndarray:
    """(nt, 3) position of a marker in world axes, m."""
    index = structure.body_index(marker.body)
    body = structure.bodies[index]
    start = marker.position if marker.fields is None else marker.fields.position
    local = start + marker_displacement_history(body, marker, run)
    return run.body_position[:, index] + np.einsum("tij,tj->ti", run.body_rotation[:, index], local)


def marker_velocity_history(structure: Structure, marker: MarkerRecord, run: Trajectory) -> np.ndarray:
    """(nt, 3) velocity of a marker in world axes, m/s."""
    index = structure.body_index(marker.body)
    body = structure.bodies[index]
    start = marker.position if marker.fields is None else marker.fields.position
    local = start + marker_displacement_history(body, marker, run)
    rate = np.zeros_like(local)
    if body.flexible is not None and marker.fields is not None:
        q, v = run.q[:, body.coordinates], run.v[:, body.rates]
        rate = marker_velocity(body.flexible, marker.fields, q, v)
    turn = run.body_rotation[:, index]
    arm = np.einsum("tij,tj->ti", turn, local)
    swing = np.cross(run.body_angular_velocity[:, index], arm)
    return run.body_velocity[:, index] + swing + np.einsum("tij,tj->ti", turn, rate)


def _add_contact_point(found: dict[str, History], name: str, i: int) -> None:
    """Histories of slip, friction and place of a contact."""
    found[f"{name}.slip"] = lambda run: run.contact_slip[:, i]
    found[f"{name}.friction"] = lambda run: np.sqrt(
        np.maximum((run.contact_push[:, i] ** 2).sum(axis=1) - run.contact_force[:, i] ** 2, 0.0)
    )
    for k, axis in enumerate(AXES):
        found[f"{name}.point.{axis}"] = lambda run, k=k: run.contact_point[:, i, k]


def _add_marker(found: dict[str, History], structure: Structure, marker: MarkerRecord) -> None:
    body = structure.bodies[structure.body_index(marker.body)]
    prefix = f"{marker.body}.{marker.name}"
    for k, axis in enumerate(AXES):
        found[f"{prefix}.position.{axis}"] = lambda run, k=k: marker_position_history(structure, marker, run)[:, k]
        found[f"{prefix}.velocity.{axis}"] = lambda run, k=k: marker_velocity_history(structure, marker, run)[:, k]
        if marker.fields is not None:
            found[f"{prefix}.displacement.{axis}"] = lambda run, k=k: marker_displacement_history(body, marker, run)[:, k]
