"""The largest stress of a run: its value, when and where; nodes of a body by their place and their name."""

from __future__ import annotations

import numpy as np

from flexmbs.common.progress import stage
from flexmbs.fem.stress_field import von_mises
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.stress_recovery import extremes

_STATES, _POINTS = 256, 256  # at a time


class PeakStress(float):
    """A stress in Pa (a float) with the time and place where it occurs.

    Attributes
    ----------
    time : s
    position : (3,) m, of the point on the undeformed body, in the axes of the body (those of its mesh)
    node : number, in the mesh file, of the node nearest to that point
    element : number, in the mesh file, of the element at that point; of several, the one whose face there bears most at
        that time; 0 where the body does not know (bodies without elements)
    body : name of the body
    """

    def __new__(cls, value: float, **_where) -> PeakStress:
        return super().__new__(cls, value)

    def __init__(self, value: float, *, time: float, position: np.ndarray, node: int, body: str, element: int = 0) -> None:
        self.time, self.position, self.node, self.body, self.element = time, position, node, body, element

    def __getnewargs_ex__(self):
        return (float(self),), vars(self)

    def __str__(self) -> str:
        place = ", ".join(f"{1e3 * x:.4g}" for x in self.position)
        element = f" of element {self.element}" if self.element else ""
        return (
            f"{1e-6 * float(self):.4g} MPa in {self.body} at t = {self.time:.6g} s, near node {self.node}{element} at ({place}) mm"
        )


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


def element_at(body: FlexibleBody, point: int, q: np.ndarray) -> int:
    """Number of the element at a surface point: of the face there with the largest mean stress at q; 0 if unknown."""
    surface = body.surface
    if surface.elements is None:
        return 0
    stress, best, at = von_mises(np.tensordot(q, surface.stress_modes, axes=(0, 0))), (-1.0, 0), 0
    for element in surface.elements:
        corners = surface.faces[at + 1 : at + 1 + surface.faces[at]]
        at += 1 + len(corners)
        if point in corners:
            best = max(best, (float(stress[corners].mean()), int(element)))
    return best[1]


def nearest_nodes(body: FlexibleBody, points: np.ndarray) -> np.ndarray:
    """(m,) int: number in the mesh file of the node nearest to each of ``points`` (m, 3), m, undeformed.

    The surface points of solids are nodes; those of shells and beams stand half a thickness away from one.
    """
    from scipy.spatial import cKDTree

    if not len(points):
        return np.zeros(0, dtype=np.int64)
    return np.asarray(body.node_ids)[cKDTree(body.points).query(points)[1]]
