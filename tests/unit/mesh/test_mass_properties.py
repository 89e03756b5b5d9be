"""Mass, centre and inertia of meshes against closed forms."""

from dataclasses import replace

import numpy as np
import pytest

from flexmbs import (
    BeamSection,
    ElementBlock,
    Layer,
    Material,
    Mesh,
    PointMass,
    ShellSection,
    SpringSection,
    TrussSection,
    UnsupportedElements,
    box_mesh,
    line_mesh,
    mass_properties,
    rectangle,
)
from flexmbs.mesh.element_kinds import KINDS

STEEL = Material("STEEL", 210e9, 0.3, 7850.0, where="a.inp:3")
ROUNDING = 1e-12


def mesh_of(kind, points, nodes=None, material=STEEL, section=None, **fields):
    points = np.asarray(points, float)
    nodes = np.atleast_2d(np.arange(len(points)) if nodes is None else nodes)
    block = ElementBlock(kind, np.arange(1, len(nodes) + 1), nodes, material, section, **fields)
    return Mesh(points, np.arange(1, len(points) + 1), (block,), source="own.inp")


def with_middles(kind, corners):
    corners = np.asarray(corners, float)
    return np.vstack([corners, *[(corners[i] + corners[j])[None] / 2 for i, j in KINDS[kind].edges]])


def box_inertia(mass, a, b, c):
    return mass / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])


def turn(axis, angle):
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


CUBE = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], float)
# Parts of the unit cube that fill it: two wedges, three pyramids with one apex, six tetrahedra around a diagonal.
PARTS = {
    "hex8": [[0, 1, 2, 3, 4, 5, 6, 7]],
    "wedge6": [[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 6, 7]],
    "pyramid5": [[0, 3, 2, 1, 6], [0, 1, 5, 4, 6], [0, 4, 7, 3, 6]],
    "tet4": [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]],
}
SECOND = {"hex8": "hex20", "wedge6": "wedge15", "pyramid5": "pyramid13", "tet4": "tet10"}


