"""Shapes of contacts: their numbers are checked, pairs that cannot touch are refused, outlines are closed."""

import numpy as np
import pytest
from icosphere import icosphere

import flexmbs as fm
from flexmbs.core.contact.distance.shape_distance import shape_distance
from flexmbs.mechanism.geometry import primitives
from flexmbs.mechanism.geometry.surface_mesh import SurfaceMesh, enclosed_moments

LAW = fm.LinearContact(1e6)


def two_markers():
    system = fm.System()
    body = system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), "block", position=(0.0, 5.0, 0.0))
    return system, body["origin"], system.ground["origin"]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda m: fm.Sphere(m, 0.0), "Sphere on marker 'block.origin': radius 0.0 m must be positive"),
        (lambda m: fm.Sphere(m, -1.0), "radius -1.0 m must be positive"),
        (lambda m: fm.Capsule(m, 0.0, 1.0), "Capsule on marker 'block.origin': radius 0.0 m must be positive"),
        (lambda m: fm.Capsule(m, 0.1, 1.0, "w"), "axis 'w'; give 'x', 'y', 'z' or a vector"),
        (lambda m: fm.Cylinder(m, 0.1, -2.0), "length -2.0 m must be positive"),
        (lambda m: fm.Cylinder(m, 0.1, 0.2, (0.0, 0.0, 0.0)), "axis has zero length"),
        (lambda m: fm.Cylinder(m, 0.1, 0.2, crown=0.1), "crown 0.1 m; the crown must be positive, and edge_radius"),
        (lambda m: fm.Box(m, (1.0, 0.0, 1.0)), "must be three positive lengths"),
        (lambda m: fm.Torus(m, 0.1, 0.2), "tube_radius 0.2 m must be below radius"),
        (lambda m: fm.Bore(m, float("nan")), "not a finite number"),
        (lambda m: fm.Cavity(m, -0.1), "radius -0.1 m must be positive"),
        (lambda m: fm.Rectangle(m, (1.0, -1.0)), "two positive lengths"),
        (lambda m: fm.Rectangle(m, (1.0, 1.0), normal="x", first_edge="x"), "parallel to the normal"),
        (lambda m: fm.Disc(m, 1.0, thickness=-0.1), "must be at least 0"),
        (lambda m: fm.RigidSurface(m), "there is no surface"),
    ],
)
def test_sizes_are_checked(make, message):
    _system, marker, _ground = two_markers()
    with pytest.raises(fm.MechanismError, match=message):
        make(marker)


def test_open_inverted_and_torn_surfaces_are_refused():
    _system, marker, _ground = two_markers()
    ball = fm.RigidBody.sphere(1000.0, 0.1).surface
    points, triangles = ball.points, ball.triangles
    with pytest.raises(fm.MechanismError, match="open: 3 of .* edges"):
        fm.RigidSurface(marker, SurfaceMesh.of_triangles(points, triangles[1:]))
    with pytest.raises(fm.MechanismError, match=r"inverted, it encloses the volume -0\.00"):
        fm.RigidSurface(marker, SurfaceMesh.of_triangles(points, triangles[:, ::-1]))
    turned = triangles.copy()
    turned[0] = turned[0, ::-1]
    with pytest.raises(fm.MechanismError, match="open: .* used more than once"):
        fm.RigidSurface(marker, SurfaceMesh.of_triangles(points, turned))


def test_unsupported_pairs_say_what_is_supported():
    system, a, b = two_markers()
    with pytest.raises(
        fm.MechanismError, match="no contact between a Plane and a Plane; a Plane can touch: BodySurface, Box, Capsule"
    ):
        system.contact(fm.Plane(a), fm.Plane(b), law=LAW)
    with pytest.raises(fm.MechanismError, match="Box without|Rectangle without thickness can touch points, spheres and caps"):
        system.contact(fm.Box(a, (1.0, 1.0, 1.0)), fm.Rectangle(b, (2.0, 2.0)), law=LAW)
    with pytest.raises(fm.MechanismError, match="both shapes are on body 'block'"):
        system.contact(fm.Box(a, (1.0, 1.0, 1.0)), fm.Sphere(a, 1.0), law=LAW)
    with pytest.raises(fm.MechanismError, match="not smaller than the bore"):
        system.contact(fm.Cylinder(a, 1.0, 1.0), fm.Bore(b, 1.0), law=LAW)


