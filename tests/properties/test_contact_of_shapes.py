"""Elastic hits of every pair of shapes keep energy and momentum; throws are not missed; smooth triangles converge."""

import numpy as np
import pytest
from icosphere import icosphere

import flexmbs as fm
from flexmbs.core.contact.distance.shape_distance import shape_distance
from flexmbs.mechanism.contact.pairs import PAIRS

AXIS = (0.3, -0.5, 0.9)


def egg(m):
    """A surface of triangles without symmetry."""
    surface = icosphere(2, 0.3)
    return fm.RigidSurface(m, fm.SurfaceMesh(surface.points * [1.0, 0.7, 1.3], surface.faces))


SHAPES = {
    fm.Sphere: lambda m: fm.Sphere(m, 0.2),
    fm.Plane: lambda m: fm.Plane(m, (0.0, 1.0, 0.0)),
    fm.Capsule: lambda m: fm.Capsule(m, 0.1, 0.5, AXIS),
    fm.Cylinder: lambda m: fm.Cylinder(m, 0.2, 0.5, AXIS),
    fm.Bore: lambda m: fm.Bore(m, 1.5, axis=AXIS),
    fm.Cavity: lambda m: fm.Cavity(m, 1.5),
    fm.Box: lambda m: fm.Box(m, (0.3, 0.4, 0.5)),
    fm.Torus: lambda m: fm.Torus(m, 0.4, 0.1, AXIS),
    fm.Rectangle: lambda m: fm.Rectangle(m, (0.4, 0.6), normal=AXIS, thickness=0.2),
    fm.Disc: lambda m: fm.Disc(m, 0.4, normal=AXIS, thickness=0.2),
    fm.RigidSurface: egg,
}
RIGID_PAIRS = [pair for pair in PAIRS if fm.BodySurface not in pair]  # surfaces of bodies: test_contact_surfaces.py


