"""Every joint against a motion that is known in closed form.

Runs have rtol 1e-10 in each of some hundred steps; 1e-8 leaves room for their sum.
"""

import numpy as np
import pytest
from closed_forms import BLOCK, CLOSE, DOWN, G, off, run
from scipy.special import ellipk

import flexmbs as fm

# lower pairs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [False, True])
def test_nut_on_a_screw_falls_as_its_inertia_allows(cut):
    pitch = 0.3
    system = fm.System(gravity=DOWN)
    nut = system.add(BLOCK, "nut")
    system.screw(system.ground["origin"], nut["origin"], pitch, name="bolt", cut=cut)
    result = run(system)
    lead = pitch / (2.0 * np.pi)
    angle = -0.5 * BLOCK.mass * G * lead / (0.25 + BLOCK.mass * lead**2) * result.t**2
    assert off(result["bolt.angle"], angle) < CLOSE
    assert off(result["nut.position.z"], lead * angle) < CLOSE  # one pitch a turn


def test_cylinder_falls_and_turns_independently():
    system = fm.System(gravity=DOWN)
    system.cylindrical(system.ground["origin"], system.add(BLOCK, "b")["origin"], angle_rate=3.0, name="c")
    result = run(system)
    assert off(result["c.displacement"], -0.5 * G * result.t**2) < CLOSE
    assert off(result["c.angle"], 3.0 * result.t) < CLOSE


@pytest.mark.parametrize(("normal", "u", "v"), [("z", "x", "y"), ("x", "y", "z"), ("y", "z", "x")])
def test_planar_joint_throws_a_parabola(normal, u, v):
    system = fm.System(gravity=[-G if axis == v else 3.0 for axis in "xyz"])
    body = system.add(BLOCK, "b")
    system.planar(system.ground["origin"], body["origin"], normal, v_rate=2.0, angle_rate=4.0, name="p")
    result = run(system)
    assert off(result[f"b.position.{v}"], 2.0 * result.t - 0.5 * G * result.t**2) < CLOSE
    assert off(result[f"b.position.{u}"], 1.5 * result.t**2) < CLOSE
    assert off(result["p.angle"], 4.0 * result.t) < CLOSE
    assert off(result["p.reaction.force." + normal], -3.0 * BLOCK.mass) < CLOSE


