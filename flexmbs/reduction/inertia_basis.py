"""All inertia integrals over the extended basis, compressed into a mass-orthonormal basis."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.reduction.flexible_body import InertiaFields

_BLOCK = 64  # fields whose integrals are formed together


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
    means, gram = _central_gram([x[None], phi, z], W, mass)
    if amplitudes is None:
        coefficients, error = _compressed(gram, tolerance)
    else:
        means, coefficients, error = _compressed_at(gram, means, mass, np.asarray(amplitudes), weights, tolerance)
    c = np.column_stack([np.sqrt(mass) * means, coefficients]).reshape(1 + n + k, 3, -1)
    return InertiaFields(c[0].copy(), c[1 : 1 + n].copy(), c[1 + n :].copy(), error)


def _central_gram(fields: list[np.ndarray], W, mass: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean (c,) of every component of every field (k, m, 3), and int f g dm (c, c) of all less their means.

    Block by block: the fields are not copied as a whole.
    """
    total = np.asarray(W.sum(axis=0)).ravel()
    blocks = [part[i : i + _BLOCK] for part in fields for i in range(0, len(part), _BLOCK)]
    starts = np.cumsum([0, *(3 * len(block) for block in blocks)])
    means, gram = np.zeros(starts[-1]), np.zeros((starts[-1], starts[-1]))

    def central(i: int) -> np.ndarray:
        columns = blocks[i].transpose(1, 0, 2).reshape(len(total), -1)
        means[starts[i] : starts[i + 1]] = mean = total @ columns / mass
        return columns - mean

    for j in range(len(blocks)):
        own = central(j)
        weighed, columns = W @ own, slice(starts[j], starts[j + 1])
        for i in range(j + 1):
            rows = slice(starts[i], starts[i + 1])
            product = (own if i == j else central(i)).T @ weighed
            gram[rows, columns], gram[columns, rows] = product, product.T
    return means, 0.5 * (gram + gram.T)


def equal_energy_amplitudes(omega: np.ndarray, modal_mass: np.ndarray, deflection: float) -> np.ndarray:
    """(n,) amplitudes of modes that carry the energy of the first one at ``deflection`` (m)."""
    root = omega * np.sqrt(modal_mass)
    return deflection * root[0] / root


def _compressed(gram: np.ndarray, tolerance: float) -> tuple[np.ndarray, float]:
    """c (k, R) with c c^T = gram; the error of an entry, relative to the norms of its two fields, is given back."""
    norms = np.sqrt(np.maximum(np.diag(gram), 0.0))
    # a zero or constant field is only rounding here and must not be scaled to unit norm
    norms[norms < 1e-14 * norms.max(initial=0.0)] = 0.0
    inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0.0)
    scaled = inverse[:, None] * gram * inverse
    unit = _root(scaled, tolerance)
    error = float(np.abs(unit @ unit.T - scaled).max(initial=0.0))
    return norms[:, None] * unit, error


def _root(gram: np.ndarray, smallest: float) -> np.ndarray:
    """c (k, R) with c c^T = gram up to eigenvalues below ``smallest``."""
    values, vectors = np.linalg.eigh(gram)
    keep = values > smallest
    return (vectors[:, keep] * np.sqrt(values[keep]))[:, ::-1]


def _compressed_at(gram, means, mass, amplitudes, weights, tolerance):
    """As :func:`_compressed`, exact for x and the modes, and to ``tolerance`` at given amplitudes for the rest.

    Second-order components that are smaller than the tolerance are dropped; what is left of them besides the
    functions that x and the modes span is compressed by its eigenvalues.
    """
    n, linear = len(amplitudes), 3 * (1 + len(amplitudes))
    reference = np.trace(gram[:3, :3])
    weight = np.concatenate([np.ones(3), np.repeat(amplitudes, 3), np.repeat(weights, 3)])
    size = weight * np.sqrt(np.maximum(np.diag(gram), 0.0) + mass * means**2) / np.sqrt(reference)
    mode_size = np.repeat(np.sqrt((size[3:linear].reshape(n, 3) ** 2).sum(axis=1)), 3)
    kept = size > tolerance
    kept[:3], kept[3:linear] = True, size[3:linear] > tolerance * mode_size
    small = np.where(kept, 1.0, 0.0)
    wanted = weight[:, None] * gram * weight / reference
    gram, means = small[:, None] * gram * small, means * small
    first, _error = _compressed(gram[:linear, :linear], 1e-13)
    # coordinates of the second-order fields in the span of x and the modes, then what is left of them
    inside = np.linalg.lstsq(first, gram[:linear, linear:], rcond=1e-10)[0].T
    w = weight[linear:]
    rest = w[:, None] * (gram[linear:, linear:] - inside @ inside.T) * w / reference
    extra = _root(rest, tolerance) * np.sqrt(reference) / w[:, None]
    coefficients = np.zeros((len(gram), first.shape[1] + extra.shape[1]))
    coefficients[:linear, : first.shape[1]] = first
    coefficients[linear:, : first.shape[1]], coefficients[linear:, first.shape[1] :] = inside, extra
    coefficients[~kept] = 0.0
    got = weight[:, None] * (coefficients @ coefficients.T) * weight / reference
    return means, coefficients, float(np.abs(got - wanted).max(initial=0.0))


def modal_mass(inertia: InertiaFields) -> np.ndarray:
    """Me (n, n) = int Phi_a . Phi_b dm, kg."""
    return np.einsum("aks,bks->ab", inertia.P, inertia.P)
