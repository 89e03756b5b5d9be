"""Second-order displacements of an inextensible beam that bends: its points move towards the end that is held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.interop.beam_statics import BeamModes
from flexmbs.reduction.flexible_body import InertiaFields
from flexmbs.reduction.inertia_basis import inertia_fields

_GAUSS = 12
_TOLERANCE = 1e-14  # of inertia integrals


@dataclass(frozen=True)
class Foreshortening:
    """u_x = -1/2 sum_ab q_a q_b H_ab(x) with H_ab the integral of phi_a' phi_b' from x = 0.

    T. R. Kane, R. R. Ryan and A. K. Banerjee, Journal of Guidance, Control, and Dynamics 10 (1987) 139.

    Attributes
    ----------
    pairs : (p, 2) modes a <= b
    quadratic : (p, nn) m, u_x at the nodes per product q_a q_b
    inertia : all inertia integrals of the beam, those of the second-order displacements too
    """

    pairs: np.ndarray
    quadratic: np.ndarray
    inertia: InertiaFields

    @classmethod
    def of(cls, shapes: BeamModes, nodes: np.ndarray, mass_per_length: float, axis: int) -> Foreshortening:
        """Of a beam held at x = 0 with these modes along ``axis``, with displacements at ``nodes`` (nn,) m."""
        n = len(shapes.k)
        pairs = np.array([(a, b) for a in range(n) for b in range(a, n)], dtype=np.int64).reshape(-1, 2)
        x, dx = _gauss_points(shapes)
        places = np.unique(np.concatenate([[0.0], x, nodes]))
        fields = _fields(shapes, pairs, places)
        at, seen = np.searchsorted(places, x), np.searchsorted(places, nodes)
        points, modes, second = np.zeros((len(x), 3)), np.zeros((n, len(x), 3)), np.zeros((len(pairs), len(x), 3))
        points[:, 0], modes[:, :, axis], second[:, :, 0] = x, shapes.at(x), fields[:, at]
        samples = points, modes, second, sparse.diags_array(mass_per_length * dx).tocsr()
        return cls(pairs, fields[:, seen], inertia_fields(samples, _TOLERANCE))


def _gauss_points(shapes: BeamModes) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights that integrate products of four functions of the beam over its length."""
    panels = max(8, int(np.ceil(2.0 * shapes.length * shapes.k.max(initial=0.0) / np.pi)))
    nodes, weights = np.polynomial.legendre.leggauss(_GAUSS)
    h = shapes.length / panels
    return (h * (np.arange(panels)[:, None] + 0.5 * (nodes + 1.0))).ravel(), np.tile(0.5 * h * weights, panels)


def _fields(shapes: BeamModes, pairs: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(p, len(places)) m: -H_ab / 2 of the pairs of equal modes, -H_ab of the others; ``places`` ascending from 0."""
    nodes, weights = np.polynomial.legendre.leggauss(_GAUSS)
    h = np.diff(places)
    x = (places[:-1, None] + 0.5 * h[:, None] * (nodes + 1.0)).ravel()
    slopes = shapes.at(x, 1)
    a, b = pairs.T
    products = (slopes[a] * slopes[b]).reshape(len(pairs), len(h), _GAUSS)
    steps = np.einsum("pig,g,i->pi", products, weights, 0.5 * h)
    H = np.concatenate([np.zeros((len(pairs), 1)), np.cumsum(steps, axis=1)], axis=1)
    return np.where(a == b, -0.5, -1.0)[:, None] * H