HOLES = {
    "ball on a rim": (lambda m: fm.Sphere(m, 0.3), lambda m: fm.Bore(m, 0.2, length=0.1), r"bore \(0.2 m\); it lies on the whole"),
    "ball in a ring": (lambda m: fm.Sphere(m, 0.3), lambda m: fm.Torus(m, 0.3, 0.1), r"torus \(0.2 m\); it lies on the whole"),
    "ball in a bore": (lambda m: fm.Sphere(m, 0.3), lambda m: fm.Bore(m, 0.2), r"sphere \(0.3 m\) is not smaller than the bore"),
    "ball in a cavity": (lambda m: fm.Sphere(m, 0.2), lambda m: fm.Cavity(m, 0.2), "not smaller than the cavity"),
    "thick rod": (lambda m: fm.Capsule(m, 0.2, 1.0), lambda m: fm.Bore(m, 0.2), "not smaller than the bore"),
    "wide box": (lambda m: fm.Box(m, (9.0, 0.3, 0.4)), lambda m: fm.Bore(m, 0.25), r"box \(0.25 m\) is not smaller than the bore"),
    "rod at rims": (lambda m: fm.Capsule(m, 0.1, 1.0), lambda m: fm.Bore(m, 0.2, length=0.1), "Capsule fits a Bore without"),
    "box at rims": (lambda m: fm.Box(m, (1.0, 0.1, 0.1)), lambda m: fm.Bore(m, 0.2, length=0.1), "Box fits a Bore without"),
    "rod on a ring": (lambda m: fm.Capsule(m, 0.1, 1.0), lambda m: fm.Torus(m, 0.3, 0.1), "at several places at once"),
    "linked rings": (lambda m: fm.Torus(m, 0.3, 0.1), lambda m: fm.Torus(m, 0.3, 0.1), "at several places at once"),
}


@pytest.mark.parametrize("case", HOLES)
@pytest.mark.parametrize("law", [LAW, fm.Rigid()], ids=["elastic", "rigid"])
def test_what_touches_a_hole_all_round_is_refused(case, law):
    system, a, b = two_markers()
    first, second, message = HOLES[case]
    with pytest.raises(fm.MechanismError, match=message):
        system.contact(first(a), second(b), law=law)
    assert not system.contacts


