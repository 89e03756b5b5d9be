"""Absolute tolerances of coordinates and rates, by kind.

An angle of 1e-9 rad, a length of 1e-9 m and the modal coordinate of a bar 10 mm long are not alike: what is small
depends on the size of the mechanism. Without other words the absolute tolerance is rtol / 1000 of 1 rad, of the size
of the mechanism (its largest lever, at most 1 m), of the size of a flexible body (at most 1 m), and of the same per
second.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.model.compiled_model import Model

PART = 1e-3  # of rtol
KINDS = ("angle", "length", "mode", "angle_rate", "length_rate", "mode_rate", "state")

#: What a user may give: nothing, one number for all, or numbers by kind (the others as by default).
Given = float | Mapping[str, float] | None


def absolute_tolerances(model: Model, rtol: float, given: Given) -> tuple[np.ndarray, np.ndarray]:
    """(n,) tolerances of coordinates and (n,) of their rates, SI units; infinite where nothing is to be controlled.

    Raises
    ------
    MechanismError
        An unknown kind, or a value that is not a positive finite number.
    """
    values = _by_default(model, rtol)
    if isinstance(given, Mapping):
        unknown = sorted(set(given) - set(KINDS))
        if unknown:
            raise MechanismError(f"atol: {unknown} are no kinds of coordinates; there are {', '.join(KINDS)}")
        for name, value in given.items():
            values[name] = np.full(len(model.q), _positive(f"atol['{name}']", value))
    elif given is not None:
        values = dict.fromkeys(KINDS, np.full(len(model.q), _positive("atol", given)))
    kinds = kinds_of_coordinates(model)
    positions, rates = np.full(len(model.q), np.inf), np.full(len(model.q), np.inf)
    for k, kind in enumerate(kinds):
        if kind == "state":  # a user state stands among the rates, and has no position
            rates[k] = values["state"][k]
        elif kind:
            positions[k], rates[k] = values[kind][k], values[f"{kind}_rate"][k]
    # condensed modes have a position, which is not integrated (core.mechanics.condensed_modes)
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


def largest_lever(model: Model) -> float:
    """Largest distance of a marker from the origin of its body, m; 1 where there is none."""
    starts = model.tables.markers["frame_at"]
    levers = [float(np.linalg.norm(model.tables.pool[at : at + 3])) for at in starts]
    return max(levers, default=0.0) or 1.0


def _by_default(model: Model, rtol: float) -> dict[str, np.ndarray]:
    n = len(model.q)
    lengths = np.full(n, min(1.0, largest_lever(model)))
    modes = np.ones(n)
    for name, part in model.modal.items():
        modes[part] = min(1.0, float(np.linalg.norm(np.ptp(model.bodies[name].points, axis=0))))
    scales = {"angle": np.ones(n), "length": lengths, "mode": modes, "state": np.ones(n)}
    scales |= {f"{kind}_rate": scales[kind] for kind in ("angle", "length", "mode")}
    return {kind: PART * rtol * scale for kind, scale in scales.items()}


def _positive(what: str, value) -> float:
    if not isinstance(value, int | float | np.number) or not (np.isfinite(value) and value > 0.0):
        raise MechanismError(f"{what} = {value!r} must be a positive finite number")
    return float(value)
