"""Primitives against closed forms and against integration over their surfaces or over points."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.mechanism.geometry.surface_mesh import enclosed_moments

RHO = 2700.0
PI = np.pi
L_SHAPE = [[0.0, 0.0], [0.3, 0.0], [0.3, 0.1], [0.1, 0.1], [0.1, 0.4], [0.0, 0.4]]
WINDOW = [[0.02, 0.02], [0.02, 0.08], [0.25, 0.08], [0.25, 0.02]]
SLOT = [[0.03, 0.15], [0.07, 0.15], [0.05, 0.35]]

EVERY = {
    "box": fm.RigidBody.box(RHO, (0.3, 0.2, 0.1), (1.0, 2.0, 3.0)),
    "sphere": fm.RigidBody.sphere(RHO, 0.2, (0.1, 0.0, 0.0)),
    "cylinder": fm.RigidBody.cylinder(RHO, 0.1, 0.5),
    "tube": fm.RigidBody.cylinder(RHO, 0.1, 0.5, inner_radius=0.06, axis="y"),
    "cone": fm.RigidBody.cone(RHO, 0.2, 0.6),
    "frustum": fm.RigidBody.cone(RHO, 0.2, 0.6, top_radius=0.1, axis="z"),
    "torus": fm.RigidBody.torus(RHO, 0.3, 0.05),
    "link": fm.RigidBody.link(RHO, 0.5, 0.1, 0.02),
    "link with holes": fm.RigidBody.link(RHO, 0.5, 0.1, 0.02, hole_radius=0.03),
    "plate": fm.RigidBody.plate(RHO, (0.4, 0.3), 0.01, 0.05, holes=[(0.1, 0.05, 0.02), (-0.1, 0.0, 0.04)]),
    "round plate": fm.RigidBody.plate(RHO, (0.4, 0.4), 0.01, corner_radius=0.2),
    "extrusion": fm.RigidBody.extrusion(RHO, L_SHAPE, 0.2, holes=[WINDOW, SLOT]),
    "revolution": fm.RigidBody.revolution(RHO, L_SHAPE, holes=[WINDOW, SLOT]),
    "part of a turn": fm.RigidBody.revolution(RHO, L_SHAPE, angle=2.0, holes=[WINDOW]),
}


def same(body, mass, center, inertia, rel=1e-13):
    inertia = np.diag(inertia) if np.ndim(inertia) == 1 else np.asarray(inertia)
    assert body.mass == pytest.approx(mass, rel=rel)
    assert body.center == pytest.approx(np.asarray(center, float), abs=rel)
    assert body.inertia == pytest.approx(inertia, abs=rel * np.abs(inertia).max())


@pytest.mark.parametrize("name", EVERY)
def test_the_drawn_surface_is_closed_and_encloses_the_mass(name):
    body = EVERY[name]
    volume, center, second = enclosed_moments(body.surface)
    inertia = RHO * (np.trace(second) * np.eye(3) - second)
    # chords of ten degrees, 48 to a turn: volumes 0.8 % smaller, fourth moments twice that; tori, tubes, holes more
    assert RHO * volume == pytest.approx(body.mass, rel=0.02)
    assert center == pytest.approx(body.center, abs=0.01 * np.abs(body.surface.points).max())
    assert inertia == pytest.approx(body.inertia, abs=0.03 * np.abs(body.inertia).max())


def test_sphere():
    mass = RHO * 4.0 / 3.0 * PI * 0.2**3
    same(EVERY["sphere"], mass, (0.1, 0.0, 0.0), np.full(3, 0.4 * mass * 0.04))


def test_cylinder_and_tube():
    mass = RHO * PI * 0.01 * 0.5
    across = mass * (3.0 * 0.01 + 0.25) / 12.0
    same(EVERY["cylinder"], mass, np.zeros(3), [0.5 * mass * 0.01, across, across])
    outer = fm.RigidBody.cylinder(RHO, 0.1, 0.5, axis="y")
    inner = fm.RigidBody.cylinder(RHO, 0.06, 0.5, axis="y")
    same(EVERY["tube"], outer.mass - inner.mass, np.zeros(3), outer.inertia - inner.inertia)


def test_cone():
    mass = RHO * PI * 0.04 * 0.6 / 3.0
    across = mass * (3.0 / 20.0 * 0.04 + 3.0 / 80.0 * 0.36)
    same(EVERY["cone"], mass, (0.15, 0.0, 0.0), [0.3 * mass * 0.04, across, across])


def test_frustum_is_a_cone_without_its_tip():
    whole = fm.RigidBody.cone(RHO, 0.2, 1.2, axis="z")
    tip = fm.RigidBody.cone(RHO, 0.1, 0.6, axis="z").placed((0.0, 0.0, 0.6))
    body = EVERY["frustum"]
    again = fm.weld([body, tip])
    same(again, whole.mass, whole.center, whole.inertia)


def test_torus():
    mass, R, r = RHO * 2.0 * PI**2 * 0.3 * 0.05**2, 0.3, 0.05
    across = mass * (0.5 * R**2 + 0.625 * r**2)
    same(EVERY["torus"], mass, np.zeros(3), [across, across, mass * (R**2 + 0.75 * r**2)])


@pytest.mark.parametrize("hole", [0.0, 0.03])
def test_link_is_a_bar_with_two_half_discs(hole):
    length, width, thickness, radius = 0.5, 0.1, 0.02, 0.05
    body = EVERY["link with holes" if hole else "link"]
    center = np.array([0.5 * length, 0.0, 0.0])
    bar = fm.RigidBody.box(RHO, (length, width, thickness), center)
    mass, inertia = bar.mass, bar.inertia.copy()
    half = RHO * 0.5 * PI * radius**2 * thickness
    off = 4.0 * radius / (3.0 * PI)  # centroid of a half disc
    flat = half * thickness**2 / 12.0
    along = half * (radius**2 / 4.0 - off**2 + (0.5 * length + off) ** 2)  # second moment in x about the middle
    across = half * radius**2 / 4.0
    mass += 2.0 * half
    inertia += 2.0 * np.diag([across + flat, along + flat, across + along])
    if hole:
        disc = RHO * PI * hole**2 * thickness
        across, along = disc * hole**2 / 4.0, disc * (hole**2 / 4.0 + 0.25 * length**2)
        flat = disc * thickness**2 / 12.0
        mass -= 2.0 * disc
        inertia -= 2.0 * np.diag([across + flat, along + flat, across + along])
    same(body, mass, center, inertia)


def test_plate_with_holes_and_corners():
    body, a, b, c, h = EVERY["plate"], 0.4, 0.3, 0.05, 0.01
    middle, sides = fm.RigidBody.box(RHO, (a - 2 * c, b, h)), fm.RigidBody.box(RHO, (c, b - 2 * c, h))
    parts = [middle, *(sides.placed((s * (0.5 * a - 0.5 * c), 0.0, 0.0)) for s in (-1, 1))]
    quarter = fm.RigidBody.extrusion(RHO, [[0.0, 0.0, 0.0], [c, 0.0, np.tan(PI / 8)], [0.0, c, 0.0]], h)
    corners = ((1, 1, 0.0), (-1, 1, 0.5 * PI), (-1, -1, PI), (1, -1, 1.5 * PI))
    parts += [fm.Part(quarter, (x * (0.5 * a - c), y * (0.5 * b - c), -0.5 * h), (0.0, 0.0, turn)) for x, y, turn in corners]
    full = fm.weld(parts)
    discs = [fm.RigidBody.cylinder(RHO, r, h, (x, y, 0.0), axis="z") for x, y, r in ((0.1, 0.05, 0.02), (-0.1, 0.0, 0.04))]
    again = fm.weld([body, *discs])  # the holes filled up
    same(again, full.mass, full.center, full.inertia)
    disc = fm.RigidBody.cylinder(RHO, 0.2, 0.01, axis="z")
    same(EVERY["round plate"], disc.mass, np.zeros(3), disc.inertia)
    # a quarter of a disc: centroid 4 r / 3 pi, second moment pi r^4 / 16 about its straight edges
    assert quarter.center[:2] == pytest.approx(np.full(2, 4.0 * c / (3.0 * PI)), rel=1e-13)
    assert quarter.inertia_about((0.0, 0.0, 0.5 * h))[2, 2] == pytest.approx(RHO * h * PI * c**4 / 8.0, rel=1e-13)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_extrusion_is_exact(axis):
    body = fm.RigidBody.extrusion(RHO, L_SHAPE[::-1], 0.2, holes=[WINDOW, SLOT[::-1]], axis=axis)
    volume, center, second = enclosed_moments(body.surface)  # flat faces: exact too, by tetrahedra
    same(body, RHO * volume, center, RHO * (np.trace(second) * np.eye(3) - second))
    along = body.surface.points[:, "xyz".index(axis)]
    assert (along.min(), along.max()) == (0.0, 0.2)
    far = fm.RigidBody.extrusion(RHO, np.array(L_SHAPE) + 1e4, 0.2)
    near = fm.RigidBody.extrusion(RHO, L_SHAPE, 0.2)
    # coordinates of 1e4 m keep 1e-12 m
    assert far.inertia == pytest.approx(near.inertia, rel=1e-10)


@pytest.mark.parametrize("angle", [0.5, 2.0, PI, 5.0, 2.0 * PI])
def test_revolution_by_points(angle):
    """A rectangle and a triangle on it, swept; Gauss points in r, z and the angle."""
    outline = [[0.1, 0.0], [0.4, 0.0], [0.4, 0.2], [0.1, 0.5]]
    body = fm.RigidBody.revolution(RHO, outline, angle)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    share, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    r = 0.1 + 0.3 * share
    height = 0.5 - (r - 0.1)
    R, S, F = np.meshgrid(r, share, angle * share, indexing="ij")
    Z = height[:, None, None] * S
    w = np.einsum("i,j,k->ijk", 0.3 * weights * height * r, weights, angle * weights) * RHO
    points = np.stack([R * np.cos(F), R * np.sin(F), Z], axis=-1).reshape(-1, 3)
    w = w.ravel()
    center = w @ points / w.sum()
    second = (points - center).T @ (w[:, None] * (points - center))
    same(body, w.sum(), center, np.trace(second) * np.eye(3) - second, rel=1e-12)


def test_axes_follow_in_cyclic_order():
    upright = fm.RigidBody.revolution(RHO, L_SHAPE, 2.0)
    lying = fm.RigidBody.revolution(RHO, L_SHAPE, 2.0, axis="x")
    turn = fm.rotation(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))  # x y z of the sweep to y z x
    turned = upright.placed(rotation=turn)
    same(lying, turned.mass, turned.center, turned.inertia)
    assert lying.surface.points == pytest.approx(turned.surface.points, abs=1e-15)


def test_body_from_a_closed_surface():
    box = EVERY["box"]
    body = fm.RigidBody.from_surface(RHO, box.surface.points, box.surface.triangles)
    same(body, box.mass, box.center, box.inertia, rel=1e-12)


def test_mesh_is_drawn_by_its_surface():
    steel = fm.Material("steel", 210e9, 0.3, 7850.0)
    body = fm.RigidBody.from_mesh(fm.box_mesh((0.3, 0.2, 0.1), (3, 2, 1), steel))
    assert body.surface.points.max(axis=0) == pytest.approx([0.3, 0.2, 0.1])
    assert len(body.surface.triangles) >= 2 * (6 + 3 + 2) * 2  # every outer face of 3 x 2 x 1 cells


BOX = EVERY["box"].surface
BAD = [
    (lambda b: b.cone(RHO, 0.0, 1.0), "rigid cone: radius 0.0 m must be positive"),
    (lambda b: b.cone(RHO, 1.0, 1.0, -1.0), "rigid cone: top_radius -1.0 m must not be negative"),
    (lambda b: b.cone(RHO, 1.0, 1.0, axis="w"), "expected 'x', 'y' or 'z', got 'w'"),
    (lambda b: b.torus(RHO, 1.0, 1.0), "tube_radius 1.0 m must lie between 0 and radius .1.0 m."),
    (lambda b: b.cylinder(RHO, 1.0, 1.0, inner_radius=1.0), "inner_radius 1.0 m must lie between 0 and radius"),
    (lambda b: b.link(RHO, 1.0, 0.1, 0.1, 0.05), "hole_radius 0.05 m must lie between 0 and half of width"),
    (lambda b: b.link(RHO, 0.1, 0.2, 0.1, 0.06), "hole 2 crosses hole 1"),
    (lambda b: b.plate(RHO, (1.0, 1.0), 0.1, 0.6), "corner_radius 0.6 m must lie between 0 and half"),
    (lambda b: b.plate(RHO, (1.0, 1.0), 0.1, holes=[(0.5, 0.0, 0.1)]), "rigid plate: hole 1 crosses the outline"),
    (lambda b: b.plate(RHO, (1.0, 1.0), 0.1, holes=[(2.0, 0.0, 0.1)]), "hole 1 lies outside the outline"),
    (lambda b: b.plate(RHO, (1.0, 1.0), 0.1, holes=[(0, 0, 0.2), (0, 0, 0.1)]), "hole 2 and hole 1 overlap"),
    (lambda b: b.plate(RHO, (1.0, 1.0), 0.1, holes=[(0.0, 0.1)]), "must be x, y and radius"),
    (lambda b: b.box(RHO, (1.0, 1.0)), "size .1.0, 1.0. must be three lengths"),
    (lambda b: b.box(RHO, "big"), "rigid box: size must be a number, in m, not 'big'"),
    (lambda b: b.extrusion(-1.0, L_SHAPE, 1.0), "rigid extrusion: mass .* kg must be positive"),
    (lambda b: b.extrusion(RHO, [[0, 0], [1, 1], [1, 0], [0, 1]], 1.0), "the outline crosses itself"),
    (lambda b: b.extrusion(RHO, [[0, 0], [1, 1]], 1.0), "at least three vertices .* got 2"),
    (lambda b: b.extrusion(RHO, [[0, 0], [1, 0], [1, 0], [0, 1]], 1.0), "vertex 1 of an outline coincides"),
    (lambda b: b.extrusion(RHO, [[0, 0], [1, 0], [2, 0]], 1.0), "the outline (crosses itself|encloses no area)"),
    (lambda b: b.extrusion(RHO, [[0, 0, 2.0], [1, 0, 0.0]], 1.0), "a bulge above 1"),
    (lambda b: b.extrusion(RHO, "square", 1.0), "rows x, y or x, y, bulge"),
    (lambda b: b.revolution(RHO, [[-1, 0], [1, 0], [0, 1]]), "reaches r = -1 m"),
    (lambda b: b.revolution(RHO, L_SHAPE, 7.0), "angle 7.0 rad must lie above 0"),
    (lambda b: b.from_surface(RHO, BOX.points, BOX.triangles[1:]), "surface is not closed"),
    (lambda b: b.from_surface(RHO, BOX.points, BOX.triangles[:, ::-1]), "encloses the volume -0.006 m3"),
]


@pytest.mark.parametrize(("make", "message"), BAD)
def test_wrong_dimensions_are_refused(make, message):
    with pytest.raises(fm.BodyError, match=message):
        make(fm.RigidBody)
