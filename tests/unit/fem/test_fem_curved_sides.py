"""Elements with curved sides: stiffness from the fewest points, mass exact."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL, box
from scipy.integrate import quad
from scipy.sparse.linalg import spsolve

from flexmbs import assemble, mass_properties, read_mesh
from flexmbs.fem.solids import kinds
from flexmbs.fem.solids import solids as family
from flexmbs.fem.solids.elements import mass_matrices
from flexmbs.fem.solids.kinds import solid_kind
from flexmbs.mesh import quadrature as gauss
from flexmbs.mesh.element_kinds import KINDS, shape_gradients, shape_values

INNER, OUTER, HEIGHT = 1.0, 2.0, 0.5
# rules that integrate the stiffness of curved sides (nearly) exactly
MANY_POINTS = {"tet10": kinds.tetrahedron_14(), "wedge15": kinds.prism(kinds.triangle_6(), 3), "hex20": kinds.gauss_cube(4)}


def quarter_ring(kind, divisions):
    """A quarter of a thick ring, INNER to OUTER, x and y in its plane; middle nodes on the true surface."""
    mesh = box(kind, divisions)
    radius, angle = INNER + (OUTER - INNER) * mesh.points[:, 0], 0.5 * np.pi * mesh.points[:, 1]
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), HEIGHT * mesh.points[:, 2]])
    return replace(mesh, points=ring), mesh.points


def spun_energy(kind, divisions):
    """Work of the centrifugal load (1 rad/s) on the displacement of the ring, plane strain."""
    mesh, square = quarter_ring(kind, divisions)
    model = assemble(mesh)
    held = np.zeros(mesh.points.shape, bool)
    held[:, 0], held[:, 1] = square[:, 1] > 1.0 - 1e-9, square[:, 1] < 1e-9
    held[:, 2] = (square[:, 2] < 1e-9) | (square[:, 2] > 1.0 - 1e-9)
    free = np.flatnonzero(~held.ravel())
    load = (model.M @ (mesh.points * [1.0, 1.0, 0.0]).ravel())[free]
    return load @ spsolve(model.K[free][:, free].tocsc(), load)


def exact_spun_energy():
    """Rotating thick cylinder: u = A r + B / r - rho (1 - nu'^2) r^3 / (8 E'), free of stress inside and outside
    (S. Timoshenko and J. N. Goodier, Theory of Elasticity, article 32; E', nu' of plane strain)."""
    nu = STEEL.poisson_ratio / (1.0 - STEEL.poisson_ratio)
    modulus = STEEL.youngs_modulus / (1.0 - STEEL.poisson_ratio**2)
    k = STEEL.density * (1.0 - nu**2) / (8.0 * modulus)
    radii = np.array([INNER, OUTER])
    free = np.column_stack([(1.0 + nu) * np.ones(2), -(1.0 - nu) / radii**2])
    A, B = np.linalg.solve(free, k * (3.0 + nu) * radii**2)
    work = quad(lambda r: STEEL.density * r**2 * (A * r + B / r - k * r**3), INNER, OUTER)[0]
    return 0.5 * np.pi * HEIGHT * work


@pytest.mark.parametrize("kind", MANY_POINTS)
def test_a_spun_ring_converges_to_the_exact_energy(kind):
    exact = exact_spun_energy()
    coarse, fine = (spun_energy(kind, (n, 2 * n, 1)) / exact - 1.0 for n in (2, 4))
    # the error of quadratic elements falls 16-fold; coarse and graded as they are here, more than 11-fold
    assert abs(fine) < abs(coarse) / 11.0
    assert abs(fine) < 6e-5


@pytest.mark.parametrize("kind", MANY_POINTS)
def test_more_points_are_no_better(kind, monkeypatch):
    exact = exact_spun_energy()
    few = abs(spun_energy(kind, (2, 4, 1)) / exact - 1.0)
    groups = family.solid_groups
    monkeypatch.setattr(family, "solid_groups", lambda *a: [replace(g, stiffness_rule=MANY_POINTS[kind]) for g in groups(*a)])
    assert few < abs(spun_energy(kind, (2, 4, 1)) / exact - 1.0)


def duffy_rule(count):
    """Points (count^3, 3) and weights over the unit tetrahedron: a cube of Gauss points, collapsed."""
    t, w = np.polynomial.legendre.leggauss(count)
    t, w = 0.5 * (t + 1.0), 0.5 * w
    a, b, c = (grid.ravel() for grid in np.meshgrid(t, t, t, indexing="ij"))
    weights = np.einsum("i,j,k->ijk", w, w, w).ravel() * (1.0 - a) ** 2 * (1.0 - b)
    return np.column_stack([a, b * (1.0 - a), c * (1.0 - a) * (1.0 - b)]), weights


def moments_by_quadrature(mesh, fields, count):
    """int dm, int f dm, int f f^T dm of nodal fields (nn, k) by ``count``^3 points in every tetrahedron."""
    points, weights = duffy_rule(count)
    (block,) = mesh.blocks
    kind = KINDS[block.kind]
    jacobians = np.einsum("gni,enk->egik", shape_gradients(kind, points), mesh.points[block.nodes], optimize=True)
    mass = block.material.density * weights * np.linalg.det(jacobians)
    values = np.einsum("gn,enk->egk", shape_values(kind, points), fields[block.nodes], optimize=True)
    return mass.sum(), np.einsum("eg,egk->k", mass, values), np.einsum("eg,egk,egl->kl", mass, values, values)


@pytest.fixture(scope="module")
def conrod(meshes):
    """The connecting rod; four of ten of its 7131 tetrahedra have curved sides."""
    return read_mesh(meshes / "conrod.inp")


def test_mass_of_curved_tetrahedra_is_exact(conrod):
    """Moments of position and of a mode from the scalar mass matrix and nodal values, against 7^3 Gauss points.

    N_i N_j det J has degree 7 with curved sides, which the 5^3 points of the mass matrix integrate exactly.
    """
    model = assemble(conrod)
    x = model.mesh.points
    bending = np.sin(40.0 * x[:, :1])  # any nodal field will do
    fields = np.hstack([x, bending])
    ones = np.ones(len(x))
    M = model.scalar_mass
    mass, first, second = moments_by_quadrature(model.mesh, fields, 7)
    assert ones @ (M @ ones) == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(ones @ (M @ fields), first, atol=1e-12 * np.abs(first).max())
    np.testing.assert_allclose(fields.T @ (M @ fields), second, rtol=1e-12, atol=1e-12 * np.abs(second).max())


@pytest.mark.parametrize("kind", ["tet10", "pyramid13", "wedge15", "hex20"])
def test_mass_of_strongly_curved_elements_is_exact(kind):
    """Every entry of the scalar mass matrix and the mass properties, against 10 points in each direction."""
    mesh = box(kind, distort=0.1)
    bows = np.random.default_rng(3).uniform(-0.03, 0.03, mesh.points.shape)
    mesh = replace(mesh, points=mesh.points + bows)
    model, (block,) = assemble(mesh), mesh.blocks
    shape, (points, weights) = solid_kind(kind), many_points(kind)
    values, x = shape.values(points), mesh.points[block.nodes]
    jacobians = np.einsum("gin,enk->egik", shape.gradients(points), x, optimize=True)
    mass = STEEL.density * weights * np.linalg.det(jacobians)
    expected = np.zeros(model.scalar_mass.shape)
    for nodes, own in zip(block.nodes, np.einsum("eg,gi,gj->eij", mass, values, values, optimize=True), strict=True):
        expected[np.ix_(nodes, nodes)] += own
    np.testing.assert_allclose(model.scalar_mass.toarray(), expected, rtol=0, atol=1e-12 * expected.max())
    found = mass_properties(mesh)
    assert found.mass == pytest.approx(model.mass, rel=1e-12)
    np.testing.assert_allclose(found.inertia, model.inertia, rtol=0, atol=1e-12 * model.inertia.max())


def many_points(kind):
    """10 points in each direction of the reference domain."""
    if kind == "tet10":
        return gauss.simplex(10, 3)
    if kind == "wedge15":
        return gauss.prism(gauss.simplex(10, 2), 10)
    points, weights = gauss.cube(10, 3)
    return (points * [1, 1, 0.5] - [0, 0, 0.5], 0.5 * weights) if kind == "pyramid13" else (points, weights)


def test_a_lower_degree_would_not_do(conrod):
    """The same with 14 points of degree 5, which are exact for straight sides only: 2.5e-12 off on this gently curved
    mesh."""
    model = assemble(conrod)
    groups = [replace(g, mass_rule=kinds.tetrahedron_14()) for g in model.families[0].groups]
    fields = np.hstack([model.mesh.points, np.sin(40.0 * model.mesh.points[:, :1])])
    _, _, second = moments_by_quadrature(model.mesh, fields, 7)
    total = np.zeros((4, 4))
    for group in groups:
        for part in group.chunks():
            nodal, masses = fields[part.nodes], mass_matrices(part)
            total += np.einsum("eij,eik,ejl->kl", masses, nodal, nodal, optimize=True)
    assert np.abs(total - second).max() > 1e-12 * np.abs(second).max()
