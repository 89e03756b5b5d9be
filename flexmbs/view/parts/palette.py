"""Colours of parts: qualitative, distinct for readers with colour vision deficiencies, calm beside a colour map."""

from __future__ import annotations

#: Of bodies, in the order of the mechanism (after Tol 2021, "muted", lightened so that edges and text stay visible).
BODIES = ("#6f9bd1", "#e0a458", "#74b26f", "#c97fb5", "#4fb3bf", "#d9776d", "#8f7fd6", "#c2bd4e", "#8f9aa8", "#96705a")
GROUND, SHAPE, PLANE, JOINT, SPRING, LINE, TRACK, MARK = (
    "#d7dbe1",
    "#98a2b0",
    "#c9ced6",
    "#4a5361",
    "#3d7f5f",
    "#3f4650",
    "#767f8c",
    "#20242a",
)


def body_color(number: int) -> str:
    """Colour of the body with this number (ground is 0; the first body is 1)."""
    return GROUND if number == 0 else BODIES[(number - 1) % len(BODIES)]
