"""Sample points that integrate products of displacement fields over the mass of beams."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.fe_model import pair_factors
from flexmbs.fem.lines.beam_elements import GAUSS_POINTS, GAUSS_WEIGHTS, BeamElements, beam_shapes
from flexmbs.fem.lines.beam_second_order import evaluate, quadratic_inside, rotated_offset


def beam_inertia_samples(
    elements: BeamElements, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, sparse.csr_matrix]:
    """x (m, 3), modes (n, m, 3), quadratic (npairs, m, 3) and W (m, m) as ``FEModel.inertia_samples``.

    Six Gauss points per element along the axis, each with four section points (one on the axis without rotary
    inertia) whose first and second moments are those of the section.
    """
    first = evaluate(elements, beam_shapes(elements, GAUSS_POINTS), modes)
    u2, turn2 = quadratic_inside(elements, GAUSS_POINTS, modes, pairs, quadratic)
    turn_a, turn_b = first.turn[..., pairs[:, 0]], first.turn[..., pairs[:, 1]]
    axis = elements.start[:, None] + GAUSS_POINTS[:, None] * (elements.length[:, None] * elements.frame[:, 0])[:, None]
    to_mesh = elements.frame.transpose(0, 2, 1)[:, None]
    offsets = section_offsets(elements)
    weight = elements.line_mass[:, None] * elements.length[:, None] * GAUSS_WEIGHTS / offsets.shape[1]
    positions, linear, second, weights = [], [], [], []
    for k in range(offsets.shape[1]):
        rho = np.broadcast_to(offsets[:, None, k], axis.shape)
        positions.append(axis + (to_mesh @ rho[..., None])[..., 0])
        linear.append(to_mesh @ (first.u + np.cross(first.turn, rho[..., None], axis=-2)))
        bent = pair_factors(pairs) * rotated_offset(turn_a, turn_b, rho)
        second.append(to_mesh @ (u2 + np.cross(turn2, rho[..., None], axis=-2) + bent))
        weights.append(weight)
    W = sparse.diags(np.concatenate([w.ravel() for w in weights]), format="csr")
    x = np.concatenate([p.reshape(-1, 3) for p in positions])
    return x, _stacked(linear), _stacked(second), W


def section_offsets(elements: BeamElements) -> np.ndarray:
    """(ne, points, 3) offsets from the axis in local axes: mean zero, mean squares Iz/A and Iy/A."""
    if not elements.rotary_inertia:
        return np.zeros((len(elements.length), 1, 3))
    offsets = np.zeros((len(elements.length), 4, 3))
    # two of four equal weights at +-d give the mean square d^2 / 2
    y, z = np.sqrt(2.0) * elements.gyration.T
    offsets[:, 0, 1], offsets[:, 1, 1] = y, -y
    offsets[:, 2, 2], offsets[:, 3, 2] = z, -z
    return offsets


def _stacked(parts: list[np.ndarray]) -> np.ndarray:
    """Parts (ne, g, 3, n) to (n, m, 3)."""
    flat = np.concatenate([p.reshape(p.shape[0] * p.shape[1], 3, p.shape[-1]) for p in parts])
    return np.ascontiguousarray(flat.transpose(2, 0, 1))
