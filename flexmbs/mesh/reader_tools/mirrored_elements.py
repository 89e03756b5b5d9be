"""Solids whose node order mirrors them, which are turned, and solids without volume."""

from __future__ import annotations

from functools import cache

import numpy as np

from flexmbs.mesh.element_kinds import KINDS, jacobian_determinants
from flexmbs.mesh.reader_tools.shapes_to_mesh import mirrored

# Jacobians below this part of the largest extent cubed are zero (``quality.check_mesh`` refuses elements with those).
_FLATTEST = 1e-12
_AT_ONCE = 1 << 14


def turned(kind: str, nodes: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Elements with all of those the right way round that are mirrored: whose Jacobians at all corners are negative.

    Middle nodes stay on their edges. Twisted elements, with Jacobians of both signs, and flat ones stay what they are:
    no other order of their nodes is surely the one that is meant.

    Parameters
    ----------
    kind : a name in ``KINDS``; what is no solid is never mirrored
    nodes : (ne, n) int indices into ``points``
    points : (nn, 3) coordinates, any length unit

    Returns
    -------
    nodes : (ne, n) int
        The same array when none is mirrored.
    mask : (ne,) bool
        Those that were turned.
    """
    smallest, largest = _corner_jacobians(kind, nodes, points)
    mask = (smallest < -_FLATTEST) & (largest <= _FLATTEST)  # a corner that is collapsed to an edge has zero
    if mask.any():
        nodes = np.where(mask[:, None], nodes[:, mirrored(kind)], nodes)
    return nodes, mask


def without_volume(kind: str, nodes: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(ne,) bool: solids with a Jacobian that is zero or negative inside, which no analysis takes (flat or twisted ones).

    Parameters as of ``turned``, which comes before. Of elements of second order only those are looked at whose corners
    are in doubt.
    """
    doubtful = np.flatnonzero(_corner_jacobians(kind, nodes, points)[0] <= _FLATTEST)
    wrong = np.zeros(len(nodes), bool)
    wrong[doubtful] = True
    if len(doubtful) and KINDS[kind].sample_points is not None:  # a collapsed corner has zero, but the inside has not
        coordinates = points[nodes[doubtful]]
        inside = jacobian_determinants(KINDS[kind], coordinates).min(axis=1)
        wrong[doubtful] = inside <= _FLATTEST * np.ptp(coordinates, axis=1).max(axis=1) ** 3
    return wrong


def turned_warning(where: str, type_name: str, ids: np.ndarray) -> str:
    """The warning about elements with the numbers ``ids`` (k,) that were turned; ``where`` is the place of the first."""
    return (
        f"{where}: the node order of {len(ids)} elements of type {type_name} mirrors them (negative volume; first:"
        f" element {ids[0]}); they are read with the opposite orientation."
    )


def volume_warning(where: str, type_name: str, ids: np.ndarray) -> str:
    """The warning about elements with the numbers ``ids`` (k,) that no analysis takes; ``where`` as above."""
    return (
        f"{where}: {len(ids)} elements of type {type_name} have zero or negative volume (first: element {ids[0]}); check"
        " the places and the order of their nodes, or remove them: no body can be made of them."
    )


def _corner_jacobians(kind: str, nodes: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest of (ne,) Jacobians at the corners, over the largest extent cubed; 1 for no solids."""
    smallest, largest = np.ones(len(nodes)), np.ones(len(nodes))
    if KINDS[kind].dimension < 3:
        return smallest, largest
    corners, ends = _corner_edges(kind)
    for start in range(0, len(nodes), _AT_ONCE):  # in pieces that stay in the processor's cache
        part = slice(start, start + _AT_ONCE)
        own = points.T[:, nodes[part, : KINDS[kind].corner_count].T]  # (3, corners, ne)
        size = np.ptp(own, axis=1).max(axis=0)
        (a, b, c), (d, e, f), (g, h, i) = (own[:, ends[:, k]] - own[:, corners] for k in range(3))
        jacobians = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
        jacobians /= np.where(size > 0.0, size, 1.0) ** 3
        smallest[part], largest[part] = jacobians.min(axis=0), jacobians.max(axis=0)
    return smallest, largest


@cache
def _corner_edges(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Corners (k,) at which three edges meet, and the other ends of these (k, 3), in right-handed order."""
    known = KINDS[kind]
    places = known.reference_nodes if known.collapsed is None else known.collapsed[0]
    corners, ends = [], []
    for corner in range(known.corner_count):
        others = [sum(edge) - corner for edge in known.edges if corner in edge]
        if len(others) == 3:
            right = np.linalg.det(places[others] - places[corner]) > 0.0
            corners.append(corner)
            ends.append(others if right else others[::-1])
    return np.array(corners), np.array(ends)
