"""Sample points that integrate products of displacement fields over the mass of beams."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.lines.beam_elements import GAUSS_POINTS, GAUSS_WEIGHTS, BeamElements, beam_shapes
from flexmbs.fem.lines.beam_second_order import evaluate, second_order_section_motion, section_motion


def beam_inertia_samples(
    elements: BeamElements, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, sparse.csr_matrix]:
    """x (m, 3), modes (n, m, 3), quadratic (npairs, m, 3) and W (m, m) as ``FEModel.inertia_samples``.

    Six Gauss points per element along the axis, each with four section points (one on the axis without rotary
    inertia) whose first and second moments are those of the section.
    """
    first = evaluate(elements, beam_shapes(elements, GAUSS_POINTS), modes)
    linear = section_motion(elements, first.u, first.turn)
    second = second_order_section_motion(elements, GAUSS_POINTS, modes, pairs, quadratic)
    axis = elements.start[:, None] + GAUSS_POINTS[:, None] * (elements.length[:, None] * elements.frame[:, 0])[:, None]
    offsets = section_offsets(elements)
    weight = elements.line_mass[:, None] * elements.length[:, None] * GAUSS_WEIGHTS / offsets.shape[1]
    x = np.concatenate([(axis + (offset[:, None] @ elements.frame)).reshape(-1, 3) for offset in offsets.transpose(1, 0, 2)])
    W = sparse.diags(np.tile(weight.ravel(), offsets.shape[1]), format="csr")
    return x, _at_points(linear, offsets), _at_points(second, offsets), W


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


def _at_points(motion: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """(n, m, 3) displacement of section points (ne, points, 3), of the ``section_motion`` (3, ne, g, 3, n)."""
    _, elements, along, _, count = motion.shape
    points = offsets.shape[1]
    result = np.empty((points, elements, along, 3, count))
    for k in range(points):
        result[k] = motion[0]
        for axis in (1, 2):
            if offsets[:, k, axis].any():
                result[k] += offsets[:, k, axis, None, None, None] * motion[axis]
    return np.ascontiguousarray(result.reshape(points * elements * along, 3, count).transpose(2, 0, 1))
