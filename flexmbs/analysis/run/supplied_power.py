"""Power supplied by drivers, loads and efforts in joints, from the recorded steps of a run."""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.tables import ACCELERATION_LEVEL, POSITION_LEVEL
from flexmbs.mechanism.constraints import Distance
from flexmbs.mechanism.forces import Load
from flexmbs.mechanism.time_signals import Signal
from flexmbs.model.compiled_model import Model

UNEXPLAINED = 0.1  # change over a step that the rates at its ends may leave unexplained, relative to the motion
SKIPPED = 0.5  # ... above which the step skips the motion, provided it is NOTABLE relative to the largest value or rate
NOTABLE = 0.01
TURN = 0.5  # rad in a step; for smaller rotations the ends of the step represent the power of weights and forces
# Rounding of rates by finite differences over milliseconds, 1/s, relative to the value.
RATE_ROUNDING = 1e-8


class SuppliedPower:
    """Power (W) of everything that can supply energy: the positive part of each source, so that none cancels another.

    Attributes
    ----------
    is_known : whether it can be computed from the records of a run (not for loads that follow sensors or are spread
        over a body, nor for constraints whose acceleration is prescribed)
    varies : whether a force is a function of time, of sensors or of a controller
    acts : whether there is any source of energy
    """

    def __init__(self, system, model: Model):
        self.loads = list(system.loads.values())
        self.driving = [one for one in system.constraints.values() if one.signal is not None]
        self.driving = [one for one in self.driving if one.signal.value is not None or one.level != POSITION_LEVEL]
        elements = [element for joint in system.joints.values() for element in joint.forces]
        elements += [*system.springs.values()]
        active = [element for element in elements if not element.law.is_passive]
        names = {f"{one.name}.power" for one in (*active, *system.bushings.values())}
        self.columns = [i for i, column in enumerate(model.record_columns) if column.name in names]
        self.is_known = all(one.level != ACCELERATION_LEVEL for one in self.driving) and all(
            isinstance(load, Load) and all(isinstance(part, Signal) for part in load.components) for load in self.loads
        )
        self.varies = self.is_known and (
            any(element.law.is_driven for element in active)
            or any(part.value is not None for load in self.loads for part in load.components)
        )

        driven = any(joint.drivers for joint in system.joints.values())
        self.acts = bool(driven or self.driving or self.loads or self.columns)
        self.turning = _prescribed_angles(system, model)
        self.names = [model.coordinate_names[k] for k in model.driven_coordinates]
        self.names += [constraint.name for constraint in self.driving]

    def of(self, model: Model, rows: np.ndarray, arrays: dict[str, np.ndarray]) -> np.ndarray:
        """(rows,) W, for rows of the log and the arrays made from them (recording.log_rows.described_steps)."""
        power = np.zeros(len(rows))
        driven = model.driven_coordinates
        if len(driven):
            power += np.maximum(arrays["driving_force"] * arrays["v"][:, driven], 0.0).sum(axis=1)
        if self.columns:
            power += np.maximum(arrays["record"][:, self.columns], 0.0).sum(axis=1)
        for constraint in self.driving:
            power += self._of_constraint(model, rows, constraint)
        for load in self.loads:
            power += np.maximum(_of_load(model, rows, arrays, load), 0.0)
        return power

    def driven(self, model: Model, rows: np.ndarray) -> np.ndarray:
        """(rows, 3, drivers): value, rate and acceleration of each driver; the value of a velocity driver is zero."""
        columns, k = model.log_row, model.driven_coordinates
        found = [rows[:, columns.q][:, k], rows[:, columns.v][:, k], rows[:, columns.a][:, k]]
        for constraint in self.driving:
            signal, t = constraint.signal, rows[:, TIME]
            values = [_values(f, t, 0.0) for f in (signal.value, signal.rate, signal.acceleration)]
            if constraint.level != POSITION_LEVEL:
                values = [np.zeros(len(t)), *values[:2]]
            found = [np.column_stack([old, new]) for old, new in zip(found, values, strict=True)]
        return np.stack(found, axis=1)

    def is_seen(self, times: np.ndarray, driven: np.ndarray) -> np.ndarray:
        """(steps,) bool: whether the values at the ends of a step represent the drivers in between.

        ``times`` (steps + 1,) s; ``driven`` (steps + 1, 3, drivers), see :meth:`driven`. Steps can be longer than the
        motion of a driver if no other coordinate follows it (a hoist, a balanced rotor).
        """
        left, size = _left_and_size(times, driven)
        rounding = np.maximum(1e-9 * np.abs(driven[:, :2]).max(axis=0, initial=0.0), _rounding(driven))
        unseen = (left > UNEXPLAINED * size + rounding).any(axis=(1, 2))
        turned = np.abs(np.diff(driven[:, 0, self.turning], axis=0))
        return ~(unseen | (turned > TURN).any(axis=1))

    def skipped_motion(self, times: np.ndarray, driven: np.ndarray) -> tuple[int, str] | None:
        """The first step that skips most of a motion of a driver, and the name of the driver."""
        left, size = _left_and_size(times, driven)
        notable = np.maximum(NOTABLE * np.abs(driven[:, :2]).max(axis=0, initial=0.0), _rounding(driven))
        found = np.argwhere(((left > SKIPPED * size) & (left > notable)).any(axis=1))
        return (int(found[0, 0]), self.names[int(found[0, 1])]) if len(found) else None

    def _of_constraint(self, model: Model, rows: np.ndarray, constraint) -> np.ndarray:
        """Absolute value of multiplier times prescribed rate."""
        record = model.tables.constraints[model.constraint_names.index(constraint.name)]
        force = rows[:, model.log_row.a][:, int(record["row"])]
        signal = constraint.signal
        rate = signal.rate if constraint.level == POSITION_LEVEL else signal.value
        rates = _values(rate, rows[:, TIME], signal.constant)
        if isinstance(constraint, Distance):
            rates = rates * _values(signal.value, rows[:, TIME], signal.constant) / constraint.length
        return np.abs(force * rates)


