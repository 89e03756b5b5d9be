"""Surfaces of bodies as contacts take them: which faces, which points, and what is refused."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.common.errors import MechanismError
from flexmbs.mesh.generate import box_mesh

RUBBER = fm.Material("rubber", 1e7, 0.3, 1000.0)
MESH = box_mesh((0.6, 0.2, 0.2), (3, 2, 2), RUBBER, "hex20")


@pytest.fixture(scope="module")
def flexible() -> fm.FlexibleBody:
    with pytest.warns(UserWarning):
        return fm.reduce(MESH, interfaces={"root": "ROOT"}, modes=fm.ClampedFree(at="root", count=2))


@pytest.fixture
def system() -> fm.System:
    return fm.System()


def cube(points=None, faces=None) -> fm.RigidBody:
    surface = fm.RigidBody.box(1000.0, (1.0, 1.0, 1.0)).surface
    points = surface.points if points is None else points
    faces = surface.faces if faces is None else faces
    return fm.RigidBody(1.0, (1.0, 1.0, 1.0), surface=fm.SurfaceMesh(points, faces))


def area(surface: fm.BodySurface) -> float:
    """Sum of the areas of its points, m2."""
    from flexmbs.core.contact.surfaces import layout

    numbers, _end = surface.surface.point_numbers(layout.SCRATCH, surface.points)
    at, count = int(numbers[layout.ITEMS_AT]), int(numbers[layout.ITEMS])
    return float(numbers[at : at + count].sum())


@pytest.mark.parametrize("points", ["faces", "nodes", 1, 5])
def test_points_carry_the_whole_area(system, flexible, points):
    part = system.add(flexible, "part")
    whole = fm.BodySurface(part, points=points)
    assert area(whole) == pytest.approx(2 * 0.2 * 0.2 + 4 * 0.6 * 0.2, rel=1e-12)
    assert whole.surface.is_closed
    assert whole.surface.volume == pytest.approx(0.6 * 0.2 * 0.2, rel=1e-12)


def test_parts_by_name_by_nodes_and_by_place_are_the_same(system, flexible):
    part = system.add(flexible, "part")
    end = MESH.node_ids[MESH.node_sets["TIP"]]
    chosen = [
        fm.BodySurface(part, "TIP", mesh=MESH),
        fm.BodySurface(part, end),
        fm.BodySurface(part, lambda x: x[:, 0] > 0.6 - 1e-9),
    ]
    for surface in chosen:
        assert len(surface.surface.faces.corners) == 4
        assert area(surface) == pytest.approx(0.04, rel=1e-12)
        assert not surface.surface.is_closed


def test_open_and_turned_surfaces(system):
    box = fm.RigidBody.box(1000.0, (1.0, 1.0, 1.0)).surface
    triangles = box.triangles
    inverted = np.column_stack([np.full(len(triangles), 3), triangles[:, ::-1]]).ravel()
    with pytest.raises(MechanismError, match="'inside out': it is inverted"):
        fm.BodySurface(system.add(cube(faces=inverted), "inside out"))
    one = triangles.copy()
    one[0] = one[0, ::-1]
    with pytest.raises(MechanismError, match="neighbouring faces run in different directions"):
        fm.BodySurface(system.add(cube(faces=np.column_stack([np.full(len(one), 3), one]).ravel()), "mixed"))
    flat = np.column_stack([np.full(len(triangles) + 1, 3), np.vstack([triangles, [[0, 1, 1]]])]).ravel()
    with pytest.raises(MechanismError, match="a face has no area"):
        fm.BodySurface(system.add(cube(faces=flat), "collapsed"))


def test_what_is_no_surface(system, flexible):
    part, bare = system.add(flexible, "part"), system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), "bare")
    refused = {
        "'bare': it has no faces": lambda: fm.BodySurface(bare),
        "expected a body of the system, got Marker": lambda: fm.BodySurface(part["root"]),
        "give mesh=": lambda: fm.BodySurface(part, "TIP"),
        "no node set or surface 'TOP'; known: ALL, ROOT, TIP": lambda: fm.BodySurface(part, "TOP", mesh=MESH),
        "the mesh has no node 9999": lambda: fm.BodySurface(part, [1, 9999]),
        "no face has all its points": lambda: fm.BodySurface(part, lambda x: x[:, 0] > 1.0),
        "must return one bool": lambda: fm.BodySurface(part, lambda x: x[:, 0]),
        "points must be 'faces', 'nodes' or a number": lambda: fm.BodySurface(part, points="corners"),
        "thickness -1.0 m must be positive": lambda: fm.BodySurface(part, thickness=-1.0),
    }
    for message, make in refused.items():
        with pytest.raises(MechanismError, match=message):
            make()


def test_contacts_of_surfaces_that_are_refused(system, flexible):
    part, other = system.add(flexible, "part"), system.add(cube(), "cube")
    law = fm.ElasticFoundation(1e8)
    with pytest.raises(MechanismError, match="both shapes are on body 'part'"):
        system.contact(fm.BodySurface(part), fm.BodySurface(part), law=law)
    with pytest.raises(MechanismError, match="a surface has many points"):
        system.contact(fm.BodySurface(part), fm.BodySurface(other), law=fm.LankaraniNikravesh(1e8, 0.5))
    with pytest.raises(MechanismError, match="has bristles"):
        system.contact(fm.BodySurface(part), fm.BodySurface(other), law=law, friction=fm.LuGre(1e5, 300.0, 0.3, 0.2, 1e-3))
    with pytest.raises(MechanismError, match="stiffness -1.0 N/m3 must be positive"):
        fm.ElasticFoundation(-1.0)
    with pytest.raises(MechanismError, match="poisson_ratio 0.5 must be"):
        fm.ElasticFoundation.of_layer(1e6, 0.01, 0.5)


def test_initial_penetration_is_named(flexible):
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    part = system.add(flexible, "part", position=(0.0, 0.0, -0.01))
    floor = system.ground.marker("floor")
    system.contact(fm.BodySurface(part), fm.Plane(floor, (0.0, 0.0, 1.0)), law=fm.ElasticFoundation(1e8), name="floor")
    with pytest.raises(MechanismError, match="contact 'floor' starts with a penetration of 0.01 m"):
        system.simulate(1e-3, progress=False)
