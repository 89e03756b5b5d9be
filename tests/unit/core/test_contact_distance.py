"""Distance functions, smooth triangles, convex bodies and cores: kernels of numbers, as Python."""

import numpy as np
import pytest

from flexmbs.core.contact.distance import gregory_patch, kinds
from flexmbs.core.contact.distance.convex_bodies import convex_gap, separation, support_point
from flexmbs.core.contact.distance.disc_in_bore import disc_in_bore
from flexmbs.core.contact.distance.gregory_patch import patch_component
from flexmbs.core.contact.distance.segment_core import closest_on_segment, crowned_distance
from flexmbs.core.contact.distance.shape_distance import shape_distance
from flexmbs.mechanism.contact.box import box_body
from flexmbs.mechanism.geometry.primitives import box, torus
from flexmbs.mechanism.geometry.rotations import as_matrix
from flexmbs.mechanism.geometry.smooth_triangles import smooth_triangles


def unit(vector):
    return np.asarray(vector) / np.linalg.norm(vector)


AXIS, NORMAL = unit((0.3, -0.5, 0.9)), unit((0.9, 0.3, -0.2))
EDGE = unit(np.cross(NORMAL, AXIS))
BOX = [kinds.BOX, 0.3, 0.5, 0.7]
SHAPES = {
    "half space": [kinds.HALF_SPACE, *NORMAL],
    "ball": [kinds.BALL, 0.5],
    "cavity": [kinds.CAVITY, 2.0],
    "capsule": [kinds.CAPSULE, *AXIS, 0.7, 0.3],
    "cylinder": [kinds.CYLINDER, *AXIS, 0.7, 0.3],
    "bore": [kinds.BORE, *AXIS, kinds.ENDLESS, 1.3],
    "hole in a plate": [kinds.BORE, *AXIS, 0.5, 0.8],
    "torus": [kinds.TORUS, *AXIS, 0.8, 0.2],
    "box": BOX,
    "rectangle": [kinds.RECTANGLE, *NORMAL, *EDGE, 0.4, 0.6],
    "disc": [kinds.DISC, *NORMAL, 0.6],
    "placed box": [kinds.PLACED, 0.1, -0.2, 0.3, *EDGE, *np.cross(NORMAL, EDGE), *NORMAL, *BOX],
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_gradient_is_a_unit_vector_and_the_derivative(name):
    """A distance function has a gradient of length 1; points behind one-sided shapes are left out."""
    pool, rng = np.array(SHAPES[name], dtype=float), np.random.default_rng(1)
    for x in rng.uniform(-1.5, 1.5, (40, 3)):
        if name in ("rectangle", "disc") and x @ NORMAL < 0.0:
            continue
        _distance, *normal = shape_distance(pool, 0, *x)
        ahead = [shape_distance(pool, 0, *(x + 1e-5 * e))[0] for e in np.eye(3)]
        behind = [shape_distance(pool, 0, *(x - 1e-5 * e))[0] for e in np.eye(3)]
        assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-12)
        assert normal == pytest.approx((np.array(ahead) - behind) / 2e-5, abs=1e-8)


@pytest.mark.parametrize("name", ["ball", "cavity", "capsule", "cylinder", "bore", "torus", "disc", "box"])
def test_directions_on_axes_and_in_centres_are_finite(name):
    pool = np.array(SHAPES[name], dtype=float)
    for x in (np.zeros(3), 0.1 * AXIS, 2.0 * NORMAL):
        found = shape_distance(pool, 0, *x)
        assert np.all(np.isfinite(found)) and np.linalg.norm(found[1:]) == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["half space", "ball", "capsule", "cylinder", "box", "torus", "placed box"])
def test_the_closest_point_of_a_segment_is_the_least_of_many(name):
    pool, rng = np.array(SHAPES[name], dtype=float), np.random.default_rng(2)
    for _ in range(10):
        middle, half = rng.uniform(-1.5, 1.5, 3), 0.4 * unit(rng.normal(size=3))
        at = closest_on_segment(pool, 0, *middle, *half, 1e-3)
        many = [crowned_distance(pool, 0, *middle, *half, 1e-3, s)[0] for s in np.linspace(-1.0, 1.0, 201)]
        assert crowned_distance(pool, 0, *middle, *half, 1e-3, at)[0] <= min(many) + 1e-12


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 0.2, 1.5])
@pytest.mark.parametrize("centre", [(0.0, 0.0, 0.0), (0.02, 0.03, 0.5)])
def test_the_point_of_a_disc_in_a_bore_is_the_farthest_of_its_rim(tilt, centre):
    axis = np.cos(tilt) * AXIS + np.sin(tilt) * EDGE
    gap, *numbers = disc_in_bore(*centre, *axis, 0.9, *AXIS, 1.0)
    normal, point = np.array(numbers[:3]), np.array(numbers[3:])
    assert np.linalg.norm(point - centre) == pytest.approx(0.9) and (point - centre) @ axis == pytest.approx(0.0, abs=1e-12)
    across = point - point @ AXIS * AXIS
    assert gap == pytest.approx(1.0 - np.linalg.norm(across)) and normal == pytest.approx(-unit(across))
    first = unit(np.cross(axis, (0.2, 0.9, 0.1)))
    angles = np.linspace(0.0, 2.0 * np.pi, 721)[:, None]
    rim = centre + 0.9 * (np.cos(angles) * first + np.sin(angles) * np.cross(axis, first))
    farthest = np.linalg.norm(rim - rim @ AXIS[:, None] * AXIS, axis=1).max()
    assert farthest - 1e-12 <= 1.0 - gap <= farthest + 2e-5


