"""What a history is, in words, from its name."""

from __future__ import annotations

import re

_AXES = r"\.(?P<axis>[xyz])$"
# In order: the first that fits is taken; {b}: what stands before, {axis}: x, y or z.
_PATTERNS = (
    (r"^energy\.(?P<b>.+)$", "energy of the mechanism: {b}"),
    (r"^constraint_error$", "largest error of all constraints that close loops"),
    (r"^(?P<b>.+)\.reaction\.force" + _AXES, "force of joint {b} on its second body, {axis} of the world"),
    (r"^(?P<b>.+)\.reaction\.moment" + _AXES, "moment of joint {b} on its second body, {axis} of the world"),
    (r"^(?P<b>.+)\.driving_force$", "force or moment that drives {b}"),
    (r"^(?P<b>.+)\.displacement" + _AXES, "displacement of {b} by deformation, {axis} of its body"),
    (r"^(?P<b>.+)\.position" + _AXES, "position of {b}, {axis} of the world"),
    (r"^(?P<b>.+)\.velocity" + _AXES, "velocity of {b}, {axis} of the world"),
    (r"^(?P<b>.+)\.omega" + _AXES, "angular velocity of {b}, {axis}"),
    (r"^(?P<b>.+)\.alpha" + _AXES, "angular acceleration of {b}, {axis}"),
    (r"^(?P<b>.+)\.point" + _AXES, "point of contact {b}, {axis} of the world"),
    (r"^(?P<b>.+)\.gap$", "gap of contact {b}, negative inside"),
    (r"^(?P<b>.+)\.friction$", "friction force of {b}"),
    (r"^(?P<b>.+)\.slip$", "speed of sliding of contact {b}"),
    (r"^(?P<b>.+)\.force$", "force of {b}"),
    (r"^(?P<b>.+)\.work$", "work of {b} since the start"),
    (r"^(?P<b>.+)\.loss$", "energy lost in {b} since the start"),
    (r"^(?P<b>.+)\.acceleration$", "acceleration of {b}"),
    (r"^(?P<b>.+)\.rate$", "rate of {b}"),
)
_COMPILED = tuple((re.compile(pattern), text) for pattern, text in _PATTERNS)


def description(name: str) -> str:
    """A short description of the history of this name; the name itself where nothing more is known."""
    for pattern, text in _COMPILED:
        match = pattern.match(name)
        if match:
            return text.format(**match.groupdict())
    return name
