"""What all scenes of pages have: a camera fitted to the motion, what may be shown in colour, defaults of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import near_names
from flexmbs.view.extent import view_direction
from flexmbs.view.look import check_number, chosen_direction, view_basis
from flexmbs.view.page.quantities import QUANTITIES

MARGIN, WIDE = 1.15, 1.4  # height shown relative to that of the motion; width of the window relative to its height


def camera_on(
    low: np.ndarray, high: np.ndarray, gravity: np.ndarray, camera: str | Sequence[float] | None = None, zoom: float = 1.0
) -> dict[str, Any]:
    """A parallel projection that shows everything between ``low`` and ``high`` (3,) m, from a direction that is given.

    None: along the flattest direction, as :func:`flexmbs.view.extent.view_direction` says.
    """
    check_number("zoom", zoom, "the magnification", positive=True)
    direction, up = view_direction(low, high, gravity)
    if camera is not None:
        direction = chosen_direction(camera)
    right, upward, direction = view_basis(direction, up)
    center, half = 0.5 * (low + high), 0.5 * (high - low)
    size = float(np.linalg.norm(high - low)) or 1.0
    height = 2.0 * MARGIN * max(float(np.abs(upward) @ half), float(np.abs(right) @ half) / WIDE, 1e-9)
    return {
        "position": (center + 3.0 * size * direction).tolist(),
        "target": center.tolist(),
        "up": upward.tolist(),
        "parallelHeight": height / zoom,
    }


def upward(gravity: np.ndarray) -> list[float]:
    """The direction against gravity; y without it."""
    strength = float(np.linalg.norm(gravity))
    return (-gravity / strength if strength > 0.0 else np.array([0.0, 1.0, 0.0])).tolist()


STRESSES = ("von_mises", "principal_max", "principal_min")


def checked_color(color: str | None, flexible: bool, stress: bool, pressures: bool | None = None) -> None:
    """FlexmbsError unless ``color`` is a quantity that bodies with these properties have (None: the page chooses).

    ``pressures``: whether pressures of contacts are given; None: they cannot be, of the page of a body.
    """
    if color is None:
        return
    known = [name for name in QUANTITIES if name != "pressure" or pressures is not None]
    if color not in known:
        raise FlexmbsError(f"unknown color {color!r}. {near_names(str(color), known)}")
    if color == "pressure" and not pressures:
        raise FlexmbsError("color='pressure': the result has no pressures of contacts; give them by pressures={...}")
    if color in STRESSES and not stress:
        why = "no flexible body" if not flexible else "no elements (its bodies come from arrays or another tool)"
        better = "'body'" if not flexible else "'displacement' or 'body'"
        raise FlexmbsError(f"color={color!r}: there is no stress, because there is {why}; choose {better}")
    if color == "displacement" and not flexible:
        raise FlexmbsError("color='displacement': no body is flexible; choose 'body'")


def plain_view(quantity: str, bounds: tuple[float, float] | None = None, markers: bool = False) -> dict[str, Any]:
    """How a scene is shown at first: in the colour of a quantity, over ``bounds`` (None: the range of the run)."""
    return {"quantity": quantity, "range": bounds, "edges": True, "markers": markers, "speed": "film", "theme": None}


#: Entries of a scene (docs/web_page.md) that has nothing of their kind.
NOTHING: dict[str, Any] = {
    "notes": [],
    "up": [0.0, 1.0, 0.0],
    "background": None,
    "time": None,
    "poseShift": None,
    "scale": 1.0,
    "marks": [],
    "links": [],
    "contacts": [],
    "contactPhases": [],
    "forceScale": {"length_per_newton": 0.0, "largest": 0.0},
    "histories": [],
}


def scene(low: np.ndarray, high: np.ndarray, bodies: Sequence[str], **given: Any) -> dict[str, Any]:
    """A scene between ``low`` and ``high`` (3,) m: the entries given, of which none is left out that has no default."""
    found = NOTHING | {"bounds": {"low": low.tolist(), "high": high.tolist()}, "colours": colour_map(), **given}
    return found | {"bodies": [{"name": name} for name in bodies]}


def colour_map() -> np.ndarray:
    """(256, 3) uint8 of turbo."""
    from matplotlib import colormaps

    return np.round(255.0 * colormaps["turbo"](np.linspace(0.0, 1.0, 256))[:, :3]).astype("u1")
