"""The largest stress of a run: its value, when and where."""

from __future__ import annotations

import numpy as np

from flexmbs.common.progress import stage
from flexmbs.fem.stress_field import von_mises
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.modal_fields import von_mises_at

_AT_ONCE = 32  # states


class PeakStress(float):
    """A stress in Pa (a float) with the time and place where it occurs.

    Attributes
    ----------
    time : s
    position : (3,) m, of the point on the undeformed body, in the axes of the body (those of its mesh)
    node : number, in the mesh file, of the node nearest to that point
    body : name of the body
    """

    def __new__(cls, value: float, **_where) -> PeakStress:
        return super().__new__(cls, value)

    def __init__(self, value: float, *, time: float, position: np.ndarray, node: int, body: str) -> None:
        self.time, self.position, self.node, self.body = time, position, node, body

    def __getnewargs_ex__(self):
        return (float(self),), {
            "time": self.time, "position": self.position, "node": self.node, "body": self.body,
        }  # fmt: skip

    def __str__(self) -> str:
        place = ", ".join(f"{1e3 * x:.4g}" for x in self.position)
        return (
            f"{1e-6 * float(self):.4g} MPa in {self.body} at t = {self.time:.6g} s, near node {self.node} "
            f"at ({place}) mm"
        )


def peak_von_mises(body: FlexibleBody, q: np.ndarray) -> tuple[float, int, int]:
    """Largest von Mises stress, Pa, at the surface over many states q (k, n): its value, state and surface point.

    It is a norm of q, so sum_a |q_a| (largest stress of mode a) bounds it: states are taken in the order of their
    bounds, until the bound falls below what was found.
    """
    unit = np.array([von_mises(stress).max(initial=0.0) for stress in body.surface_stress_modes])
    bounds = np.abs(q) @ unit
    order = np.argsort(-bounds, kind="stable")
    best = (-1.0, 0, 0)
    for first in range(0, len(order), _AT_ONCE):
        states = order[first : first + _AT_ONCE]
        if bounds[states[0]] <= best[0]:
            break
        stage("largest stress", first, len(order))
        found = von_mises_at(body, q[states])
        state, point = np.unravel_index(int(np.argmax(found)), found.shape)
        if found[state, point] > best[0]:
            best = (float(found[state, point]), int(states[state]), int(point))
    return best


def nearest_node(body: FlexibleBody, point: np.ndarray) -> int:
    """Number of the node that lies nearest to ``point`` (3,) m on the undeformed body."""
    return int(body.node_ids[int(np.argmin(np.linalg.norm(body.points - point, axis=1)))])
