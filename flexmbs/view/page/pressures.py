"""Contact pressure on the surface of a body, at the nodes that are ever touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import near_names
from flexmbs.reduction.modal_fields import surface_displacement
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.page.part_records import PartRecord
from flexmbs.view.page.quantised import series, whole

LEVELS = 1000  # steps of pressure, of the largest


class Patch(Protocol):
    """What is touched at one time: ``points`` (k, 3) m in world axes, ``areas`` (k,) m2, ``pressures`` (k,) Pa."""

    @property
    def points(self) -> np.ndarray: ...
    @property
    def areas(self) -> np.ndarray: ...
    @property
    def pressures(self) -> np.ndarray: ...


#: Contact -> its patch at a time (s) of the run.
Pressures = Mapping[str, Callable[[float], Patch]]


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
        values = _at_points(here, index, {name: pressures[name] for name in names})[:, part.shape.order]
        touched = np.flatnonzero(values.max(axis=0) > 0.0)
        if len(touched):
            step = float(values.max()) / LEVELS
            part.entry["pressure"] = {"index": whole(touched, "u32"), "values": series(values[:, touched], step)}
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
