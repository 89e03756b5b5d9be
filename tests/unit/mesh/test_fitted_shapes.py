"""Shapes that nodes lie on: exact ones are found exactly, in any position; nothing else is taken for one."""

import numpy as np
import pytest

from flexmbs import Material, box_mesh
from flexmbs.mesh.connectivity import outer_faces
from flexmbs.mesh.fitted_shapes import fitted_shape
from flexmbs.mesh.marker_places import place_of_nodes

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)

CENTER = np.array([0.3, -0.1, 1.2])
TURN = np.linalg.qr(np.array([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0], [1.0, 0.5, 0.2]]))[0]


def grid(u, v, place):
    """Points place(u, v) turned and moved, and the quadrilaterals between them."""
    U, V = np.meshgrid(u, v, indexing="ij")
    number = np.arange(U.size).reshape(U.shape)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], -1).reshape(-1, 4)
    return place(U, V).reshape(-1, 3) @ TURN.T + CENTER, quads


def bore(radius=0.02, length=0.03, arc=2.0 * np.pi, around=32, along=4):
    """A bore from z = 0, its nodes crowded to one side."""

    def place(a, z):
        return np.stack([radius * np.cos(a), radius * np.sin(a), z], -1)

    return grid(arc * np.linspace(0.0, 1.0, around + 1) ** 1.5, np.linspace(0.0, length, along), place)


def shape_of(points, quads):
    return fitted_shape(points, np.arange(len(points)), {"quad4": quads} if quads is not None else {})


@pytest.mark.parametrize("arc", [360, 180, 90])
@pytest.mark.parametrize("length", [0.002, 0.03, 0.2])
def test_cylinder(arc, length):
    points, quads = bore(arc=np.radians(arc), length=length)
    for found in (shape_of(points, quads), shape_of(points, None)):
        assert found.kind == "cylinder" and found.is_round
        np.testing.assert_allclose(found.center, CENTER + TURN @ [0.0, 0.0, 0.5 * length], atol=1e-10)
        assert abs(found.axis @ TURN[:, 2]) == pytest.approx(1.0, abs=1e-12)
        assert found.axis[np.argmax(np.abs(found.axis))] > 0.0
        assert found.radius == pytest.approx(0.02, abs=1e-10) and found.length == pytest.approx(length, abs=1e-10)
        assert found.arc == pytest.approx(np.radians(arc), abs=1e-9) and found.largest < 1e-10


