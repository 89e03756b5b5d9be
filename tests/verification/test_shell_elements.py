"""Shells against published and closed solutions.

R. H. MacNeal and R. L. Harder, A proposed standard set of problems to test finite element accuracy, Finite Elements in
Analysis and Design 1 (1985): Scordelis-Lo roof 0.3024, hemisphere with a hole 0.0940 (a converged solution with shear:
0.0936), twisted beam 0.001754 and 0.005424. Twisted beam of thickness 0.0032: 0.001294 and 0.005256 (Belytschko, Wong
and Stolarski, IJNME 28, 1989). Second-order kinds have half as many elements where their nodes are to be as many.
Pinched cylinder with diaphragms: 1.8248e-5 (Belytschko et al., CMAME 51, 1985). Plates: Kirchhoff theory by Ritz (the
figures of NAFEMS FV12, FV16 and the simply supported plate lie within 1 % of it).
"""

import numpy as np
import pytest
from scipy.linalg import eigh
from shell_meshes import KINDS, along_edge, dofs, flat, sheet, solved

from flexmbs import Material, assemble, natural_modes

every_kind = pytest.mark.parametrize("kind", KINDS)
STEEL = Material("steel", 2e11, 0.3, 8000.0)


@pytest.mark.parametrize(
    ("kind", "n", "tolerance"), [("quad4", 8, 0.01), ("tri3", 8, 0.01), ("quad8", 4, 0.01), ("tri6", 8, 0.01), ("quad9", 4, 0.01)]
)
def test_scordelis_lo_roof(figures, kind, n, tolerance):
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
    found = solved(model, held, load)[6 * grid[0, -1] + 2]
    figures(f"Scordelis-Lo roof, {kind}, {n} x {n}", "MacNeal and Harder", found, -0.3024, tolerance)


@pytest.mark.parametrize(
    ("kind", "n", "tolerance"),
    [("quad4", 32, 0.015), ("tri3", 16, 0.02), ("tri3", 32, 0.01), ("quad8", 8, 0.01), ("tri6", 16, 0.015), ("quad9", 8, 0.01)],
)
def test_pinched_cylinder_with_diaphragms(figures, kind, n, tolerance):
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
    held = [dofs(grid[-1], [1, 2, 3]), dofs(grid[0], [0, 4, 5]), dofs(grid[:, 0], [1, 3, 5]), dofs(grid[:, -1], [2, 3, 4])]
    found = solved(model, np.concatenate(held), load)[6 * grid[0, 0] + 2]
    figures(f"pinched cylinder, {kind}, {n} x {n}", "Belytschko et al.", found, -1.8248e-5, tolerance)


@pytest.mark.parametrize(
    ("kind", "n", "tolerance"),
    [("quad4", 8, 0.015), ("tri3", 8, 0.04), ("tri3", 16, 0.015), ("quad8", 8, 0.01), ("tri6", 8, 0.02), ("quad9", 8, 0.012)],
)
def test_hemisphere_with_a_hole(figures, kind, n, tolerance):
    def place(s, t):
        turn, height = s * np.pi / 2, t * np.radians(72)
        return 10 * np.cos(height) * np.cos(turn), 10 * np.cos(height) * np.sin(turn), 10 * np.sin(height)

    mesh, grid = sheet(kind, (n, n), place, 0.04, Material("wall", 6.825e7, 0.3, 1.0))
    model = assemble(mesh)
    load = np.zeros(model.ndof)
    load[6 * grid[0, 0]], load[6 * grid[-1, 0] + 1] = 1.0, -1.0
    held = np.concatenate([dofs(grid[0], [1, 3, 5]), dofs(grid[-1], [0, 4, 5]), dofs(grid[0, 0], [2])])
    found = solved(model, held, load)[6 * grid[0, 0]]
    figures(f"hemisphere with a hole, {kind}, {n} x {n}", "MacNeal and Harder", found, 0.0940, tolerance)


