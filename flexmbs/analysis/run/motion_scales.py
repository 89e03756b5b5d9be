"""What errors of flexible bodies are measured against unless absolute tolerances are given: the motion of the body.

See core.methods.motion_scales. An error of a modal coordinate counts by how far it moves the points of its body,
relative to the deflection of the body; an error of a rate, of a mode or of a joint of the body, by the speed that it
gives them, relative to the largest speed of the body so far, at least that of free fall over its own size.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.analysis.run.tolerances import AbsoluteTolerance, kinds_of_coordinates
from flexmbs.core.layout.tables import BALL
from flexmbs.model.compiled_model import Model
from flexmbs.reduction.flexible_body import FlexibleBody


def motion_scales(model: Model, given: AbsoluteTolerance) -> dict[str, np.ndarray | int]:
    """Fields of Settings: ``by_motion``, ``reach_q``, ``reach_v``, ``vibration_time``, ``scale_body``, ``body_size``,
    ``least_speed``.

    Kinds of coordinates whose absolute tolerance is ``given`` are measured each against itself, as in
    ``scipy.integrate.solve_ivp``.
    """
    tables, n = model.tables, len(model.q)
    reach_q, reach_v, times = np.zeros(n), np.zeros(n), np.zeros(n)
    owner = np.zeros(n, dtype=np.int64)
    size, least = np.zeros(len(tables.bodies)), np.zeros(len(tables.bodies))
    own = given is not None and not isinstance(given, Mapping)
    stated = set(given) if isinstance(given, Mapping) else set()
    if own or not model.modal:
        return _fields(0, reach_q, reach_v, times, owner, size, least)
    numbers = {int(tables.bodies["modal_start"][b]): b for b in np.flatnonzero(tables.bodies["modes"] > 0)}
    for name, part in model.modal.items():
        body, number = model.bodies[name], numbers[part.start]
        reach = largest_displacements(body)
        integrated = tables.coordinates["unit"][part] == 0.0
        stiffness, mass = np.diag(body.Ke), np.diag(body.Me)
        reach_q[part] = 0.0 if "mode" in stated else reach
        reach_v[part] = 0.0 if "mode_rate" in stated else np.where(integrated, reach, 0.0)
        times[part] = np.sqrt(np.divide(mass, stiffness, out=np.zeros(len(mass)), where=(stiffness > 0.0) & integrated))
        owner[part] = number
        size[number] = float(np.linalg.norm(np.ptp(body.points, axis=0)))
    least[:] = np.sqrt(2.0 * float(np.linalg.norm(tables.gravity)) * size)
    _set_joints(model, stated, reach_v, owner, size)
    return _fields(1, reach_q, reach_v, times, owner, size, least)


def _fields(by_motion, reach_q, reach_v, times, owner, size, least) -> dict[str, np.ndarray | int]:
    return {
        "by_motion": by_motion, "reach_q": reach_q, "reach_v": reach_v, "vibration_time": times, "scale_body": owner,
        "body_size": size, "least_speed": least,
    }  # fmt: skip


def largest_displacements(body: FlexibleBody) -> np.ndarray:
    """(n,) displacement of the node or marker that each mode moves furthest, per unit of its coordinate."""
    largest = np.linalg.norm(body.modes, axis=2).max(axis=1, initial=0.0)
    for marker in body.markers.values():
        largest = np.maximum(largest, np.linalg.norm(marker.Phi, axis=1))
    return largest


def _set_joints(model: Model, stated: set[str], reach_v: np.ndarray, owner: np.ndarray, size: np.ndarray) -> None:
    """Rates of joints that a flexible body is on: angles turn it over its size."""
    tables, kinds = model.tables, kinds_of_coordinates(model)
    for b in range(1, len(tables.bodies)):
        record = tables.bodies[b]
        parent = int(tables.markers["body"][record["parent_marker"]])
        scale = b if size[b] > 0.0 else parent
        if size[scale] == 0.0:
            continue
        for axis in tables.axes[record["axis_start"] : record["axis_end"]]:
            first = int(axis["coordinate"])
            for k in range(first, first + (3 if axis["kind"] == BALL else 1)):
                if kinds[k] in ("angle", "length") and f"{kinds[k]}_rate" not in stated:
                    reach_v[k] = size[scale] if kinds[k] == "angle" else 1.0
                    owner[k] = scale