@pytest.mark.parametrize("second_order", [False, True])
@pytest.mark.parametrize("kind", PARTS)
def test_a_box_of_any_solids_has_the_mass_properties_of_a_box(kind, second_order):
    size = np.array([0.2, 0.5, 1.1])
    parts = [CUBE[nodes] * size + 3.0 for nodes in PARTS[kind]]
    if second_order:
        kind = SECOND[kind]
        parts = [with_middles(kind, part) for part in parts]
    count = KINDS[kind].node_count
    found = mass_properties(mesh_of(kind, np.vstack(parts), np.arange(len(parts) * count).reshape(-1, count)))
    assert found.volume == pytest.approx(0.11, rel=ROUNDING)
    assert found.mass == pytest.approx(0.11 * 7850.0, rel=ROUNDING)
    assert found.center == pytest.approx(3.0 + size / 2, rel=ROUNDING)
    assert found.inertia == pytest.approx(box_inertia(found.mass, *size), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("kind", SECOND.values())
def test_curved_solids_keep_quadratic_maps_exact(kind):
    # The map (x, y, z) -> (x, y, z + x y + x^2) has Jacobian 1 and is in the span of every second-order kind,
    # so elements that fill the cube fill its image: volume 1, mean z = 1/2 + 1/4 + 1/3.
    first = next(name for name, second in SECOND.items() if second == kind)
    parts = np.vstack([with_middles(kind, CUBE[nodes]) for nodes in PARTS[first]])
    parts[:, 2] += parts[:, 0] * parts[:, 1] + parts[:, 0] ** 2
    found = mass_properties(mesh_of(kind, parts, np.arange(len(parts)).reshape(-1, KINDS[kind].node_count)))
    assert found.volume == pytest.approx(1.0, rel=ROUNDING)
    assert found.center == pytest.approx([0.5, 0.5, 0.5 + 0.25 + 1.0 / 3.0], rel=ROUNDING)
    # int (z - mean z)^2 = 1/12 + int (x y + x^2)^2 - (7/12)^2, with int (xy + x^2)^2 = 1/9 + 2/8 + 1/5
    spread_z = 1 / 12 + 1 / 9 + 1 / 4 + 1 / 5 - (7 / 12) ** 2
    spread = (np.trace(found.inertia) / 2 * np.eye(3) - found.inertia) / found.mass
    assert spread[2, 2] == pytest.approx(spread_z, rel=ROUNDING)


def test_an_element_with_its_nodes_turned_around_has_positive_mass():
    mesh = mesh_of("tet4", CUBE[[0, 2, 1, 6]])
    assert mass_properties(mesh).volume == pytest.approx(1 / 6, rel=ROUNDING)


@pytest.mark.parametrize("kind", ["quad4", "quad8", "quad9", "tri3", "tri6"])
def test_a_flat_shell_is_a_thin_box(kind):
    a, b, t = 2.0, 1.0, 0.3
    corners = np.array([(0, 0, 0), (a, 0, 0), (a, b, 0), (0, b, 0)])
    parts = [corners] if kind.startswith("quad") else [corners[[0, 1, 2]], corners[[0, 2, 3]]]
    if kind in ("quad8", "tri6", "quad9"):
        parts = [with_middles(kind, part) for part in parts]
    if kind == "quad9":
        parts = [np.vstack([part, part[:4].mean(axis=0)]) for part in parts]
    points = np.vstack(parts)
    mesh = mesh_of(kind, points, np.arange(len(points)).reshape(len(parts), -1), section=ShellSection(t, offset=0.7))
    found = mass_properties(mesh)
    assert found.mass == pytest.approx(a * b * t * 7850.0, rel=ROUNDING)
    assert found.center == pytest.approx([a / 2, b / 2, 0.7], rel=ROUNDING)
    assert found.inertia == pytest.approx(box_inertia(found.mass, a, b, t), rel=1e-11, abs=1e-9)


def cylinder_shell(kind, around, radius=1.0, height=2.0):
    """Quarter tubes put together; second-order elements have their middle nodes on the cylinder."""
    corners = {"quad4": [(0, 0), (1, 0), (1, 1), (0, 1)]}
    corners["quad8"] = corners["quad4"] + [(0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)]
    places = np.array([[(i + u, v) for u, v in corners[kind]] for i in range(around)])
    angle = 2 * np.pi * places[..., 0] / around
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle), height * places[..., 1]], axis=-1)
    return points.reshape(-1, 3), np.arange(points.shape[0] * points.shape[1]).reshape(around, -1)


@pytest.mark.parametrize(("kind", "error"), [("quad4", 2e-3), ("quad8", 4e-7)])
def test_a_cylinder_shell(kind, error):
    # 48 elements around: polygons have an area short by (pi/48)^2 / 6 parts, parabolas by (pi/48)^4 / 60
    thickness = 0.01
    found = mass_properties(mesh_of(kind, *cylinder_shell(kind, 48), section=ShellSection(thickness)))
    mass = 2 * np.pi * 2.0 * thickness * 7850.0
    assert found.mass == pytest.approx(mass, rel=error)
    # own inertia of the wall: (outer^2 + inner^2)/2 = r^2 + t^2/4; the shell has r^2 + t^2/12 (area does not vary)
    about_axis = mass * (1.0 + thickness**2 / 12)
    assert found.inertia[2, 2] == pytest.approx(about_axis, rel=3 * error)
    assert found.inertia[0, 0] == pytest.approx(about_axis / 2 + mass * (2.0**2) / 12, rel=3 * error)


