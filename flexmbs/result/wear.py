"""Wear of a bearing with clearance by Archard's law, over the angle of its bore."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import SimulationError
from flexmbs.mechanism.clearance.bore_profile import FEWEST, BoreProfile
from flexmbs.result.clearance_histories import end_shift
from flexmbs.result.structure import ClearanceRecord, Structure
from flexmbs.result.trajectory import Trajectory

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
