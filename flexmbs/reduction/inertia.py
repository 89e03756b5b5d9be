"""All inertia integrals over the extended basis, compressed into a mass-orthonormal basis."""

from __future__ import annotations

import numpy as np

from flexmbs.errors import BodyError
from flexmbs.reduction.body import InertiaFields


def inertia_fields(fem, modes: np.ndarray, quadratic: np.ndarray, pairs: np.ndarray, tolerance: float) -> InertiaFields:
    """InertiaFields of the body from its mass distribution at sample points.

    modes (ndof, n); quadratic (ndof, npairs), the fields Z; tolerance: largest error of an inertia integral relative
    to the norms of its two fields.
    """
    x, phi, z, W = fem.inertia_samples(modes, pairs, quadratic)
    n, npairs = len(phi), len(z)
    F = np.concatenate([x[None], phi, z]).transpose(0, 2, 1).reshape(3 * (1 + n + npairs), -1).T
    ones = np.ones(len(x))
    mass = float(ones @ (W @ ones))
    if not mass > 0.0:
        raise BodyError(f"the body's mass is {mass:g} kg; every element needs a density > 0")
    means = (W @ ones) @ F / mass
    centred = F - means
    gram = centred.T @ (W @ centred)
    coefficients, error = _compressed(0.5 * (gram + gram.T), tolerance)
    c = np.column_stack([np.sqrt(mass) * means, coefficients]).reshape(1 + n + npairs, 3, -1)
    return InertiaFields(c[0].copy(), c[1 : 1 + n].copy(), c[1 + n :].copy(), error)


def _compressed(gram: np.ndarray, tolerance: float) -> tuple[np.ndarray, float]:
    """c (k, R) with c c^T = gram; the error of an entry, relative to the norms of its two fields, is given back."""
    norms = np.sqrt(np.maximum(np.diag(gram), 0.0))
    # a field that vanishes, or is constant, leaves rounding only: it must not be blown up to unit norm
    norms[norms < 1e-14 * norms.max(initial=0.0)] = 0.0
    inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0.0)
    scaled = inverse[:, None] * gram * inverse
    values, vectors = np.linalg.eigh(scaled)
    keep = values > tolerance
    unit = (vectors[:, keep] * np.sqrt(values[keep]))[:, ::-1]
    error = float(np.abs(unit @ unit.T - scaled).max(initial=0.0))
    return norms[:, None] * unit, error


def modal_mass(inertia: InertiaFields) -> np.ndarray:
    """Me (n, n) = int Phi_a . Phi_b dm, kg."""
    return np.einsum("aks,bks->ab", inertia.P, inertia.P)
