"""Shells: patch tests, rigid motion, mass, second order, drawing and points."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import rigid_rotations
from scipy.sparse.linalg import spsolve
from shell_meshes import KINDS, along_edge, bowl, dofs, flat, sheet, solved

from flexmbs import BodyError, Layer, MeshError, OrthotropicMaterial, ShellSection, assemble, check_mesh, mass_properties
from flexmbs.fem.shells.elements import surface_points
from flexmbs.fem.shells.walls import shell_wall
from flexmbs.mesh.quadrature import rule

every_kind = pytest.mark.parametrize("kind", KINDS)
NO_PAIRS = np.zeros((0, 2), int)


def membrane(x, y):
    a, b, c, d = 1e-3, 2e-3, -1e-3, 3e-3
    values = np.zeros((len(x), 6))
    values[:, 0], values[:, 1], values[:, 5] = a * x + b * y, c * x + d * y, 0.5 * (c - b)
    return values


def plate(wxx, wyy, wxy):
    def field(x, y):
        values = np.zeros((len(x), 6))
        values[:, 2] = 0.5 * (wxx * x**2 + wyy * y**2) + wxy * x * y
        values[:, 3], values[:, 4] = wyy * y + wxy * x, -(wxx * x + wxy * y)
        return values

    return field


@every_kind
@pytest.mark.parametrize("field", [membrane, plate(1.0, 0.0, 0.0), plate(0.3, 1.0, 0.0), plate(0.0, 0.0, 1.0)])
def test_patch_of_constant_strain_or_curvature(kind, field):
    mesh, grid = sheet(kind, (3, 3), flat(), distort=0.3)
    model = assemble(mesh)
    exact = field(*mesh.points[:, :2].T).ravel()
    inner = dofs(grid[1:-1, 1:-1], range(6))
    outer = np.setdiff1d(np.arange(model.ndof), inner)
    found = exact.copy()
    found[inner] = spsolve(model.K[inner][:, inner].tocsc(), -model.K[inner][:, outer] @ exact[outer])
    assert found == pytest.approx(exact, abs=1e-9 * abs(exact).max())
    stress = model.surface(exact[:, None], NO_PAIRS, np.zeros((model.ndof, 0))).stress_modes[0]
    for face in np.split(stress, 2):
        assert face == pytest.approx(np.tile(face[0], (len(face), 1)), abs=1e-9 * abs(stress).max())


@every_kind
@pytest.mark.parametrize("offset", [0.0, 0.02])
def test_six_rigid_body_motions_and_no_other(kind, offset):
    mesh, _ = sheet(kind, (3, 3), bowl, distort=0.3, section=ShellSection(0.05, offset=offset))
    model = assemble(mesh)
    scale = 1.0 / np.sqrt(model.K.diagonal())
    values = np.linalg.eigvalsh(model.K.toarray() * scale[:, None] * scale)
    assert abs(values[:6]).max() < 1e-10
    assert values[6] > 1e-6


@every_kind
@pytest.mark.parametrize("offset", [0.0, 0.02])
def test_second_order_loads_of_rotation_are_those_of_its_quadratic_part(kind, offset):
    mesh, _ = sheet(kind, (3, 3), bowl, distort=0.3, section=ShellSection(0.05, offset=offset))
    model = assemble(mesh)
    linear, pairs, second = rigid_rotations(mesh.points, with_turn=True)
    H = np.zeros((len(mesh.points), 6, len(pairs)))
    H[:, :3] = second.transpose(1, 2, 0)
    expected = -model.K @ H.reshape(model.ndof, -1)
    loads = model.second_order_loads(linear, pairs)
    assert loads == pytest.approx(expected, abs=1e-11 * abs(expected).max())


@every_kind
def test_second_order_loads_and_geometric_stiffness_are_one_form(kind):
    mesh, _ = sheet(kind, (3, 2), bowl, section=ShellSection(0.05, offset=0.02))
    model = assemble(mesh)
    fields = np.random.default_rng(0).standard_normal((model.ndof, 4))
    pairs = np.array([(0, 0), (0, 1), (2, 1)])
    geometric = model.geometric_stiffness(fields[:, 3])
    expected = [fields[:, a] @ geometric @ fields[:, b] for a, b in pairs]
    assert fields[:, 3] @ model.second_order_loads(fields, pairs) == pytest.approx(expected, rel=1e-10)
    assert abs(geometric - geometric.T).max() < 1e-12 * abs(geometric).max()


@every_kind
@pytest.mark.parametrize("place", [flat(), bowl])
def test_mass_and_inertia_samples(kind, place):
    section = ShellSection(0.05, offset=0.02, nonstructural_mass=5.0)
    mesh, _ = sheet(kind, (3, 3), place, distort=0.3, section=section)
    model, expected = assemble(mesh), mass_properties(mesh)
    assert model.mass == pytest.approx(expected.mass, rel=1e-12)
    assert model.center == pytest.approx(expected.center, abs=1e-12)
    assert model.inertia == pytest.approx(expected.inertia, rel=1e-10, abs=1e-10)
    modes = np.random.default_rng(0).standard_normal((model.ndof, 2))
    _, fields, _, W = model.inertia_samples(modes, NO_PAIRS, np.zeros((model.ndof, 0)))
    assert np.sum(fields[0] * (W @ fields[1])) == pytest.approx(modes[:, 0] @ model.M @ modes[:, 1], rel=1e-10)


@pytest.mark.parametrize("kind", ["quad8", "tri6", "quad9"])
def test_mass_of_a_curved_shell_is_that_of_its_middle_surface(kind):
    """Quarter of a tube, nodes at radius 1, middle surface at 0.9 or 1.1. (Flat elements keep their area.)"""

    def tube(s, t):
        return np.sin(t * np.pi / 2), s, np.cos(t * np.pi / 2)

    mesh, _ = sheet(kind, (1, 16), tube, section=ShellSection(0.05, offset=0.1))
    outward = 1.1 if assemble(mesh).families[0].groups[0].normals[0, 0, 2] > 0.0 else 0.9
    expected = 7850.0 * 0.05 * outward * np.pi / 2
    assert assemble(mesh).mass == pytest.approx(expected, rel=1e-4)  # normals at the nodes of 16 parabolas


@every_kind
def test_offset_of_the_middle_surface_is_another_place_of_it(kind):
    there, grid = sheet(kind, (6, 2), lambda s, t: (s, 0.1 * t, 0.02 + 0 * s))
    beside, _ = sheet(kind, (6, 2), lambda s, t: (s, 0.1 * t, 0 * s), section=ShellSection(0.01, offset=0.02))
    tips = []
    for mesh in (there, beside):
        model = assemble(mesh)
        tips.append(solved(model, dofs(grid[0], range(6)), along_edge(model, grid[-1], 2, 1.0))[6 * grid[-1, 1] + 2])
    assert tips[0] == pytest.approx(tips[1], rel=1e-8)


@every_kind
def test_layers_of_one_material_are_one_wall(kind):
    mesh, _ = sheet(kind, (2, 2), bowl, thickness=0.04)
    steel = mesh.blocks[0].material
    layers = tuple(Layer(steel, thickness, angle) for thickness, angle in ((0.01, 0.3), (0.02, 0.0), (0.01, 1.0)))
    layered = replace(mesh, blocks=(replace(mesh.blocks[0], material=None, section=ShellSection(None, layers)),))
    for name in ("K", "M"):
        expected = getattr(assemble(mesh), name)
        assert abs(getattr(assemble(layered), name) - expected).max() < 1e-10 * abs(expected).max()
    check_mesh(layered)


@every_kind
def test_turned_orthotropic_layers(kind):
    along = OrthotropicMaterial("ply", 140e9, 10e9, None, 0.3, None, None, 5e9, 5e9, 3e9, 1600.0)
    across = replace(along, E1=10e9, E2=140e9, nu12=0.3 / 14.0, G13=3e9, G23=5e9)
    K = []
    for material, angle in ((along, np.pi / 2), (across, 0.0)):
        section = ShellSection(None, (Layer(material, 0.01, angle),))
        K.append(assemble(sheet(kind, (2, 2), bowl, section=section)[0]).K)
    assert abs(K[0] - K[1]).max() < 1e-10 * abs(K[0]).max()


@every_kind
def test_axes_of_a_warped_element_with_mesh_x_among_its_normals(kind):
    """Mesh x, axis 1 of the wall, is the normal at one point of the 2 x 2 rule, 1 degree off the mean normal."""
    there = 0.5 - 0.5 / np.sqrt(3.0)

    def warped(s, t):
        return 0.05 * (s * t - there * (s + t)), s, t

    material = OrthotropicMaterial("ply", 140e9, 10e9, None, 0.3, None, None, 5e9, 5e9, 3e9, 1600.0)
    section = ShellSection(None, (Layer(material, 0.01, 0.3),))
    mesh, _ = sheet(kind, (1, 1), warped, section=section)
    model = assemble(mesh)
    assert np.isfinite(model.K.data).all()
    for group in model.families[0].groups:  # all points agree on axis 1
        along = surface_points(group, rule(kind)[0]).frame[:, :, 0]
        assert np.einsum("egi,ehi->egh", along, along).min() > 0.99


@every_kind
def test_points_anywhere_in_the_thickness(kind):
    mesh, _ = sheet(kind, (3, 3), bowl, section=ShellSection(0.05, offset=0.02))
    model, turn = assemble(mesh), np.array([0.1, 0.2, 0.3])
    motion = np.zeros((len(mesh.points), 6))
    motion[:, :3], motion[:, 3:] = np.cross(turn, mesh.points), turn
    samples, _, _, _ = model.inertia_samples(np.zeros((model.ndof, 0)), NO_PAIRS, np.zeros((model.ndof, 0)))
    for point in samples[[0, 20, -1]]:
        expected = [*np.cross(turn, point), *turn]
        assert model.point_operator(point) @ motion.ravel() == pytest.approx(expected, abs=1e-9)
    with pytest.raises(BodyError, match="outside the shells"):
        model.point_operator(np.array([0.5, 0.5, 1.0]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"section": ShellSection(0.0)}, "element 1 has thickness 0 m"),
        ({"section": None}, "element 1 has no thickness"),
        ({"thickness": np.array([[0.1, 0.1, 0.1, -0.1]])}, "element 1 has thickness -0.1 m"),
        ({"section": ShellSection(0.1, behaviour="plane")}, "plane behaviour"),
        ({"nodes": np.array([[0, 3, 1, 4]])}, r"quad4 element 1 \(nodes 1, 4, 2, 5\) has zero or negative area"),
        ({"section": ShellSection(None, (Layer(None, 0.1),))}, "no material"),
    ],
)
def test_impossible_shells_are_refused_by_name(change, words):
    mesh, _ = sheet("quad4", (1, 2), flat())
    one = replace(mesh.blocks[0], nodes=mesh.blocks[0].nodes[:1], ids=np.array([1]))
    mesh = replace(mesh, blocks=(replace(one, **change),))
    with pytest.raises(MeshError, match=words):
        assemble(mesh)
    if "behaviour" not in words:
        with pytest.raises(MeshError, match=words):
            check_mesh(mesh)


@every_kind
def test_membranes_resist_stretch_only(kind):
    """Their nodes have no rotations; stretched, they are shells (tri3: with linear displacement)."""
    section = ShellSection(0.05, offset=0.0, behaviour="membrane")
    mesh, _ = sheet(kind, (3, 3), flat(), distort=0.3, section=section)
    model, shell = assemble(mesh), assemble(sheet(kind, (3, 3), flat(), thickness=0.05, distort=0.3)[0])
    assert np.flatnonzero(np.diff(model.dependence.D.indptr)).tolist() == dofs(np.arange(len(mesh.points)), range(3)).tolist()
    stretched = membrane(*mesh.points[:, :2].T)
    forces = (model.K @ stretched.ravel()).reshape(-1, 6)
    expected = (shell.K @ stretched.ravel()).reshape(-1, 6)
    assert np.sum(stretched * forces) == pytest.approx(np.sum(stretched * expected), rel=1e-10)
    if kind != "tri3":  # whose sides curve with the rotations
        assert forces[:, :3] == pytest.approx(expected[:, :3], abs=1e-9 * abs(expected).max())
    assert (model.K @ plate(1.0, 0.3, 0.5)(*mesh.points[:, :2].T).ravel()) == pytest.approx(0.0, abs=1e-3)
    expected = mass_properties(mesh)
    assert model.mass == pytest.approx(expected.mass, rel=1e-12)
    assert model.inertia == pytest.approx(expected.inertia, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(("kind", "moved"), [("quad8", 0.3), ("tri6", 0.3), ("quad9", 0.3)])
def test_middle_nodes_far_from_the_middle_turn_the_surface_over(kind, moved):
    """Beyond a quarter of the side from its middle the surface folds at the near corner."""
    mesh, _ = sheet(kind, (1, 1), flat())
    corner_count = 3 if kind == "tri6" else 4
    first, second, middle = mesh.blocks[0].nodes[0, [0, 1, corner_count]]
    points = mesh.points.copy()
    points[middle] += moved * (points[second] - points[first])
    for check in (assemble, check_mesh):
        with pytest.raises(MeshError, match=f"{kind} element 1 .* has zero or negative area at its node"):
            check(replace(mesh, points=points))


def test_transverse_shear_of_one_layer_and_of_a_sandwich():
    """5/6 G t; between stiff faces the core c shears over their distance d: G d^2 / c."""
    mesh, _ = sheet("quad4", (1, 1), flat(), thickness=0.04)
    steel, thickness = mesh.blocks[0].material, np.array(0.04)
    one = shell_wall(mesh.blocks[0], "").stiffness(thickness)
    assert one[6:8, 6:8] == pytest.approx(5 / 6 * steel.shear_modulus * 0.04 * np.eye(2), rel=1e-12)
    foam = replace(steel, youngs_modulus=1e6, poisson_ratio=0.0)
    layers = (Layer(steel, 1e-3), Layer(foam, 38e-3), Layer(steel, 1e-3))
    section = ShellSection(None, layers)
    sandwich = shell_wall(replace(mesh.blocks[0], section=section), "").stiffness(thickness)
    assert sandwich[6, 6] == pytest.approx(0.5e6 * 39e-3**2 / 38e-3, rel=1e-3)


@pytest.mark.parametrize("kind", ["quad4", "quad8", "quad9"])
@pytest.mark.parametrize("field", [membrane, plate(1.0, 0.3, 0.5)])
def test_patch_of_quadrilaterals_and_triangles_together(field, kind):
    mesh, grid = sheet(kind, (4, 3), flat(), distort=0.3)
    block, second_order = mesh.blocks[0], kind != "quad4"
    points, cut = mesh.points, [block.nodes[6:][:, corners] for corners in ([0, 1, 2], [0, 2, 3])]
    if second_order:
        middles = len(points) + np.arange(len(cut[0]))[:, None]
        points = np.concatenate([points, 0.5 * (points[cut[0][:, 0]] + points[cut[0][:, 2]])])
        sides = block.nodes[6:, 4:8]
        cut = [np.hstack([cut[0], sides[:, :2], middles]), np.hstack([cut[1], middles, sides[:, 2:]])]
    cut = np.concatenate(cut)
    triangles = replace(block, kind="tri6" if second_order else "tri3", nodes=cut, ids=np.arange(len(cut)) + 7)
    quads = replace(block, nodes=block.nodes[:6], ids=block.ids[:6])
    mesh = replace(mesh, points=points, node_ids=np.arange(len(points)) + 1, blocks=(quads, triangles))
    model = assemble(mesh)
    points = model.mesh.points  # without the nodes inside the quadrilaterals that were cut
    forces = model.K @ field(*points[:, :2].T).ravel()
    edge = np.abs(np.abs(points[:, :2] - [0.5, 0.0]) - 0.5).min(axis=1) < 1e-9
    assert abs(forces.reshape(-1, 6)[~edge]).max() < 1e-10 * abs(forces).max()
