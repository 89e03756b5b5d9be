"""Euler-Bernoulli beams: frequencies against the roots of the characteristic equations, to 1e-8.

data/beam_roots.json: roots of cos x cosh x = -1 (clamped-free) and so on, 16 digits. Hermite elements err by
(x h)^4 / 2880 in the root; meshes of 40 and 80 elements tell that term, and without it what is left is of order h^6
(3e-9 at the fifth root) and rounding (6e-10).
"""

import numpy as np
import pytest
from scipy.linalg import eigh

from flexmbs import Material, assemble, line_mesh, rectangle

STEEL = Material("steel", 210e9, 0.3, 7850.0)
SECTION = rectangle(0.004, 0.02)
# components v and rotation about z that are held at the first and at the last node
HELD = {"clamped_free": [1, 5], "clamped_clamped": [1, 5, -5, -1], "clamped_pinned": [1, 5, -5]}


def eigenvalues(supports, elements, count):
    """x^4 of the lowest roots x, bending in the plane x-y."""
    model = assemble(line_mesh(1.0, elements, SECTION, STEEL), "euler-bernoulli", rotary_inertia=False)
    held = [dof % model.ndof for dof in HELD[supports]]
    planar = np.setdiff1d(np.r_[1 : model.ndof : 6, 5 : model.ndof : 6], held)
    K, M = (matrix[planar][:, planar].toarray() for matrix in (model.K, model.M))
    # the largest of M x = mu K x, which rounding touches least
    found = 1.0 / eigh(M, K, eigvals_only=True)[::-1][:count]
    return found * STEEL.density * SECTION.area / (STEEL.youngs_modulus * SECTION.Iz)


@pytest.mark.parametrize("supports", HELD)
def test_first_five_roots(supports, reference, figures):
    coarse, fine = (eigenvalues(supports, elements, 5) for elements in (40, 80))
    expected = np.array([float(root) for root in reference("beam_roots")[supports][:5]])
    figures(f"beam, {supports.replace('_', '-')}: first five roots", "exact", ((16 * fine - coarse) / 15) ** 0.25, expected, 1e-8)
    # and on a mesh as it is, the error is that of the theory
    error = fine**0.25 / expected - 1.0
    assert np.all(abs(error - (expected / 80) ** 4 / 2880) < 2e-9)
