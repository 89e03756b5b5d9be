"""Histories of joints with clearance: eccentricity, contact angle, penetration, phases; and wear by Archard's law."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from flexmbs.common.errors import SimulationError
from flexmbs.mechanism.clearance.bore_profile import FEWEST, BoreProfile
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


PARTS = 8  # of a step, each of which may wear another bin


def bore_wear(
    structure: Structure, run: Trajectory, joint: str, coefficient: float, hardness: float, width: float | None, bins: int
) -> BoreProfile:
    """Depth = coefficient / hardness * integral of normal force times sliding speed / area, of each bin of the angle.

    J. F. Archard, J. Appl. Phys. 24 (1953) 981. SimulationError for joints without a pin, and numbers that are missing
    or not positive.
    """
    record = _record(structure, joint)
    width = record.length if width is None else width
    for name, value in (("coefficient", coefficient), ("hardness", hardness), ("width", width)):
        if not (np.isfinite(value) and value > 0.0):
            missing = "; give width= (m) of the bearing, or length= of the clearance" if name == "width" else ""
            raise SimulationError(f"wear of joint '{joint}': {name} {value!r} must be positive{missing}")
    if record.radius <= 0.0:
        raise SimulationError(f"wear of joint '{joint}': its clearance has no radius= (m), so nothing slides")
    if bins < FEWEST:
        raise SimulationError(f"wear of joint '{joint}': {bins} bins are too few, give {FEWEST} or more")
    worn = sum((_work_of_sliding(structure, run, record, number, bins) for number in range(len(record.ends))), np.zeros(bins))
    area = (record.radius + record.radial) * 2.0 * np.pi / bins * width
    return BoreProfile(coefficient / hardness * worn / area)


def _record(structure: Structure, joint: str) -> ClearanceRecord:
    for record in structure.clearances:
        if record.name == joint and record.is_pin:
            return record
    able = ", ".join(record.name for record in structure.clearances if record.is_pin) or "none"
    raise SimulationError(f"wear of '{joint}': not a revolute or cylindrical joint with clearance; such joints: {able}")


def _work_of_sliding(structure: Structure, run: Trajectory, record: ClearanceRecord, number: int, bins: int) -> np.ndarray:
    """(bins,) N m: normal force times sliding distance at one end of a pin, by the angle where it touches."""
    row = structure.contact_names.index(record.points[number])
    power = run.contact_force[:, row] * run.contact_slip[:, row]
    if len(power) < 2:
        return np.zeros(bins)
    u, v = end_shift(run, structure, record, record.ends[number])
    middle = (np.arange(PARTS) + 0.5) / PARTS

    def inside(values: np.ndarray) -> np.ndarray:
        return values[:-1, None] + middle * np.diff(values)[:, None]

    angle = np.arctan2(inside(v), inside(u))
    bin_of = np.rint((angle + np.pi) / (2.0 * np.pi) * bins).astype(int) % bins
    work = np.maximum(inside(power), 0.0) * (np.diff(run.t)[:, None] / PARTS)
    return np.bincount(bin_of.ravel(), work.ravel(), minlength=bins)
