"""Colours of parts: qualitative, distinct for readers with colour vision deficiencies, calm beside a colour map."""

from __future__ import annotations

#: Of bodies, in the order of the mechanism (after Tol 2021, "muted", lightened so that edges and text stay visible).
BODIES = ("#6f9bd1", "#e0a458", "#7fb685", "#c98bb9", "#5fb0b7", "#d98880", "#9a8fd1", "#b8b062", "#8f9aa8", "#c7a17a")
GROUND, SHAPE, PLANE, JOINT, SPRING, LINE, TRACK, MARK = (
    "#d7dbe1", "#98a2b0", "#c9ced6", "#4a5361", "#3d7f5f", "#3f4650", "#767f8c", "#20242a",
)  # fmt: skip


def body_color(number: int) -> str:
    """Colour of the body with this number (ground is 0; the first body is 1)."""
    return GROUND if number == 0 else BODIES[(number - 1) % len(BODIES)]
