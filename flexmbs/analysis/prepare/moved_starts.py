"""Stated start values that the constraints do not allow: what has become of them, and whose fault it is."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.assembly.loop_equations import Loops
from flexmbs.common.errors import MechanismWarning
from flexmbs.common.names_in_messages import listed
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.tables import CLOSURE
from flexmbs.mechanism.geometry.euler_angles import rotation_vectors
from flexmbs.mechanism.geometry.rotations import as_matrix
from flexmbs.model.compiled_model import Model
from flexmbs.model.unknown_ordering import constraint_groups

MOVED = 1e-6  # rad, rad/s, or of the size of the mechanism (per second); of the largest where that is more
MAX_TOLD, MAX_NAMES = 6, 8


def warn_of_moved_starts(stated: Model, found: Model, t: float) -> None:
    """MechanismWarning with old and new value of each stated start value that assembly has changed, and with its loop.

    ``stated`` and ``found``: the model before and behind assembly.
    """
    n, loops = found.coordinate_count, Loops(found, t)
    scales, turns, balls = loops.column_scales(), loops.turns(), np.zeros(n, dtype=bool)
    before, after = stated.q.copy(), found.q.copy()
    for ball, start in enumerate(stated.balls):  # whose position is the turn from the stated rotation
        first, last = (as_matrix(model.reference[ball], "start") for model in (stated, found))
        before[start : start + 3], after[start : start + 3] = 0.0, rotation_vectors(first.T @ last)
        balls[start : start + 3] = True
    coordinates = found.tables.coordinates[:n]
    for level, noun, of_ball, given, old, new in (
        (0, "value", " from its stated rotation", stated.given, before[:n], after[:n]),
        (1, "rate", " about axes of the body", stated.given_rates, stated.v[:n], found.v[:n]),
    ):
        units = np.where(turns | balls, "rad" + "/s" * level, "m" + "/s" * level)
        told = given[:n] & ~(found.is_driven & (coordinates["level"] <= level)) & ~found.state_coordinates[:n]
        for part in found.modal.values():
            told[part] = False
        limit = MOVED * scales * max(1.0, np.abs(new[told] / scales[told]).max(initial=0.0))
        moved = np.flatnonzero(told & (np.abs(new - old) > limit))
        if len(moved):
            changes = [
                f"'{_stated_as(found, k)}' {old[k]:.6g} -> {round(new[k], 12):.6g} {units[k]}{of_ball if balls[k] else ''}"
                for k in moved
            ]
            warn(
                f"stated start {noun}s cannot all hold, and are changed: {listed(changes, MAX_TOLD)}. They contradict each "
                f"other in {_constrained_with(found, moved)}; state fewer of them, or values that belong together",
                MechanismWarning,
            )


def _stated_as(model: Model, k: int) -> str:
    """Name of a coordinate; of the place of a body that joints carry in a run, which no history has, in words."""
    body, _dot, coordinate = model.coordinate_names[k].partition(".free.")
    jointed = coordinate and any(body in (joint.a.body, joint.b.body) for joint in model.tree.cut)
    return f"{body}: {'position ' if len(coordinate) == 1 else ''}{coordinate}" if jointed else model.coordinate_names[k]


def _constrained_with(model: Model, moved: np.ndarray) -> str:
    """The joints and constraints of the loops of coordinates ``moved``."""
    names: list[str] = []
    for c, (_own, coordinates) in enumerate(constraint_groups(model.tables)):
        if np.isin(moved, coordinates).any():
            names += [model.coordinate_names[k].rpartition(".")[0].removesuffix(".rotation") for k in coordinates]
            names += [model.constraint_names[c]] if model.tables.constraints[c]["kind"] != CLOSURE else []
    return listed([f"'{name}'" for name in dict.fromkeys(names)], MAX_NAMES)
