"""Histories of joints with clearance: eccentricity, contact angle, penetration, phases of contact."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from flexmbs.result.structure import ClearanceRecord, Structure
from flexmbs.result.trajectory import Trajectory

History = Callable[[Trajectory], np.ndarray]
FREE, IMPACT, FOLLOWING = 0, 1, 2
SETTLED = 1e-2  # of the approach speed: an impact that parts no faster than this has become a contact that follows


def clearance_catalogue(structure: Structure) -> dict[str, History]:
    """Histories of all joints with clearance by name (docs/clearance.md)."""
    found: dict[str, History] = {}
    for record in structure.clearances:
        _add(found, structure, record)
    return found


def _add(found: dict[str, History], structure: Structure, record: ClearanceRecord) -> None:
    name, rows = record.name, [structure.contact_names.index(point) for point in record.points]
    shifts = [structure.coordinate_names.index(f"{name}.{shift}") for shift in record.shifts]
    found[f"{name}.eccentricity"] = lambda run: np.sqrt((run.q[:, shifts] ** 2).sum(axis=1))
    found[f"{name}.penetration"] = lambda run: np.maximum(-run.contact_gap[:, rows].min(axis=1), 0.0)
    found[f"{name}.phase"] = lambda run: joint_phase([phase_of(run, structure, row) for row in rows])
    if record.is_pin:
        found[f"{name}.contact_angle"] = lambda run: np.arctan2(run.q[:, shifts[1]], run.q[:, shifts[0]])
    if len(rows) > 1:
        found[f"{name}.force"] = lambda run: run.contact_force[:, rows].sum(axis=1)
        for point, row in zip(record.points, rows, strict=True):
            found[f"{point}.penetration"] = lambda run, row=row: np.maximum(-run.contact_gap[:, row], 0.0)
            found[f"{point}.phase"] = lambda run, row=row: phase_of(run, structure, row)
    if len(record.ends) > 1:
        for point, end in zip(record.points, record.ends, strict=False):
            found[f"{point}.eccentricity"] = lambda run, end=end: np.hypot(*end_shift(run, structure, record, end))
            found[f"{point}.contact_angle"] = lambda run, end=end: np.arctan2(*end_shift(run, structure, record, end)[::-1])


def end_shift(run: Trajectory, structure: Structure, record: ClearanceRecord, end: float) -> tuple[np.ndarray, np.ndarray]:
    """(nt,) m along u and v: where the centre of an end of a pin stands, ``end`` (m) along it."""

    def coordinate(name: str) -> np.ndarray:
        full = f"{record.name}.{name}"
        if full not in structure.coordinate_names:
            return np.zeros(len(run.t))
        return run.q[:, structure.coordinate_names.index(full)]

    tilt_u, tilt_v = coordinate("tilt_u"), coordinate("tilt_v")
    along = end + coordinate("displacement")
    return coordinate("u") + along * np.sin(tilt_v), coordinate("v") - along * np.sin(tilt_u) * np.cos(tilt_v)


def phase_of(run: Trajectory, structure: Structure, row: int) -> np.ndarray:
    """(nt,) phase of a contact point: 0 free, 1 impact, 2 following contact.

    A contact begins as an impact after a flight. It is one until it ends, until the bodies, after having parted,
    approach again without having lost contact, or until they hardly move along the normal any more: from there on the
    contact follows. One that is closed from the start of the run, or in equilibrium, follows.
    """
    phase = np.where(run.contact_force[:, row] != 0.0, float(FOLLOWING), float(FREE))
    name = structure.contact_names[row]
    for contact in run.contacts:
        if contact.name != name:
            continue
        end = contact.end if np.isfinite(contact.end) else np.inf
        inside = np.flatnonzero((run.t >= contact.start) & (run.t <= end))
        if len(inside) == 0:
            continue
        phase[inside] = IMPACT
        if contact.start <= run.t[0]:
            phase[inside] = FOLLOWING
        else:
            gap, speed = run.contact_gap[inside, row], contact.approach_speed
            follows = min(_returns(gap), _settles(gap, run.t[inside], SETTLED * speed))
            phase[inside[follows:]] = FOLLOWING
    return phase


def _returns(gap: np.ndarray) -> int:
    """Where a gap begins to close for the second time."""
    steps = np.diff(gap)
    opening = np.flatnonzero(steps > 0.0)
    if len(opening) == 0:
        return len(gap)
    closing = np.flatnonzero(steps[opening[0] :] < 0.0)
    return int(opening[0] + closing[0]) if len(closing) else len(gap)


def _settles(gap: np.ndarray, t: np.ndarray, slow: float) -> int:
    """From where on a gap changes more slowly than ``slow`` (m/s) until the end."""
    fast = np.flatnonzero(np.abs(np.diff(gap)) >= slow * np.diff(t))
    return int(fast[-1]) + 1 if len(fast) else 0


def joint_phase(phases: list[np.ndarray]) -> np.ndarray:
    """Phase of a joint from those of its points: an impact of any of them counts first, then a contact that follows."""
    impact = reduce(np.logical_or, (phase == IMPACT for phase in phases))
    return np.where(impact, float(IMPACT), reduce(np.maximum, phases))
