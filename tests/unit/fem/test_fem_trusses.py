"""Trusses: statics, frequencies and second order of bars that carry axial force, and torsion where they can."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL, rigid_rotations
from scipy.linalg import eigh

from flexmbs import BodyError, ElementBlock, Material, Mesh, MeshError, TrussSection, assemble, mass_properties
from flexmbs.fem.fe_model import single_model
from flexmbs.fem.trusses import trusses as trusses_family

EA = STEEL.youngs_modulus * 1e-4


def model_of_trusses(mesh):
    return single_model(trusses_family(mesh))


def truss(points, nodes, section=None, kind="truss2", material=STEEL):
    nodes = np.array(nodes)
    block = ElementBlock(kind, np.arange(len(nodes)) + 11, nodes, material, section or TrussSection(1e-4))
    points = np.array(points, float)
    return Mesh(points, np.arange(len(points)) + 1, (block,), source="truss")


def space_truss(section=None):
    """Six bars between four corners, no two of them alike."""
    points = [[0, 0, 0], [1.0, 0.1, -0.2], [0.3, 0.9, 0.1], [0.4, 0.3, 0.8]]
    return truss(points, [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]], section)


def test_three_bars_carry_a_load():
    """Three bars from a joint to a ceiling at -alpha, 0 and alpha: F L / (E A (1 + 2 cos^3 alpha)) (Timoshenko)."""
    alpha, length, force = np.radians(35.0), 1.3, 1000.0
    across = length * np.tan(alpha)
    model = model_of_trusses(
        truss([[0, 0, 0], [-across, 0, length], [0, 0, length], [across, 0, length]], [[0, 1], [0, 2], [0, 3]])
    )
    joint = model.K[:3, :3].toarray()[np.ix_([0, 2], [0, 2])]
    down = np.linalg.solve(joint, [0.0, -force])
    exact = force * length / (EA * (1.0 + 2.0 * np.cos(alpha) ** 3))
    assert down == pytest.approx([0.0, -exact], rel=1e-13, abs=1e-18)
    u = np.zeros((model.ndof, 1))
    u[[0, 2], 0] = down
    forces = model.families[0].elements.axial_force(model.families[0].elements.local(u))[:, 0]
    # the middle bar is stretched by all of the deflection, the others by its part along them, and are longer
    assert forces == pytest.approx(EA * exact / length * np.array([np.cos(alpha) ** 2, 1.0, np.cos(alpha) ** 2]))


def test_ten_bars_bend_by_two_inches():
    """R. T. Haftka, Elements of Structural Optimization (1992), p. 244: lightest ten-bar truss that bends by 2 in.

    Areas are published with four digits: 1e-3 for the displacement, half a unit of the last digit of weight.
    """
    inch, pound = 0.0254, 0.45359237
    areas = [30.52, 0.1, 23.20, 15.22, 0.1, 0.55, 7.46, 21.04, 21.53, 0.1]
    nodes = [[2, 4], [0, 2], [3, 5], [1, 3], [2, 3], [0, 1], [3, 4], [2, 5], [1, 2], [0, 3]]
    points = 360.0 * inch * np.array([[2, 1, 0], [2, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]])
    aluminium = Material("aluminium", 1e7 * 6894.757, 0.3, 0.1 * pound / inch**3)
    blocks = [
        ElementBlock("truss2", np.array([i + 1]), np.array([pair]), aluminium, TrussSection(area * inch**2))
        for i, (pair, area) in enumerate(zip(nodes, areas, strict=True))
    ]
    model = model_of_trusses(Mesh(points, np.arange(6) + 1, tuple(blocks)))
    free = np.array([6 * node + k for node in range(4) for k in (0, 1)])
    loads = np.zeros(8)
    loads[[3, 7]] = -1e5 * 4.4482216  # 100 kip at both lower joints
    moved = np.linalg.solve(model.K[free][:, free].toarray(), loads)
    assert moved[1::2].min() == pytest.approx(-2.0 * inch, rel=1e-3)
    assert model.mass == pytest.approx(5060.85 * pound, rel=1e-3)


@pytest.mark.parametrize("kind", ["truss2", "truss3"])
def test_frequencies_of_a_row_of_trusses_are_those_of_its_difference_equation(kind):
    """Linear elements of length h with consistent mass: omega^2 = 6 E / rho h^2 (1 - cos t) / (2 + cos t), exactly.

    Clamped at one end, t = (2 k - 1) pi / 2 n for n elements (Hughes, The Finite Element Method, 7.3.2).
    """
    n, h = 8, 0.25
    order = np.arange(n + 1)
    nodes = np.column_stack([order[:-1], order[1:]])
    if kind == "truss3":
        nodes = np.column_stack([order[:-1:2], order[2::2], order[1::2]])
    model = model_of_trusses(truss(np.outer(h * order, [1.0, 2.0, 2.0]) / 3.0, nodes, kind=kind))
    axis = np.kron(np.eye(n + 1), np.r_[1.0, 2.0, 2.0, 0, 0, 0][:, None] / 3.0)[:, 1:]
    values = eigh(axis.T @ (model.K @ axis), axis.T @ (model.M @ axis), eigvals_only=True)
    t = (2 * np.arange(1, n + 1) - 1) * np.pi / (2 * n)
    exact = 6 * STEEL.youngs_modulus / (STEEL.density * h**2) * (1 - np.cos(t)) / (2 + np.cos(t))
    assert values == pytest.approx(exact, rel=1e-12)


def test_torsion_constant_gives_torsional_stiffness():
    model = model_of_trusses(truss([[0, 0, 0], [0, 2.0, 0]], [[0, 1]], TrussSection(1e-4, torsion_constant=3e-8)))
    assert model.K[10, 10] == pytest.approx(STEEL.shear_modulus * 3e-8 / 2.0, rel=1e-13)
    assert model_of_trusses(truss([[0, 0, 0], [0, 2.0, 0]], [[0, 1]])).K[10, 10] == 0.0


@pytest.mark.parametrize("section", [TrussSection(1e-4), TrussSection(1e-4, 2e-8, 0.7)])
def test_rigid_motion_strains_nothing_to_second_order(section):
    model = model_of_trusses(space_truss(section))
    turns, pairs, second = rigid_rotations(model.mesh.points, with_turn=True)
    # rounding against the largest stiffness
    tolerance = 1e-12 * abs(model.K).max()
    assert abs(model.K @ turns).max() < tolerance
    H = np.concatenate([-second, np.zeros_like(second)], axis=2).reshape(len(pairs), -1).T
    assert model.second_order_loads(turns, pairs) == pytest.approx(model.K @ H, abs=tolerance)


def test_twist_to_second_order_is_that_of_finite_rotations():
    """End sections turned by exp(theta), the line turned too: the relative rotation seen along the line."""
    from scipy.spatial.transform import Rotation

    model = model_of_trusses(truss([[0, 0, 0], [1.0, 0, 0]], [[0, 1]], TrussSection(1e-4, torsion_constant=1e-8)))
    values = 1e-3 * np.random.default_rng(4).standard_normal((12, 1))
    strain = (model.families[0].elements.strain[0] @ values)[1, 0]
    strain += 0.5 * model.families[0].elements.second_order_strain(values[None], values[None])[0, 1, 0]
    first, second = (Rotation.from_rotvec(values[k : k + 3, 0]) for k in (3, 9))
    along = np.array([1.0, 0, 0]) + values[6:9, 0] - values[:3, 0]
    across = along - [along[0] - 1.0, 0, 0]  # stretch changes a first-order twist to third order only
    exact = (second * first.inv()).as_rotvec() @ across
    assert strain == pytest.approx(exact, abs=2e-9)  # third-order terms of amplitudes of 1e-3
    assert abs(exact - (model.families[0].elements.strain[0] @ values)[1, 0]) > 1e-7  # what second order adds here


def test_geometric_stiffness_is_the_second_order_load_and_that_of_a_string():
    model = model_of_trusses(space_truss(TrussSection(1e-4, 2e-8)))
    a, b, w = np.random.default_rng(3).standard_normal((3, model.ndof))
    K = model.geometric_stiffness(w)
    (load,) = model.second_order_loads(np.column_stack([a, b]), [(0, 1)]).T
    assert a @ (K @ b) == pytest.approx(w @ load, rel=1e-10)
    one = model_of_trusses(truss([[0, 0, 0], [0.5, 0, 0]], [[0, 1]]))
    pulled = np.zeros(12)
    pulled[6] = 1e-3
    N = EA * 1e-3 / 0.5
    assert one.geometric_stiffness(pulled)[7, 7] == pytest.approx(N / 0.5, rel=1e-13)


def test_samples_integrate_the_mass_matrix_and_the_mesh_agrees():
    model = model_of_trusses(space_truss(TrussSection(1e-4, 0.0, 0.7)))
    modes = np.random.default_rng(0).normal(size=(model.ndof, 5))
    _, fields, _, W = model.inertia_samples(modes, [], np.zeros((model.ndof, 0)))
    gram = sum(fields[:, :, k] @ (W @ fields[:, :, k].T) for k in range(3))
    assert gram == pytest.approx(modes.T @ model.M @ modes, rel=1e-12)
    whole = mass_properties(model.mesh)
    assert model.mass == pytest.approx(whole.mass, rel=1e-13)
    assert model.center == pytest.approx(whole.center, rel=1e-13)
    assert model.inertia == pytest.approx(whole.inertia, rel=1e-12)


def test_surface_is_a_bar_of_the_section_area_that_turns_with_its_line():
    model = model_of_trusses(truss([[0, 0, 0], [1.0, 2.0, 2.0]], [[0, 1]]))
    turns, pairs, second = rigid_rotations(model.mesh.points, with_turn=True)
    factor = np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0)[:, None, None]
    Z = np.concatenate([second * factor, np.zeros_like(second)], axis=2).reshape(len(pairs), -1).T
    # rotations across the line: the bar has none of its own about the line
    across = np.linalg.qr(np.column_stack([[1.0, 2.0, 2.0], [0, 1.0, 0], [0, 0, 1.0]]))[0][:, 1:]
    fields = turns @ across
    own_pairs = np.array([(0, 0), (0, 1), (1, 1)])
    combined = np.stack([_pair_field(Z, pairs, across, a, b) for a, b in own_pairs], axis=1)
    surface = model.surface(fields, own_pairs, combined)
    assert surface.modes == pytest.approx(np.cross(across.T[:, None], surface.points[None]), abs=1e-13)
    for (a, b), found in zip(own_pairs, surface.quadratic, strict=True):
        exact = np.cross(across[:, a], np.cross(across[:, b], surface.points))
        exact = exact + np.cross(across[:, b], np.cross(across[:, a], surface.points))
        # the shortest turn of the line differs from the rotation by a turn about the line, which is left out
        e = np.array([1.0, 2.0, 2.0]) / 3.0
        difference = found - 0.5 * exact * (0.5 if a == b else 1.0)
        off = surface.points - np.outer(surface.points @ e, e)
        assert abs(np.sum(difference * off, axis=1)).max() < 1e-13
        assert abs(difference @ e).max() < 1e-13
    assert abs(surface.stress_modes).max() < 1e-12 * STEEL.youngs_modulus
    ring = surface.points[:8]
    area = 0.5 * np.linalg.norm(sum(np.cross(ring[i], ring[(i + 1) % 8]) for i in range(8)))
    assert area == pytest.approx(1e-4, rel=1e-12)


def _pair_field(Z, pairs, directions, a, b):
    """Second-order field of turns about combined axes, from those of turns about the mesh axes."""
    x, y = directions[:, a], directions[:, b]
    total = np.zeros(len(Z))
    for column, (i, j) in enumerate(pairs):
        both = x[i] * y[i] if i == j else 0.5 * (x[i] * y[j] + x[j] * y[i])
        total += (1.0 if a == b else 2.0) * both * Z[:, column]
    return total


def test_stress_of_a_pulled_bar():
    model = model_of_trusses(truss([[0, 0, 0], [0, 0, 0.5]], [[0, 1]]))
    pulled = np.zeros((12, 1))
    pulled[8] = 1e-3
    surface = model.surface(pulled, [], np.zeros((12, 0)))
    assert surface.stress_modes[0, :, 2] == pytest.approx(STEEL.youngs_modulus * 1e-3 / 0.5, rel=1e-13)


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        (truss([[0, 0, 0], [0, 0, 0]], [[0, 1]]), "truss element 11 has zero length"),
        (truss([[0, 0, 0], [1, 0, 0]], [[0, 1]], TrussSection(0.0)), "area = 0 m2"),
        (truss([[0, 0, 0], [1, 0, 0]], [[0, 1]], material=replace(STEEL, density=None)), "density None"),
        (truss([[0, 0, 0], [1, 0, 0]], [[0, 1]], material=None), r"\[11\].* have no material"),
    ],
)
def test_impossible_trusses_are_refused_by_name(mesh, words):
    with pytest.raises(MeshError, match=words):
        assemble(mesh)


def test_a_truss_carries_no_marker():
    with pytest.raises(BodyError, match="it has no rotation; use a node"):
        model_of_trusses(space_truss()).point_operator((0.5, 0.05, -0.1))
