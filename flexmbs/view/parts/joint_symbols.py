"""Symbols of joints, in axes of their first marker: hinge pins, slider rails, balls, blocks of fixed joints."""

from __future__ import annotations

import numpy as np

from flexmbs.view.drawable import DrawableJoint
from flexmbs.view.parts.solids import EMPTY, Solid, axes_along, box, cylinder, joined, sphere

PIN_LENGTH, PIN_RADIUS = 1.6, 0.42  # of hinges, relative to ``size``
RAIL = (0.35, 0.35, 4.0)  # of sliders


def joint_symbol(joint: DrawableJoint, size: float) -> Solid:
    """Surface of the symbol of a joint of ``size`` (m), in axes of marker a at the start; empty for a free joint.

    One free rotation is a pin along its axis, two a cross of pins, three a ball; a free translation is a rail along it.
    What moves along a curve is a ball. A joint without freedom is a block.
    """
    turns, slides = joint.free_rotations, joint.free_translations
    if len(joint.curve):
        return sphere(0.5 * size)
    if len(turns) == 3 and len(slides) == 3:
        return EMPTY
    parts = [_rail(direction, size) for direction in slides if len(slides) < 3]
    if len(turns) == 3:
        parts.append(sphere(0.6 * size))
    else:
        parts += [_pin(axis, size) for axis in turns]
    if not parts:
        parts = [box(np.full(3, 0.8 * size))]
    return joined(parts)


def _pin(axis: np.ndarray, size: float) -> Solid:
    reach = 0.5 * PIN_LENGTH * size * axis
    return cylinder(-reach, reach, PIN_RADIUS * size)


def _rail(direction: np.ndarray, size: float) -> Solid:
    return box(size * np.array(RAIL)).moved(np.zeros(3), axes_along(direction))
