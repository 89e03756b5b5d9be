"""Results that several cases report."""

from __future__ import annotations

import numpy as np

from flexmbs.result.result import Result

#: Of what :func:`contact_figures` returns; the count has none.
CONTACT_UNITS = {
    **{"first_contact_time": "s", "first_contact_duration": "s", "first_peak_force": "N", "first_impulse": "N s"},
    **{"contact_starts": "s", "peak_forces": "N"},
}


def contact_figures(result: Result) -> dict[str, object]:
    """Contacts in order of time: start, duration, peak force and impulse of the first, and lists for all.

    The values of the first contact are None if there was none.
    """
    contacts = result.contacts
    first = contacts[0] if contacts else None
    return {
        "first_contact_time": first and first.start,
        "first_contact_duration": first and first.duration,
        "first_peak_force": first and first.peak_force,
        "first_impulse": first and first.impulse,
        "contact_count": len(contacts),
        "contact_starts": [contact.start for contact in contacts],
        "peak_forces": [contact.peak_force for contact in contacts],
    }


def energy_error(result: Result) -> float:
    """Largest change of the total energy divided by the largest kinetic energy."""
    total = result["energy.total"]
    return float(np.abs(total - total[0]).max() / result["energy.kinetic"].max())


def energy_balance(result: Result) -> float:
    """Largest balance of the energy ledger divided by the energy exchanged (docs/energy.md)."""
    ledger = result.energy_ledger()
    return float(ledger.largest_balance / ledger.scale) if ledger.scale > 0.0 else 0.0


def angle_from_hanging(result: Result, body: str) -> np.ndarray:
    """(nt,) rad: angle of the body's x axis from the downward vertical (-y), anticlockwise about z, unwrapped."""
    axis = result.rotation(body)[:, :, 0]
    return np.unwrap(np.arctan2(axis[:, 0], -axis[:, 1]))


def chord_deflection(result: Result, start: str, middle: str, end: str) -> np.ndarray:
    """(nt,) m: displacement of a marker off the straight line between two others, since the start of the run.

    Markers are given as "BODY.MARKER"; positive to the left of the line from ``start`` to ``end``, looking along -z.
    """
    a, m, b = (np.stack([result[f"{label}.position.{axis}"] for axis in "xy"]) for label in (start, middle, end))
    along, arm = b - a, m - a
    across = (along[0] * arm[1] - along[1] * arm[0]) / np.hypot(*along)
    return across - across[0]
