"""The largest von Mises stress of a flexible body over many states."""

from __future__ import annotations

import numpy as np

from flexmbs.common.progress import stage
from flexmbs.fem.stress_field import von_mises
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.stress_recovery import extremes

_STATES, _POINTS = 256, 256  # at a time


def peak_von_mises(body: FlexibleBody, q: np.ndarray) -> tuple[float, int, int]:
    """Largest von Mises stress, Pa, at the surface over many states q (k, n): its value, state and surface point.

    It is a norm of q, so sum_a |q_a| (largest stress of mode a among some points) bounds it there: groups of points are
    taken in the order of their bounds, and of each only the states whose bound is above what was found.
    """
    modes = body.surface_stress_modes
    groups = _groups(von_mises(modes))
    unit = np.array([von_mises(modes[:, points]).max(axis=1) for points in groups]).reshape(len(groups), len(modes))
    bounds = np.abs(q) @ unit.T
    best = (-1.0, 0, 0)
    for done, group in enumerate(np.argsort(-bounds.max(axis=0, initial=0.0), kind="stable")):
        stage("largest stress", done, len(groups))
        best = _largest_of_group(modes, q, groups[group], bounds[:, group], best)
    return best


def _groups(unit: np.ndarray) -> list[np.ndarray]:
    """Surface points, highly stressed ones together; ``unit`` (n, points): their stress in each mode."""
    scale = unit.max(axis=1, initial=0.0)
    level = (unit / np.where(scale > 0.0, scale, 1.0)[:, None]).max(axis=0, initial=0.0)
    order = np.argsort(-level, kind="stable")
    return [order[first : first + _POINTS] for first in range(0, len(order), _POINTS)]


def _largest_of_group(
    modes: np.ndarray, q: np.ndarray, points: np.ndarray, bounds: np.ndarray, best: tuple[float, int, int]
) -> tuple[float, int, int]:
    """``best``, or what is larger at these points."""
    order = np.flatnonzero(bounds > best[0])
    order = order[np.argsort(-bounds[order], kind="stable")]
    for first in range(0, len(order), _STATES):
        states = order[first : first + _STATES]
        if bounds[states[0]] <= best[0]:
            break
        values, at = extremes(modes[:, points], q[states], "von_mises")
        point = int(np.argmax(values))
        if values[point] > best[0]:
            best = (float(values[point]), int(states[at[point]]), int(points[point]))
    return best