def test_nodes_elsewhere_pull_little_and_are_reported():
    points, quads = bore()
    chance = np.random.default_rng(3)
    elsewhere = chance.choice(len(points), len(points) // 12, replace=False)
    points[elsewhere] += 0.1 * 0.02 * chance.normal(size=(len(elsewhere), 3))
    found = shape_of(points, quads)
    middle = CENTER + TURN @ [0.0, 0.0, 0.015]
    off = (found.center - middle) - (found.center - middle) @ TURN[:, 2] * TURN[:, 2]
    assert np.linalg.norm(off) < 2e-5 < 1e-3 < found.largest  # a thousandth of the radius; least squares: 1e-4
    assert found.rms < found.largest


def test_noise_is_the_error_of_the_fit():
    points, quads = bore(around=60, along=8)
    points += 1e-5 * np.random.default_rng(1).normal(size=points.shape)
    found = shape_of(points, quads)
    assert found.rms == pytest.approx(1e-5, rel=0.1)
    assert "cylinder" in str(found) and "m rms" in str(found)


@pytest.mark.parametrize("band", [(-0.3, 0.3), (-1.5, 1.5), (0.6, 1.57)])
def test_sphere(band):
    def place(a, h):
        return 0.02 * np.stack([np.cos(a) * np.cos(h), np.sin(a) * np.cos(h), np.sin(h)], -1)

    found = shape_of(*grid(np.linspace(0.0, 2.0 * np.pi, 25), np.linspace(*band, 6), place))
    assert found.kind == "sphere" and found.axis is None
    np.testing.assert_allclose(found.center, CENTER, atol=1e-10)
    assert found.radius == pytest.approx(0.02, abs=1e-10)


def test_plane_and_circle():
    u = np.linspace(0.0, 1.0, 5) ** 2
    flat, quads = grid(u, u, lambda x, y: np.stack([0.1 * x, 0.2 * y, 0.0 * x], -1))
    found = shape_of(flat, quads)
    assert found.kind == "plane" and not found.is_round
    assert abs(found.axis @ TURN[:, 2]) == pytest.approx(1.0, abs=1e-12)
    angles = 2.0 * np.pi * np.linspace(0.0, 1.0, 17)[:-1] ** 1.2
    ring = np.column_stack([0.05 * np.cos(angles), 0.05 * np.sin(angles), 0.0 * angles]) @ TURN.T + CENTER
    edges = np.column_stack([np.arange(16), np.roll(np.arange(16), -1)])
    found = fitted_shape(ring, np.arange(16), {"line2": edges})
    assert found.kind == "circle" and found.radius == pytest.approx(0.05, abs=1e-10)
    np.testing.assert_allclose(found.center, CENTER, atol=1e-10)


def test_corners_of_boxes_are_no_bores_and_no_spheres():
    mesh = box_mesh((0.02, 0.02, 0.02), (1, 1, 1), kind="hex8")
    (_, faces, _) = outer_faces(mesh)[0]
    nodes = np.arange(len(mesh.points))
    assert fitted_shape(mesh.points, nodes, {"quad4": faces}) is None
    sides = np.array([face for face in faces if np.ptp(mesh.points[face, 0]) > 0.0])
    assert fitted_shape(mesh.points, nodes, {"quad4": sides}) is None
    assert fitted_shape(mesh.points, nodes, {}) is None
    assert shape_of(*bore(arc=np.radians(30))) is None  # too little of it to know its axis


@pytest.mark.parametrize("size", [(1.0, 0.1, 0.1), (16.0, 0.8, 1.5), (0.2, 1.0, 0.15)])
@pytest.mark.parametrize("kind", ["hex8", "hex20"])
def test_two_ends_of_a_bar_are_no_cylinder(size, kind):
    """They lie on one across the bar, as thick as it is long."""
    mesh = box_mesh(size, (2, 3, 2), STEEL, kind)
    ends = np.union1d(mesh.node_sets["ROOT"], mesh.node_sets["TIP"])
    place, _ = place_of_nodes(mesh, ends)
    assert place.shape is None
    np.testing.assert_allclose(place.position, np.mean([mesh.points.min(axis=0), mesh.points.max(axis=0)], axis=0), atol=1e-12)
    side, _ = place_of_nodes(mesh, mesh.node_sets["TIP"])
    assert side.shape.kind == "plane"


def test_two_short_bores_far_apart_and_a_bore_of_lands_are_cylinders():
    ring, quads = bore(radius=0.005, length=0.001, along=1)
    axis = TURN @ [0.0, 0.0, 1.0]
    both = np.concatenate([ring, ring + axis])
    found = fitted_shape(both, np.arange(len(both)), {"quad4": np.concatenate([quads, quads + len(ring)])})
    assert found.kind == "cylinder" and found.radius == pytest.approx(0.005, rel=1e-6)
    angles = np.ravel([(a, a + 0.1) for a in 2.0 * np.pi * np.arange(12) / 12])
    lands = np.array([(0.02 * np.cos(a), 0.02 * np.sin(a), z) for a in angles for z in (0.0, 0.03)])
    found = fitted_shape(lands, np.arange(48), {"quad4": 4 * np.arange(12)[:, None] + [0, 2, 3, 1]})
    assert found.kind == "cylinder" and found.radius == pytest.approx(0.02, rel=1e-6)
