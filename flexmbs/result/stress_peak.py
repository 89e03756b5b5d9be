"""The largest stress of a run: its value, when and where; nodes of a body by their place and their name."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.stress_field import von_mises
from flexmbs.reduction.flexible_body import FlexibleBody


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