def test_the_gap_of_convex_bodies_is_the_largest_separation():
    """The normal is a maximum, and the closest points are the gap apart along it: also for parallel faces."""
    rng = np.random.default_rng(3)
    body_a, body_b = (box_body(np.array(h), np.eye(3), 2e-4, 2e-3) for h in ((0.3, 0.5, 0.2), (0.4, 0.1, 0.8)))
    pool, at = np.concatenate([body_a, body_b]), len(body_a)
    for i in range(12):
        turns = [np.eye(3) if i < 3 else as_matrix(unit(rng.normal(size=4)), "test") for _ in range(2)]
        d = np.array([0.1, 0.05, 1.05]) if i < 3 else 1.4 * unit(rng.normal(size=3))
        d[2] -= 0.05 * i if i < 3 else 0.0  # a gap, touching, penetration along parallel faces
        gap, *found = convex_gap(pool, 0, turns[0], at, turns[1], *d)
        normal = np.array(found)
        apart = d - support_point(pool, 0, turns[0], *normal) - support_point(pool, at, turns[1], *normal)
        assert apart == pytest.approx(gap * normal, abs=1e-10)
        here = separation(pool, 0, turns[0], at, turns[1], *d, *normal, 0.0)
        for size in (1e-4, 1e-2, 0.3):
            other = unit(normal + size * rng.normal(size=3))
            assert separation(pool, 0, turns[0], at, turns[1], *d, *other, 0.0) <= here + 1e-14
        if i < 3:
            assert gap == pytest.approx(0.05 - 0.05 * i, abs=1e-4) and normal[2] == pytest.approx(1.0, abs=1e-3)


def patch_point(patch, b):
    """Point, tangents u and v, second derivatives uu, uv, vv: (3, 6)."""
    return np.array([patch_component(patch, 0, k, b[1], b[2]) for k in range(3)])


def test_derivatives_of_a_patch():
    surface = torus(1.0, 0.3).surface
    patch, h = smooth_triangles(surface.points, surface.triangles, np.pi)[5], 1e-5
    found = patch_point(patch, (0.45, 0.3, 0.25))
    along_u = (patch_point(patch, (0.45 - h, 0.3 + h, 0.25)) - patch_point(patch, (0.45 + h, 0.3 - h, 0.25))) / (2 * h)
    along_v = (patch_point(patch, (0.45 - h, 0.3, 0.25 + h)) - patch_point(patch, (0.45 + h, 0.3, 0.25 - h))) / (2 * h)
    assert found[:, 1:3] == pytest.approx(np.stack([along_u[:, 0], along_v[:, 0]], axis=1), abs=1e-9)
    wanted = np.stack([along_u[:, 1], along_u[:, 2], along_v[:, 2]], axis=1)
    assert found[:, 3:] == pytest.approx(wanted, abs=1e-8)


def test_neighbouring_patches_share_points_and_normals():
    """On a surface without symmetry; D. J. Walton, D. S. Meek (1996)."""
    surface, rng = torus(1.0, 0.4).surface, np.random.default_rng(4)
    points = surface.points * [1.0, 0.8, 1.3] + 0.01 * rng.normal(size=surface.points.shape)
    triangles = surface.triangles
    patches = smooth_triangles(points, triangles, np.pi)
    owner = {(t[e], t[(e + 1) % 3]): (k, e) for k, t in enumerate(triangles.tolist()) for e in range(3)}
    for (i, j), (k, e) in list(owner.items())[:60]:
        m, f = owner[j, i]
        for s in (0.0, 0.13, 0.5, 0.81):
            here, there = np.zeros(3), np.zeros(3)
            here[e], here[(e + 1) % 3] = 1.0 - s, s
            there[f], there[(f + 1) % 3] = s, 1.0 - s
            one, two = patch_point(patches[k], here), patch_point(patches[m], there)
            assert one[:, 0] == pytest.approx(two[:, 0], abs=1e-14)
            normals = [unit(np.cross(p[:, 1], p[:, 2])) for p in (one, two)]
            assert normals[0] == pytest.approx(normals[1], abs=1e-12)


def test_sharp_edges_stay_sharp():
    surface = box((1.0, 2.0, 3.0)).surface
    points, index = np.unique(surface.points, axis=0, return_inverse=True)
    patches = smooth_triangles(points, index[surface.triangles], np.radians(40.0))
    for patch in patches:
        found = patch_point(patch, (0.2, 0.5, 0.3))
        corners = patch[: gregory_patch.NEAR].reshape(3, 3)
        assert found[:, 0] == pytest.approx(np.array([0.2, 0.5, 0.3]) @ corners, abs=1e-14)
        assert found[:, 3:] == pytest.approx(np.zeros((3, 3)), abs=1e-13)
