"""The few shapes that best represent the deformation of a body over a motion (proper orthogonal decomposition)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.modal_fields import superpose

_POINTS = 4096  # at a time, to limit memory


@dataclass(frozen=True, eq=False)
class FittedShapes:
    """Deformation u(t) of m points as sum_r weights_r(t) shapes_r.

    Attributes
    ----------
    shapes : (r, m, 3) m, each with a largest displacement of 1 m or 0
    weights : (k, r)
    captured : share of the sum of squares of all displacements at all times, 0 to 1
    largest_error, largest : m, largest displacement that is missing, and largest one
    """

    shapes: np.ndarray
    weights: np.ndarray
    captured: float
    largest_error: float
    largest: float


def fitted_shapes(body: FlexibleBody, q: np.ndarray, count: int) -> FittedShapes:
    """At most ``count`` shapes of the surface of a body for its states q (k, n); fewer where fewer reach rounding."""
    surface, parts = body.surface, range(0, len(body.surface.points), _POINTS)

    def moved(first: int) -> np.ndarray:
        part = slice(first, first + _POINTS)
        return superpose(body, surface.modes[:, part], surface.quadratic[:, part], q).reshape(len(q), -1)

    gram = sum((u @ u.T for u in map(moved, parts)), np.zeros((len(q), len(q))))
    values, vectors = np.linalg.eigh(gram)
    order = np.argsort(-values)[:count]
    order = order[values[order] > 1e-12 * max(float(values.max(initial=0.0)), 1e-300)]
    weights = vectors[:, order]
    shapes = np.concatenate([(weights.T @ moved(first)).reshape(len(order), -1, 3) for first in parts], axis=1)
    error = largest = missing = total = 0.0
    for first in parts:
        u, fitted = moved(first), (weights @ shapes[:, first : first + _POINTS].reshape(len(order), -1))
        missing, total = missing + float(np.sum((u - fitted) ** 2)), total + float(np.sum(u**2))
        error, largest = max(error, _longest(u - fitted)), max(largest, _longest(u))
    size = np.linalg.norm(shapes, axis=2).max(axis=1, initial=0.0)
    size = np.where(size > 0.0, size, 1.0)
    captured = 1.0 - missing / total if total > 0.0 else 1.0
    return FittedShapes(shapes / size[:, None, None], weights * size, captured, error, largest)


def _longest(flat: np.ndarray) -> float:
    return float(np.linalg.norm(flat.reshape(len(flat), -1, 3), axis=2).max(initial=0.0))
