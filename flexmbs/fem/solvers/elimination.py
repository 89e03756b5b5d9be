"""The order of elimination of a symmetric matrix, and the dense blocks that its factor consists of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

# A block takes in its child while it stays this narrow, or this part of it at most is zero: BLAS works on blocks, and
# every block costs some calls.
_NARROW = 32
_ZEROS = 0.1
_TO_GROUND = 1e-9  # of the links between neighbours


@dataclass(frozen=True, eq=False)
class Elimination:
    """Supernodes: groups of columns of the factor L whose entries are in the same rows.

    Attributes
    ----------
    order : (n,) unknowns in the order of elimination
    starts : (s + 1,) columns starts[i] to starts[i + 1] are supernode i
    rows : s arrays, rows below the columns of each supernode, rising
    parents : (s,) the supernode that the first of these rows belongs to, -1 without rows
    """

    order: np.ndarray
    starts: np.ndarray
    rows: list[np.ndarray]
    parents: np.ndarray

    @property
    def entries(self) -> int:
        """Numbers in the blocks of L."""
        widths = np.diff(self.starts)
        return int(np.sum(widths * (widths + self._heights)))

    @property
    def operations(self) -> float:
        """Floating-point operations of the factorisation, about."""
        w, h = np.diff(self.starts).astype(float), self._heights
        return float(np.sum(w**3 / 3.0 + w**2 * h + w * h**2))

    @property
    def waiting(self) -> int:
        """Numbers that wait for their parents at most, and the front that is being eliminated."""
        heights = self._heights.astype(int)
        own = np.diff(self.starts) * (np.diff(self.starts) + heights) + heights**2
        children = np.zeros(len(heights), int)
        with_parent = self.parents >= 0
        np.add.at(children, self.parents[with_parent], heights[with_parent] ** 2)
        before = np.concatenate([[0], np.cumsum(heights**2 - children)[:-1]])
        return int(np.max(before + own, initial=0))

    @property
    def _heights(self) -> np.ndarray:
        return np.array([len(rows) for rows in self.rows], dtype=float)


def elimination(matrix: sparse.csr_matrix) -> Elimination:
    """Minimum degree order of a matrix with symmetric structure and a full diagonal.

    Unknowns with equal rows (the components of a node) are ordered as one. SuperLU orders and eliminates this small
    graph, with numbers that cannot cancel; the blocks follow from the structure of its factor.
    """
    group, graph = _grouped(matrix)
    position, below, nested = _eliminated(graph)
    size = np.bincount(position[group], minlength=len(position))  # of each group, in its position
    columns, rows = _joined(below, nested, size)
    # columns of a supernode that were not next to each other move together
    order = np.concatenate(columns)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    first = np.concatenate([[0], np.cumsum(size[order])])
    starts = first[np.concatenate([[0], np.cumsum([len(own) for own in columns])])]
    spread = [_spread(np.sort(place[found]), first) for found in rows]
    owner = np.repeat(np.arange(len(columns)), np.diff(starts))
    parents = np.array([owner[found[0]] if len(found) else -1 for found in spread])
    return Elimination(np.argsort(place[position[group]], kind="stable"), starts, spread, parents)


def _grouped(matrix: sparse.csr_matrix) -> tuple[np.ndarray, sparse.csc_matrix]:
    """Group (n,) of each unknown, and the structure of one of each group."""
    n = matrix.shape[0]
    ones = sparse.csr_matrix((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    # equal sums of random numbers over the neighbours: the same neighbours
    random = np.random.default_rng(0).standard_normal(n)
    sums = ones @ random
    if not np.allclose(sums, ones.T @ random, rtol=0.0, atol=1e-9):  # a zero is stored on one side only
        ones = (ones + ones.T).tocsr()
        ones.data[:] = 1.0
        sums = ones @ random
    _, first, group = np.unique(sums, return_index=True, return_inverse=True)
    return group, ones[first][:, first].tocsc()


def _eliminated(graph: sparse.csc_matrix) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """Position (m,) of each group, rows below every column of the factor, and whether a column continues the last."""
    m = graph.shape[0]
    negative = sparse.csc_matrix((-np.ones(graph.nnz), graph.indices, graph.indptr), shape=graph.shape)
    # conductances of a network with weak links to ground: what is eliminated leaves conductances, which neither cancel
    # nor fall exponentially along a chain
    degree = -np.asarray(negative.sum(axis=0)).ravel()  # with the one of the diagonal
    dominant = (negative + sparse.diags(degree + _TO_GROUND)).tocsc()
    factor = splu(dominant, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    L = factor.L
    L.sort_indices()
    below = [L.indices[start + 1 : end] for start, end in zip(L.indptr[:-1], L.indptr[1:], strict=True)]
    count = np.diff(L.indptr)
    parent = np.where(count > 1, L.indices[np.minimum(L.indptr[:-1] + 1, L.nnz - 1)], -1)
    nested = np.zeros(m, bool)
    nested[1:] = (parent[:-1] == np.arange(1, m)) & (count[:-1] == count[1:] + 1)
    return factor.perm_c, below, nested


def _joined(below: list[np.ndarray], nested: np.ndarray, size: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Columns and rows of supernodes, each before its parent, after taking in children where that is cheap."""
    begin = np.append(np.flatnonzero(~nested), len(below))
    owner = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    columns = [[np.arange(a, b)] for a, b in zip(begin[:-1], begin[1:], strict=True)]
    rows = [below[b - 1] for b in begin[1:]]
    width = np.add.reduceat(size, begin[:-1]).tolist()
    height = [int(size[found].sum()) for found in rows]
    zeros, children = [0] * len(rows), [[] for _ in rows]
    for node, found in enumerate(rows):
        kept, waiting = [], children[node]
        while waiting:
            child = waiting.pop()
            more = zeros[node] + zeros[child] + width[child] * (width[node] + height[node] - height[child])
            joint = width[child] + width[node]
            if joint > _NARROW and more > _ZEROS * joint * (joint + height[node]):
                kept.append(child)
                continue
            columns[node], width[node], zeros[node] = columns[child] + columns[node], joint, more
            kept += children[child]
            columns[child] = []
        children[node] = kept
        if len(found):
            children[owner[found[0]]].append(node)
    ordered = _children_first([i for i, found in enumerate(rows) if not len(found)], children)
    return [np.concatenate(columns[node]) for node in ordered], [rows[node] for node in ordered]


def _children_first(roots: list[int], children: list[list[int]]) -> list[int]:
    """All nodes below the roots, every one right after its children and theirs."""
    found, open_nodes = [], list(roots)
    while open_nodes:
        node = open_nodes.pop()
        found.append(node)
        open_nodes += children[node]
    return found[::-1]


def _spread(rows: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Unknowns of groups, group i being first[i] to first[i + 1]."""
    counts = first[rows + 1] - first[rows]
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(first[rows] - (ends - counts), counts)
