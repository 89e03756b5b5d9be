"""Absolute tolerances of coordinates and rates, by kind of coordinate.

Which angle, length or modal coordinate is small depends on the size of the mechanism. The default absolute tolerance is
rtol / 1000 times a reference value: 1 rad for angles, the size of the mechanism (its largest lever arm, at most 1 m)
for lengths, the size of the flexible body (at most 1 m) for modal coordinates, and the same per second for rates; 1 for
user states, a thousand times the deflection at which they give way for bristles of friction.

Mechanisms with flexible bodies have no absolute tolerances unless they are given: errors of all coordinates together count
by how far they move points of the bodies (core.methods.motion_scales).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.linalg import qr

from flexmbs.common.errors import MechanismError
from flexmbs.core.layout.tables import BALL, ROTATION, Tables
from flexmbs.model.compiled_model import Model
from flexmbs.model.mechanism_size import largest_lever, size_of_body
from flexmbs.reduction.flexible_body import FlexibleBody

DEFAULT_FACTOR = 1e-3  # of atol relative to rtol times the reference value
KINDS = ("angle", "length", "mode", "angle_rate", "length_rate", "mode_rate", "state")

#: ``atol`` as users give it: None (default), one number for all kinds, or numbers by kind (others keep their default).
AbsoluteTolerance = float | Mapping[str, float] | None


def absolute_tolerances(model: Model, rtol: float, given: AbsoluteTolerance) -> tuple[np.ndarray, np.ndarray]:
    """(n,) tolerances of coordinates and (n,) of their rates, SI units; infinite where the error is not controlled.

    Raises
    ------
    MechanismError
        An unknown kind, or a value that is not a positive finite number.
    """
    values = _by_default(model, rtol)
    if isinstance(given, Mapping):
        unknown = sorted(set(given) - set(KINDS))
        if unknown:
            raise MechanismError(f"atol: unknown kinds of coordinates {unknown}; known: {', '.join(KINDS)}")
        for name, value in given.items():
            values[name] = np.full(len(model.q), _positive(f"atol['{name}']", value))
    elif given is not None:
        values = dict.fromkeys(KINDS, np.full(len(model.q), _positive("atol", given)))
    kinds = kinds_of_coordinates(model)
    positions, rates = np.full(len(model.q), np.inf), np.full(len(model.q), np.inf)
    for k, kind in enumerate(kinds):
        if kind == "state":  # a user state is a rate without a position
            rates[k] = values["state"][k]
        elif kind:
            positions[k], rates[k] = values[kind][k], values[f"{kind}_rate"][k]
    # positions of condensed modes are not integrated (core.mechanics.condensed_modes)
    rates[model.tables.coordinates["unit"] != 0.0] = np.inf
    return positions, rates


def kinds_of_coordinates(model: Model) -> list[str]:
    """Kind of every coordinate of the tables; "" for multipliers."""
    units = dict(zip(model.stored_names, model.stored_units, strict=True))
    kinds = ["length" if units.get(name) == "m" else "angle" for name in model.coordinate_names]
    for part in model.modal.values():
        kinds[part] = ["mode"] * (part.stop - part.start)
    for k in range(len(kinds)):
        if model.state_coordinates[k]:
            kinds[k] = "state"
        elif model.tables.coordinates["multiplier"][k] != 0:
            kinds[k] = ""
    return kinds


def motion_per_unit(model: Model) -> np.ndarray:
    """(n,) rad, or sizes of the mechanism or of a flexible body, per unit of each coordinate; 0 for states, multipliers."""
    scales = _by_default(model, 1.0 / DEFAULT_FACTOR)
    kinds = kinds_of_coordinates(model)
    return np.array([0.0 if kind in ("", "state") else 1.0 / scales[kind][k] for k, kind in enumerate(kinds)])


def _by_default(model: Model, rtol: float) -> dict[str, np.ndarray]:
    n = len(model.q)
    lengths = np.full(n, min(1.0, largest_lever(model.tables)))
    modes = np.ones(n)
    for name, part in model.modal.items():
        modes[part] = min(1.0, float(np.linalg.norm(np.ptp(model.bodies[name].points, axis=0))))
    scales = {"angle": np.ones(n), "length": lengths, "mode": modes, "state": model.tables.coordinates["size"]}
    scales |= {f"{kind}_rate": scales[kind] for kind in ("angle", "length", "mode")}
    return {kind: DEFAULT_FACTOR * rtol * scale for kind, scale in scales.items()}


def _positive(what: str, value) -> float:
    if not isinstance(value, int | float | np.number) or not (np.isfinite(value) and value > 0.0):
        raise MechanismError(f"{what} = {value!r} must be a positive finite number")
    return float(value)


MAX_CANDIDATES = 2000  # nodes among which the points are chosen


def motion_scales(model: Model, given: AbsoluteTolerance, damps: bool) -> dict[str, np.ndarray | int]:
    """Fields of Settings that core.methods.motion_scales reads.

    With absolute tolerances ``given`` for coordinates (one number, or any kind but "state") each coordinate is measured
    against itself, as in ``scipy.integrate.solve_ivp``: ``by_motion`` is 0. So it is if the method does not damp what
    its error control passes over (``damps`` False): vibrations below the tolerance would grow up to it.
    """
    tables, n, bodies = model.tables, len(model.q), len(model.tables.bodies)
    own = bool(set(given) - {"state"}) if isinstance(given, Mapping) else given is not None
    fields = {
        "by_motion": int(len(model.modal) > 0 and damps and not own),
        "reach_q": np.zeros(n),
        "reach_v": np.zeros(n),
        "vibration_time": np.zeros(n),
        "scale_body": np.zeros(n, dtype=np.int64),
        "body_size": np.ones(bodies),
        "least_speed": np.zeros(bodies),
        "point_start": np.zeros(bodies + 1, dtype=np.int64),
        "points": np.zeros((0, 3)),
        "point_Phi_at": np.zeros(bodies, dtype=np.int64),
        "point_Phi": np.zeros(0),
    }
    if not fields["by_motion"]:
        return fields
    size = fields["body_size"]
    size[1:] = [size_of_body(tables, b) for b in range(1, bodies)]
    points: list[np.ndarray] = []
    Phi: list[np.ndarray] = []
    for b in range(bodies):
        fields["point_Phi_at"][b] = sum(part.size for part in Phi)
        name = next(
            (
                name
                for name, part in model.modal.items()
                if tables.bodies["modes"][b] > 0 and part.start == tables.bodies["modal_start"][b]
            ),
            None,
        )
        if name is not None:
            body, part = model.bodies[name], model.modal[name]
            size[b] = float(np.linalg.norm(np.ptp(body.points, axis=0)))
            own_points, own_Phi = measured_points(body)
            points.append(own_points)
            Phi.append(own_Phi)
            _set_modes(model, body, part, b, np.linalg.norm(own_Phi, axis=2).max(axis=1, initial=0.0), fields)
        fields["point_start"][b + 1] = sum(len(part) for part in points)
    fields["points"], fields["point_Phi"] = np.concatenate(points), np.concatenate([part.ravel() for part in Phi])
    fields["least_speed"][:] = np.sqrt(2.0 * float(np.linalg.norm(tables.gravity)) * size)
    _set_joints(tables, fields)
    return fields


def measured_points(body: FlexibleBody) -> tuple[np.ndarray, np.ndarray]:
    """Points (p, 3), m, in the frame of the body, and modes (n, p, 3) there: markers, and nodes that tell modes apart.

    The nodes by pivoted QR of the modes' displacements: about as many components as there are modes.
    """
    chosen = np.zeros(0, dtype=np.int64)
    if len(body.modes) and body.modes.shape[1]:
        some = np.unique(np.linspace(0, body.modes.shape[1] - 1, MAX_CANDIDATES).astype(np.int64))
        candidates = body.modes[:, some]
        scale = np.linalg.norm(candidates, axis=2).max(axis=1, initial=0.0)
        scaled = candidates / np.where(scale > 0.0, scale, 1.0)[:, None, None]
        _R, pivots = qr(scaled.reshape(len(scaled), -1), mode="r", pivoting=True)
        chosen = some[np.unique(pivots[: len(scaled)] // 3)]
    markers = list(body.markers.values())
    points = np.concatenate([body.points[chosen], *(marker.position[None] for marker in markers)])
    Phi = np.concatenate([body.modes[:, chosen], *(marker.Phi[:, None] for marker in markers)], axis=1)
    return points, Phi


def _set_modes(model: Model, body: FlexibleBody, part: slice, b: int, reach: np.ndarray, fields) -> None:
    integrated = model.tables.coordinates["unit"][part] == 0.0
    stiffness, mass = np.diag(body.Ke), np.diag(body.Me)
    fields["reach_q"][part], fields["scale_body"][part] = reach, b
    fields["reach_v"][part] = np.where(integrated, reach, 0.0)
    regular = (stiffness > 0.0) & integrated
    fields["vibration_time"][part] = np.sqrt(np.divide(mass, stiffness, out=np.zeros(len(mass)), where=regular))


def _set_joints(tables: Tables, fields) -> None:
    """For Newton's iteration: angles turn the body behind them over its size."""
    for b in range(1, len(tables.bodies)):
        record = tables.bodies[b]
        for axis in tables.axes[record["axis_start"] : record["axis_end"]]:
            first = int(axis["coordinate"])
            for k in range(first, first + (3 if axis["kind"] == BALL else 1)):
                turns = axis["kind"] in (ROTATION, BALL)
                fields["reach_v"][k] = fields["body_size"][b] if turns else 1.0
                fields["scale_body"][k] = b
