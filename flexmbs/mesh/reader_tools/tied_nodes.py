"""Equations between the displacements of a few nodes: ties, rigid links, nodes in the middle of edges."""

from __future__ import annotations

import numpy as np

from flexmbs.mesh.couplings import Equation


def weighted_sum(name: str, nodes: np.ndarray, weights: np.ndarray, where: str, axes: np.ndarray | None = None) -> list[Equation]:
    """In each direction of the mesh the displacements of nodes, each times its weight, add up to zero: three equations.

    Parameters
    ----------
    nodes : (k,) indices
    weights : (k,)
    axes : (k, 3, 3) for each of the nodes the directions (columns) of its displacement components; None: mesh axes
    """
    axes = np.broadcast_to(np.eye(3), (len(nodes), 3, 3)) if axes is None else axes
    equations = []
    for direction in range(3):
        coefficients = axes[:, direction, :] * np.asarray(weights)[:, None]
        which, component = np.nonzero(coefficients)
        equations.append(Equation(name, nodes[which], component + 1, coefficients[which, component], 0.0, where))
    return equations


def rigid_link(name: str, ends: np.ndarray, points: np.ndarray, where: str, axes: np.ndarray | None = None) -> Equation | None:
    """The distance of two nodes stays, so their displacements along their line are equal; None where they coincide.

    ``ends`` (2,) indices into ``points`` (n, 3); ``axes`` (2, 3, 3) as of ``weighted_sum``.
    """
    along = points[ends[1]] - points[ends[0]]
    length = np.linalg.norm(along)
    if not length > 0.0:
        return None
    first, second = (along, along) if axes is None else (axes[0].T @ along, axes[1].T @ along)
    return Equation(name, np.repeat(ends, 3), np.tile([1, 2, 3], 2), np.concatenate([-first, second]) / length, 0.0, where)
