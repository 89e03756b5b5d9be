"""Numbers of convex bodies with a smooth surface (core.contact.distance.convex_bodies)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
