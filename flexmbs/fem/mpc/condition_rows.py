"""Linear conditions between components of displacement, in the axes of nodes: what couplings, equations and ties are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.mesh.mesh import Mesh


@dataclass(frozen=True, eq=False)
class JoinedRows:
    """Conditions C u = 0, to second order C Z = b for the fields Z per q_a q_b.

    Attributes
    ----------
    matrix : (k, ndof) csr C
    preferred : (k,) int
        The component that shall follow from the others; -1: any.
    names : (k,) str, what a condition comes from (file and line, name)
    strict : bool
        A component that follows twice is an error; otherwise another component of the condition follows.
    second_order : (fields (nn, 6, n), pairs (npairs, 2)) -> b (k, npairs), or None: b = 0
    stiffness : multipliers (k,) -> (ndof, ndof) csr S with  1/2 u^T S u = multipliers . b(u, u), or None
    """

    matrix: sparse.csr_matrix
    preferred: np.ndarray
    names: np.ndarray
    strict: bool = False
    second_order: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    stiffness: Callable[[np.ndarray], sparse.csr_matrix] | None = None


def rows_of(ndof: int, columns: np.ndarray, values: np.ndarray, preferred: np.ndarray, names, **more) -> JoinedRows:
    """Conditions with the same number of terms each: ``columns`` and ``values`` (k, terms)."""
    count = len(columns)
    rows = np.repeat(np.arange(count), columns.shape[1])
    matrix = sparse.csr_matrix((values.ravel(), (rows, columns.ravel())), shape=(count, ndof))
    matrix.eliminate_zeros()
    return JoinedRows(matrix, np.asarray(preferred), np.asarray(names, dtype=object).reshape(count), **more)


def nodal_axes(mesh: Mesh) -> dict[int, np.ndarray]:
    """Node index -> (3, 3), columns are its displacement directions in mesh axes; nodes not listed have the mesh's."""
    found: dict[int, np.ndarray] = {}
    for name, nodes in mesh.displacement_systems.items():
        nodes = np.asarray(nodes, dtype=int)
        if len(nodes) and name in mesh.coordinate_systems:
            found.update(zip(nodes.tolist(), mesh.coordinate_systems[name].directions(mesh.points[nodes]), strict=True))
    return found


def component_direction(axes: dict[int, np.ndarray], node: int, component: int) -> np.ndarray:
    """(3,) direction in mesh axes of component 1 to 6 (4 to 6: of rotation) of a node."""
    turned = axes.get(int(node))
    return np.eye(3)[(component - 1) % 3] if turned is None else turned[:, (component - 1) % 3]
