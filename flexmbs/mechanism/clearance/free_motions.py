"""The joint type that is left when a clearance takes the place of a joint's constraints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.clearance.clearance import Clearance
from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, directions_in_plane, translations, unit_axis

Directions = tuple[tuple[float, float, float], ...]


def with_clearance(kind: JointType, clearance: Clearance, where: str) -> JointType:
    """``kind`` with the coordinates that ``clearance`` leaves free.

    MechanismError for joints that can have none, and for what a joint of this type cannot be given.
    """
    if kind.name not in JOINTS_WITH_PLAY:
        raise MechanismError(f"{where}: a {kind.name} joint cannot have clearance; {', '.join(JOINTS_WITH_PLAY)} can")
    takes, relax = JOINTS_WITH_PLAY[kind.name]
    for name in ("axial", "length", "section", "normal", "tilting", "film", "profile"):
        if name not in takes and getattr(clearance, name) not in (None, False):
            able = ", ".join(other for other, (known, _) in JOINTS_WITH_PLAY.items() if name in known)
            raise MechanismError(f"{where}: clearance: {name}= is for joints of type {able}, not {kind.name}")
    axes = relax(kind, clearance, where)
    own = {axis.coordinate for axis in kind.axes}
    play = tuple(dict.fromkeys(axis.coordinate for axis in axes if axis.coordinate not in own))
    return replace(kind, axes=axes, play=play)


def across(axis: DirectionLike, where: str) -> Directions:
    """Directions u, v, w of a joint's play: w along its axis, u × v = w."""
    u, v = directions_in_plane(axis, where)
    return u, v, unit_axis(axis, where)


def _turning(kind: JointType, clearance: Clearance, where: str) -> tuple[Axis, ...]:
    """Of a pin: across the bore, along it where it may, tilts, then its own axes."""
    axis = kind.axes[-1].direction
    u, v, w = across(axis, where)
    axes = [Axis("translation", "u", u), Axis("translation", "v", v)]
    if clearance.axial is not None:
        axes.append(Axis("translation", "w", w))
    if clearance.tilting:
        axes += [Axis("rotation", "tilt_u", u), Axis("rotation", "tilt_v", v)]
        clearance.needs("length", "a pin that tilts", where)
        clearance.needs("radius", "a pin that tilts", where)
    if clearance.friction is not None:
        clearance.needs("radius", "friction", where)
    if clearance.profile is not None:
        clearance.needs("radius", "a worn bore", where)
    if clearance.film is not None:
        clearance.needs("radius", "a film", where)
        clearance.needs("length", "a film", where)
        if clearance.tilting:
            raise MechanismError(f"{where}: clearance: a pin with a film cannot tilt: give film= or tilting=, not both")
    return (*axes, *kind.axes)


def _ball(kind: JointType, clearance: Clearance, where: str) -> tuple[Axis, ...]:
    if clearance.friction is not None:
        clearance.needs("radius", "friction", where)
    return (*translations(), *kind.axes)


def _sliding(kind: JointType, clearance: Clearance, where: str) -> tuple[Axis, ...]:
    """Of a slider: across its rails and turning between them, then along them."""
    u, v, w = slider_directions(kind, clearance, where)
    clearance.needs("length", "a slider", where)
    widths = clearance.widths
    if not widths or clearance.normal is None and len(widths) != 2:
        needed = "two widths (m), along u and v" if clearance.normal is None else "its width (m) between the rails"
        raise MechanismError(f"{where}: clearance: a slider needs section=, {needed}")
    if clearance.normal is not None:
        return (*kind.axes, Axis("translation", "u", u), Axis("rotation", "tilt", v))
    turns = (Axis("rotation", "tilt_u", u), Axis("rotation", "tilt_v", v), Axis("rotation", "roll", w))
    return (*kind.axes, Axis("translation", "u", u), Axis("translation", "v", v), *turns)


def slider_directions(kind: JointType, clearance: Clearance, where: str) -> Directions:
    """u and v across a slider, w along it; with ``normal`` that is v, so that u is in the plane of motion."""
    w = next(axis.direction for axis in kind.axes if axis.kind == "translation" and axis.coordinate == "displacement")
    if clearance.normal is None:
        return across(w, where)
    v = np.array(unit_axis(clearance.normal, where))
    if abs(v @ w) > 1e-9:
        raise MechanismError(f"{where}: clearance: normal= must be across the axis of the joint")
    return tuple(np.cross(v, w)), tuple(v), w


#: Joint type -> what its clearance may be given besides radial, law, friction, and what makes its axes.
JOINTS_WITH_PLAY: dict[str, tuple[tuple[str, ...], Callable[[JointType, Clearance, str], tuple[Axis, ...]]]] = {
    "revolute": (("axial", "length", "tilting", "film", "profile"), _turning),
    "spherical": ((), _ball),
    "prismatic": (("length", "section", "normal"), _sliding),
    "cylindrical": (("length", "tilting", "profile"), _turning),
}
