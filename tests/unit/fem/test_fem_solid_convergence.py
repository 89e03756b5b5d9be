"""Energy of a smooth field at the rate of each element."""

import numpy as np
import pytest
from fem_meshes import STEEL, box
from scipy.sparse.linalg import spsolve

from flexmbs import assemble
from flexmbs.fem.solids.kinds import SOLID_KINDS
from flexmbs.mesh import quadrature as gauss


def harmonic_gradient(points):
    """(n, 3): grad(exp(x) sin(0.6 y) sin(0.8 z)). No divergence and no Laplacian, so in equilibrium without loads."""
    e, y, z = np.exp(points[:, 0]), 0.6 * points[:, 1], 0.8 * points[:, 2]
    parts = (np.sin(y) * np.sin(z), 0.6 * np.cos(y) * np.sin(z), 0.8 * np.sin(y) * np.cos(z))
    return np.column_stack([e * part for part in parts])


def exact_energy():
    """int sigma : epsilon dV of the field over the unit cube, with sigma = 2 mu epsilon."""
    points, weights = gauss.cube(8, 3)
    points, weights = 0.5 * (points + 1.0), weights / 8.0
    step = 1e-5
    gradients = [harmonic_gradient(points + step * d) - harmonic_gradient(points - step * d) for d in np.eye(3)]
    gradients = np.array(gradients) / (2.0 * step)
    strain = 0.5 * (gradients + gradients.transpose(2, 1, 0))
    return 2.0 * STEEL.shear_modulus * np.einsum("ink,ink,n->", strain, strain, weights)


def energy(kind, divisions, **options):
    """With the displacement of the field at all outer nodes."""
    model = assemble(box(kind, (divisions,) * 3, distort=0.1), **options)
    points = model.mesh.points
    field = harmonic_gradient(points).ravel()
    held = np.repeat(np.any((points < 1e-9) | (points > 1 - 1e-9), axis=1), 3)
    K = model.K
    field[~held] = spsolve(K[~held][:, ~held].tocsc(), -(K[~held][:, held] @ field[held]))
    return field @ K @ field


@pytest.mark.parametrize(("kind", "options"), [*((kind, {}) for kind in SOLID_KINDS), ("hex20", {"hex20": "reduced"})])
def test_energy_converges_at_twice_the_order_of_the_shape_functions(kind, options):
    linear = kind in ("tet4", "pyramid5", "wedge6", "hex8")
    coarse, fine = (energy(kind, n, **options) / exact_energy() - 1.0 for n in ((3, 6) if linear else (2, 4)))
    # halving the size divides the error by 4 and by 16; distortion and coarse meshes cost up to 5 and 8 % of it
    assert abs(fine) < abs(coarse) / (3.7 if linear else 14.5)
