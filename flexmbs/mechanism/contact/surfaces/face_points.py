"""Points of a surface with the areas that they stand for, and trees of boxes over its items that follow the modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.core.contact.surfaces.layout import BRANCH
from flexmbs.mechanism.contact.surfaces.polygons import Faces

_THIRD, _SIXTH = 2.0 / 3.0, 1.0 / 6.0
_ROOT = 1.0 / np.sqrt(3.0)
#: (u, v, weight) of rules of degree 2 on triangles and of degree 3 on quadrilaterals.
_TRIANGLE = np.array([[_SIXTH, _SIXTH, _SIXTH], [_THIRD, _SIXTH, _SIXTH], [_SIXTH, _THIRD, _SIXTH]])
_QUADRILATERAL = np.array([[u, v, 1.0] for u in (-_ROOT, _ROOT) for v in (-_ROOT, _ROOT)])
# degree 4 and 5, for the shares of nodes
_A, _B, _WA, _WB = 0.445948490915965, 0.091576213509771, 0.111690794839005, 0.054975871827661
_FINE_TRIANGLE = np.array(
    [[u, v, w] for a, w in ((_A, _WA), (_B, _WB)) for u, v in ((a, a), (1.0 - 2.0 * a, a), (a, 1.0 - 2.0 * a))]
)
_GAUSS = ((-np.sqrt(0.6), 5.0 / 9.0), (0.0, 8.0 / 9.0), (np.sqrt(0.6), 5.0 / 9.0))
_FINE_QUADRILATERAL = np.array([[u, v, w * x] for u, w in _GAUSS for v, x in _GAUSS])


def shape_functions(count: int, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(points, nodes) of faces with 6 or 8 nodes."""
    if count == 6:
        w = 1.0 - u - v
        return np.stack([w * (2 * w - 1), u * (2 * u - 1), v * (2 * v - 1), 4 * w * u, 4 * u * v, 4 * v * w], axis=1)
    corners = [0.25 * (1 + a * u) * (1 + b * v) * (a * u + b * v - 1) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    middles = [0.5 * (1 - u**2) * (1 - v), 0.5 * (1 + u) * (1 - v**2), 0.5 * (1 - u**2) * (1 + v), 0.5 * (1 - u) * (1 - v**2)]
    return np.stack([*corners, *middles], axis=1)


def _slopes(count: int, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the shape functions by u and v: complex steps."""
    h = 1e-30
    return shape_functions(count, u + 1j * h, v).imag / h, shape_functions(count, u, v + 1j * h).imag / h


def integration_points(faces: Faces, along: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (k, 3), their fields (terms, k, 3) and areas (k,) m2.

    ``along``: Gauss points in each direction of a face; 0: three points on a triangle, four on a quadrilateral.
    """
    nodes, parts = faces.nodes(), []
    rules = ((6, _TRIANGLE), (8, _QUADRILATERAL)) if along == 0 else _gauss_rules(along)
    for count, rule in rules:
        rows = nodes[nodes[:, 0] == count, 1 : 1 + count]
        N, areas = _sampled(faces, rows, count, rule)
        points = np.einsum("gi,fik->fgk", N, faces.points[rows]).reshape(-1, 3)
        fields = np.einsum("gi,tfik->tfgk", N, faces.fields[:, rows])
        parts.append((points, fields.reshape(len(fields), len(points), 3), areas.ravel()))
    return (
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts], axis=1),
        np.concatenate([part[2] for part in parts]),
    )


def _gauss_rules(along: int) -> tuple[tuple[int, np.ndarray], ...]:
    """Rules of ``along``^2 points: products of Gauss's, on triangles with one edge drawn together."""
    x, w = np.polynomial.legendre.leggauss(along)
    u, v = (part.ravel() for part in np.meshgrid(x, x, indexing="ij"))
    weights = np.outer(w, w).ravel()
    s, t = 0.5 * (1.0 + u), 0.5 * (1.0 + v)
    triangle = np.column_stack([s * (1.0 - t), t, 0.25 * weights * (1.0 - t)])
    return (6, triangle), (8, np.column_stack([u, v, weights]))


def nodal_areas(faces: Faces) -> np.ndarray:
    """(np,) m2, shares of the faces' areas: those of the diagonal of int N N^T, which are positive on every face."""
    nodes, areas = faces.nodes(), np.zeros(len(faces.points))
    for count, rule in ((6, _FINE_TRIANGLE), (8, _FINE_QUADRILATERAL)):
        rows = nodes[nodes[:, 0] == count, 1 : 1 + count]
        N, at_points = _sampled(faces, rows, count, rule)
        squares = at_points @ N**2
        shares = squares / squares.sum(axis=1, keepdims=True)
        np.add.at(areas, rows, shares * at_points.sum(axis=1, keepdims=True))
    return areas


def _sampled(faces: Faces, rows: np.ndarray, count: int, rule: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shape functions (points, nodes) at the points of a rule, and the areas (faces, points) of these."""
    u, v, weights = rule.T
    along, across = (np.einsum("gi,fik->fgk", N, faces.points[rows]) for N in _slopes(count, u, v))
    return shape_functions(count, u, v), np.linalg.norm(np.cross(along, across), axis=2) * weights


LEAF = 4  # items of a leaf at most


@dataclass(frozen=True)
class Tree:
    """Binary tree; children stand behind their parent.

    Attributes
    ----------
    order : (items,) items in the order of the leaves
    branches : (nb, 4) children (-1: a leaf), first item, behind the last item
    """

    order: np.ndarray
    branches: np.ndarray


def tree_of(centres: np.ndarray) -> Tree:
    """Items (k, 3) split in halves along the longest side of their box."""
    order = np.arange(len(centres))
    branches: list[list[int]] = [[-1, -1, 0, len(centres)]]
    waiting = [0]
    while waiting:
        branch = waiting.pop()
        first, last = branches[branch][2:]
        if last - first <= LEAF:
            continue
        own = order[first:last]
        low, high = centres[own].min(axis=0), centres[own].max(axis=0)
        middle = (last - first) // 2
        along = centres[own, int(np.argmax(high - low))]
        order[first:last] = own[np.argsort(along, kind="stable")]
        left = len(branches)
        branches[branch][:2] = left, left + 1
        branches += [[-1, -1, first, first + middle], [-1, -1, first + middle, last]]
        waiting += [left, left + 1]
    return Tree(order, np.array(branches, dtype=np.int64).reshape(-1, BRANCH))


def span(tree: Tree, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(nb, ...) middle and half width of the interval of each branch from those of the items (k, ...), in their order.

    Items are those of the tree's ``order``.
    """
    branches = tree.branches
    least, most = np.empty((len(branches), *low.shape[1:])), np.empty((len(branches), *low.shape[1:]))
    for branch in range(len(branches) - 1, -1, -1):
        left, right, first, last = branches[branch]
        if left < 0:
            least[branch], most[branch] = low[first:last].min(axis=0), high[first:last].max(axis=0)
        else:
            least[branch] = np.minimum(least[left], least[right])
            most[branch] = np.maximum(most[left], most[right])
    return 0.5 * (least + most), 0.5 * (most - least)
