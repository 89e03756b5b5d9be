"""Bodies that rest on several points: they rest while any contact forces inside their cones hold them, and no longer.

References (tests/data/limits_of_rest.json): second-order cone programs, right to 1e-12, and closed forms.  The dead band of a
group that rests is 1e-9 of its load, which a ramp of a quarter of the weight a second passes in 4e-9 s.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fm

G = 9.81
LIMITS = json.loads((Path(__file__).parents[1] / "data" / "limits_of_rest.json").read_text())
POLYGONS, MOTIONS = LIMITS.pop("polygons"), LIMITS.pop("motions")
BAND = 2e-8  # s


def ramp(rate: float):
    return fm.Polynomial([0.0, rate]) if rate else 0.0


def ramps(rates) -> tuple:
    return tuple(ramp(rate) for rate in rates)


def on_points(system, case, points, height, mass, inertia, support=None, **start) -> fm.BodyInSystem:
    """A body whose ``points`` (relative to its centre of mass, ``height`` above a plane) touch that plane."""
    body = system.add(fm.RigidBody(mass, inertia), "body", position=(0.0, 0.0, height), **start)
    coefficients = np.broadcast_to(case["friction"], len(points))
    more = {"static_friction": case["static_friction"]} if "static_friction" in case else {}
    plane = fm.Plane(support or system.ground["origin"], (0.0, 0.0, 1.0))
    for i, (point, friction) in enumerate(zip(points, coefficients, strict=True)):
        tip = fm.Point(body.marker(f"foot {i}", point))
        system.contact(tip, plane, law=fm.Rigid(friction=float(friction), **more), name=f"foot {i}")
    return body


def box(system, case, mass=2.0, **more):
    a, b, c = 0.5 * np.array(case["box"])
    points = [(x, y, -c) for x in (-a, a) for y in (-b, b)]
    inertia = mass / 3.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    return on_points(system, case, points, c, mass, inertia, **more)


def events(result) -> list[float]:
    """Instants of events behind the start, each once."""
    times = sorted(event.time for event in result.events if event.time > 1e-6)
    return [t for i, t in enumerate(times) if i == 0 or t - times[i - 1] > 1e-9]


def system(gravity=(0.0, 0.0, -G)) -> fm.System:
    return fm.System(gravity=gravity)


@pytest.mark.parametrize("name", [name for name, case in LIMITS.items() if case["kind"] == "push"])
def test_pushed_box(name):
    """Force at a point that grows: instant, one event, and displacement where it is a translation."""
    case, world = LIMITS[name], system()
    body = box(world, case, case["mass"])
    world.force(body.marker("push", case["point"]), (ramp(case["force_rate"]), 0.0, 0.0))
    t_end, x = case.get("x_after", (case["rest_ends"] + 1e-3, None))
    result = world.simulate(t_end, rtol=1e-8)
    assert events(result) == [pytest.approx(case["rest_ends"], abs=BAND)]
    assert x is None or result["body.free.x"][-1] == pytest.approx(x, abs=1e-8)


@pytest.mark.parametrize("name", [name for name, case in LIMITS.items() if case["kind"] == "tilt"])
def test_tilted_table(name):
    """Gravity turns: the box slips at atan(mu), or tips at atan(length / height)."""
    case, world = LIMITS[name], system((0.0, 0.0, 0.0))
    body, turns = box(world, case), case["tilt_rate"] / (2.0 * math.pi)
    down = fm.Harmonic(-2.0 * G, turns, phase=math.pi / 2.0)
    world.force(body.frame, (fm.Harmonic(2.0 * G, turns), 0.0, down))
    result = world.simulate(case["rest_ends"] + 1e-3, rtol=1e-8)
    assert events(result)[0] == pytest.approx(case["rest_ends"], abs=BAND)
    assert len([event for event in result.events if event.time > 1e-6]) <= 4


@pytest.mark.parametrize("name", [name for name, case in LIMITS.items() if case["kind"] == "shake"])
def test_shaken_table(name):
    """Instants of slip, stick and reversal on a table x = A sin(W t), and where the box comes to lie."""
    case, world = LIMITS[name], system()
    table = world.add(fm.RigidBody(1.0, np.eye(3)), "table")
    amplitude, frequency = case["amplitude"], case["angular_frequency"]
    drive = world.prismatic(world.ground["origin"], table["origin"], axis="x", name="drive")
    drive.prescribe(fm.Harmonic(amplitude, frequency / (2.0 * math.pi)))
    box(world, case, support=table["origin"], velocity=(amplitude * frequency, 0.0, 0.0))
    result = world.simulate(case["t_end"], rtol=1e-8)
    assert events(result) == pytest.approx([t for _kind, t in case["events"]], abs=1e-7)
    moved = result["body.free.x"][-1] - result["drive.displacement"][-1]
    assert moved == pytest.approx(case["displacement_on_table"], abs=1e-8)


def test_friction_at_its_limit_takes_no_events():
    """mu = tan(angle) to rounding, for 2 s."""
    case = LIMITS["at_the_limit"]
    world = system((G * math.sin(case["angle"]), 0.0, -G * math.cos(case["angle"])))
    box(world, case)
    result = world.simulate(case["t_end"])
    assert len(events(result)) <= case["most_events"]
    assert len(result.t) < 50
    assert np.abs(result["body.free.x"]).max() < 1e-12


@pytest.mark.parametrize("name", [name for name, case in LIMITS.items() if case["kind"] == "push_points"])
def test_pushed_table(name):
    case, world = LIMITS[name], system()
    height = case["height_of_centre"]
    points = [(x, y, -height) for x, y in case["points"]]
    body = on_points(world, case, points, height, case["mass"], 0.1 * np.eye(3))
    world.force(body.marker("push", case["point"]), ramps(case["force_rate"]))
    result = world.simulate(case["rest_ends"] + 1e-5, rtol=1e-8)
    assert events(result) == [pytest.approx(case["rest_ends"], abs=BAND)]


@pytest.mark.parametrize("number", range(len(POLYGONS)))
def test_polygon(number):
    """3 to 8 feet with coefficients of their own under a force and a moment that grow."""
    case, world = POLYGONS[number], system()
    height, mass = case["height_of_centre"], case["mass"]
    points = [(x, y, -height) for x, y in case["points"]]
    body = on_points(world, case, points, height, mass, 0.01 * mass * np.eye(3))
    world.force(body.frame, ramps(case["load_rate"][:3]))
    world.torque(body.frame, ramps(case["load_rate"][3:]))
    result = world.simulate(case["rest_ends"] + 1e-6, rtol=1e-8)
    assert events(result)[0] == pytest.approx(case["rest_ends"], abs=BAND)


@pytest.mark.parametrize("number", range(len(MOTIONS)))
def test_motion_behind_the_limit(number):
    """Feet that turn and slide share their load as equal springs: Moreau's scheme with ever smaller steps, extrapolated."""
    case, world = MOTIONS[number], system((0.0, 0.0, 0.0))
    body = on_points(world, {"friction": case["mu"]}, case["points"], case["height"], case["mass"], np.diag(case["inertia"]))
    loads = [fm.Polynomial([a, b]) if b else a for a, b in zip(case["wrench"], case["rate"], strict=True)]
    world.force(body.frame, tuple(loads[:3]))
    world.torque(body.frame, tuple(loads[3:]))
    result = world.simulate(case["slip"] + case["after"], rtol=1e-8)
    assert events(result)[0] == pytest.approx(case["slip"], abs=BAND)
    assert len(events(result)) <= 2
    for axis in "xy":
        assert result[f"body.free.{axis}"][-1] == pytest.approx(case[axis], abs=2e-8)  # as well as they are known


