from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL, box, middle_edges, rigid_rotations, six_pyramids, with_midside_nodes
from scipy.linalg import eigh

from flexmbs import ElementBlock, Mesh, MeshError, assemble
from flexmbs.fem.solids.kinds import SOLID_KINDS, solid_kind

SKEW = np.array([[1.0, 0.3, 0.1], [0.0, 0.8, 0.2], [0.1, 0.0, 1.2]])


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_shape_functions_are_one_at_their_node_and_sum_to_one(kind):
    shape = solid_kind(kind)
    assert shape.values(shape.nodes) == pytest.approx(np.eye(len(shape.nodes)), abs=1e-12)
    xi = np.array([[0.1, 0.2, 0.3]])
    assert shape.values(xi).sum() == pytest.approx(1.0, abs=1e-13)
    step = 1e-6
    for axis in range(3):
        shift = step * np.eye(3)[axis]
        difference = (shape.values(xi + shift) - shape.values(xi - shift)) / (2 * step)
        # rounding 1e-16 / step and truncation step^2
        assert shape.gradients(xi)[:, axis] == pytest.approx(difference, abs=1e-9)


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_rules_integrate_the_polynomials_they_are_meant_for(kind):
    from math import factorial

    shape = solid_kind(kind)

    def line(p):
        return (1 - (-1) ** (p + 1)) / (p + 1)

    def exact(i, j, k):
        if shape.basis.corner_count == 4:
            return factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3)
        if shape.basis.corner_count == 5:
            return line(i) * line(j) * (-1) ** k / (k + 1)
        if shape.basis.corner_count == 6:
            return factorial(i) * factorial(j) / factorial(i + j + 2) * line(k)
        return line(i) * line(j) * line(k)

    degrees = {"tet4": (0, 2, 2), "tet10": (2, 4, 7), "wedge6": (1, 4, 4), "wedge15": (2, 6, 8)}
    degrees |= {"hex8": (2, 4, 4), "hex20": (4, 6, 9), "pyramid5": (3, 5, 5), "pyramid13": (5, 7, 9)}
    degrees = degrees[kind]
    for rule, degree in zip((shape.stiffness, shape.mass, shape.curved_mass or shape.mass), degrees, strict=True):
        for i, j, k in np.ndindex(degree + 1, degree + 1, degree + 1):
            if i + j + k <= degree:
                x, y, z = rule.points.T
                assert rule.weights @ (x**i * y**j * z**k) == pytest.approx(exact(i, j, k), abs=1e-13)


@pytest.mark.parametrize("kind", ("tet4", "tet10", "hex8", "hex20"))
def test_matrices_have_the_eigenvalues_of_scikit_fem(kind):
    skfem = pytest.importorskip("skfem")
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    linear = {"tet4": "tet4", "tet10": "tet4", "hex8": "hex8", "hex20": "hex8"}[kind]
    corners = box(linear, (2, 1, 1), affine=SKEW)
    points, cells = corners.points, corners.blocks[0].nodes
    if linear == "hex8":
        # corner order of scikit-fem's MeshHex, by the signs of the reference coordinates
        order = [0, 4, 3, 1, 7, 5, 2, 6]
        mesh = skfem.MeshHex(points.T, cells[:, order].T)
        element = skfem.ElementHex1() if kind == "hex8" else skfem.ElementHexS2()
    else:
        mesh = skfem.MeshTet(points.T, cells.T)
        element = skfem.ElementTetP1() if kind == "tet4" else skfem.ElementTetP2()
    basis = skfem.Basis(mesh, skfem.ElementVector(element), intorder=6)
    K = linear_elasticity(*lame_parameters(STEEL.youngs_modulus, STEEL.poisson_ratio)).assemble(basis).toarray()
    M = STEEL.density * skfem.BilinearForm(lambda u, v, _: sum(u[i] * v[i] for i in range(3))).assemble(basis).toarray()
    model = assemble(box(kind, (2, 1, 1), affine=SKEW), hex8="plain")
    for ours, theirs in ((model.K, K), (model.M, M)):
        # the numbering differs, the eigenvalues cannot; 1e-11 of the largest is rounding
        values, expected = np.linalg.eigvalsh(ours.toarray()), np.linalg.eigvalsh(theirs)
        assert values == pytest.approx(expected, abs=1e-11 * expected[-1])