@pytest.mark.parametrize(
    ("thickness", "force", "expected", "tolerance"),
    [
        (0.32, 1.0, (0.001754, 0.005424), {"quad4": 0.015, "tri3": 0.015, "quad8": 0.003, "tri6": 0.003, "quad9": 0.003}),
        # the corners of this mesh lie 6 thicknesses off the mean planes of their quadrilaterals
        (0.0032, 1e-6, (0.001294, 0.005256), {"quad4": 0.03, "tri3": 0.01, "quad8": 0.005, "tri6": 0.015, "quad9": 0.005}),
    ],
)
@every_kind
def test_twisted_beam(figures, kind, thickness, force, expected, tolerance):
    def twisted(s, t):
        turn, across = s * np.pi / 2, 1.1 * (t - 0.5)
        return 12 * s, across * np.cos(turn), across * np.sin(turn)

    mesh, grid = sheet(kind, (12, 2), twisted, thickness, Material("beam", 29e6, 0.22, 1.0))
    model = assemble(mesh)
    middle = grid[-1, grid.shape[1] // 2]
    found = []
    for component in (1, 2):
        load = along_edge(model, grid[-1], component, force)
        found.append(solved(model, dofs(grid[0], range(6)), load)[6 * middle + component])
    source = "MacNeal and Harder" if thickness == 0.32 else "Belytschko et al."
    figures(f"twisted beam {thickness:g} thick, {kind}, 12 x 2", source, found, expected, tolerance[kind])


@pytest.mark.parametrize(
    ("kind", "sizes", "order"),
    [("quad4", (8, 16), 1.6), ("tri3", (8, 16), 1.6), ("quad8", (4, 8), 2.5), ("tri6", (4, 8), 2.5), ("quad9", (4, 8), 2.5)],
)
def test_thin_clamped_plate_converges_on_distorted_meshes(kind, sizes, order):
    """Uniform load q, thickness 1/1000 of the side a: w = 0.00126532 q a^4 / D (Timoshenko and Woinowsky-Krieger)."""
    errors = []
    for n in sizes:
        mesh, grid = sheet(kind, (n, n), lambda s, t: (s, t, 0 * s), 1e-3, Material("m", 1e7, 0.3, 1.0), distort=0.25)
        model = assemble(mesh)
        load = np.zeros((len(mesh.points), 6))
        load[:, 2] = 1.0 / 1e-3
        held = np.concatenate([dofs(grid, [0, 1, 5]), dofs(edges(grid), [2, 3, 4])])
        deflection = solved(model, held, model.M @ load.ravel())[2::6].max() * 1e7 * 1e-9 / 12 / (1 - 0.09)
        errors.append(abs(deflection / 0.00126532 - 1.0))
    assert errors[1] < errors[0] / 2**order
    assert errors[1] < 0.01


def frequencies(kind, n, held_of, place=None, count=8):
    n = n if kind in ("quad4", "tri3") else n // 2
    mesh, grid = sheet(kind, (n, n), place or flat(10.0, 10.0), 0.05, STEEL)
    model = assemble(mesh)
    held = np.zeros(model.ndof, bool)
    held[np.concatenate([dofs(*item) for item in held_of(grid)])] = True
    found = natural_modes(model, held, count).frequencies
    return found[found > 0.0]


def edges(grid):
    return np.concatenate([grid[0], grid[-1], grid[:, 0], grid[:, -1]])


@every_kind
def test_free_thin_plate(kind):
    expected = [1.62164, 2.35950, 2.92228, 4.19024, 4.19024]
    assert frequencies(kind, 32, lambda grid: [(grid, [0, 1, 5])])[:5] == pytest.approx(expected, rel=2e-3)


@every_kind
def test_cantilever_thin_plate(kind):
    expected = [0.41794, 1.02426, 2.56285, 3.27491, 3.72733, 6.52447]
    found = frequencies(kind, 32, lambda grid: [(grid, [0, 1, 5]), (grid[0], range(6))])
    assert found[:6] == pytest.approx(expected, rel=2.5e-3)


@every_kind
def test_simply_supported_thin_plate(kind):
    expected = [2.37672, 5.94181, 5.94181, 9.50689]
    found = frequencies(kind, 32, lambda grid: [(grid, [0, 1, 5]), (edges(grid), [2])])
    assert found[:4] == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize(
    ("kind", "tolerance"), [("quad4", 0.005), ("tri3", 0.012), ("quad8", 0.001), ("tri6", 0.002), ("quad9", 0.001)]
)
def test_tapered_membrane(kind, tolerance):
    def tapered(s, t):
        return 10 * s, (t - 0.5) * (5 - 4 * s), 0 * s

    found = frequencies(kind, 24, lambda grid: [(grid, [2, 3, 4]), (grid[0], range(6))], tapered)
    assert found[:3] == pytest.approx([44.618, 130.012, 162.690], rel=tolerance)


@every_kind
def test_cantilever_strip_is_a_beam(kind):
    length, width, thickness, E = 1.0, 0.1, 0.01, 210e9
    n = 16 if kind in ("quad4", "tri3") else 8
    mesh, grid = sheet(kind, (n, 2), flat(length, width), thickness, Material("steel", E, 0.0, 7850.0))
    model, root = assemble(mesh), dofs(grid[0], range(6))
    shear = length * 1.2 / (E / 2 * width * thickness)
    for component, inertia in ((2, width * thickness**3 / 12), (1, thickness * width**3 / 12)):
        found = solved(model, root, along_edge(model, grid[-1], component, 1.0))[6 * grid[-1, grid.shape[1] // 2] + component]
        assert found == pytest.approx(length**3 / (3 * E * inertia) + shear, rel=3e-3)
    pressed = solved(model, root, along_edge(model, grid[-1], 0, -1.0))
    free = np.setdiff1d(np.arange(model.ndof), root)
    geometric = model.geometric_stiffness(pressed)[free][:, free].toarray()
    buckling = 1.0 / eigh(-geometric, model.K[free][:, free].toarray(), eigvals_only=True)[-1]
    assert buckling == pytest.approx(np.pi**2 * E * width * thickness**3 / 12 / (4 * length**2), rel=3e-3)


@every_kind
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
