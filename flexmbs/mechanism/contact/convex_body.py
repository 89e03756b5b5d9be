"""Numbers of convex bodies with a smooth surface (core.contact.distance.convex_bodies): crowned faces, rounded edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.contact.shapes import Shape
from flexmbs.mechanism.geometry.rotations import as_number

Term = tuple[float, float, np.ndarray]


def segment(half: float, crown: float, axis: np.ndarray) -> Term:
    """A segment of half length ``half``, thickened to an ellipsoid with the other half axes ``crown``; m."""
    return crown * crown, half * half - crown * crown, axis


def disc(radius: float, crown: float, axis: np.ndarray) -> Term:
    """A disc, thickened to an ellipsoid with the half axis ``crown`` along its axis; m."""
    return radius * radius, crown * crown - radius * radius, axis


def body_numbers(radius: float, terms: Sequence[Term]) -> np.ndarray:
    """Sum of the terms and a ball of ``radius`` (m)."""
    return np.concatenate([[radius, len(terms)], *([alpha, beta, *axis] for alpha, beta, axis in terms)])


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
