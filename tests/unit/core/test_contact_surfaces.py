"""Surfaces that deform: closest points, boxes, gaps, rates and forces against brute force and against each other."""

from functools import cache, partial

import numpy as np
import pytest
from plain_state import PlainState, derivative

import flexmbs as fm
from flexmbs.core.contact.gap import add_contacts, contact_geometry
from flexmbs.core.contact.surfaces import layout
from flexmbs.core.contact.surfaces.closest_point import find_nearest, signed_gap, surface_gap
from flexmbs.core.contact.surfaces.deformed_surface import box_entry, node_position, refresh
from flexmbs.core.contact.surfaces.face_polynomial import SQUARED
from flexmbs.mechanism.contact.surfaces.contact_surface import flexible_surface, rigid_surface
from flexmbs.mechanism.contact.surfaces.face_points import shape_functions
from flexmbs.mesh.generate import box_mesh

RUBBER = fm.Material("rubber", 1e7, 0.3, 1000.0)
DEFORMED = 0.02  # modal coordinates, m


@cache
def block(kind: str) -> fm.FlexibleBody:
    mesh = box_mesh((0.6, 0.2, 0.2), (3, 2, 2), RUBBER, kind)
    with pytest.warns(UserWarning):
        return fm.reduce(mesh, interfaces={"root": "ROOT"}, modes=fm.ClampedFree(at="root", count=4))


def deformed_points(body: fm.FlexibleBody, q: np.ndarray) -> np.ndarray:
    moved = body.surface.points + np.tensordot(q, body.surface.modes, axes=(0, 0))
    return moved + np.tensordot(body.quadratic_coordinates(q), body.surface.quadratic, axes=(0, 0))


class Numbers:
    """The faces of a body in a pool of their own, at modal coordinates q."""

    def __init__(self, surface, q):
        self.faces, self.q = surface.faces, q
        self.pool, end = surface.face_numbers(layout.SCRATCH)
        self.cache = np.zeros(end)
        refresh(self.pool, 0, q, 0, self.cache)
        self.nodes = np.array([node_position(self.pool, 0, i, self.cache) for i in range(len(surface.faces.points))])

    def samples(self, fine: int) -> np.ndarray:
        """(k, 3) points of all faces."""
        u, v = np.meshgrid(np.linspace(0.0, 1.0, fine), np.linspace(0.0, 1.0, fine))
        u, v, found = u.ravel(), v.ravel(), []
        for row in self.faces.nodes():
            count = int(row[0])
            N = shape_functions(6, u * (1.0 - v), v) if count == 6 else shape_functions(8, 2 * u - 1, 2 * v - 1)
            found.append(N @ self.nodes[row[1 : 1 + count]])
        return np.concatenate(found)


@pytest.mark.parametrize("kind", ["hex8", "hex20"])
def test_closest_points_and_boxes_of_a_deformed_block(kind):
    body, rng = block(kind), np.random.default_rng(3)
    q = DEFORMED * rng.normal(size=body.mode_count)
    at = Numbers(flexible_surface(body), q)
    places = deformed_points(body, q)  # corners and middles that the mesh has stand where the body's fields say
    nearest = np.min(np.linalg.norm(places[:, None] - at.nodes[None], axis=2), axis=1)
    assert nearest.max() < 1e-7
    samples = at.samples(41)
    entry = box_entry(at.pool, 0, 0, at.cache)
    assert np.all(np.abs(samples - at.cache[entry : entry + 3]) <= at.cache[entry + 3 : entry + 6] + 1e-12)
    for p in rng.uniform(-0.1, 0.7, size=(20, 3)):
        exact = np.linalg.norm(samples - p, axis=1).min()
        assert find_nearest(at.pool, 0, *p, np.inf, at.cache)
        found = np.sqrt(at.cache[layout.NEAREST + SQUARED])
        assert exact - 1e-3 <= found <= exact + 1e-12


@pytest.mark.parametrize("kind", ["hex8", "hex20"])
def test_what_penetrates_is_found_among_the_boxes_that_hold_it(kind):
    """With bound 0 only boxes around a point are opened: it must not be taken for one inside by a face farther away."""
    body, rng = block(kind), np.random.default_rng(5)
    at, out = Numbers(flexible_surface(body), DEFORMED * rng.normal(size=body.mode_count)), np.zeros(7)
    inside = mistaken = 0
    for p in at.nodes[rng.integers(len(at.nodes), size=300)] + 0.02 * rng.normal(size=(300, 3)):
        whole = surface_gap(at.pool, 0, at.q, 0, at.cache, p, np.inf, out)
        near = surface_gap(at.pool, 0, at.q, 0, at.cache, p, 0.0, out)
        inside += whole < 0.0
        assert near == pytest.approx(whole, rel=1e-12) if whole < 0.0 else near > 0.0
        first = find_nearest(at.pool, 0, *p, 0.0, at.cache) and signed_gap(at.pool, 0, *p, at.cache)[0]
        mistaken += whole > 0.0 and first < 0.0
    assert 50 < inside < 250
    assert mistaken > 0


def test_gap_of_a_coarse_sphere_follows_its_smooth_faces():
    """Nagata's patches are of fourth order on a sphere: halving the triangles divides the error by about 16."""
    errors = []
    for rings in (8, 16):
        at = Numbers(rigid_surface(*fine_sphere(rings)), np.zeros(0))
        out, rng, worst = np.zeros(7), np.random.default_rng(1), 0.0
        for _ in range(60):
            d = rng.normal(size=3)
            d /= np.linalg.norm(d)
            radius = rng.uniform(0.8, 1.2)
            worst = max(worst, abs(surface_gap(at.pool, 0, at.q, 0, at.cache, radius * d, 1.0, out) - radius + 1.0))
        errors.append(worst)
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] > 8.0


