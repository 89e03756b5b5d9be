"""What a flexible body is made of and how good its modes are, as tables for reports and notebooks."""

from __future__ import annotations

import re

import numpy as np

from flexmbs.common.quantities import number, quantity
from flexmbs.reduction.advice import ENOUGH, MOTIONS, Advice
from flexmbs.reduction.flexible_body import FlexibleBody

Rows = list[list[str]]
MAX_MODES = 40  # rows of a table
_NOT_GIVEN = re.compile(r"\w+=None, |, \w+=None")  # options of a choice of modes


def body_facts(body: FlexibleBody) -> list[tuple[str, str]]:
    """Mass, size, centre, nodes, modes, frame, source: (what, value) lines."""
    facts = [
        ("mass", quantity(body.mass, "kg")),
        ("size", f"{extent(shape(body))} m"),
        ("centre of mass", vector(body.center, "m")),
        ("moments of inertia", vector(np.diag(body.central_inertia), "kg m2") + " (xx, yy, zz about it)"),
        ("nodes", f"{len(body.points):,}"),
        ("modes", f"{body.mode_count}, {frequencies(body)}" if body.mode_count else "none"),
        ("frame", f"fixed to marker {body.attached_at}" if body.attached_at else "mean axes"),
        ("markers", ", ".join(body.markers) or "none"),
    ]
    if "modes" in body.options:
        facts.append(("choice of modes", _NOT_GIVEN.sub("", str(body.options["modes"]))))
    return facts + ([("mesh", body.source)] if body.source else [])


def shape(body: FlexibleBody) -> np.ndarray:
    """(k, 3) m: points of its surface, which has the width of beams; of a body without one its nodes."""
    return body.surface.points if len(body.surface.points) else body.points


def extent(points: np.ndarray) -> str:
    """ "1 x 0.02 x 0.004": of points (k, 3)."""
    return " x ".join(number(length, 3) for length in np.ptp(points, axis=0))


def frequencies(body: FlexibleBody) -> str:
    """ "3.342 to 1293 Hz", of the modes with mass."""
    found = body.frequencies[~body.massless & np.isfinite(body.frequencies)]
    return f"{number(found.min())} to {number(found.max())} Hz" if len(found) else "without mass"


def modes_table(body: FlexibleBody) -> tuple[list[str], Rows]:
    """Header and rows: mode, frequency, damping, effective mass in per cent of the body's (where it has a frame)."""
    advice = body.advice()
    header = ["mode", "frequency [Hz]", "damping [% of critical]"]
    header += [f"{motion} [%]" for motion in MOTIONS] if advice.frame is not None else []
    parts = 100.0 * advice.effective_mass / np.where(advice.total_mass > 0.0, advice.total_mass, np.inf)
    damping = _damping_ratios(body)
    rows = []
    for k, label in enumerate(body.mode_labels[:MAX_MODES]):
        row = [label, number(body.frequencies[k], 5), number(100.0 * damping[k], 3)]
        rows.append(row + ([f"{part:.2f}" for part in parts[k]] if advice.frame is not None else []))
    if body.mode_count > MAX_MODES:
        rows.append([f"{body.mode_count - MAX_MODES} more", *[""] * (len(header) - 1)])
    if advice.frame is not None and len(parts):
        rows.append(["all together", "", "", *(f"{part:.2f}" for part in parts.sum(axis=0))])
    return header, rows


def static_error_table(advice: Advice) -> tuple[list[str], Rows]:
    """Header and rows: the share of the strain energy under a unit load at each marker that the modes miss."""
    rows = [[name, *(_share(part) for part in error)] for name, error in advice.static_error.items()]
    return ["unit load at", *MOTIONS], rows


def verdict(body: FlexibleBody) -> tuple[str, tuple[str, ...]]:
    """One sentence on the modes, and the remarks of the advice with their remedies."""
    advice = body.advice()
    if not advice.static_error:
        return "The body keeps no compliance of its mesh: how well its modes represent static loads is unknown.", ()
    if not advice.remarks:
        limit = f"{ENOUGH:.0%}"
        return f"The modes represent unit loads at all markers, and acceleration, within {limit} of the energy.", ()
    return "The modes miss part of the strain energy under some loads:", advice.remarks


def vector(values: np.ndarray, unit: str) -> str:
    """ "(0.5, 0, 0) m"."""
    largest = float(np.abs(values).max(initial=0.0))
    parts = (number(0.0 if abs(value) < 1e-5 * largest else value, 4) for value in np.asarray(values).tolist())
    return f"({', '.join(parts)}) {unit}"


def _damping_ratios(body: FlexibleBody) -> np.ndarray:
    """(n,) of critical damping; 0 of modes without mass."""
    critical = 2.0 * np.sqrt(np.maximum(np.diag(body.Ke) * np.diag(body.Me), 0.0))
    return np.divide(np.diag(body.De), critical, out=np.zeros(len(critical)), where=critical > 0.0)


def _share(part: float) -> str:
    if np.isnan(part):
        return "-"
    return f"{part:.1%}" if part > 5e-4 else f"{part:.0e}" if part > 1e-12 else "0"
