"""Shells against published and closed solutions.

R. H. MacNeal and R. L. Harder, A proposed standard set of problems to test finite element accuracy, Finite Elements in
Analysis and Design 1 (1985): Scordelis-Lo roof 0.3024, hemisphere with a hole 0.0940, twisted beam 0.001754 and
0.005424.
Pinched cylinder with diaphragms: 1.8248e-5 (Belytschko et al., CMAME 51, 1985). Plates: Kirchhoff theory by Ritz (the
figures of NAFEMS FV12, FV16 and the simply supported plate lie within 1 % of it).
"""


import numpy as np
import pytest
from scipy.linalg import eigh
from shell_meshes import KINDS, along_edge, dofs, flat, sheet, solved

from flexmbs.fem import assemble
from flexmbs.fem.vibration import natural_modes
from flexmbs.mesh.materials import Material

both_kinds = pytest.mark.parametrize("kind", KINDS)
STEEL = Material("steel", 2e11, 0.3, 8000.0)


@pytest.mark.parametrize(("kind", "n", "tolerance"), [("quad4", 8, 0.01), ("tri3", 8, 0.01)])
def test_scordelis_lo_roof(kind, n, tolerance):
    angle = np.radians(40)
    mesh, grid = sheet(
        kind,
        (n, n),
        lambda s, t: (25 * s, 25 * np.sin(t * angle), 25 * np.cos(t * angle)),
        0.25,
        Material("roof", 4.32e8, 0.0, 1.0),
    )
    model = assemble(mesh)
    down = np.zeros((len(mesh.points), 6))
    down[:, 2] = -90.0 / 0.25  # per area of a wall with density 1
    load = model.M @ down.ravel()
    held = np.concatenate([dofs(grid[-1], [1, 2, 3]), dofs(grid[0], [0, 4, 5]), dofs(grid[:, 0], [1, 3, 5])])
    assert solved(model, held, load)[6 * grid[0, -1] + 2] == pytest.approx(-0.3024, rel=tolerance)


@pytest.mark.parametrize(("kind", "n", "tolerance"), [("quad4", 32, 0.015), ("tri3", 16, 0.02), ("tri3", 32, 0.01)])
def test_pinched_cylinder_with_diaphragms(kind, n, tolerance):
    quarter = np.pi / 2
    mesh, grid = sheet(
        kind,
        (n, n),
        lambda s, t: (300 * s, 300 * np.sin(t * quarter), 300 * np.cos(t * quarter)),
        3.0,
        Material("wall", 3e6, 0.3, 1.0),
    )
    model = assemble(mesh)
    load = np.zeros(model.ndof)
    load[6 * grid[0, 0] + 2] = -0.25
    held = [
        dofs(grid[-1], [1, 2, 3]),
        dofs(grid[0], [0, 4, 5]),
        dofs(grid[:, 0], [1, 3, 5]),
        dofs(grid[:, -1], [2, 3, 4]),
    ]
    assert solved(model, np.concatenate(held), load)[6 * grid[0, 0] + 2] == pytest.approx(-1.8248e-5, rel=tolerance)


@pytest.mark.parametrize(("kind", "n", "tolerance"), [("quad4", 8, 0.02), ("tri3", 8, 0.07), ("tri3", 16, 0.02)])
def test_hemisphere_with_a_hole(kind, n, tolerance):
    def place(s, t):
        turn, height = s * np.pi / 2, t * np.radians(72)
        return 10 * np.cos(height) * np.cos(turn), 10 * np.cos(height) * np.sin(turn), 10 * np.sin(height)

    mesh, grid = sheet(kind, (n, n), place, 0.04, Material("wall", 6.825e7, 0.3, 1.0))
    model = assemble(mesh)
    load = np.zeros(model.ndof)
    load[6 * grid[0, 0]], load[6 * grid[-1, 0] + 1] = 1.0, -1.0
    held = np.concatenate([dofs(grid[0], [1, 3, 5]), dofs(grid[-1], [0, 4, 5]), dofs(grid[0, 0], [2])])
    assert solved(model, held, load)[6 * grid[0, 0]] == pytest.approx(0.0940, rel=tolerance)


@both_kinds
@pytest.mark.parametrize(("component", "expected"), [(1, 0.001754), (2, 0.005424)])
def test_twisted_beam(kind, component, expected):
    mesh, grid = sheet(
        kind,
        (12, 2),
        lambda s, t: (12 * s, 1.1 * (t - 0.5) * np.cos(s * np.pi / 2), 1.1 * (t - 0.5) * np.sin(s * np.pi / 2)),
        0.32,
        Material("beam", 29e6, 0.22, 1.0),
    )
    model = assemble(mesh)
    load = along_edge(model, grid[-1], component, 1.0)
    found = solved(model, dofs(grid[0], range(6)), load)[6 * grid[-1, 1] + component]
    assert found == pytest.approx(expected, rel=0.015)