def fine_sphere(rings: int):
    """Points and triangles of a unit sphere from an octahedron with edges in ``rings`` / 2 parts."""
    n = rings // 2
    points, faces = [], []
    for signs in np.array(np.meshgrid([1, -1], [1, -1], [1, -1])).T.reshape(-1, 3):
        index = {}
        for i in range(n + 1):
            for j in range(n + 1 - i):
                index[i, j] = len(points)
                p = signs * np.array([i, j, n - i - j], dtype=float)
                points.append(p / np.linalg.norm(p))
        for i, j in index:
            for corners in (((i, j), (i + 1, j), (i, j + 1)), ((i + 1, j), (i + 1, j + 1), (i, j + 1))):
                if all(corner in index for corner in corners):
                    row = [index[corner] for corner in corners]
                    faces.append(row if signs.prod() > 0 else row[::-1])
    points, same = np.unique(np.round(points, 12), axis=0, return_inverse=True)
    triangles = same.ravel()[np.array(faces)]
    return points, np.column_stack([np.full(len(triangles), 3), triangles]).ravel()


def system_with(pair: str) -> fm.System:
    system, rng = fm.System(gravity=(0.0, 0.0, 0.0)), np.random.default_rng(11)
    first = system.add(block("hex20"), "first", position=(0.0, 0.0, 0.0))
    if pair == "sphere":
        ball = system.add(fm.RigidBody.sphere(1000.0, 0.1), "ball", position=(0.3, 0.1, 0.28))
        system.contact(fm.Sphere(ball["origin"], 0.1), fm.BodySurface(first), law=fm.LinearContact(1e5), name="hit")
    elif pair == "surface":
        second = system.add(block("hex8"), "second", position=(0.25, -0.2, 0.18), rotation=(0.0, 0.0, 1.2))
        law = fm.ElasticFoundation(1e7)
        system.contact(fm.BodySurface(first), fm.BodySurface(second), law=law, name="hit")
    else:
        wall = system.add(fm.RigidBody.box(700.0, (0.3, 0.2, 0.1)), "wall", rotation=0.1 * rng.normal(size=3))
        marker = wall.marker("top", position=(0.0, 0.0, 0.08))
        plane = fm.Plane(marker, (0.0, 0.0, 1.0)) if pair == "plane" else fm.Cylinder(marker, 0.05, 2.0, "x")
        law = fm.ElasticFoundation(1e7)
        system.contact(fm.BodySurface(first, points="nodes"), plane, law=law, name="hit")
    return system


def touch_at(state: PlainState, s: float) -> tuple[float, float]:
    """Gap and elastic energy at time ``s`` of the motion."""
    q, v, a = state.move(s)
    return contact_geometry(state.tables, 0, q, v, a, state.work)[0], state.work.touch[0].energy


@pytest.mark.parametrize("pair", ["sphere", "surface", "plane", "cylinder"])
def test_gap_rate_and_power_of_deformed_surfaces(pair):
    """The rate is the slope of the gap; what the forces take is what the contact stores; forces balance."""
    for seed in range(2):
        state = PlainState(system_with(pair), seed)
        count, start = state.model.coordinate_count, state.model.q
        for part in (state.q, state.v, state.a):
            part[:count] *= 0.05
        state.q[:count] += 0.95 * start[:count]

        gap_slope, energy_slope = derivative(partial(touch_at, state), 1e-3)
        q, v, a = state.move()
        gap, rate, *normal = contact_geometry(state.tables, 0, q, v, a, state.work)
        assert rate == pytest.approx(gap_slope, abs=1e-7)
        assert np.linalg.norm(normal) == pytest.approx(1.0)
        state.move()
        add_contacts(state.tables, np.ones(1, dtype=np.int64), np.zeros(0), q, v, a, state.work, state.residual)
        expected = -1e5 * gap * rate if pair == "sphere" else -energy_slope
        if pair != "sphere":
            assert gap < 0.0 and state.work.touch[0].force > 0.0
        assert state.power(v) == pytest.approx(expected, rel=1e-5)
        force = sum(wrench.force for wrench in state.work.wrench)
        moments = zip(state.work.frame, state.work.wrench, strict=True)
        moment = sum(w.moment + np.cross(f.p_WB, w.force) for f, w in moments)
        size = max(np.linalg.norm(wrench.force) for wrench in state.work.wrench)
        assert max(np.abs(force).max(), np.abs(moment).max()) < 1e-10 * size


def test_two_blocks_keep_their_energy_when_they_hit():
    """Without damping and friction nothing is lost, whatever points penetrate: to the tolerance of the run."""
    mesh = box_mesh((0.6, 0.2, 0.2), (3, 2, 2), RUBBER)
    with pytest.warns(UserWarning):
        body = fm.reduce(mesh, interfaces={"root": "ROOT"}, modes=fm.FreeFree(count=8))
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    first = system.add(body, "first")
    turn = (0.1, 0.05, 1.2)
    second = system.add(body, "second", position=(0.25, -0.3, 0.3), rotation=turn, velocity=(0.0, 0.0, -2.0))
    system.contact(first, second, law=fm.ElasticFoundation(1e8), name="hit")
    result = system.simulate(0.12, rtol=1e-5, atol=1e-8, progress=False)
    assert len(result.contacts) == 1
    assert result.contacts[0].end > result.contacts[0].start
    assert fm.energy_error(result) < 1e-5
    patch = fm.contact_pressure(system, result, "hit", result.contacts[0].peak_time)
    assert np.linalg.norm(patch.force) == pytest.approx(result.contacts[0].peak_force, rel=1e-3)
