"""Plates: energy and recovered stress converge at the rate of each shell element."""

import numpy as np
import pytest
from fem_meshes import STEEL
from shell_meshes import sheet, solved

from flexmbs import assemble

THICKNESS = 0.05
LINEAR = ("tri3", "quad4")


def errors(kind, divisions, distort):
    """Of the energy, and of the stress on the top (root mean square over the nodes, relative to the largest).

    A unit square, simply supported, under the pressure sin(pi x) sin(pi y), with shear flexibility (Mindlin):
    w = p / (D k^4) + p / (5/6 G t k^2), k^2 = 2 pi^2.
    """
    mesh, _ = sheet(kind, (divisions, divisions), lambda s, t: (s, t, 0 * s), THICKNESS, distort=distort)
    model, (x, y) = assemble(mesh), mesh.points[:, :2].T
    pressure = np.zeros((len(x), 6))
    pressure[:, 2] = np.sin(np.pi * x) * np.sin(np.pi * y) / (STEEL.density * THICKNESS)
    loads = model.M @ pressure.ravel()
    held = np.zeros((len(x), 6), bool)
    held[:, [0, 1, 5]] = True
    for across, turn in ((x, 3), (y, 4)):
        on_edge = np.isclose(across, 0.0) | np.isclose(across, 1.0)
        held[on_edge, 2] = held[on_edge, turn] = True
    u = solved(model, np.flatnonzero(held.ravel()), loads)
    D, k2 = STEEL.youngs_modulus * THICKNESS**3 / 12 / 0.91, 2 * np.pi**2
    energy = 0.25 / (D * k2**2) + 0.25 / (5 / 6 * STEEL.shear_modulus * THICKNESS * k2)
    top = model.stress(u).top
    largest = 6 / THICKNESS**2 * 1.3 * np.pi**2 / k2**2
    exact = largest * np.prod(np.sin(np.pi * top.points.positions[:, :2]), axis=1)
    return abs(loads @ u / energy - 1.0), np.sqrt(np.mean((top.stress[:, 0] - exact) ** 2)) / largest


@pytest.mark.parametrize("distort", [0.0, 0.1])
@pytest.mark.parametrize("kind", ["tri3", "quad4", "tri6", "quad8", "quad9"])
def test_plates_converge(kind, distort):
    coarse, fine = (errors(kind, n, distort) for n in ((8, 16) if kind in LINEAR else (4, 8)))
    # halving the size divides the error of the energy by 4 and by 16; coarse meshes and distortion cost up to a sixth.
    # Stress at nodes has the order of the strains, one and two.
    assert fine[0] < coarse[0] / (3.6 if kind in LINEAR else 13.0)
    assert fine[1] < coarse[1] / (2.0 if kind in LINEAR else 3.5)
