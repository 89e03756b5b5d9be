"""Stated start values that the constraints do not allow: what has become of them, and whose fault it is."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.assembly.loop_equations import Loops
from flexmbs.analysis.evaluation.constraint_directions import dense
from flexmbs.common.errors import MechanismWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.tables import CLOSURE
from flexmbs.mechanism.geometry.euler_angles import rotation_vectors
from flexmbs.mechanism.geometry.rotations import as_matrix
from flexmbs.model.compiled_model import Model

MOVED = 1e-6  # rad, rad/s, or of the size of the mechanism (per second); of the largest where that is more
ROW_PART = 1e-9  # of the largest entry: smaller ones of the constraint matrix are rounding
MOST_TOLD, MOST_NAMES = 6, 8


def warn_of_moved_starts(stated: Model, found: Model, t: float) -> None:
    """MechanismWarning with old and new value of each stated start value that assembly has changed, and with its loop.

    ``stated`` and ``found``: the model before and behind assembly.
    """
    loops = Loops(found, t)
    units, owners = _units_and_joints(found)
    for noun, rows, pairs, suffix in (
        ("start value", loops.position_rows, _positions(stated, found), ""),
        ("start rate", loops.rate_rows, _rates(stated, found), "/s"),
    ):
        sizes = {"m": loops.length, "rad": 1.0}
        largest = max([1.0, *(abs(new) / sizes[units[k]] for k, _old, new in pairs)])
        moved = [(k, old, new) for k, old, new in pairs if abs(new - old) > MOVED * sizes[units[k]] * largest]
        if not moved:
            continue
        told = [
            f"'{found.coordinate_names[k]}' {old:.6g} -> {round(new, 12):.6g} {units[k]}{suffix}"
            for k, old, new in moved[:MOST_TOLD]
        ]
        more = f" and {len(moved) - MOST_TOLD} more" if len(moved) > MOST_TOLD else ""
        names = _constrained_with(found, loops, rows, [k for k, _old, _new in moved], owners)
        warn(
            f"stated {noun}s cannot all hold, and are changed: {', '.join(told)}{more}. They contradict each other in {names}; "
            f"state fewer of them, or values that belong together",
            MechanismWarning,
        )


def _units_and_joints(model: Model) -> tuple[list[str], list[str]]:
    """Unit of each joint coordinate, and the name of its joint."""
    units, owners = ["m"] * model.coordinate_count, [""] * model.coordinate_count
    for joint in [branch.joint for branch in model.tree.branches] + list(model.tree.cut):
        for name, unit in joint.type.coordinates.items():
            k = model.coordinate_index.get(f"{joint.name}.{name}")
            if k is not None:
                units[k], owners[k] = unit, joint.name
    for start in model.balls:
        units[start : start + 3] = ["rad"] * 3
        owners[start : start + 3] = [model.coordinate_names[start].rsplit(".", 2)[0]] * 3
    return units, owners


def _told(model: Model, given: np.ndarray, level: int) -> list[int]:
    """Joint coordinates whose start was stated and that no driver moves."""
    n = model.coordinate_count
    coordinates = model.tables.coordinates[:n]
    told = given[:n] & ~(model.is_driven & (coordinates["level"] <= level)) & ~model.state_coordinates[:n]
    for part in model.modal.values():
        told[part] = False
    return np.flatnonzero(told).tolist()


def _positions(stated: Model, found: Model) -> list[tuple[int, float, float]]:
    """(coordinate, stated, found) of the positions, of a ball its turn from the stated rotation."""
    old, new = stated.q.copy(), found.q.copy()
    for ball, start in enumerate(stated.balls):
        first, last = (as_matrix(model.reference[ball], "start") for model in (stated, found))
        old[start : start + 3], new[start : start + 3] = 0.0, rotation_vectors(first.T @ last)
    return [(k, float(old[k]), float(new[k])) for k in _told(stated, stated.given, 0)]


def _rates(stated: Model, found: Model) -> list[tuple[int, float, float]]:
    return [(k, float(stated.v[k]), float(found.v[k])) for k in _told(stated, stated.given_rates, 1)]


def _constrained_with(model: Model, loops: Loops, rows: np.ndarray, moved: list[int], owners: list[str]) -> str:
    """The joints and constraints of the rows in which coordinates take part."""
    G = np.abs(dense(loops.evaluator.constraint_matrix(model.q, model.reference, loops.t)))
    largest = ROW_PART * G.max(initial=0.0)
    joined = rows[np.any(G[rows][:, moved] > largest, axis=1)]
    columns = np.flatnonzero(np.any(G[joined] > largest, axis=0))
    names = dict.fromkeys(owners[k] for k in columns if owners[k])
    for c, constraint in enumerate(model.tables.constraints):
        if constraint["kind"] != CLOSURE and np.isin(loops.rows_of(c), joined).any():
            names[model.constraint_names[c]] = None
    told = [f"'{name}'" for name in names]
    return ", ".join(told[:MOST_NAMES]) + (f" and {len(told) - MOST_NAMES} more" if len(told) > MOST_NAMES else "")