def thrown(pair, spin=(1.0, 2.0, 0.5), stiffness=2e6) -> fm.System:
    """A body of the first shape thrown at a free one of the second, which is at rest."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    inside = pair[1] in (fm.Bore, fm.Cavity)
    body, turn = fm.RigidBody.box(700.0, (0.3, 0.2, 0.1)), (0.0, 0.0, 0.0) if pair[1] is fm.Plane else (-0.3, 0.2, 0.1)
    start = (0.1, 0.2, 0.1) if inside else (0.05, 1.7, 0.04)
    one = system.add(body, "one", position=start, rotation=(0.3, 0.2, 0.5), velocity=(0, -4, 0), angular_velocity=spin)
    two = system.add(body, "two", rotation=turn)
    first, second = SHAPES[pair[0]](one["origin"]), SHAPES[pair[1]](two["origin"])
    system.contact(first, second, law=fm.LinearContact(stiffness), name="hit")
    return system


def momentum(result, k: int) -> np.ndarray:
    return sum(np.array([result[f"{name}.origin.velocity.{axis}"][k] for axis in "xyz"]) for name in ("one", "two"))


@pytest.mark.parametrize("pair", RIGID_PAIRS, ids=lambda pair: "-".join(kind.__name__ for kind in pair))
def test_elastic_hits_keep_energy_and_momentum(pair):
    result = thrown(pair).simulate(t_end=0.4 if fm.RigidSurface in pair else 1.0, rtol=1e-8)
    energy = result["energy.total"]
    assert len(result.contacts) >= 1
    assert np.abs(energy - energy[0]).max() < 1e-7 * abs(energy[0])
    assert momentum(result, -1) == pytest.approx(momentum(result, 0), abs=1e-8)


@pytest.mark.parametrize("rtol", [1e-2, 1e-5])
def test_no_throw_at_a_thin_plate_is_missed(rtol):
    """Bodies that fly many times the thickness of a plate in a step; the law is too soft to change their motion."""
    rng, hits = np.random.default_rng(5), 0
    for pair in [(fm.Sphere, fm.Rectangle), (fm.Box, fm.Rectangle), (fm.Cylinder, fm.Disc), (fm.Torus, fm.Disc)] * 2:
        speed, spin = 10.0 ** rng.uniform(0.0, 3.0), 3.0 * rng.normal(size=3)
        aim, turns = 0.1 * rng.normal(size=3), rng.normal(size=(2, 3))

        def run(rtol, max_step, pair=pair, speed=speed, spin=spin, aim=aim, turns=turns):
            system, body = fm.System(gravity=(0.0, 0.0, 0.0)), fm.RigidBody.box(700.0, (0.3, 0.2, 0.1))
            velocity, turning = (0.0, -speed, 0.0), speed * spin
            place = aim + [0.0, 2.0, 0.0]
            one = system.add(body, "one", position=place, rotation=turns[0], velocity=velocity, angular_velocity=turning)
            two = system.add(body, "two", rotation=0.4 * turns[1])
            plate = fm.Rectangle(two["origin"], (0.9, 0.9), thickness=0.01)
            plate = plate if pair[1] is fm.Rectangle else fm.Disc(two["origin"], 0.5, thickness=0.01)
            system.contact(SHAPES[pair[0]](one["origin"]), plate, law=fm.LinearContact(1e-12), name="hit")
            return system.simulate(t_end=4.0 / speed, rtol=rtol, max_step=max_step)

        exact = [contact.start for contact in run(1e-8, 0.02 / speed).contacts]
        found = np.array([contact.start for contact in run(rtol, np.inf).contacts])
        hits += len(exact) > 0
        if exact:
            assert np.abs(found - exact[0]).min() < 0.02 / speed
    assert hits >= 6


def distance_error(points, triangles, exact) -> float:
    """Largest error of the distance from a surface of triangles, at random points near it."""
    system = fm.System()
    surface = fm.RigidSurface(system.ground["origin"], fm.SurfaceMesh.of_triangles(points, triangles), sharp_angle=np.pi)
    places = np.random.default_rng(6).normal(size=(60, 3))
    places *= (1.2 / np.linalg.norm(places, axis=1))[:, None]
    return max(abs(shape_distance(surface.numbers, 0, *x)[0] - exact(x)) for x in places)


def test_distances_of_a_triangulated_sphere_converge_with_order_four():
    """Four times as many triangles, a sixteenth of the error."""
    errors = []
    for level in (1, 2, 3):
        ball = icosphere(level)
        errors.append(distance_error(ball.points, ball.triangles, lambda x: np.linalg.norm(x) - 1.0))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[-1] < 2e-6 and orders.min() > 3.5


def test_the_time_of_an_impact_on_triangles_converges_with_the_tolerance():
    """A spinning, tumbling egg of triangles under gravity: the time of its first hit against that at 1e-12."""

    def start(rtol: float) -> float:
        system = fm.System()
        body = fm.RigidBody.box(700.0, (0.3, 0.2, 0.1))
        one = system.add(body, "one", position=(0.1, 0.0, 1.0), angular_velocity=(7.0, 3.0, 20.0))
        system.contact(fm.Sphere(system.ground["origin"], 0.2), egg(one["origin"]), law=fm.LinearContact(1e6))
        return min(contact.start for contact in system.simulate(t_end=0.6, rtol=rtol, atol=1e-3 * rtol).contacts)

    exact = start(1e-12)
    errors = [abs(start(rtol) - exact) for rtol in (1e-4, 1e-6, 1e-8)]
    assert errors[0] < 1e-4 and errors[1] < 1e-6 and errors[2] < 1e-8


def on_floor(shape, place, turn=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0)) -> fm.System:
    """A damped body above a plane z = 0 under gravity."""
    system = fm.System()
    body = system.add(fm.RigidBody.box(700.0, (0.3, 0.2, 0.1)), "body", position=place, rotation=turn, angular_velocity=spin)
    law = fm.HuntCrossley(1e6, exponent=1.0, damping=20.0, separation="zero force")
    system.contact(shape(body["origin"]), fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0)), law=law, name="floor")
    return system


@pytest.mark.parametrize(
    "shape, height, points",
    [
        (lambda m: fm.Box(m, (0.3, 0.4, 0.5)), 0.25, 4),
        (lambda m: fm.Capsule(m, 0.1, 0.5, "x"), 0.1, 2),
        (lambda m: fm.Cylinder(m, 0.2, 0.5, "x"), 0.2, 2),
        (lambda m: fm.Cylinder(m, 0.2, 0.3, "z"), 0.15, 1),
        (lambda m: fm.Torus(m, 0.4, 0.1, "z"), 0.1, 1),
    ],
)
def test_bodies_dropped_flat_come_to_rest_flat(shape, height, points):
    """Degenerate directions: the weight is carried by the corners, ends or middle, and the body stays level."""
    result = on_floor(shape, (0.0, 0.0, height + 1e-3)).simulate(t_end=0.5, rtol=1e-6)
    names = [name for name in result.names if name.startswith("floor") and name.endswith(".force")]
    carried = np.array([result[name][-1] for name in names if result[name][-1] > 0.0])
    weight = 700.0 * 0.3 * 0.2 * 0.1 * 9.81
    assert len(carried) == points and carried.sum() == pytest.approx(weight, rel=1e-3)
    assert carried == pytest.approx(np.full(points, weight / points), rel=1e-3)
    assert result["body.position.z"][-1] == pytest.approx(height - weight / points / 1e6, abs=1e-7)
    assert abs(result["body.free.rotation.quaternion.w"][-1]) == pytest.approx(1.0, abs=1e-9)


def test_a_tilted_cylinder_falls_back_onto_its_end():
    """It rocks on its rim and comes to stand on the middle of its end."""
    turn = (0.2, 0.0, 0.0)
    system = on_floor(lambda m: fm.Cylinder(m, 0.2, 0.3, "z"), (0.0, 0.0, 0.2), turn)
    result = system.simulate(t_end=3.0, rtol=1e-5)
    assert result["body.position.z"][-1] == pytest.approx(0.15, abs=2e-4)
