"""Nodes of a body by their place and by their name."""

from __future__ import annotations

import numpy as np

from flexmbs.reduction.flexible_body import FlexibleBody


def nearest_nodes(body: FlexibleBody, points: np.ndarray) -> np.ndarray:
    """(m,) int: number in the mesh file of the node nearest to each of ``points`` (m, 3), m, undeformed.

    The surface points of solids are nodes; those of shells and beams stand half a thickness away from one.
    """
    from scipy.spatial import cKDTree

    if not len(points):
        return np.zeros(0, dtype=np.int64)
    return np.asarray(body.node_ids)[cKDTree(body.points).query(points)[1]]
