"""Characteristic lengths of a mechanism, from its markers; each is 1 m if all markers coincide."""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.tables import Tables


def size_in_pose(tables: Tables, frames: np.ndarray) -> float:
    """Diagonal of the box around all markers in the present position, m; ``frames``: those of the workspace."""
    markers, body = tables.markers, frames[tables.markers["body"]]
    points = [b["p_WB"] + b["R_WB"] @ marker["p_BM"] for b, marker in zip(body, markers, strict=True)]
    return _diagonal(np.array(points))


def size_of_bodies(tables: Tables) -> float:
    """Diagonal of the box around all markers in the frames of their bodies, m: independent of the coordinates."""
    return _diagonal(tables.markers["p_BM"])


def size_of_body(tables: Tables, body: int) -> float:
    """Diagonal of the box around the markers of one body, m."""
    return _diagonal(tables.markers["p_BM"][tables.markers["body"] == body])


def largest_lever(tables: Tables) -> float:
    """Largest distance of a marker from the origin of its body, m."""
    return float(np.linalg.norm(tables.markers["p_BM"], axis=1).max(initial=0.0)) or 1.0


def _diagonal(points: np.ndarray) -> float:
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    return size if size > 1e-9 else 1.0
