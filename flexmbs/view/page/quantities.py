"""Quantities that a page shows in colour: titles, units, and ranges over the run and at each frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from flexmbs.fem.stress_field import von_mises
from flexmbs.view.page.fields import RunField, length_of, measured
from flexmbs.view.page.part_records import PartRecord
from flexmbs.view.page.quantised import series

#: Title, unit, and factor from SI to it.
QUANTITIES = {
    "body": ("Body", "", 1.0),
    "displacement": ("Displacement", "mm", 1e3),
    "von_mises": ("Von Mises stress", "MPa", 1e-6),
    "principal_max": ("Largest principal stress", "MPa", 1e-6),
    "principal_min": ("Smallest principal stress", "MPa", 1e-6),
    "pressure": ("Contact pressure", "MPa", 1e-6),
}
_PRINCIPAL_FRAMES = 120  # at which principal stresses are looked at; between them the range is interpolated


def ranges_of(parts: Iterable[PartRecord], frames: int) -> dict[str, np.ndarray]:
    """(nf, 2) lowest and highest value of each quantity at each frame, over all parts, as they are decoded."""
    found: dict[str, np.ndarray] = {}
    for part in parts:
        if part.displacement is not None:
            _widen(found, "displacement", _from_zero(part.displacement, length_of))
        if part.stress is not None:
            _widen(found, "von_mises", _from_zero(part.stress, von_mises))
            for key, values in _principal(part.stress, frames).items():
                _widen(found, key, values)
    return found


def quantity_records(ranges: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """Quantities with their ranges; "body" stands first."""
    found = [_record("body", np.array([[0.0, 1.0]]), None)]
    for key, values in ranges.items():
        step = float(np.abs(values).max(initial=0.0)) / 10_000.0
        found.append(_record(key, values, series(values, step or 1.0)))
    return found


def _record(key: str, values: np.ndarray, of_frame: Any) -> dict[str, Any]:
    title, unit, factor = QUANTITIES[key]
    return {
        "key": key,
        "title": title,
        "unit": unit,
        "factor": factor,
        "low": float(values[:, 0].min()),
        "high": float(values[:, 1].max()),
        "ofFrame": of_frame,
    }


def _widen(found: dict[str, np.ndarray], key: str, values: np.ndarray) -> None:
    known = found.setdefault(key, values)
    found[key] = np.stack([np.minimum(known[:, 0], values[:, 0]), np.maximum(known[:, 1], values[:, 1])], axis=1)


def _from_zero(shown: RunField, measure) -> np.ndarray:
    highest = np.concatenate([values.max(axis=1) for values in measured(*shown.decoded(), measure)])
    return np.stack([0.0 * highest, highest], axis=1)


def _principal(stress: RunField, frames: int) -> dict[str, np.ndarray]:
    fields, coefficients = stress.decoded()
    chosen = np.unique(np.linspace(0, frames - 1, min(frames, _PRINCIPAL_FRAMES)).astype(int))
    ends = [
        np.stack([values.min(axis=1), values.max(axis=1)], axis=1)
        for values in measured(fields, coefficients[chosen], principal_ends)
    ]
    both = np.concatenate(ends)  # (k, 2, 2): lowest and highest; of the smallest and of the largest
    every = np.stack([np.interp(np.arange(frames), chosen, both[:, i, j]) for i in (0, 1) for j in (0, 1)], axis=1)
    return {"principal_max": every[:, [1, 3]], "principal_min": every[:, [0, 2]]}


def principal_ends(stress: np.ndarray) -> np.ndarray:
    """(..., 2) smallest and largest principal value of stress (..., 6) xx yy zz yz xz xy."""
    xx, yy, zz, yz, xz, xy = np.moveaxis(stress, -1, 0)
    mean = (xx + yy + zz) / 3.0
    x, y, z = xx - mean, yy - mean, zz - mean
    second = np.sqrt((x * x + y * y + z * z + 2.0 * (yz * yz + xz * xz + xy * xy)) / 6.0)
    unit = np.maximum(second, np.finfo(np.float32).tiny)
    x, y, z, yz, xz, xy = (each / unit for each in (x, y, z, yz, xz, xy))
    determinant = x * (y * z - yz * yz) - xy * (xy * z - yz * xz) + xz * (xy * yz - y * xz)
    angle = np.arccos(np.clip(0.5 * determinant, -1.0, 1.0)) / 3.0
    largest = mean + 2.0 * second * np.cos(angle)
    return np.stack([mean + 2.0 * second * np.cos(angle + 2.0 * np.pi / 3.0), largest], axis=-1)
