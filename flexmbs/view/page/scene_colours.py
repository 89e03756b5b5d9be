"""What may be shown in colour, and the colour map."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import near_names
from flexmbs.view.page.quantities import QUANTITIES

_STRESS = ("von_mises", "principal_max", "principal_min")


def checked_color(color: str | None, flexible: bool, stress: bool, pressures: bool = False) -> None:
    """FlexmbsError unless ``color`` is a quantity that bodies with these properties have (None: the page chooses)."""
    if color is None:
        return
    if color not in QUANTITIES:
        raise FlexmbsError(f"unknown color {color!r}. {near_names(str(color), QUANTITIES)}")
    if color == "pressure" and not pressures:
        raise FlexmbsError("color='pressure': the result has no pressures of contacts; give them by pressures={...}")
    if color in _STRESS and not stress:
        why = "no flexible body" if not flexible else "no elements (its bodies come from arrays or another tool)"
        better = "'body'" if not flexible else "'displacement' or 'body'"
        raise FlexmbsError(f"color={color!r}: there is no stress, because there is {why}; choose {better}")
    if color == "displacement" and not flexible:
        raise FlexmbsError("color='displacement': no body is flexible; choose 'body'")


def plain_view(quantity: str, bounds: tuple[float, float] | None = None, markers: bool = False) -> dict[str, Any]:
    """How a scene is shown at first: in the colour of a quantity, over ``bounds`` (None: the range of the run)."""
    return {"quantity": quantity, "range": bounds, "edges": True, "markers": markers, "speed": "film", "theme": None}


def colour_map() -> np.ndarray:
    """(256, 3) uint8 of turbo."""
    from matplotlib import colormaps

    return np.round(255.0 * colormaps["turbo"](np.linspace(0.0, 1.0, 256))[:, :3]).astype("u1")