def test_nodal_thickness_layers_and_nonstructural_mass_of_shells():
    square = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)
    wedge = mesh_of("quad4", square, thickness=np.array([[0.1, 0.3, 0.3, 0.1]]), section=ShellSection(None))
    found = mass_properties(wedge)
    assert found.volume == pytest.approx(0.2, rel=ROUNDING)
    assert found.center[0] == pytest.approx(0.5 + 0.2 / 12 / 0.2, rel=ROUNDING)  # int x (0.1 + 0.2 x) dx / 0.2
    light = Material("FOAM", 1e6, 0.3, 100.0)
    layers = (Layer(STEEL, 0.01), Layer(light, 0.09))
    found = mass_properties(mesh_of("quad4", square, material=None, section=ShellSection(None, layers)))
    assert found.mass == pytest.approx(78.5 + 9.0, rel=ROUNDING)
    assert found.center[2] == pytest.approx((78.5 * -0.045 + 9.0 * 0.005) / 87.5, rel=ROUNDING)
    found = mass_properties(mesh_of("quad4", square, section=ShellSection(0.01, nonstructural_mass=5.0)))
    assert found.mass == pytest.approx(83.5, rel=ROUNDING)
    # rows without values take the section's
    own = replace(wedge.blocks[0], thickness=np.full((1, 4), np.nan), section=ShellSection(0.5), shell_offsets=np.array([np.nan]))
    assert mass_properties(replace(wedge, blocks=(own,))).volume == pytest.approx(0.5, rel=ROUNDING)


def test_a_warped_quad_has_the_area_of_its_surface():
    # z = x y over the unit square: int sqrt(1 + x^2 + y^2) = 1.280789271462... (by fine midpoint sums)
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 1), (0, 1, 0)]
    x = (np.arange(2000) + 0.5) / 2000
    exact = np.mean(np.sqrt(1 + x[:, None] ** 2 + x**2))
    found = mass_properties(mesh_of("quad4", points, section=ShellSection(1.0)))
    assert found.volume == pytest.approx(exact, rel=1e-5)  # 3 x 3 Gauss points of a root


def test_a_beam_is_a_box_whatever_its_direction():
    length, a, b = 2.0, 0.3, 0.5
    y_axis = np.array([0.0, 1.0, 1.0]) / np.sqrt(2)
    mesh = line_mesh(length, 3, rectangle(a, b, y_axis), STEEL, direction=(1.0, 2.0, -2.0))
    found = mass_properties(mesh)
    x = np.array([1.0, 2.0, -2.0]) / 3
    y = y_axis - (y_axis @ x) * x
    y /= np.linalg.norm(y)
    frame = np.column_stack([x, y, np.cross(x, y)])
    assert found.mass == pytest.approx(length * a * b * 7850.0, rel=ROUNDING)
    assert found.inertia == pytest.approx(frame @ box_inertia(found.mass, length, a, b) @ frame.T, rel=1e-11)


def test_beams_with_offsets_centroid_principal_angle_taper_and_own_axes():
    base = replace(rectangle(0.1, 0.1), nonstructural_mass=2.0)
    points = [(0, 0, 0), (1, 0, 0)]
    moved = mesh_of("beam2", points, section=base, offsets=np.array([[(0, 0, 0.5), (0, 0, 0.7)]]))
    assert mass_properties(moved).center == pytest.approx([0.5, 0.0, 0.6], rel=ROUNDING)
    assert mass_properties(moved).mass == pytest.approx((78.5 + 2.0) * np.hypot(1, 0.2), rel=ROUNDING)
    turned = replace(base, centroid=(0.2, 0.0), principal_angle=np.pi / 2)
    assert mass_properties(mesh_of("beam2", points, section=turned)).center[2] == pytest.approx(0.2, rel=ROUNDING)
    axes = mesh_of("beam2", points, section=replace(turned, principal_angle=0.0), y_axes=np.array([[0.0, 0.0, -1.0]]))
    assert mass_properties(axes).center[2] == pytest.approx(-0.2, rel=ROUNDING)
    tapered = replace(rectangle(0.1, 0.1), end=rectangle(0.1, 0.3))
    found = mass_properties(mesh_of("beam2", points, section=tapered))
    assert found.volume == pytest.approx(0.02, rel=ROUNDING)
    assert found.center[0] == pytest.approx((0.01 / 2 + 0.02 / 3) / 0.02, rel=ROUNDING)


