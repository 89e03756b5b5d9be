"""Absolute tolerances of coordinates and rates, by kind of coordinate.

Which angle, length or modal coordinate is small depends on the size of the mechanism. The default absolute tolerance is
rtol / 1000 times a reference value: 1 rad for angles, the size of the mechanism (its largest lever arm, at most 1 m)
for lengths, the size of the flexible body (at most 1 m) for modal coordinates, and the same per second for rates; 1 for
user states, a thousand times the deflection at which they give way for bristles of friction.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.model.compiled_model import Model
from flexmbs.model.mechanism_size import largest_lever

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
