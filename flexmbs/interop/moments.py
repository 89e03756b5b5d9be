"""Inertia integrals of a body with unknown mass distribution, inertia fields with these integrals, and their parts in files.

Products of two vector fields u, v follow from T = int u v^T dm in the last two axes of an array.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.reduction.flexible_body import InertiaFields

_ROUNDING = 1e-13
_QUADRATIC = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))  # SID: w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3


@dataclass(frozen=True)
class InertiaMoments:
    """Integrals over the body, x from the origin of the body frame; all in kg, m.

    Attributes
    ----------
    mass : kg
    first : (3,) int x dm
    second : (3, 3) int x x^T dm
    mode_first : (n, 3) int Phi_a dm
    mode_position : (n, 3, 3) int Phi_a x^T dm
    mode_mode : (n, n, 3, 3) int Phi_a Phi_b^T dm; [b, a] is the transpose of [a, b]
    pair_first, pair_position : (npairs, 3), (npairs, 3, 3) alike with the second-order fields Z_p of ``FlexibleBody``
    """

    mass: float
    first: np.ndarray
    second: np.ndarray
    mode_first: np.ndarray
    mode_position: np.ndarray
    mode_mode: np.ndarray
    pair_first: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    pair_position: np.ndarray = field(default_factory=lambda: np.zeros((0, 3, 3)))


def moments_of_fields(inertia: InertiaFields, mass: float) -> InertiaMoments:
    """The integrals that ``inertia`` represents."""
    root, X, P, Z = np.sqrt(mass), inertia.X, inertia.P, inertia.Z
    return InertiaMoments(
        mass=mass,
        first=root * X[:, 0],
        second=X @ X.T,
        mode_first=root * P[:, :, 0],
        mode_position=np.einsum("aks,ls->akl", P, X),
        mode_mode=np.einsum("aks,bls->abkl", P, P),
        pair_first=root * Z[:, :, 0],
        pair_position=np.einsum("pks,ls->pkl", Z, X),
    )


def second_moment(inertia: np.ndarray) -> np.ndarray:
    """int x x^T dm (..., 3, 3) from the inertia tensor int (x.x I - x x^T) dm about the same point."""
    return 0.5 * _trace(inertia) - inertia


def inertia_tensor(second: np.ndarray) -> np.ndarray:
    """Inertia tensor from int x x^T dm (..., 3, 3)."""
    return _trace(second) - second


def _trace(T: np.ndarray) -> np.ndarray:
    """(..., 3, 3): tr(T) I."""
    return np.trace(T, axis1=-2, axis2=-1)[..., None, None] * np.eye(3)


def relative_difference(found: np.ndarray, listed: np.ndarray, *scales: np.ndarray) -> float:
    """The largest difference, relative to the largest number in ``scales`` (default: in ``listed``)."""
    size = max(np.abs(values).max(initial=1e-300) for values in scales or (listed,))
    return float(np.abs(found - listed).max(initial=0.0) / size)


def fields_with_moments(moments: InertiaMoments, where: str) -> tuple[InertiaFields, list[str]]:
    """Inertia fields with these integrals, and warnings; BodyError if no mass distribution can have them.

    Fields Z_p get the smallest coefficients that reproduce their integrals with 1 and x; the undetermined terms
    (int Z Phi^T dm, int Z Z^T dm) are of second order in the modal coordinates.
    """
    _check_shapes(moments, where)
    mass = float(moments.mass)
    if not (np.isfinite(mass) and mass > 0.0):
        raise BodyError(f"{where}: the mass of the body is {mass:g} kg; it must be positive")
    means = np.concatenate([moments.first[None], moments.mode_first]).reshape(-1) / mass
    gram = _gram(moments) - mass * np.outer(means, means)
    if not np.all(np.isfinite(gram)):
        raise BodyError(f"{where}: the inertia integrals are not all finite numbers")
    _check_rigid(gram[:3, :3], moments, where)
    coefficients, worst = _root(gram)
    warnings = []
    if worst < -1e-6:
        warnings.append(
            f"{where}: the inertia integrals contradict each other by {-worst:.1e} of their size (no mass distribution "
            "has them all); the nearest possible ones are used"
        )
    c = np.column_stack([np.sqrt(mass) * means, coefficients]).reshape(len(means) // 3, 3, -1)
    return InertiaFields(c[0].copy(), c[1:].copy(), _pair_coefficients(c[0], moments), max(0.0, -worst)), warnings


def _check_shapes(moments: InertiaMoments, where: str) -> None:
    n, p = len(np.atleast_1d(moments.mode_first)), len(np.atleast_1d(moments.pair_first))
    shapes = {"mass": (), "first": (3,), "second": (3, 3), "mode_first": (n, 3), "mode_position": (n, 3, 3)}
    shapes |= {"mode_mode": (n, n, 3, 3), "pair_first": (p, 3), "pair_position": (p, 3, 3)}
    for name, shape in shapes.items():
        value = np.asarray(getattr(moments, name))
        if value.shape != shape or value.dtype.kind not in "iuf" or not np.all(np.isfinite(value)):
            raise BodyError(f"{where}: moments.{name}: expected {shape} finite numbers, got {value.dtype} of shape {value.shape}")


def _gram(moments: InertiaMoments) -> np.ndarray:
    n = len(moments.mode_first)
    gram = np.zeros((1 + n, 3, 1 + n, 3))
    gram[0, :, 0] = moments.second
    gram[1:, :, 0] = moments.mode_position
    gram[0, :, 1:] = moments.mode_position.transpose(2, 0, 1)
    gram[1:, :, 1:] = moments.mode_mode.transpose(0, 2, 1, 3)
    square = gram.reshape(3 * (1 + n), -1)
    return 0.5 * (square + square.T)


def _check_rigid(central: np.ndarray, moments: InertiaMoments, where: str) -> None:
    """The second moment of mass must not be negative: principal inertias obey the triangle inequality."""
    size = max(np.trace(moments.second), 0.0)
    if np.linalg.eigvalsh(central)[0] < -1e-6 * size or not size >= 0.0:
        inertias = np.linalg.eigvalsh(inertia_tensor(central))
        raise BodyError(
            f"{where}: the principal moments of inertia {', '.join(f'{value:.6g}' for value in inertias)} kg m2 are "
            "not possible: each must be at most the sum of the other two (is the inertia given about another point?)"
        )


def _root(gram: np.ndarray) -> tuple[np.ndarray, float]:
    """c (k, R) with c c^T = gram, where need be for other products of modes, and the error (relative, negative)."""
    norms = np.sqrt(np.maximum(np.diag(gram), 0.0))
    norms[norms < 1e-14 * norms.max(initial=0.0)] = 0.0
    inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0.0)
    scaled = inverse[:, None] * gram * inverse
    positions, _least = _spectral_root(scaled[:3, :3])
    inside = np.linalg.lstsq(positions, scaled[:3, 3:], rcond=1e-10)[0].T
    rest, least = _spectral_root(scaled[3:, 3:] - inside @ inside.T)
    error = np.abs(positions @ inside.T - scaled[:3, 3:]).max(initial=0.0)
    rank = positions.shape[1]
    c = np.zeros((len(gram), rank + rest.shape[1]))
    c[:3, :rank], c[3:, :rank], c[3:, rank:] = positions, inside, rest
    c *= norms[:, None]
    if least < -1e-9:
        c[3:, rank:] = _with_modal_mass(c[3:, :rank], c[3:, rank:], gram[3:, 3:])
    return c, min(least, -float(error))


def _with_modal_mass(inside: np.ndarray, rest: np.ndarray, gram: np.ndarray) -> np.ndarray:
    """``rest`` with its modes mixed so that int Phi_a . Phi_b dm agrees with ``gram``, if possible."""
    n = len(gram) // 3
    want = np.einsum("akbk->ab", (gram - inside @ inside.T).reshape(n, 3, n, 3))
    fields = rest.reshape(n, 3, -1)
    have = np.einsum("aks,bks->ab", fields, fields)
    least, greatest = np.linalg.eigvalsh(want)[[0, -1]]
    values, vectors = np.linalg.eigh(have)
    if least < -1e-9 * greatest or values[0] < 1e-12 * values[-1]:
        return rest
    inverse = vectors / np.sqrt(values) @ vectors.T
    values, vectors = np.linalg.eigh(want)
    mixed = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T @ inverse
    return np.einsum("ab,bks->aks", mixed, fields).reshape(rest.shape)


def _spectral_root(gram: np.ndarray) -> tuple[np.ndarray, float]:
    """c (k, R) with c c^T = gram up to its eigenvalues below rounding, and the smallest eigenvalue."""
    values, vectors = np.linalg.eigh(gram)
    keep = values > _ROUNDING
    return (vectors[:, keep] * np.sqrt(values[keep]))[:, ::-1], float(values.min(initial=0.0))


def _pair_coefficients(X: np.ndarray, moments: InertiaMoments) -> np.ndarray:
    npairs, root = len(moments.pair_first), np.sqrt(moments.mass)
    Z = np.zeros((npairs, 3, X.shape[1]))
    if npairs:
        Z[:, :, 0] = moments.pair_first / root
        rest = (moments.pair_position - Z[:, :, :1] * X[:, 0]).reshape(-1, 3)
        Z[:, :, 1:] = np.linalg.lstsq(X[:, 1:], rest.T, rcond=1e-10)[0].T.reshape(npairs, 3, -1)
    return Z


def axial(T: np.ndarray) -> np.ndarray:
    """int u x v dm, (..., 3)."""
    return np.stack([T[..., 1, 2] - T[..., 2, 1], T[..., 2, 0] - T[..., 0, 2], T[..., 0, 1] - T[..., 1, 0]], axis=-1)


def from_axial(vector: np.ndarray) -> np.ndarray:
    """The antisymmetric part of T from int u x v dm."""
    T = np.zeros((*vector.shape[:-1], 3, 3))
    for i, j, k in ((1, 2, 0), (2, 0, 1), (0, 1, 2)):
        T[..., i, j], T[..., j, i] = 0.5 * vector[..., k], -0.5 * vector[..., k]
    return T


def crossed(T: np.ndarray) -> np.ndarray:
    """int u~ v~ dm = T^T - tr(T) I, (..., 3, 3); u~ is the skew matrix of u."""
    return T.swapaxes(-1, -2) - _trace(T)


def from_crossed(A: np.ndarray) -> np.ndarray:
    """T from int u~ v~ dm."""
    return A.swapaxes(-1, -2) - 0.5 * _trace(A)


def centrifugal(T: np.ndarray) -> np.ndarray:
    """(..., 6): int u . (w x (w x v)) dm as coefficients of w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3."""
    Q = 0.5 * (T + T.swapaxes(-1, -2)) - _trace(T)
    return np.stack([Q[..., i, j] * (1.0 if i == j else 2.0) for i, j in _QUADRATIC], axis=-1)


def from_centrifugal(six: np.ndarray) -> np.ndarray:
    """The symmetric part of T from :func:`centrifugal`."""
    Q = np.zeros((*six.shape[:-1], 3, 3))
    for column, (i, j) in enumerate(_QUADRATIC):
        Q[..., i, j] = Q[..., j, i] = six[..., column] * (1.0 if i == j else 0.5)
    return Q - 0.5 * _trace(Q)


def pair_values(table: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Z_p (p, ...) from second derivatives table[a, b] (symmetrised): half of the diagonal, the whole off it."""
    a, b = pairs.T
    mean = 0.5 * (table[a, b] + table[b, a])
    return np.where(a == b, 0.5, 1.0).reshape(-1, *[1] * (mean.ndim - 1)) * mean


def pair_table(values: np.ndarray, pairs: np.ndarray, n: int) -> np.ndarray:
    """Second derivatives [a, b] of sum_p Z_p q_a q_b."""
    table = np.zeros((n, n, *values.shape[1:]))
    a, b = pairs.T
    np.add.at(table, (a, b), values)
    np.add.at(table, (b, a), values)
    return table


def all_pairs(n: int) -> np.ndarray:
    """(n (n + 1) / 2, 2) pairs (a, b) with a <= b."""
    return np.column_stack(np.triu_indices(n)).astype(np.int64)