def test_a_ring_of_curved_beams():
    # 24 parabolas around; their length is short by about (pi/24)^4 / 120 parts
    angle = 2 * np.pi * (np.arange(24)[:, None] + [0.0, 1.0, 0.5]) / 24
    points = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1).reshape(-1, 3)
    section = rectangle(0.02, 0.02, (0.0, 0.0, 1.0))
    mesh = mesh_of("beam3", points, np.arange(72).reshape(24, 3), section=section)
    found = mass_properties(mesh)
    assert found.mass == pytest.approx(2 * np.pi * 4e-4 * 7850.0, rel=1e-5)
    assert found.inertia[2, 2] == pytest.approx(found.mass * (1.0 + 0.02**2 / 12), rel=1e-4)


def test_trusses_springs_and_point_masses():
    points = [(0, 0, 0), (2, 0, 0)]
    found = mass_properties(mesh_of("truss2", points, section=TrussSection(0.01, nonstructural_mass=1.0)))
    assert found.mass == pytest.approx(2 * (78.5 + 1.0), rel=ROUNDING)
    mesh = mesh_of("spring2", points, material=None, section=SpringSection(mass=4.0))
    inertia = np.diag([1.0, 2.0, 3.0])
    top = replace(mesh, point_masses=(PointMass("TOP", 1, 4.0, inertia, np.array([0.0, 0.0, 1.0])),))
    found = mass_properties(top)  # 2 kg at x = 0, 2 kg at x = 2, 4 kg one above the latter
    assert found.mass == 8.0
    assert found.center == pytest.approx([1.5, 0.0, 0.5], rel=ROUNDING)
    squares_x, squares_z, mixed = 2 * 1.5**2 + 6 * 0.5**2, 4 * 0.5**2 * 2, -2 * 1.5 * -0.5 + 2 * 0.5 * -0.5 + 4 * 0.25
    expected = inertia + [[squares_z, 0, -mixed], [0, squares_x + squares_z, 0], [-mixed, 0, squares_x]]
    assert found.inertia == pytest.approx(expected, rel=ROUNDING)


@pytest.mark.parametrize("seed", range(5))
def test_moving_and_turning_a_body_moves_and_turns_its_properties(seed):
    rng = np.random.default_rng(seed)
    solid = box_mesh((0.4, 0.2, 0.1), (2, 1, 1), STEEL, "hex20")
    crooked = solid.points + 0.01 * rng.standard_normal(solid.points.shape)
    line = rng.uniform(1.0, 2.0, (3, 3))
    points = np.vstack([crooked, line])
    n = len(crooked)
    section = replace(rectangle(0.1, 0.3), y_axis=rng.standard_normal(3), centroid=(0.05, 0.1), principal_angle=0.3)
    blocks = (
        solid.blocks[0],
        ElementBlock("beam3", np.array([90]), np.array([[n, n + 1, n + 2]]), STEEL, section),
        ElementBlock("tri3", np.array([91]), np.array([[n, n + 1, n + 2]]), STEEL, ShellSection(0.02, offset=0.1)),
    )
    mass = PointMass("M", n, 3.0, np.diag([0.1, 0.2, 0.25]), np.array([0.1, 0.0, 0.2]))
    mesh = Mesh(points, np.arange(len(points)), blocks, source="random", point_masses=(mass,))
    before = mass_properties(mesh)
    rotation, shift = turn(rng.standard_normal(3), rng.uniform(0, 3)), rng.uniform(-10, 10, 3)
    turned_beam = replace(blocks[1], section=replace(section, y_axis=rotation @ section.y_axis))
    moved = replace(
        mesh,
        points=points @ rotation.T + shift,
        blocks=(blocks[0], turned_beam, blocks[2]),
        point_masses=(replace(mass, inertia=rotation @ mass.inertia @ rotation.T, offset=rotation @ mass.offset),),
    )
    after = mass_properties(moved)
    assert after.mass == pytest.approx(before.mass, rel=1e-12)
    assert after.center == pytest.approx(rotation @ before.center + shift, rel=1e-12, abs=1e-12)
    largest = np.abs(before.inertia).max()
    assert after.inertia == pytest.approx(rotation @ before.inertia @ rotation.T, rel=1e-11, abs=1e-11 * largest)