def shafts(bend: float, connect) -> fm.Result:
    """Two shafts on bearings of ground that meet at an angle; the first is driven."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    one, two = system.add(BLOCK, "one"), system.add(BLOCK, "two")
    turned = system.ground.marker("second bearing", rotation=(bend, 0.0, 0.0))
    system.revolute(system.ground["origin"], one["origin"], name="in").prescribe(fm.Polynomial([0.0, 5.0]))
    system.revolute(turned, two["origin"], name="out")
    connect(system, one["origin"], two["origin"])
    return run(system, 1.0)


def test_universal_joint_turns_unevenly():
    bend = 0.6
    result = shafts(bend, lambda s, a, b: s.universal(a, b, "x", "y", name="cross"))
    # the pin along x of the first shaft stays perpendicular to the pin along y of the second: cos b tan(out) = tan(in)
    into, out = result["in.angle"], result["out.angle"]
    assert off(np.cos(bend) * np.sin(out) * np.cos(into), np.cos(out) * np.sin(into)) < CLOSE or (
        off(np.sin(out) * np.cos(into), np.cos(bend) * np.cos(out) * np.sin(into)) < CLOSE
    )
    assert np.abs(out - into).max() > 0.05


def test_constant_velocity_joint_turns_evenly():
    result = shafts(0.6, lambda s, a, b: s.constant_velocity(a, b, name="joint"))
    assert off(result["out.angle"], result["in.angle"]) < CLOSE
    assert off(result["out.angle.rate"], 5.0) < CLOSE
    bending = np.hypot(result["joint.angle1"], result["joint.angle2"])
    assert bending.max() > 0.59


# primitives ------------------------------------------------------------------------------------------------------


def test_point_slides_down_a_line_and_turns_freely():
    system = fm.System(gravity=DOWN)
    body = system.add(BLOCK, "b")
    axis = np.array([0.6, 0.0, -0.8])
    system.inline(system.ground["origin"], body["origin"], axis, angular_velocity=(0.0, 0.0, 2.0), name="wire")
    result = run(system)
    assert off(result["wire.displacement"], 0.4 * G * result.t**2) < CLOSE
    assert off(result["wire.rotation.omega.z"], 2.0) < CLOSE


def test_point_slides_down_a_plane():
    system = fm.System(gravity=DOWN)
    body = system.add(BLOCK, "b")
    table = system.ground.marker("table", rotation=(0.0, 0.5, 0.0))
    system.inplane(table, body["origin"], v_rate=1.0, name="on")
    result = run(system)
    assert off(result["on.u"], 0.5 * G * np.sin(0.5) * result.t**2) < CLOSE
    assert off(result["on.v"], result.t) < CLOSE


AXES = {"x": 0, "y": 1, "z": 2}


def tumbling(state) -> tuple[np.ndarray, np.ndarray]:
    """Rotations of two bodies in free flight that ``state`` connects."""
    system = fm.System(gravity=DOWN)
    one = system.add(BLOCK, "one", position=(0, 0, 0), angular_velocity=(1.0, 2.0, -1.5))
    two = system.add(fm.RigidBody(1.0, (0.3, 0.1, 0.3), (0.1, 0.2, 0.0)), "two")
    state(system, one["origin"], two["origin"])
    result = run(system)
    centre = (2.0 * result["one.position.z"] + result["two.position.z"]) / 3.0
    assert np.ptp(centre) > 1.0  # both fall
    rotations = result.trajectory.body_rotation
    return rotations[:, 1], rotations[:, 2]


def test_parallel_axes_stay_parallel():
    one, two = tumbling(lambda s, a, b: s.parallel(a, b, "y", position=(1, 0, 0), angle_rate=3.0))
    assert off(np.einsum("ti,ti->t", one[:, :, 1], two[:, :, 1]), 1.0) < CLOSE
    assert np.einsum("ti,ti->t", one[:, :, 0], two[:, :, 0]).min() < 0.5


@pytest.mark.parametrize(("first", "second"), [("z", "x"), ("z", "z"), ("y", "-y"), ("x", "x")])
def test_perpendicular_axes_stay_perpendicular(first, second):
    one, two = tumbling(lambda s, a, b: s.perpendicular(a, b, first, second, position=(1, 0, 0), angle1_rate=3.0))
    dots = np.einsum("ti,ti->t", one[:, :, AXES[first]], two[:, :, AXES[second.strip("-")]])
    assert off(dots, 0.0) < CLOSE


def test_orientation_stays():
    one, two = tumbling(lambda s, a, b: s.orientation(a, b, position=(1, 0, 0), velocity=(0, 1, 0)))
    assert off(one, two) < CLOSE


# curves ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [0.3, 1.5])
def test_bead_on_a_cycloid_is_isochronous(start):
    """Height above the bottom is s^2 / (8 r): arc length swings harmonically with w^2 = g / (4 r), however far."""
    r = 0.5
    cycloid = fm.Curve.from_function(lambda u: (r * (u + np.sin(u)), 0.0, r * (1.0 - np.cos(u))), (-2.9, 2.9), up="y")
    bottom = 4.0 * r * np.sin(1.45)
    system = fm.System(gravity=DOWN)
    bead = system.add(fm.RigidBody.point(1.0), "bead")
    system.point_on_curve(system.ground["origin"], bead["origin"], cycloid, s=bottom + start, name="wire")
    result = run(system, 2.0)
    assert off(result["wire.s"] - bottom, start * np.cos(np.sqrt(G / (4.0 * r)) * result.t)) < 1e-7


def test_car_in_a_loop_feels_its_curvature():
    """Speed by the height lost; the track pushes with m v^2 / R and the part of the weight across it."""
    radius, mass, speed = 2.0, 2.0, 11.0
    system = fm.System(gravity=(0.0, -G, 0.0))
    car = system.add(BLOCK, "car")
    loop = fm.Curve.circle(radius, start=-np.pi / 2)
    system.follow_curve(system.ground["origin"], car["origin"], loop, rate=speed, name="track")
    result = run(system, 1.6)
    angle = result["track.s"] / radius
    assert angle[-1] > 2.0 * np.pi
    spin = 0.25 / radius**2  # the car turns once a loop: inertia about z
    v2 = speed**2 - 2.0 * G * radius * (1.0 - np.cos(angle)) * mass / (mass + spin)
    assert off(result["track.s.rate"] ** 2, v2) < CLOSE
    inward = -result["track.reaction.force.x"] * np.sin(angle) + result["track.reaction.force.y"] * np.cos(angle)
    assert off(inward, mass * (v2 / radius + G * np.cos(angle))) < CLOSE
    assert off(result["car.position.y"], -radius * np.cos(angle)) < CLOSE


def test_particle_circles_in_a_paraboloid():
    """z = k r^2: a horizontal circle of any radius with w^2 = 2 g k."""
    k, radius = 0.4, 0.9
    grid = np.linspace(-2.0, 2.0, 7)
    bowl = fm.Surface.height(grid, grid, lambda x, y: k * (x * x + y * y))
    system = fm.System(gravity=DOWN)
    marble = system.add(fm.RigidBody.point(1.0), "marble")
    w = np.sqrt(2.0 * G * k)
    system.point_on_surface(system.ground["origin"], marble["origin"], bowl, u=radius, v=0.0, v_rate=w * radius, name="on")
    result = run(system, 2.0)
    assert off(result["on.u"], radius * np.cos(w * result.t)) < CLOSE
    assert off(result["on.v"], radius * np.sin(w * result.t)) < CLOSE


def test_disc_rolls_in_a_ring_like_a_longer_pendulum():
    """Uniform disc of radius r in a ring of radius R: a pendulum of length 1.5 (R - r)."""
    R, r, start = 1.0, 0.25, 1.2
    system = fm.System(gravity=(0.0, -G, 0.0))
    wheel = system.add(fm.RigidBody(3.0, (0.25 * 3 * r**2, 0.25 * 3 * r**2, 0.5 * 3 * r**2)), "wheel")
    ring, rim = fm.Curve.circle(R, start=-np.pi / 2), fm.Curve.circle(r, start=-np.pi / 2)
    system.rolling_curves(system.ground["origin"], wheel["origin"], ring, rim, opposite=False, s=R * start, name="rolling")
    quarter = ellipk(np.sin(0.5 * start) ** 2) * np.sqrt(1.5 * (R - r) / G)
    result = run(system, quarter)
    assert abs(result["rolling.s"][-1]) < CLOSE  # at the bottom
    angle = result["rolling.s"] / R
    assert off(result["wheel.position.x"], (R - r) * np.sin(angle)) < CLOSE
    # it turns back by (R - r) / r of the angle that its centre makes
    turn = np.unwrap(np.arctan2(result.rotation("wheel")[:, 1, 0], result.rotation("wheel")[:, 0, 0]))
    assert off(turn - turn[-1], -(R - r) / r * angle) < 1e-7


def cam(coordinates: str, connect, height=None) -> fm.Result:
    """A driven cam about z of ground, and a follower that slides along y; ``connect`` states no start values."""
    system = fm.System(gravity=(0.0, -G, 0.0), coordinates=coordinates)
    wheel, follower = system.add(BLOCK, "cam"), system.add(BLOCK, "follower")
    system.revolute(system.ground["origin"], wheel["origin"], name="axle").prescribe(fm.Polynomial([0.0, 6.0]))
    system.prismatic(system.ground["origin"], follower["origin"], axis="y", displacement=height, name="slide")
    connect(system, wheel["origin"], follower["origin"])
    return run(system, 1.0)


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_eccentric_cam_with_a_flat_follower(coordinates):
    """The face of the follower rests on a circle of radius R whose centre is e from the axle: y = R + e sin(angle)."""
    R, e = 0.2, 0.05
    outline, face = fm.Curve.circle(R, center=(e, 0.0)), fm.Curve.line((-0.5, 0.0), (0.5, 0.0))
    # the circle is travelled to the left at its top, the face to the right
    result = cam(coordinates, lambda s, a, b: s.curve_on_curve(a, b, outline, face, name="touch"))
    angle = 6.0 * result.t
    assert off(result["follower.position.y"], R + e * np.sin(angle)) < CLOSE
    assert off(result["touch.reaction.force.y"], BLOCK.mass * (G - 36.0 * e * np.sin(angle))) < 1e-7


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
@pytest.mark.parametrize("radius", [0.03, 0.0])
def test_eccentric_cam_with_a_roller_or_a_point(coordinates, radius):
    """y = e sin + sqrt((R + r)^2 - e^2 cos^2)."""
    R, e = 0.2, 0.05
    outline = fm.Curve.circle(R, center=(e, 0.0))

    def connect(system, a, b):
        if radius == 0.0:
            return system.point_on_curve(a, b, outline)
        return system.cam_roller(a, b, outline, radius)

    result = cam(coordinates, connect, height=0.1)
    angle = 6.0 * result.t
    height = e * np.sin(angle) + np.sqrt((R + radius) ** 2 - (e * np.cos(angle)) ** 2)
    assert off(result["follower.position.y"], height) < CLOSE


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_coupled_cars_on_a_closed_track_keep_their_energy(coordinates):
    u = np.linspace(0.0, 2.0 * np.pi, 13)[:-1]
    hills = np.stack([20.0 * np.cos(u), 12.0 * np.sin(u), 4.0 + 3.0 * np.cos(2.0 * u + 0.4)], axis=-1)
    track = fm.Curve.through(hills, closed=True)
    system = fm.System(gravity=DOWN, coordinates=coordinates)
    cars = [system.add(fm.RigidBody.box(200.0, (1.5, 1.0, 0.8), center=(0, 0, 0.6)), f"car {i}") for i in range(4)]
    places = 2.0 + 2.2 * np.arange(len(cars))
    for car, s in zip(cars, places, strict=True):
        system.follow_curve(system.ground["origin"], car["origin"], track, s=s, rate=9.0)
    for one, two, s in zip(cars[:-1], cars[1:], places, strict=False):
        length = np.linalg.norm(track.position(s + 2.2) - track.position(s))
        system.rod(one["origin"], two["origin"], float(length))
    result = run(system, 3.0)
    total = result["energy.total"]
    assert np.abs(total - total[0]).max() < CLOSE * result["energy.kinetic"].max()
    assert result["constraint_error"].max() < 1e-11
    assert np.ptp(result["follow_curve 1.s.rate"]) > 1.0


def test_a_run_stops_by_name_where_its_curve_ends():
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    car = system.add(BLOCK, "car")
    track = fm.Curve.line((0.0, 0.0), (1.0, 0.0))
    joint = system.follow_curve(system.ground["origin"], car["origin"], track, rate=2.0, name="track")
    with pytest.raises(fm.SimulationError, match="joint 'track' has left the curve: .* covers only 0 m to 1 m") as stop:
        run(system, 1.0)
    result = stop.value.result
    assert result["track.s"][-1] > 1.0 and result["track.s"][-2] <= 1.0
    joint.start["s"] = -0.1
    with pytest.raises(fm.MechanismError, match="at the start, joint 'track' has left the curve"):
        run(system, 1.0)


def test_a_load_slides_outwards_on_a_spinning_telescopic_shaft():
    """r'' = w^2 r: r = r0 cosh(w t), and the torque that keeps the speed is 2 m r r' w."""
    mass, speed, start = 2.0, 3.0, 0.1
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    load = system.add(fm.RigidBody(mass, (0.1, 0.2, 0.3)), name="load")
    joint = system.joint("telescopic_shaft", system.ground["origin"], load["origin"], name="shaft", first="z", second="y", axis="x")
    joint.start["displacement"] = start
    joint.prescribe(fm.Polynomial([0.0, speed]), coordinate="angle1")
    joint.prescribe(0.0, coordinate="angle2")
    result = system.simulate(1.0, rtol=1e-10)
    t = result.t
    r, rate = start * np.cosh(speed * t), start * speed * np.sinh(speed * t)
    # the error of the integrator at rtol 1e-10
    assert result["shaft.displacement"] == pytest.approx(r, abs=1e-8)
    assert result["shaft.angle1.driving_force"] == pytest.approx(2.0 * mass * r * rate * speed, abs=1e-6)
