"""Crowned faces and rounded edges of shapes that touch others as smooth convex bodies."""

from __future__ import annotations

from typing import Any

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.contact.shapes import Shape
from flexmbs.mechanism.geometry.rotations import as_number

EDGE_RADIUS, CROWN = 1e-2, 1e-3  # relative to the smallest half edge or radius


def with_rounding(shape: Shape, smallest: float) -> None:
    """Fill in ``edge_radius`` and ``crown`` of a shape where they are None, and check them."""
    for name, part in (("edge_radius", EDGE_RADIUS), ("crown", CROWN)):
        given = getattr(shape, name)
        value = part * smallest if given is None else as_number(given, f"{shape.where}: {name} (m)")
        object.__setattr__(shape, name, value)
    crown, edge = rounding(shape)
    if not (crown > 0.0 and edge >= 0.0 and 4.0 * crown + edge < smallest):
        raise MechanismError(
            f"{shape.where}: edge_radius {edge!r} m and crown {crown!r} m; the crown must be positive, and "
            f"edge_radius + 4 crown below the smallest half edge or radius, {smallest!r} m"
        )


def rounding(shape: Any) -> tuple[float, float]:
    """Crown and edge radius, m."""
    return float(shape.crown), float(shape.edge_radius)