def _left_and_size(times: np.ndarray, driven: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(steps, 2, drivers) of value and rate: change not explained by the ends of a step, and size of the motion."""
    h, change = np.diff(times)[:, None, None], np.diff(driven, axis=0)
    explained = 0.5 * h * (driven[1:, 1:] + driven[:-1, 1:])
    moved = 0.5 * h * (np.abs(driven[1:, 1:]) + np.abs(driven[:-1, 1:]))
    # trapezoidal rule, for values with the end correction by the derivatives of the rates
    explained[:, 0] -= h[:, 0] ** 2 / 12.0 * change[:, 2]
    return np.abs(change[:, :2] - explained), np.maximum(np.abs(change[:, :2]), moved)


def _rounding(driven: np.ndarray) -> np.ndarray:
    """(2, drivers): rounding of values (none) and of their rates by finite differences."""
    largest = np.abs(driven[:, 0]).max(axis=0, initial=0.0)
    return np.stack([np.zeros_like(largest), RATE_ROUNDING * largest])


def _prescribed_angles(system, model: Model) -> np.ndarray:
    """Indices of angles among ``Model.driven_coordinates``."""
    units = {f"{j.name}.{name}": unit for j in system.joints.values() for name, unit in j.type.coordinates.items()}
    names = [model.coordinate_names[k] for k in model.driven_coordinates]
    return np.flatnonzero([units.get(name) == "rad" for name in names])


def _values(function, times: np.ndarray, constant: float) -> np.ndarray:
    return np.full(len(times), constant) if function is None else np.array([float(function(t)) for t in times])


def _of_load(model: Model, rows: np.ndarray, arrays: dict[str, np.ndarray], load: Load) -> np.ndarray:
    """Power of a force or torque at a marker, which moves with its body and the modes of the body."""
    marker = load.marker
    b = model.body_names.index(marker.body)
    turn = arrays["body_rotation"][:, b]
    velocity, omega = arrays["body_velocity"][:, b], arrays["body_angular_velocity"][:, b]
    modal_velocity = np.zeros((len(rows), 3))
    place = np.broadcast_to(marker.position, modal_velocity.shape)
    modal_omega = modal_velocity
    if marker.fields is not None and marker.body in model.modal:
        part = model.modal[marker.body]
        q, rates = rows[:, model.log_row.q][:, part], arrays["v"][:, part]
        place = place + q @ marker.fields.Phi
        modal_velocity, modal_omega = rates @ marker.fields.Phi, rates @ marker.fields.Psi
    components = [load.factor * _values(part.value, rows[:, TIME], part.constant) for part in load.components]
    force = np.stack(components, axis=1)
    if load.follower:
        force = np.einsum("tij,jk,tk->ti", turn, marker.rotation, force)
    if load.is_torque:
        motion = omega + np.einsum("tij,tj->ti", turn, modal_omega)
    else:
        arm = np.einsum("tij,tj->ti", turn, place)
        motion = velocity + np.cross(omega, arm) + np.einsum("tij,tj->ti", turn, modal_velocity)
    return (force * motion).sum(axis=1)
