"""Coordinates that only a clearance leaves free: where they start is nobody's statement, and how far they may go is known."""

from __future__ import annotations

import numpy as np

from flexmbs.model.compiled_model import Model


def joints_with_play(model: Model) -> list:
    """The joints of a model that have a clearance."""
    joints = [branch.joint for branch in model.tree.branches] + list(model.tree.cut)
    return [joint for joint in joints if joint.clearance is not None]


def play_coordinates(model: Model) -> np.ndarray:
    """(coordinates,) bool: those that a clearance leaves free."""
    found = np.zeros(model.coordinate_count, dtype=bool)
    for joint in joints_with_play(model):
        found[[model.coordinate_index[f"{joint.name}.{name}"] for name in joint.type.play]] = True
    return found


def is_within_play(model: Model, q: np.ndarray) -> bool:
    """Whether every pin, ball and slider is inside what holds it at the coordinates ``q``.

    Shifts (m) stay below the larger of radial and axial clearance, tilts (rad) below what a length of it allows.
    """
    for joint in joints_with_play(model):
        play, units = joint.clearance, joint.type.coordinates
        value = {name: abs(float(q[model.coordinate_index[f"{joint.name}.{name}"]])) for name in joint.type.play}
        shift = max(play.radial, play.axial or 0.0)
        tilt = 2.0 * play.radial / (play.length or play.radial)
        if any(size > (shift if units[name] == "m" else tilt) for name, size in value.items()):
            return False
    return True