def test_a_ball_rests_on_spheres_round_a_ring():
    """Which the refusal of the ring advises: 4 cm from the circle of 3 cm on which their centres are."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = system.add(fm.RigidBody.sphere(1000.0, 0.03), "ball", position=(3e-3, 1e-3, 0.04))
    for k in range(6):
        place = 0.03 * np.cos(np.pi * k / 3.0), 0.03 * np.sin(np.pi * k / 3.0), 0.0
        law = fm.Rigid(restitution=0.3, friction=0.2)
        system.contact(fm.Sphere(ball.frame, 0.03), fm.Sphere(system.ground.marker(f"{k}", place), 0.01), law=law)
    result = system.simulate(0.5)
    # three contacts that are closed leave one place; positions at rest are kept to rounding
    assert result["ball.free.z"][-1] == pytest.approx(np.sqrt(0.04**2 - 0.03**2), abs=1e-9)


def notched(angle: float) -> SurfaceMesh:
    """A prism along z whose upper face has a groove with this angle between its sides, rad."""
    depth = 0.1 / np.tan(0.5 * angle)
    outline = np.array([(-0.3, -0.5), (0.3, -0.5), (0.3, 0.0), (0.1, 0.0), (0.0, -depth), (-0.1, 0.0), (-0.3, 0.0)])
    caps = np.array([(0, 1, 4), (1, 3, 4), (1, 2, 3), (0, 4, 5), (0, 5, 6)])
    points = np.concatenate([np.column_stack([outline, np.full(7, z)]) for z in (0.0, 1.0)])
    here, there = np.arange(7), np.roll(np.arange(7), -1)
    sides = np.concatenate([np.column_stack([here, there, there + 7]), np.column_stack([here, there + 7, here + 7])])
    return SurfaceMesh.of_triangles(points, np.concatenate([caps[:, ::-1], caps + 7, sides]))


def test_rigid_contact_with_concave_surfaces_is_refused():
    system, a, b = two_markers()
    groove = fm.RigidSurface(b, notched(np.pi / 2.0))
    for shape in (fm.Sphere(a, 0.05), fm.Point(a), fm.Capsule(a, 0.05, 0.1)):
        with pytest.raises(fm.MechanismError, match=f"a {type(shape).__name__} touches at two places at once.*each convex part"):
            system.contact(shape, groove, law=fm.Rigid())
        system.contact(shape, groove, law=LAW)
    assert fm.RigidSurface(b, fm.RigidBody.box(1.0, (0.1, 0.2, 0.3)).surface).hollow == np.inf
    assert fm.RigidSurface(b, icosphere(3, 0.2)).hollow == np.inf
    tube = fm.RigidSurface(b, primitives.cylinder(0.1, 0.05, 0.04, axis="z").surface)
    assert tube.hollow == pytest.approx(0.04, rel=2e-3)  # bends of about 0.1 rad: cos is 1 to half of their squares, by 8
    system.contact(fm.Sphere(a, 0.039), tube, law=fm.Rigid())
    with pytest.raises(fm.MechanismError, match=r"places with a radius of 0.04 m"):
        system.contact(fm.Sphere(a, 0.041), tube, law=fm.Rigid())


def test_a_rigid_body_stands_for_its_surface():
    system, _a, b = two_markers()
    contact = system.contact(fm.Sphere(b, 0.2), system.bodies["block"], law=LAW)
    assert isinstance(contact.second, fm.RigidSurface) and contact.second.marker.label == "block.origin"
    with pytest.raises(fm.MechanismError, match="there is no surface"):
        system.contact(fm.Sphere(b, 0.2), system.add(fm.RigidBody.point(1.0), "dot"), law=LAW)


def test_points_of_a_contact_are_named_and_numbered():
    system, a, b = two_markers()
    assert system.contact(fm.Box(a, (1.0, 1.0, 1.0)), fm.Plane(b), law=LAW, name="feet").point_names[7] == "feet[8]"
    assert system.contact(fm.Plane(b), fm.Capsule(a, 0.1, 1.0), law=LAW, name="ends").point_names == ("ends[1]", "ends[2]")


VOLUMES = {  # m3
    "capsule": (lambda m: fm.Capsule(m, 0.5, 2.0, "y"), np.pi / 6.0 + np.pi / 2.0),
    "cylinder": (lambda m: fm.Cylinder(m, 0.5, 2.0, (1.0, 1.0, 0.0)), np.pi / 2.0),
    "box": (lambda m: fm.Box(m, (1.0, 2.0, 3.0)), 6.0),
    "torus": (lambda m: fm.Torus(m, 0.5, 0.2), 2.0 * np.pi**2 * 0.5 * 0.04),
    "rectangle": (lambda m: fm.Rectangle(m, (1.0, 2.0), thickness=0.1, normal=(1.0, 2.0, 0.5)), 0.2),
    "disc": (lambda m: fm.Disc(m, 0.5, thickness=0.1, normal="x"), np.pi * 0.025),
}


@pytest.mark.parametrize("name", VOLUMES)
def test_outlines_are_closed_surfaces_on_the_shape(name):
    """The volume inside is that of the shape but for arcs drawn as chords; all points are on its surface."""
    _system, marker, _ground = two_markers()
    make, volume = VOLUMES[name]
    shape = make(marker)
    points, triangles = shape.outline()
    assert enclosed_moments(SurfaceMesh.of_triangles(points, triangles))[0] == pytest.approx(volume, rel=0.02)
    distances = [shape_distance(shape.numbers, 0, *point)[0] for point in points]
    assert np.abs(distances).max() < 1e-12


RIGID_DECK = """*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
5, 5, 0, 0
6, 6, 0, 0
7, 5, 1, 0
8, 5, 0, 1
*ELEMENT, TYPE=R3D3, ELSET=TOOL
1, 1, 3, 2
2, 1, 2, 4
3, 2, 3, 4
4, 3, 1, 4
*RIGID BODY, REF NODE=1, ELSET=TOOL
*SURFACE, TYPE=ELEMENT, NAME=OUTSIDE
TOOL, SPOS
*SURFACE, TYPE=CYLINDER, NAME=ROLL
START, 0., 0.
LINE, 1., 0.
*ELEMENT, TYPE=C3D4, ELSET=BLOCK
5, 5, 6, 7, 8
*SOLID SECTION, ELSET=BLOCK, MATERIAL=STEEL
*MATERIAL, NAME=STEEL
*ELASTIC
2e11, 0.3
*DENSITY
7800.
"""


def test_discrete_rigid_surfaces_of_a_deck(tmp_path):
    """Rigid elements by the name of their surface; analytical surfaces are left out by the reader, which says so."""
    (tmp_path / "tool.inp").write_text(RIGID_DECK)
    with pytest.warns(fm.MeshWarning, match="ROLL: only surfaces of element faces and of nodes are read"):
        mesh = fm.read_mesh(tmp_path / "tool.inp", units="m-kg-s")
    _system, marker, ground = two_markers()
    surface = fm.RigidSurface(marker, mesh, "OUTSIDE", sharp_angle=0.5)
    assert enclosed_moments(surface.mesh)[0] == pytest.approx(1.0 / 6.0)
    assert shape_distance(surface.numbers, 0, 0.2, 0.3, -0.1)[0] == pytest.approx(0.1)
    assert shape_distance(surface.numbers, 0, -0.3, -0.4, 0.5)[0] == pytest.approx(0.5)  # from a sharp edge
    assert shape_distance(surface.numbers, 0, 0.05, 0.2, 0.2)[0] == pytest.approx(-0.05)
    with pytest.raises(fm.MechanismError, match="no surface 'ROLL'; its surfaces: 'OUTSIDE', 'TOOL'"):
        fm.RigidSurface(ground, mesh, "ROLL")


def test_a_surface_from_an_stl_file(tmp_path):
    meshio = pytest.importorskip("meshio")
    ball = fm.RigidBody.sphere(1000.0, 0.1).surface
    meshio.write(tmp_path / "ball.stl", meshio.Mesh(ball.points, [("triangle", ball.triangles)]))
    with pytest.warns(fm.MeshWarning, match="holds only a surface"):
        mesh = fm.read_mesh(tmp_path / "ball.stl", units="m-kg-s")
    _system, marker, _ground = two_markers()
    surface = fm.RigidSurface(marker, mesh)
    assert shape_distance(surface.numbers, 0, 0.0, 0.12, 0.09)[0] == pytest.approx(0.05, abs=1e-6)
