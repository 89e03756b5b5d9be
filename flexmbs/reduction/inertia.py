"""The fourth stage of a reduction: all inertia integrals over the extended basis, and modal matrices.

The integrals are compressed into a mass-orthonormal basis of few functions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from flexmbs.common.blas_threads import all_blas_threads
from flexmbs.common.errors import BodyError
from flexmbs.common.progress import stage
from flexmbs.reduction.checked import Reduction
from flexmbs.reduction.constrained_body import symmetric
from flexmbs.reduction.damping import damping_matrix
from flexmbs.reduction.flexible_body import InertiaFields

_BLOCK = 64  # functions that are tried as pivots together, and fields copied together
# Pivots are taken down to this part of the tolerance; eigenvalues of what they span then decide.
_FINER = 0.05
_LINEAR = 1e-13  # part of its own square up to which a component of x or of a mode is shown by the others
_LARGE = 2e8  # multiplications; from here on a product is worth several threads
_ROUNDING = 1e-14  # of squares of unit fields
_LATER = 0.01  # of the largest square: pivots smaller than this wait for the next block


def inertia(known: Reduction) -> Reduction:
    """The inertia integrals, in which massless modes have no part, and the modal mass, stiffness and damping."""
    fem, basis, vibrating = known.fem, known.basis.fields, known.vibrating
    stage("inertia", long=fem.ndof > 20_000)
    found = inertia_fields(known.samples, known.choice.tolerance, known.amplitudes, known.weights)
    count, n = len(known.massless), len(vibrating.omega)
    if count:
        P = found.P.copy()
        P[-count:] = 0.0
        found = replace(found, P=P)
    # Me (n, n) = int Phi_a . Phi_b dm, kg
    Me, Ke = np.einsum("aks,bks->ab", found.P, found.P), symmetric(basis.T @ (fem.K @ basis))
    De = damping_matrix(known.damping, fem, vibrating.fields, vibrating.omega, Me[:n, :n], Ke[:n, :n])
    De = np.pad(De, (0, count))  # massless modes, behind the others, have no rates
    return replace(known, inertia=replace(found, field_error=known.field_error), Me=Me, Ke=Ke, De=De)


def inertia_fields(samples, tolerance: float, amplitudes=None, weights=None) -> InertiaFields:
    """InertiaFields of the body from its mass distribution at sample points.

    Parameters
    ----------
    samples : x (m, 3), modes (n, m, 3), second-order fields Z (k, m, 3) and W (m, m), as of ``FEModel.inertia_samples``
    tolerance : largest error of an inertia integral.  Without ``amplitudes`` it is relative to the norms of the two
        fields of the integral; with them, integrals of second-order fields are taken at these amplitudes, and their
        error is relative to int |x|^2 dm (about the centre) of the body.
    amplitudes : (n,) modal coordinates up to which the tolerance must hold, or None
    weights : (k,) factors of the second-order fields at these amplitudes
    """
    x, phi, z, W = samples
    n, k = len(phi), len(z)
    mass = float(W.sum())
    if not mass > 0.0:
        raise BodyError(f"the mass of the body is {mass:g} kg; every element needs a density > 0")
    fields = _central([x[None], phi, z], W, mass)
    if amplitudes is None:
        coefficients, error = _compressed(fields, tolerance)
        means = fields.means
    else:
        means, coefficients, error = _compressed_at(fields, mass, np.asarray(amplitudes), weights, tolerance)
    c = np.column_stack([np.sqrt(mass) * means, coefficients]).reshape(1 + n + k, 3, -1)
    return InertiaFields(c[0].copy(), c[1 : 1 + n].copy(), c[1 + n :].copy(), error)


@dataclass(frozen=True, eq=False)
class _Fields:
    """Components of fields less their means, one in each row, and their squares int f f dm."""

    rows: np.ndarray  # (c, m)
    means: np.ndarray  # (c,)
    squares: np.ndarray  # (c,)
    W: object  # (m, m) sparse

    def products(self, columns: np.ndarray) -> np.ndarray:
        """(c, len(columns)) int f g dm of all components with some."""
        weighed = self.W @ np.ascontiguousarray(self.rows[columns].T)
        if self.rows.size * len(columns) < _LARGE:
            return self.rows @ weighed
        with all_blas_threads():
            return self.rows @ weighed


def _central(parts: list[np.ndarray], W, mass: float) -> _Fields:
    """The components of fields (k, m, 3)."""
    total = np.asarray(W.sum(axis=0)).ravel()
    count = 3 * sum(len(part) for part in parts)
    rows, squares, means, first = np.empty((count, len(total))), np.empty(count), np.empty(count), 0
    for block in (part[i : i + _BLOCK] for part in parts for i in range(0, len(part), _BLOCK)):
        own = slice(first, first + 3 * len(block))
        rows[own] = block.transpose(0, 2, 1).reshape(-1, len(total))
        means[own] = mean = rows[own] @ total / mass
        rows[own] -= mean[:, None]
        columns = np.ascontiguousarray(rows[own].T)
        squares[own] = np.einsum("mc,mc->c", columns, W @ columns)
        first = own.stop
        stage("inertia", first, count)
    return _Fields(rows, means, squares, W)


class _PivotedCholesky:
    """c (k, R) with c c^T = gram less what is left, for a Gram matrix of which only some columns are computed.

    Pivots are the components whose squares have most left (H. Harbrecht, M. Peters and R. Schneider, Applied
    Numerical Mathematics 62, 2012), taken in blocks; what is left is a Gram matrix too, so none of its
    entries exceeds the largest of its diagonal.
    """

    def __init__(self, fields: _Fields, scale: np.ndarray) -> None:
        self._fields, self.scale = fields, scale  # (k,) factors of the components; those of factor 0 are left out
        self.left = scale**2 * fields.squares  # (k,) squares of the scaled components that the functions so far do not show
        self._columns: list[np.ndarray] = []

    @property
    def coefficients(self) -> np.ndarray:
        return np.hstack([np.zeros((len(self.scale), 0)), *self._columns])

    def show(self, components: slice, smallest: float) -> None:
        """Take functions until no square of ``components`` has more than ``smallest`` left."""
        candidates = np.arange(len(self.scale))[components]
        while len(candidates):
            order = candidates[np.argsort(-self.left[candidates], kind="stable")]
            tried = order[:_BLOCK][self.left[order[:_BLOCK]] > smallest]
            if not len(tried):
                return
            columns = self.scale[:, None] * self._fields.products(tried) * self.scale[tried]
            known = self.coefficients
            columns -= known @ known[tried].T
            rest = columns[tried]
            # fields that the tried ones no longer show best wait for the next block
            after = self.left[order[len(tried)]] if len(order) > len(tried) else 0.0
            L, pivots, rank, _ = linalg.lapack.dpstrf(0.5 * (rest + rest.T), tol=max(smallest, _LATER * after), lower=1)
            pivots, L = pivots[:rank] - 1, np.tril(L[:rank, :rank])
            if not rank:  # rounding
                self.left[tried] = np.minimum(self.left[tried], smallest)
                continue
            new = linalg.solve_triangular(L, columns[:, pivots].T, lower=True).T
            self.left = np.maximum(self.left - np.einsum("ks,ks->k", new, new), 0.0)
            self.left[tried[pivots]] = 0.0
            self._columns.append(new)


def _compressed(fields: _Fields, tolerance: float) -> tuple[np.ndarray, float]:
    """c (k, R) with c c^T = gram; the error of an entry, relative to the norms of its two fields, is given back."""
    norms = np.sqrt(np.maximum(fields.squares, 0.0))
    # a zero or constant field is only rounding here and must not be scaled to unit norm
    norms[norms < 1e-14 * norms.max(initial=0.0)] = 0.0
    found = _PivotedCholesky(fields, _inverse(norms))
    found.show(slice(None), max(_FINER * tolerance, _ROUNDING))
    unit, left = _main_part(found.coefficients, found.left, tolerance)
    return norms[:, None] * unit, float(left.max(initial=0.0))


def _compressed_at(fields: _Fields, mass: float, amplitudes: np.ndarray, weights: np.ndarray, tolerance: float):
    """As :func:`_compressed`, exact for x and the modes, and to ``tolerance`` at given amplitudes for the rest.

    Components that are smaller than the tolerance are dropped; what is left of the second-order fields besides the
    functions that x and the modes span is compressed by its eigenvalues.
    """
    n, linear = len(amplitudes), 3 * (1 + len(amplitudes))
    norms, reference = np.sqrt(np.maximum(fields.squares, 0.0)), np.sqrt(fields.squares[:3].sum())
    weight = np.concatenate([np.ones(3), np.repeat(amplitudes, 3), np.repeat(weights, 3)]) / reference
    size = weight * np.hypot(norms, np.sqrt(mass) * fields.means)
    mode_size = np.repeat(np.sqrt((size[3:linear].reshape(n, 3) ** 2).sum(axis=1)), 3)
    largest = size.max()
    small = np.full(len(size), tolerance / max(1.0, largest))  # so that its integral with any other is, too
    small[3:linear] *= np.minimum(mode_size, 1.0)
    kept = size > small
    kept[:3] = True
    error = largest * size[~kept].max(initial=0.0)
    scale = np.where(kept, np.concatenate([_inverse(norms[:linear]), weight[linear:]]), 0.0)
    found = _PivotedCholesky(fields, scale)
    found.show(slice(0, linear), _LINEAR)
    first = found.coefficients.shape[1]
    left_of_linear = found.left[:linear] * (weight[:linear] * norms[:linear]) ** 2
    found.show(slice(linear, None), max(_FINER * tolerance, _ROUNDING))
    c = found.coefficients
    extra, left = _main_part(c[linear:, first:], found.left[linear:], tolerance)
    # the functions of second-order fields stay out of x and the modes, which are shown without them
    missed = np.abs((weight[:linear] * norms[:linear])[:, None] * c[:linear, first:] @ c[linear:, first:].T)
    between = missed.max(initial=0.0) + np.sqrt(left_of_linear.max(initial=0.0) * left.max(initial=0.0))
    error = max(error, left.max(initial=0.0), left_of_linear.max(initial=0.0), between)
    coefficients = np.zeros((len(c), first + extra.shape[1]))
    coefficients[:linear, :first], coefficients[linear:, :first] = c[:linear, :first], c[linear:, :first]
    coefficients[linear:, first:] = extra
    return fields.means * kept, _inverse(scale)[:, None] * coefficients, float(error)


def _main_part(c: np.ndarray, left: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """(k, fewer) with the products of the rows of c, so that at most ``tolerance`` is left of any; and what is left.

    ``left`` (k,) is what c does not show of the squares.
    """
    values, vectors = np.linalg.eigh(c.T @ c)
    smallest = max((1.0 - 2.0 * _FINER) * tolerance, _ROUNDING)
    kept = c @ vectors[:, values > smallest][:, ::-1]
    dropped = c @ vectors[:, values <= smallest]
    return kept, left + np.einsum("ks,ks->k", dropped, dropped)


def _inverse(values: np.ndarray) -> np.ndarray:
    """1 / value, and 0 of 0."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0.0)
