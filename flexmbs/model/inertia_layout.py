"""Inertia fields of a flexible body in the order and the basis in which the kernels need the fewest coefficients.

The inertia basis may be turned as one likes (its functions are orthonormal in the mass; the first is constant and
stays).  Here the modes are made triangular in it, so that most coefficients of the second-order fields fall below what
a bound of the error allows to leave out.  What is left is stored in blocks of a few functions, with runs of consecutive
fields.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.core.layout.tables import COLUMNS

#: Fields are stored in multiples of the number of SIMD lanes, so that no loop has a slow remainder.
LANES = 4
#: The places of a body are filled up to a multiple of what an unrolled loop over all of them takes at once.
UNROLLED = 16
#: A gap between two runs of at most so many fields is cheaper stored than skipped (measured).
GAP = 16
#: Part of a mode that counts as rounding of the eigenvalue decomposition behind it; and of an effect.
NOISE, ROUNDING = 1e-13, 1e-17
#: Part of a mode that may be left out, relative to the limit for second-order fields: modal masses keep their digits.
OF_MODE = 1e-2
#: Share of the bound of the error that these parts may use.
MODES_SHARE = 0.3


@dataclass(frozen=True)
class InertiaLayout:
    """What the kernels read of a body (core.layout.tables.BLOCK and RUN).

    Fields have places: first the modes in ``mode_order``, filled up to a multiple of ``LANES``, then the forms in
    ``form_order``, filled up to a multiple of ``UNROLLED``.

    Attributes
    ----------
    X : (3, R) with R a multiple of ``COLUMNS``
    mode_order : (n,); form_order : forms of which something is kept
    first_form : place of the first form
    places : their number
    runs : (runs, 2) first place and number of places
    ends : (blocks, 3) behind the last run of each component; the first run of a block follows the last one before
    starts : (blocks,) where the coefficients of each block begin
    coefficients : flat; per run a (COLUMNS, places) array
    by_pairs : whether forms are the pairs of a body that has fewer ``forms``
    kept : coefficients of second-order fields that are kept
    error : bound of the error of every inertia integral, see :func:`inertia_layout`
    """

    X: np.ndarray
    mode_order: np.ndarray
    form_order: np.ndarray
    first_form: int
    places: int
    runs: np.ndarray
    ends: np.ndarray
    starts: np.ndarray
    coefficients: np.ndarray
    kept: int
    error: float
    by_pairs: bool = False


def inertia_layout(inertia, amplitudes: np.ndarray, weights: np.ndarray, tolerance: float, used=None) -> InertiaLayout:
    """Layout of the fields ``inertia`` (reduction.flexible_body.InertiaFields), with small coefficients left out.

    ``error`` is at most ``tolerance`` (or rounding, 1e-12): for all modal coordinates with sum (q_a / A_a)^2 <= 1 and
    forms with sum (s_r / w_r)^2 <= 1 no integral int r_k r_l dm changes by more, relative to int |x|^2 dm about the
    centre.

    Parameters
    ----------
    amplitudes, weights : (n,) A_a and (K,) w_r
    used : (K,) bool: forms that are needed besides (markers move with them)
    """
    X, P, Z = inertia.X, inertia.P, inertia.Z
    n, size = len(P), np.sqrt(np.sum(X[:, 1:] ** 2))
    turned = _basis(X, P * amplitudes[:, None, None], Z * weights[:, None, None])
    X, P, Z = X @ turned, P @ turned, Z @ turned
    states = X / size, P * (amplitudes[:, None, None] / size), Z * (weights[:, None, None] / size)
    keep_P, keep_Z, error = _chosen(states, tolerance)
    fields = np.concatenate([keep_P, keep_Z])  # functions that are used by the same fields side by side, the constant one first
    order = _alike_together(fields.reshape(-1, fields.shape[2]).T, first=0)
    X, P, Z, keep_P, keep_Z = (_filled(part[..., order]) for part in (X, P, Z, keep_P, keep_Z))
    mode_order = _alike_together(_per_block(keep_P))
    forms = np.any(keep_Z, axis=(1, 2))
    forms = np.flatnonzero(forms if used is None else forms | used)
    form_order = forms[_alike_together(_per_block(keep_Z[forms]))]
    first_form = n + -n % LANES
    places = first_form + len(form_order)
    places += -places % UNROLLED
    C, keep = np.zeros((places, *X.shape)), np.zeros((places, *X.shape), dtype=bool)
    C[:n], keep[:n] = np.where(keep_P, P, 0.0)[mode_order], keep_P[mode_order]
    last = first_form + len(form_order)
    C[first_form:last], keep[first_form:last] = np.where(keep_Z, Z, 0.0)[form_order], keep_Z[form_order]
    runs, ends, starts, coefficients = _stored(C, _per_block(keep))
    kept = int(np.count_nonzero(keep_Z))
    return InertiaLayout(X, mode_order, form_order, first_form, places, runs, ends, starts, coefficients, kept, error)


def _basis(X: np.ndarray, P: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """(R, R) orthogonal: its columns are the new functions in the old ones.

    The constant, what each row of X and P adds to those before it, then the principal parts of what is left of Z, all
    at their amplitudes.
    """
    R = X.shape[1]
    rows = np.concatenate([X[None], P]).reshape(-1, R)
    norms = np.linalg.norm(rows, axis=1)
    fields = np.sqrt(np.sum(norms.reshape(-1, 3) ** 2, axis=1)).repeat(3)
    found = np.zeros((R, R))
    found[0, 0], count = 1.0, 1
    # first what a mode mainly is: small components, such as a bending mode's along the axis, mix everything
    large = norms > 1e-4 * fields
    for i in (*np.flatnonzero(large), *np.flatnonzero(~large & (norms > NOISE * fields))):
        if count == R:
            break
        rest = rows[i] - (found[:count] @ rows[i]) @ found[:count]
        rest -= (found[:count] @ rest) @ found[:count]
        norm = np.linalg.norm(rest)
        if norm > 1e-12 * norms[i]:
            found[count] = rest / norm
            count += 1
    if count < R:
        known = found[:count]
        outside = np.linalg.qr(known.T, mode="complete")[0][:, count:]
        seen = Z.reshape(-1, R) @ outside
        _values, turn = np.linalg.eigh(seen.T @ seen)
        found[count:] = (outside @ turn[:, ::-1]).T
    return found.T


def _chosen(states: tuple[np.ndarray, np.ndarray, np.ndarray], tolerance: float):
    """Which coefficients of P and Z are kept, and the bound of the error; ``states``: X, P and Z at their amplitudes.

    Left out are those of P that are a small part of their mode (``OF_MODE``), and those of Z whose effect is smallest:
    their size times the largest coefficient c_s of their function that a state can have.  With d and e what is left
    out of P and Z, unit vectors y of q_a / A_a and x of s_r / w_r, an integral changes by
    2 (y^T d + x^T e) (X + P^T y + Z^T x): at most twice the sum of the Frobenius norms of the six products.
    """
    X, P, Z = states
    parts = [X[None], P, Z]
    products = [_products(part) for part in parts]
    largest = sum(np.sqrt(np.sum(part**2, axis=0)) for part in parts).max(axis=0)
    share = np.abs(P) / np.maximum(np.sqrt(np.sum(P**2, axis=(1, 2), keepdims=True)), np.finfo(float).tiny)
    keep_P, error_P = _largest_kept(P, share, (OF_MODE * tolerance, NOISE), MODES_SHARE * tolerance, products)
    limits = tolerance, ROUNDING
    keep_Z, error_Z = _largest_kept(Z, np.abs(Z) * largest, limits, max(tolerance - error_P, ROUNDING), products)
    return keep_P, keep_Z, error_P + error_Z


def _largest_kept(fields: np.ndarray, effect: np.ndarray, limits, allowed: float, products: list[np.ndarray]):
    """Which coefficients have more effect than a limit, from the first of ``limits`` down to the last; the error.

    The error is at most ``allowed``, unless it is rounding.
    """
    limit, least = limits
    error = np.inf
    while error > allowed:
        keep = effect > max(limit, least)
        lost = _products(np.where(keep, 0.0, fields))
        norms = sum(np.sqrt(np.maximum(np.einsum("kst,lst->kl", lost, other), 0.0)) for other in products)
        error = 2.0 * float(np.max(norms, initial=0.0))
        if limit <= least:
            break
        limit *= 0.7
    return keep, error


def _products(fields: np.ndarray) -> np.ndarray:
    """(3, R, R) sums over fields (k, 3, R) of the products of their coefficients, by component."""
    return np.stack([fields[:, k].T @ fields[:, k] for k in range(3)])


def _alike_together(pattern: np.ndarray, first: int | None = None) -> np.ndarray:
    """Order of the rows of a bool array in which each resembles the one before (greedy, by Jaccard's index)."""
    count = len(pattern)
    if count == 0:
        return np.zeros(0, dtype=np.int64)
    rows = pattern.astype(np.float32)
    common, sizes = rows @ rows.T, rows.sum(axis=1)
    order = np.zeros(count, dtype=np.int64)
    free = np.ones(count, dtype=bool)
    now = int(np.argmax(sizes)) if first is None else first
    for i in range(count):
        order[i], free[now] = now, False
        shared = common[now]
        alike = np.where(free, shared / np.maximum(sizes[now] + sizes - shared, 1.0), -1.0)
        now = int(np.argmax(alike))
    return order


def _filled(array: np.ndarray) -> np.ndarray:
    """The array with zeros behind its last axis, to a multiple of ``COLUMNS``."""
    extra = -array.shape[-1] % COLUMNS
    return np.concatenate([array, np.zeros((*array.shape[:-1], extra), dtype=array.dtype)], axis=-1)


def _per_block(keep: np.ndarray) -> np.ndarray:
    """(rows, 3 blocks) whether a row has anything in a block, components first."""
    filled = _filled(keep)
    blocks = filled.shape[2] // COLUMNS
    return filled.reshape(len(keep), 3, blocks, COLUMNS).any(axis=3).reshape(len(keep), 3 * blocks)


def _stored(C: np.ndarray, used: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """``runs``, ``ends``, ``starts``, ``coefficients`` of the fields C (places, 3, R); ``used`` (places, 3 blocks)."""
    places, _three, R = C.shape
    blocks = R // COLUMNS
    lanes = used.reshape(places // LANES, LANES, 3, blocks).any(axis=1)
    runs, ends, parts = [], np.zeros((blocks, 3), dtype=np.int64), [np.zeros(0)]
    starts, size = np.zeros(blocks, dtype=np.int64), 0
    for j in range(blocks):
        starts[j] = size
        for k in range(3):
            at = np.flatnonzero(lanes[:, k, j])
            for group in np.split(at, np.flatnonzero(np.diff(at) > 1 + GAP // LANES) + 1) if len(at) else ():
                first, last = int(group[0]) * LANES, (int(group[-1]) + 1) * LANES
                runs.append((first, last - first))
                size += (last - first) * COLUMNS
                parts.append(C[first:last, k, j * COLUMNS : (j + 1) * COLUMNS].T.ravel())
            ends[j, k] = len(runs)
    return np.array(runs, dtype=np.int64).reshape(-1, 2), ends, starts, np.concatenate(parts)