@pytest.mark.parametrize("kind", ["hex8", "hex20", "beam2"])
def test_the_matrices_of_a_body_have_the_same_mass_and_inertia(kind):
    from flexmbs import assemble

    if kind == "beam2":
        mesh = line_mesh(1.3, 5, rectangle(0.1, 0.3), STEEL, direction=(1.0, 2.0, 3.0))
    else:
        mesh = box_mesh((1.0, 0.3, 0.2), (3, 2, 2), STEEL, kind)
    found, matrix = mass_properties(mesh), assemble(mesh).M
    per_node = matrix.shape[0] // len(mesh.points)
    rigid = np.zeros((len(mesh.points), per_node, 6))
    rigid[:, :3, :3] = np.eye(3)
    for axis in range(3):
        rigid[:, :3, 3 + axis] = np.cross(np.eye(3)[axis], mesh.points - found.center)
    if per_node == 6:
        rigid[:, 3:, 3:] = np.eye(3)
    rigid = rigid.reshape(-1, 6)
    reduced = rigid.T @ (matrix @ rigid)
    assert reduced[:3, :3] == pytest.approx(found.mass * np.eye(3), rel=1e-12, abs=1e-10)
    assert reduced[3:, 3:] == pytest.approx(found.inertia, rel=1e-11, abs=1e-10)
    assert reduced[:3, 3:] == pytest.approx(np.zeros((3, 3)), abs=1e-10)


def test_what_is_missing_is_named_with_the_card_to_add():
    no_density = Material("SOFT", 1e9, 0.3, where="own.inp:7")
    solid = replace(mesh_of("tet4", CUBE[[0, 1, 2, 6]], material=no_density), file_format="Abaqus/CalculiX")
    found = mass_properties(solid)
    assert found.mass is None and found.center is None and found.volume == pytest.approx(1 / 6)
    assert "SOFT without density (own.inp:7); add *DENSITY" in found.missing[0]
    shell = replace(mesh_of("tri3", CUBE[:3], material=None), file_format="Nastran")
    found = mass_properties(shell)
    assert "no shell thickness; add PSHELL" in found.missing[0] and "no material; add MID" in found.missing[1]
    assert found.volume == 0.0
    beam = mass_properties(mesh_of("beam2", CUBE[:2]))
    assert "no beam section; use with_rectangular_section" in beam.missing[0]
    strange = replace(solid, other_elements=(UnsupportedElements("CFOO", "unknown", np.array([1]), np.array([[0, 1]])),))
    assert "CFOO" in mass_properties(strange).missing[1]


def test_elements_of_unknown_types_are_named_but_do_not_hide_the_mass():
    solid = mesh_of("tet4", CUBE[[0, 1, 3, 4]])
    strange = replace(solid, other_elements=(UnsupportedElements("CFOO", "unknown", np.array([1]), np.array([[0, 1]])),))
    found = mass_properties(strange)
    assert found.mass == mass_properties(solid).mass is not None
    assert "1 elements of type CFOO" in found.missing[0] and "not included" in found.missing[0]


def test_nothing_heavy_weighs_nothing():
    found = mass_properties(mesh_of("spring2", CUBE[:2], material=None, section=SpringSection()))
    assert found.mass == 0.0 and found.center is None and isinstance(rectangle(1.0, 1.0), BeamSection)
