"""Quantities that a page shows in colour: titles, units, ranges over the run and at each frame; pressure at touched nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import near_names
from flexmbs.fem.stress_field import von_mises
from flexmbs.reduction.recovery import surface_displacement
from flexmbs.view.colours import TITLES
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.page.fields import RunField, length_of, measured
from flexmbs.view.page.numbers import series, whole
from flexmbs.view.page.part_records import PartRecord

#: Title, unit, and factor from SI to it.
QUANTITIES = {
    "body": ("Body", "", 1.0),
    "displacement": (TITLES["displacement"], "mm", 1e3),
    "von_mises": (TITLES["von_mises"], "MPa", 1e-6),
    "principal_max": (TITLES["principal_max"], "MPa", 1e-6),
    "principal_min": (TITLES["principal_min"], "MPa", 1e-6),
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


LEVELS = 1000  # steps of pressure, of the largest


#: Contact -> at a time (s) of the run what is touched: an object with ``points`` (k, 3) m in world axes, ``areas`` (k,) m2 and
#: ``pressures`` (k,) Pa.
Pressures = Mapping[str, Callable[[float], Any]]


def checked_pressures(result: DrawableResult, pressures: Pressures | None) -> None:
    """FlexmbsError with near names for a contact that the result does not have."""
    known = [pair.name for pair in result.structure.contacts]
    for name in pressures or {}:
        if name not in known:
            raise FlexmbsError(f"pressures: no contact named {name!r}. {near_names(str(name), known)}")


def add_pressures(here: DrawableResult, parts: list[PartRecord], pressures: Pressures | None) -> np.ndarray | None:
    """Give the first body of each contact the pressure on it; (nf, 2) Pa lowest and highest at each frame, or None."""
    if not pressures:
        return None
    structure = here.structure
    on_body: dict[int, list[str]] = {}
    for pair in structure.contacts:
        if pair.name in pressures:
            on_body.setdefault(structure.body_index(structure.markers[pair.marker_a].body), []).append(pair.name)
    highest = np.zeros(len(here.t))
    for index, names in on_body.items():
        part = next(one for one in parts if one.entry["group"] == "bodies" and one.entry["body"] == index)
        values = _at_points(here, index, {name: pressures[name] for name in names})
        touched = np.flatnonzero(values.max(axis=0) > 0.0)
        if len(touched):
            step = float(values.max()) / LEVELS
            part.entry["pressure"] = {"index": whole(touched), "values": series(values[:, touched], step)}
            highest = np.maximum(highest, values.max(axis=1))
    return np.stack([0.0 * highest, highest], axis=1)


def _at_points(here: DrawableResult, index: int, patches: Pressures) -> np.ndarray:
    """(nf, np) Pa at the surface points of a body: the mean, by area, of what touches nearest to each."""
    from scipy.spatial import cKDTree

    structure, run = here.structure, here.trajectory
    record, names = structure.bodies[index], [pair.name for pair in structure.contacts]
    flexible = record.flexible
    still = record.shape_points if flexible is None else flexible.surface.points
    found = np.zeros((len(here.t), len(still)))
    for name, patch_at in patches.items():
        for frame in np.flatnonzero(run.contact_force[:, names.index(name)] > 0.0):
            patch: Any = patch_at(float(here.t[frame]))
            if not len(patch.points):
                continue
            moved = still
            if flexible is not None:
                moved = still + surface_displacement(flexible, run.q[frame, record.coordinates])
            local = (np.asarray(patch.points) - run.body_position[frame, index]) @ run.body_rotation[frame, index]
            nearest = cKDTree(moved).query(local)[1]
            weights = np.bincount(nearest, patch.areas, minlength=len(still))
            forces = np.bincount(nearest, np.asarray(patch.areas) * patch.pressures, minlength=len(still))
            own = np.divide(forces, weights, out=np.zeros(len(still)), where=weights > 0.0)
            found[frame] = np.maximum(found[frame], own)
    return found