def frequencies(kind, n, held_of, place=None, count=8):
    mesh, grid = sheet(kind, (n, n), place or flat(10.0, 10.0), 0.05, STEEL)
    model = assemble(mesh)
    held = np.zeros(model.ndof, bool)
    held[np.concatenate([dofs(*item) for item in held_of(grid)])] = True
    found = natural_modes(model, held, count).frequencies
    return found[found > 0.0]


def edges(grid):
    return np.concatenate([grid[0], grid[-1], grid[:, 0], grid[:, -1]])


@both_kinds
def test_free_thin_plate(kind):
    expected = [1.62164, 2.35950, 2.92228, 4.19024, 4.19024]
    assert frequencies(kind, 32, lambda grid: [(grid, [0, 1, 5])])[:5] == pytest.approx(expected, rel=2e-3)


@both_kinds
def test_cantilever_thin_plate(kind):
    expected = [0.41794, 1.02426, 2.56285, 3.27491, 3.72733, 6.52447]
    found = frequencies(kind, 32, lambda grid: [(grid, [0, 1, 5]), (grid[0], range(6))])
    assert found[:6] == pytest.approx(expected, rel=2.5e-3)


@both_kinds
def test_simply_supported_thin_plate(kind):
    expected = [2.37672, 5.94181, 5.94181, 9.50689]
    found = frequencies(kind, 32, lambda grid: [(grid, [0, 1, 5]), (edges(grid), [2])])
    assert found[:4] == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize(("kind", "tolerance"), [("quad4", 0.005), ("tri3", 0.012)])
def test_tapered_membrane(kind, tolerance):
    def tapered(s, t):
        return 10 * s, (t - 0.5) * (5 - 4 * s), 0 * s

    found = frequencies(kind, 24, lambda grid: [(grid, [2, 3, 4]), (grid[0], range(6))], tapered)
    assert found[:3] == pytest.approx([44.618, 130.012, 162.690], rel=tolerance)


@both_kinds
def test_cantilever_strip_is_a_beam(kind):
    length, width, thickness, E = 1.0, 0.1, 0.01, 210e9
    mesh, grid = sheet(kind, (16, 2), flat(length, width), thickness, Material("steel", E, 0.0, 7850.0))
    model, root = assemble(mesh), dofs(grid[0], range(6))
    shear = length * 1.2 / (E / 2 * width * thickness)
    for component, inertia in ((2, width * thickness**3 / 12), (1, thickness * width**3 / 12)):
        found = solved(model, root, along_edge(model, grid[-1], component, 1.0))[6 * grid[-1, 1] + component]
        assert found == pytest.approx(length**3 / (3 * E * inertia) + shear, rel=3e-3)
    pressed = solved(model, root, along_edge(model, grid[-1], 0, -1.0))
    free = np.setdiff1d(np.arange(model.ndof), root)
    geometric = model.geometric_stiffness(pressed)[free][:, free].toarray()
    buckling = 1.0 / eigh(-geometric, model.K[free][:, free].toarray(), eigvals_only=True)[-1]
    assert buckling == pytest.approx(np.pi**2 * E * width * thickness**3 / 12 / (4 * length**2), rel=3e-3)


@both_kinds
def test_tension_raises_the_frequency_of_a_plate(kind):
    """Simply supported square under N per length along x: omega^2 rises by N pi^2 / (rho t a^2)."""
    mesh, grid = sheet(kind, (16, 16), flat(), 0.01, STEEL)
    model, force = assemble(mesh), 1e5
    strain = force / (STEEL.youngs_modulus * 0.01)
    pulled = np.zeros((len(mesh.points), 6))
    pulled[:, 0], pulled[:, 1] = strain * mesh.points[:, 0], -0.3 * strain * mesh.points[:, 1]
    held = np.zeros(model.ndof, bool)
    held[np.concatenate([dofs(grid, [0, 1, 5]), dofs(edges(grid), [2])])] = True
    stiff = model.K + model.geometric_stiffness(pulled.ravel())
    slack, tight = (natural_modes(model, held, 1, stiffness=K).frequencies[0] for K in (model.K, stiff))
    rise = (2 * np.pi) ** 2 * (tight**2 - slack**2)
    assert rise == pytest.approx(force * np.pi**2 / (8000.0 * 0.01), rel=0.012)
