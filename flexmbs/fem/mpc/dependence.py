"""Conditions between nodal components, and how components that follow come from those that move by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import splu

from flexmbs.common.errors import MeshError
from flexmbs.fem.mpc.elimination import EliminatedRows, eliminated, row_sizes
from flexmbs.mesh.mesh import Mesh


@dataclass(frozen=True, eq=False)
class JoinedRows:
    """Conditions C u = 0, to second order C Z = b for the fields Z per q_a q_b."""

    matrix: sparse.csr_matrix  # (k, ndof) csr C
    preferred: np.ndarray  # (k,) int, the component that shall follow from the others; -1: any
    names: np.ndarray  # (k,) str, what a condition comes from (file and line, name)
    strict: bool = False  # a component that follows twice is an error; otherwise another component of the condition follows
    # (fields (nn, 6, n), pairs (npairs, 2)) -> b (k, npairs), or None: b = 0
    second_order: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    # multipliers (k,) -> (ndof, ndof) csr S with 1/2 u^T S u = multipliers . b(u, u), or None
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


_SMALLEST_PIVOT = 1e-6  # of the largest coefficient of a condition: a smaller one is not solved for


@dataclass(frozen=True, eq=False)
class Dependence:
    """u = D u_ind to first order, Z = D Z_ind + second_order to second."""

    D: sparse.csr_matrix  # (ndof, n) csr, rows of components that nothing moves (rotations of nodes of solids) are empty
    independent: np.ndarray  # (n,) int, the components that the columns are: u_ind = u[independent]
    follower: np.ndarray  # (k,) int, components that follow, and ``names`` (k,) what makes them follow
    names: np.ndarray
    rows: tuple[JoinedRows, ...]  # the conditions behind them
    chain: _Chain
    rest: EliminatedRows

    def second_order(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """(ndof, npairs), per q_a q_b, of all components while the independent ones are zero.

        Nodes on rigid couplings turn about the reference node, averages fit a finite rotation; equations stay linear.

        ``fields`` (ndof, n); ``pairs`` (npairs, 2) int.
        """
        if not len(self.follower):
            return np.zeros((len(fields), len(pairs)))
        nodal = np.asarray(fields).reshape(len(fields) // 6, 6, -1)
        right = [
            np.zeros((len(rows.names), len(pairs))) if rows.second_order is None else rows.second_order(nodal, pairs)
            for rows in self.rows
        ]
        b = np.concatenate(right)
        moved = self.chain.moved(b[self.chain.row])
        if len(self.rest.pivots):
            left = b[self.chain.left] - self.chain.matrix_left @ moved
            moved = moved + self.chain.D[:, self.rest.pivots] @ self.rest.solve(left)
        return moved

    def stiffness(self, residual: np.ndarray) -> sparse.csr_matrix:
        """(ndof, ndof) geometric stiffness of the joints.

        ``residual`` (ndof,) is K u0 - f of a static displacement u0: the forces with which joints hold their
        components. They do work on the second-order motion of what follows (a pendulum's mass on its rigid arm).
        """
        if not len(self.follower):
            return sparse.csr_matrix((self.D.shape[0],) * 2)
        C = sparse.vstack([rows.matrix for rows in self.rows]).tocsr()
        used = np.concatenate([self.chain.row, self.chain.left[self.rest.rows]])
        multipliers = np.zeros(C.shape[0])
        multipliers[used] = splu(C[used][:, self.follower].T.tocsc()).solve(residual[self.follower])
        ends = np.cumsum([len(rows.names) for rows in self.rows])[:-1]
        total = sparse.csr_matrix((self.D.shape[0],) * 2)
        for rows, own in zip(self.rows, np.split(multipliers, ends), strict=True):
            if rows.stiffness is not None:
                total = total + rows.stiffness(own)
        return total

    def follower_rows(self, dofs: np.ndarray) -> dict[int, str]:
        """Those of ``dofs`` that are dependent, each with the condition that determines it."""
        index = np.flatnonzero(np.isin(self.follower, dofs))
        return dict(zip(self.follower[index].tolist(), self.names[index].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class _Chain:
    """Conditions that each give one component from others, followed through without a cycle."""

    row: np.ndarray  # (k,) the conditions used; dofs (k,) the component that each gives
    dofs: np.ndarray
    scale: np.ndarray  # (k,) 1 / coefficient of that component
    links: sparse.csr_matrix  # (k, k) csr, of these components on each other
    D: sparse.csr_matrix  # (ndof, n) from the components ``free`` (n,) that none of them gives
    free: np.ndarray
    left: np.ndarray  # the other conditions; matrix_left their rows
    matrix_left: sparse.csr_matrix

    def moved(self, b: np.ndarray) -> np.ndarray:
        """(ndof, p) with the components ``free`` at rest and right sides b (k, p)."""
        result = np.zeros((self.D.shape[0], b.shape[1]))
        result[self.dofs] = _summed(self.links, self.scale[:, None] * b)
        return result


def resolved(rows: Sequence[JoinedRows], stiff: np.ndarray, node_ids: np.ndarray, size: float) -> Dependence:
    """All conditions solved for components that follow.

    ``stiff`` (ndof,) bool, components that have stiffness or mass; ``node_ids`` (nn,) of the file, for errors; ``size`` m, of
    the body: compares coefficients of rotations with those of displacements.

    Raises
    ------
    MeshError
        A component follows twice, or from itself.
    """
    rows = tuple(part for part in rows if len(part.names))
    C = sparse.vstack([part.matrix for part in rows]).tocsr() if rows else sparse.csr_matrix((0, len(stiff)))
    names = np.concatenate([np.empty(0, object), *(part.names for part in rows)])
    strict = np.concatenate([np.empty(0, bool), *(np.full(len(part.names), part.strict) for part in rows)])
    preferred = np.concatenate([np.empty(0, int), *(part.preferred for part in rows)])
    preferred = _solvable(C, _prefer_loose(C, preferred, strict, stiff))
    preferred = _once_each(preferred, strict, names, node_ids)
    chain = _acyclic_chain(C, preferred, strict, names, node_ids)
    left = chain.matrix_left
    rest = eliminated(left @ chain.D, chain.free, size, row_sizes(left, np.arange(left.shape[1]), size))
    D = (chain.D[:, rest.kept] + chain.D[:, rest.pivots] @ rest.of_kept).tocsr()
    free = chain.free[rest.kept]
    felt = np.asarray(abs(D[stiff]).sum(axis=0)).ravel() > 0.0
    return Dependence(
        D=D[:, felt],
        independent=free[felt],
        follower=np.concatenate([chain.dofs, chain.free[rest.pivots]]),
        names=np.concatenate([names[chain.row], names[chain.left][rest.rows]]),
        rows=rows,
        chain=chain,
        rest=rest,
    )


def _prefer_loose(C: sparse.csr_matrix, preferred, strict, stiff: np.ndarray) -> np.ndarray:
    """Conditions with components that nothing else holds give these: what has stiffness stays independent."""
    preferred = preferred.copy()
    loose = ~stiff[C.indices]
    for i in np.unique(np.repeat(np.arange(C.shape[0]), np.diff(C.indptr))[loose]):
        if not strict[i] and (preferred[i] < 0 or stiff[preferred[i]]):
            own = slice(C.indptr[i], C.indptr[i + 1])
            preferred[i] = C.indices[own][loose[own]][0]
    return preferred


def _solvable(C: sparse.csr_matrix, preferred: np.ndarray) -> np.ndarray:
    """-1 where the coefficient of the preferred component is small beside the others."""
    named = np.flatnonzero(preferred >= 0)
    coefficient = np.abs(np.asarray(C[named, preferred[named]]).ravel())
    largest = abs(C[named]).max(axis=1).toarray().ravel() if len(named) else np.zeros(0)
    preferred = preferred.copy()
    preferred[named[coefficient < _SMALLEST_PIVOT * largest]] = -1
    return preferred


def _once_each(preferred, strict, names, node_ids) -> np.ndarray:
    """Each component is given by one condition: a strict one before others, else the first."""
    preferred = preferred.copy()
    order = np.lexsort((np.arange(len(preferred)), ~strict, preferred))
    order = order[preferred[order] >= 0]
    again = np.flatnonzero(preferred[order[1:]] == preferred[order[:-1]]) + 1
    for i in again:
        row, before = order[i], order[i - 1]
        if strict[row]:
            raise MeshError(
                f"{names[row]}: {describe(preferred[row], node_ids)} is already determined by {names[before]}; a"
                " component can be determined by one coupling only: remove the node from one of them"
            )
    preferred[order[again]] = -1
    return preferred


def _acyclic_chain(C, preferred, strict, names, node_ids) -> _Chain:
    """Conditions that follow from themselves through others lose their component, unless they are strict."""
    preferred = preferred.copy()
    while True:
        row = np.flatnonzero(preferred >= 0)
        dofs = preferred[row]
        if not len(row):
            own, scaled, links = np.zeros(0), C[row], sparse.csr_matrix((0, 0))
            break
        own = np.asarray(C[row, dofs]).ravel()
        scaled = (sparse.diags(1.0 / own) @ C[row]).tocsr()
        links = sparse.csr_matrix(sparse.eye(len(row)) - scaled[:, dofs])
        links.eliminate_zeros()
        count, label = csgraph.connected_components(links, directed=True, connection="strong")
        if count == len(row):
            break
        looped = np.bincount(label)[label] > 1
        if not np.any(looped & ~strict[row]):
            nodes = ", ".join(dict.fromkeys(describe(dof, node_ids) for dof in dofs[looped][:12]))
            joints = ", ".join(dict.fromkeys(names[row][looped]))
            raise MeshError(f"{joints}: these couplings depend on each other in a loop ({nodes}); remove one")
        preferred[row[looped & ~strict[row]][0]] = -1
    free = np.setdiff1d(np.arange(C.shape[1]), dofs)
    given = _summed(links, -scaled[:, free])
    place = np.empty(C.shape[1], dtype=int)
    place[free], place[dofs] = np.arange(len(free)), len(free) + np.arange(len(dofs))
    D = sparse.vstack([sparse.eye(len(free), format="csr"), given]).tocsr()[place]
    left = np.flatnonzero(preferred < 0)
    return _Chain(row, dofs, 1.0 / own, links, D, free, left, C[left])


def _summed(links: sparse.csr_matrix, values):
    """(I - links)^-1 values for links without a cycle, by as many products as the chain is long."""
    total, term = values, values
    while links.nnz:
        term = links @ term
        if not (term.nnz if sparse.issparse(term) else np.any(term)):
            break
        total = total + term
    return total


def describe(dof: int, node_ids: np.ndarray) -> str:
    """A component as text for messages."""
    kind = "displacement" if dof % 6 < 3 else "rotation"
    return f"{kind} {'xyz'[dof % 3]} of node {node_ids[dof // 6]}"
