"""Solid elements against CalculiX (ccx 2.20), deck by deck: ``ccx data/solid_bars/bar_...`` prints these numbers.

A clamped bar, 6 x 2 x 2 bricks or as many bricks cut into wedges; tapered and skewed (C3D8I: skewed only). Steel;
C3D15: carbon fibres in resin, turned against the bar.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

from flexmbs import assemble, read_mesh
from flexmbs.fem.solids.elements import mass_matrices

DECKS = Path(__file__).parent / "data" / "solid_bars"

# displacement of the loaded node, m, in 7 digits; frequencies, Hz, in 7 digits
STATIC = {
    "C3D8I": (-1.168779e-05, -1.139363e-05, 1.832136e-04),
    "C3D20R": (-2.354578e-05, -1.966543e-06, 2.987299e-04),
    "C3D6": (-1.553011e-05, 2.642462e-06, 1.915513e-04),
    "C3D15": (-1.471467e-04, 6.326577e-05, 1.750329e-03),
}
FREQUENCIES = {
    "C3D8I": (81.21475, 101.6563, 506.6041, 620.0249, 784.0494, 1303.786),
    "C3D20R": (73.44772, 98.64413, 446.6462, 530.9373, 785.6756, 1198.986),
    "C3D6": (90.83265, 221.8602, 590.2366, 1188.207, 1383.174, 1710.174),
    "C3D15": (64.74765, 86.59414, 364.0222, 451.6439, 489.8406, 898.2557),
}
# CalculiX integrates the mass at the points of the stiffness, which are too few. That is all of the difference
# (``test_with_its_mass_the_frequencies_are_those_of_calculix``) on this coarse mesh, but for C3D8I: there the
# internal modes have inertia, here mass is that of the nodes.
MASS_ERROR = {
    "C3D8I": (0.003, 0.003, 0.03, 0.03, 0.003, 0.006),
    "C3D20R": (1e-5, 1e-5, 3e-4, 3e-4, 3e-5, 2e-3),
    "C3D6": (0.005, 0.005, 0.03, 0.03, 0.005, 0.05),
    "C3D15": (1e-5, 1e-5, 3e-4, 3e-4, 3e-4, 2e-3),
}


def clamped(name):
    """Model and free degrees of freedom of a deck."""
    mesh = read_mesh(DECKS / f"bar_{name.lower()}.inp")
    model = assemble(mesh)
    held = (3 * mesh.node_sets["ROOT"][:, None] + np.arange(3)).ravel()
    return model, np.setdiff1d(np.arange(model.ndof), held)


def frequencies(K, M, free):
    # the roots of M x = K x / omega^2: CalculiX's mass of C3D20R is singular
    largest = (len(free) - 6, len(free) - 1)
    inverse = eigh(M[np.ix_(free, free)], K[np.ix_(free, free)], eigvals_only=True, subset_by_index=largest)
    return np.sqrt(1.0 / inverse[::-1]) / (2.0 * np.pi)


@pytest.mark.parametrize("name", STATIC)
def test_deflection_is_that_of_calculix(name):
    model, free = clamped(name)
    tip = 3 * model.mesh.node_sets["TIP"][0]
    load, found = np.zeros(model.ndof), np.zeros(model.ndof)
    load[tip : tip + 3] = 10.0, 7.0, 1000.0
    found[free] = np.linalg.solve(model.K[free][:, free].toarray(), load[free])
    # 7 digits of the largest component
    assert found[tip : tip + 3] == pytest.approx(STATIC[name], abs=1e-6 * STATIC[name][2])


@pytest.mark.parametrize("name", FREQUENCIES)
def test_frequencies_are_those_of_calculix_but_for_its_mass(name):
    model, free = clamped(name)
    found = frequencies(model.K.toarray(), model.M.toarray(), free)
    assert np.all(abs(found / FREQUENCIES[name] - 1.0) < MASS_ERROR[name])


@pytest.mark.parametrize("name", [name for name in FREQUENCIES if name != "C3D8I"])
def test_with_its_mass_the_frequencies_are_those_of_calculix(name):
    model, free = clamped(name)
    (group,) = model.families[0].groups
    masses = mass_matrices(replace(group, mass_rule=group.stiffness_rule))
    scalar = np.zeros((len(model.mesh.points),) * 2)
    np.add.at(scalar, (group.nodes[:, :, None], group.nodes[:, None, :]), masses)
    found = frequencies(model.K.toarray(), np.kron(scalar, np.eye(3)), free)
    assert found == pytest.approx(FREQUENCIES[name], rel=1e-6)