def test_wedges_bend_like_bricks():
    """A cantilever of 2 x 6 x 1 second-order wedges against as many bricks cut in two: same frequencies to 2 %."""
    size, divisions = (1.0, 0.1, 0.05), (6, 1, 1)
    found = {}
    for kind in ("wedge15", "hex20"):
        model = assemble(box(kind, divisions, size=size))
        free = np.repeat(model.mesh.points[:, 0] > 1e-9, 3)
        K, M = (matrix.toarray()[np.ix_(free, free)] for matrix in (model.K, model.M))
        found[kind] = np.sqrt(eigh(K, M, eigvals_only=True, subset_by_index=(0, 4)))
    # Different spaces on a coarse mesh: wedges with 9 points are up to 1.4 % softer in the third mode.
    assert found["wedge15"] == pytest.approx(found["hex20"], rel=2e-2)


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_patch_of_distorted_elements_carries_constant_stress(kind):
    model = assemble(box(kind, (2, 2, 2), distort=0.2))
    points = model.mesh.points
    gradient = 1e-3 * np.array([[1.0, 0.5, -0.2], [0.1, -0.7, 0.3], [0.4, 0.2, 0.6]])
    field = points @ gradient.T
    forces = (model.K @ field.ravel()).reshape(-1, 3)
    inner = np.all((points > 1e-9) & (points < 1 - 1e-9), axis=1)
    assert inner.any()
    strain = 0.5 * (gradient + gradient.T)
    lam = STEEL.youngs_modulus * 0.3 / (1.3 * 0.4)
    stress = lam * np.trace(strain) * np.eye(3) + 2 * STEEL.shear_modulus * strain
    assert forces[inner] == pytest.approx(0.0, abs=1e-10 * abs(forces).max())
    assert np.vdot(forces, field) == pytest.approx(np.sum(stress * strain), rel=1e-11)


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_stiffness_is_symmetric_with_six_rigid_body_motions(kind):
    model = assemble(box(kind, (2, 1, 1), distort=0.2, affine=SKEW))
    assert abs(model.K - model.K.T).max() <= 1e-12 * abs(model.K).max()
    turns, _, _ = rigid_rotations(model.mesh.points, with_turn=False)
    assert abs(model.K @ turns).max() <= 1e-11 * abs(model.K).max()
    assert np.linalg.matrix_rank(model.K.toarray(), tol=1e-9 * abs(model.K).max()) == model.ndof - 6


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_mass_properties_are_those_of_a_brick(kind):
    size = np.array([0.3, 0.2, 0.1])
    model = assemble(box(kind, (2, 2, 2), size=size, distort=0.2))
    mass = STEEL.density * np.prod(size)
    assert model.mass == pytest.approx(mass, rel=1e-12)
    assert model.center == pytest.approx(size / 2, rel=1e-12)
    assert model.inertia == pytest.approx(mass / 12 * (np.sum(size**2) * np.eye(3) - np.diag(size**2)), rel=1e-11, abs=1e-13)
    total = np.tile(np.eye(3), (len(model.mesh.points), 1))
    assert total.T @ model.M @ total == pytest.approx(mass * np.eye(3), rel=1e-12)
    assert model.scalar_mass.sum() == pytest.approx(mass, rel=1e-12)


@pytest.mark.parametrize("kind", ("tet10", "hex20", "wedge15", "pyramid13"))
def test_volume_and_second_moments_of_curved_elements_are_exact(kind):
    mesh = box(kind, (1, 1, 1))
    # a quadratic map keeps straight edges of the cube quadratic: the mesh is exactly the mapped cube
    x, y, z = mesh.points.T
    bent = replace(mesh, points=np.column_stack([x, y + 0.3 * x**2, z]))
    model = assemble(bent)
    # the map has Jacobian 1, and int (y + 0.3 x^2) over the unit cube = 1/2 + 0.1
    assert model.mass == pytest.approx(STEEL.density, rel=1e-12)
    assert model.center == pytest.approx([0.5, 0.6, 0.5], rel=1e-12)
    yy = 1 / 3 + 0.6 / 6 + 0.09 / 5
    assert bent.points[:, 1] @ model.scalar_mass @ bent.points[:, 1] == pytest.approx(STEEL.density * yy, rel=1e-12)


@pytest.mark.parametrize(("brick", "pyramid"), [("hex8", "pyramid5"), ("hex20", "pyramid13")])
def test_patch_of_bricks_and_pyramids_carries_constant_stress(brick, pyramid):
    """The middle one of 3 x 3 x 3 distorted bricks is cut into pyramids."""
    mesh = box("hex8", (3, 3, 3), distort=0.2)
    cells = mesh.blocks[0].nodes
    middle = np.arange(len(cells)) == 13
    points, cut = six_pyramids(mesh.points, cells[middle])
    count = len(points)
    points, parts = joined_middles(points, {brick: cells[~middle], pyramid: cut})
    assert (len(points) > count) == (brick == "hex20")
    blocks = tuple(ElementBlock(kind, np.arange(len(rows)), rows, STEEL) for kind, rows in parts.items())
    model = assemble(Mesh(points, np.arange(len(points)), blocks))
    forces = (model.K @ (points @ SKEW.T).ravel()).reshape(-1, 3)
    inner = np.all((points > 1e-9) & (points < 1 - 1e-9), axis=1)
    assert forces[inner] == pytest.approx(0.0, abs=1e-10 * abs(forces).max())
    assert model.mass == pytest.approx(STEEL.density, rel=1e-12)


def joined_middles(points, parts):
    """Midside nodes of elements of several kinds, one per edge."""
    rows = []
    for kind, elements in parts.items():
        points, elements = with_midside_nodes(points, elements, middle_edges(kind))
        rows.append(elements)
    unique, inverse = np.unique(points.round(12), axis=0, return_inverse=True)
    return unique, {kind: inverse.ravel()[elements] for kind, elements in zip(parts, rows, strict=True)}


def test_blocks_of_different_kinds_add_up():
    first, second = box("hex8", (1, 1, 1)), box("hex8", (1, 1, 1), affine=None)
    moved = replace(second.blocks[0], nodes=second.blocks[0].nodes + 8)
    both = replace(
        first, points=np.vstack([first.points, second.points + [5, 0, 0]]), node_ids=np.arange(16), blocks=(first.blocks[0], moved)
    )
    assert assemble(both).mass == pytest.approx(2 * STEEL.density, rel=1e-12)


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_inverted_element_is_named(kind):
    mesh = box(kind, (1, 1, 1))
    block = mesh.blocks[0]
    mirrored = replace(mesh, points=mesh.points * [1, 1, -1])
    with pytest.raises(MeshError, match=r"element \d+ has zero or negative volume"):
        assemble(replace(mirrored, blocks=(block,)))


def test_missing_density_is_refused():
    mesh = box("tet4", (1, 1, 1))
    with pytest.raises(MeshError, match="density None"):
        assemble(replace(mesh, blocks=(replace(mesh.blocks[0], material=replace(STEEL, density=None)),)))