def test_a_tall_body_that_jams_while_it_slides_is_named():
    """Its normal force tends to infinity, at the same instant with any tolerance: the run said that its steps became too small."""
    points = [(-0.022, 0.128, -0.335), (-0.187, 0.05, -0.335), (-0.184, -0.066, -0.335), (0.167, -0.078, -0.335)]
    world, mass = system((0.0, 0.0, 0.0)), 2.136
    inertia = mass * np.diag([0.004, 0.012, 0.015])
    body = on_points(world, {"friction": [0.641, 0.526, 0.669, 0.359]}, points, 0.335, mass, inertia)
    loads = zip((0.124, 0.148, -20.954, -0.151, 0.023, 0.0), (-4.128, -3.225, -0.086, -0.063, -0.111, -1.064), strict=True)
    force = [fm.Polynomial([a, b]) for a, b in loads]
    world.force(body.frame, tuple(force[:3]))
    world.torque(body.frame, tuple(force[3:]))
    with pytest.raises(fm.SimulationError, match="friction 0.641, jams: its normal force grows without bound") as raised:
        world.simulate(2.2)
    assert raised.value.result.t[-1] == pytest.approx(1.95315, abs=1e-4)


@pytest.mark.parametrize("held_by", ["contacts", "joint"])
def test_a_force_that_oscillates_slips_in_every_half_period(held_by):
    """Nothing moves between the peaks, so no error kept the steps short: they went past whole half periods."""
    machine, amplitude, frequency, weight = system(), 1.25, 0.2, 2.0 * G
    body = machine.add(
        fm.RigidBody.box(500.0, (0.2, 0.2, 0.1)), "body", **({"position": (0, 0, 0.05)} if held_by == "contacts" else {})
    )
    if held_by == "contacts":
        floor = fm.Plane(machine.ground["origin"], (0.0, 0.0, 1.0))
        machine.contact(fm.Box(body.frame, (0.2, 0.2, 0.1)), floor, law=fm.Rigid(friction=0.5), name="floor")
    else:
        slide = machine.prismatic(machine.ground["origin"], body.frame, axis="x", name="slide")
        slide.friction(fm.DryFriction(0.5), normal_force=weight)
    machine.force(body.frame, (fm.Harmonic(amplitude * 0.5 * weight, frequency), 0.0, 0.0))
    result = machine.simulate(30.0)
    begins = sorted({round(event.time, 9) for event in result.events if (event.mode_before, event.mode) == ("sticking", "sliding")})
    first = math.asin(1.0 / amplitude) / (2.0 * math.pi * frequency)
    assert begins == pytest.approx([first + k / (2.0 * frequency) for k in range(12)], abs=1e-6)


def test_a_light_body_beside_a_heavy_one_has_a_limit_of_its_own():
    """Each group's dead band is 1e-9 of its own load; by that of the heavy one the light one would rest 1 % too long."""
    machine = system()
    floor = fm.Plane(machine.ground["origin"], (0.0, 0.0, 1.0))
    for i, density in enumerate((1000.0, 0.01)):
        body = machine.add(fm.RigidBody.box(density, (0.2, 0.2, 0.1)), f"body {i}", position=(0.0, i, 0.05))
        machine.contact(fm.Box(body.frame, (0.2, 0.2, 0.1)), floor, law=fm.Rigid(friction=0.5), name=f"floor {i}")
        machine.force(body.frame, (ramp(0.25 * (1 + i) * density * 0.004 * G), 0.0, 0.0))
    result = machine.simulate(2.5)
    assert events(result) == pytest.approx([1.0, 2.0], abs=2e-7)
