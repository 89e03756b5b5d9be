"""What drivers, loads and the efforts in joints put into a mechanism, from what a run records of its steps."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.steps import driven_coordinates
from flexmbs.kernels.tables import ACCELERATION_LEVEL, POSITION_LEVEL
from flexmbs.model.model import Model
from flexmbs.system.characteristics import Characteristic
from flexmbs.system.constraints import Distance
from flexmbs.system.forces import AppliedLaw, Load, MotorLaw, SpringLaw, StopLaw
from flexmbs.system.signals import Signal


class SuppliedPower:
    """Power of all that can put energy in, W: of each the positive part, so that what one takes hides nothing.

    Attributes
    ----------
    is_known : whether it can be told from the records of a run (not of loads that follow sensors or are spread over a
        body, nor of constraints whose acceleration is prescribed)
    varies : whether a force is a function of time, of sensors or of a controller
    acts : whether there is anything of the kind
    """

    def __init__(self, system, model: Model):
        self.loads = list(system.loads.values())
        self.driving = [one for one in system.constraints.values() if one.signal is not None]
        self.driving = [one for one in self.driving if one.signal.value is not None or one.level != POSITION_LEVEL]
        elements = [element for joint in system.joints.values() for element in joint.forces]
        elements += [*system.springs.values()]
        active = [element for element in elements if not _only_takes(element.law)]
        names = {f"{one.name}.power" for one in (*active, *system.bushings.values())}
        self.columns = [i for i, column in enumerate(model.record_columns) if column.name in names]
        self.is_known = all(one.level != ACCELERATION_LEVEL for one in self.driving) and all(
            isinstance(load, Load) and all(isinstance(part, Signal) for part in load.components) for load in self.loads
        )
        self.varies = self.is_known and (
            any(isinstance(element.law, AppliedLaw | MotorLaw) for element in active)
            or any(part.value is not None for load in self.loads for part in load.components)
        )

        driven = any(joint.drivers for joint in system.joints.values())
        self.acts = bool(driven or self.driving or self.loads or self.columns)

    def of(self, model: Model, rows: np.ndarray, arrays: dict[str, np.ndarray]) -> np.ndarray:
        """(rows,) W, of rows of the log and what they mean (flexmbs.analysis.steps.described_steps)."""
        power = np.zeros(len(rows))
        driven = driven_coordinates(model)
        if len(driven):
            power += np.maximum(arrays["driving_force"] * arrays["v"][:, driven], 0.0).sum(axis=1)
        if self.columns:
            power += np.maximum(arrays["record"][:, self.columns], 0.0).sum(axis=1)
        for constraint in self.driving:
            power += self._of_constraint(model, rows, constraint)
        for load in self.loads:
            power += np.maximum(_of_load(model, rows, arrays, load), 0.0)
        return power

    def _of_constraint(self, model: Model, rows: np.ndarray, constraint) -> np.ndarray:
        """Size of multiplier times prescribed rate."""
        n = len(model.coordinate_names)
        record = model.tables.constraints[model.constraint_names.index(constraint.name)]
        force = rows[:, 1 + n + 4 * len(model.balls) + n + int(record["row"])]
        signal = constraint.signal
        rate = signal.rate if constraint.level == POSITION_LEVEL else signal.value
        rates = _values(rate, rows[:, 0], signal.constant)
        if isinstance(constraint, Distance):
            rates = rates * _values(signal.value, rows[:, 0], signal.constant) / constraint.length
        return np.abs(force * rates)


def _only_takes(law) -> bool:
    """Whether a law stores energy and damps, and puts nothing in of its own."""
    return isinstance(law, StopLaw) or (isinstance(law, SpringLaw) and not isinstance(law.damping, Characteristic))


def _values(function, times: np.ndarray, constant: float) -> np.ndarray:
    return np.full(len(times), constant) if function is None else np.array([float(function(t)) for t in times])


def _of_load(model: Model, rows: np.ndarray, arrays: dict[str, np.ndarray], load: Load) -> np.ndarray:
    """Power of a force or torque at a marker, which moves with its body and the body's modes."""
    marker, n = load.marker, len(model.coordinate_names)
    b = model.body_names.index(marker.body)
    turn = arrays["body_rotation"][:, b]
    velocity, spin = arrays["body_velocity"][:, b], arrays["body_angular_velocity"][:, b]
    own = np.zeros((len(rows), 3))
    place = np.broadcast_to(marker.position, own.shape)
    twist = own
    if marker.fields is not None and marker.body in model.modal:
        part = model.modal[marker.body]
        q, rates = rows[:, 1 : 1 + n][:, part], arrays["v"][:, part]
        place, own, twist = place + q @ marker.fields.Phi, rates @ marker.fields.Phi, rates @ marker.fields.Psi
    components = [load.factor * _values(part.value, rows[:, 0], part.constant) for part in load.components]
    force = np.stack(components, axis=1)
    if load.follower:
        force = np.einsum("tij,jk,tk->ti", turn, marker.rotation, force)
    if load.is_torque:
        motion = spin + np.einsum("tij,tj->ti", turn, twist)
    else:
        motion = velocity + np.cross(spin, np.einsum("tij,tj->ti", turn, place)) + np.einsum("tij,tj->ti", turn, own)
    return (force * motion).sum(axis=1)
