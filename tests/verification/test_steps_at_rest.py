"""A rigid contact that comes to rest is at rest for the next step, whatever its tolerance; so is what lies on a stop.

What its slip and gap are off zero, less than what counts as slip or as a gap, is a jump to a step: no shorter one makes
it smaller. BDF, whose steps have tighter tolerances than Radau's, stopped there ("step size too small").
"""

import math

import numpy as np
import pytest

import flexmbs as fm


def swing_on_a_block(integrator, rtol, slip=0.0, gap=0.0):
    """A pendulum on a block that lies on a floor with friction 0.8, and all but sticks to it at the start."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    carriage = system.add(fm.RigidBody(0.1, (1e-3, 1e-3, 1e-3)), "carriage")
    block = system.add(fm.RigidBody(1.0, (0.01, 0.01, 0.01)), "block")
    bob = system.add(fm.RigidBody(0.2, (1e-4, 1e-4, 1e-4), center=(0.0, 0.0, -0.1)), "bob")
    system.prismatic(system.ground["origin"], carriage["origin"], axis="x", rate=slip, name="slide")
    system.prismatic(carriage["origin"], block["origin"], axis="z", displacement=gap, name="fall")
    system.revolute(block["origin"], bob["origin"], axis="y", angle=0.3, name="swing")
    law = fm.Rigid(friction=0.8)
    system.contact(fm.Point(block["origin"]), fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0)), law=law, name="floor")
    return system.simulate(0.1, rtol=rtol, integrator=integrator)


@pytest.fixture(scope="module")
def exact():
    return swing_on_a_block("radau", 1e-11)["swing.angle"][-1]


@pytest.mark.parametrize("start", [{"slip": 5e-8}, {"gap": 5e-12}], ids=["slip", "gap"])
@pytest.mark.parametrize(("integrator", "rtol"), [("bdf", 1e-5), ("bdf", 1e-9)])
def test_a_block_that_all_but_sticks_rests(exact, integrator, rtol, start):
    result = swing_on_a_block(integrator, rtol, **start)
    slip_turns_the_bob = start.get("slip", 0.0)  # rad in 0.1 s: where it ends the bob, 0.1 m below, goes on
    assert abs(result["slide.displacement"][-1]) < 1e-13 and abs(result["fall.displacement"][-1]) < 1e-13
    assert result["swing.angle"][-1] == pytest.approx(exact, abs=10.0 * rtol + slip_turns_the_bob)


@pytest.mark.parametrize("start", [-0.29, -0.28, -0.27])
def test_books_of_an_arm_that_comes_to_rest_on_the_floor(start):
    """Where the slip ends the state moves on by less than 1e-15 s; a move of 1e-13 m beside it reads as 100 m/s."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    arm = system.add(fm.RigidBody(1.0, (0.01, 0.01, 0.01), center=(0.1, 0.0, 0.0)), "arm")
    hand = system.add(fm.RigidBody(0.5, (0.003, 0.003, 0.003), center=(0.1, 0.0, 0.0)), "hand")
    hinge = system.revolute(system.ground["origin"], arm["origin"], axis="y", name="hinge", angle=start)
    system.revolute(arm.marker("out", (0.3, 0.0, 0.0)), hand["origin"], axis="y", name="elbow", angle=0.3)
    hinge.friction(fm.DryFriction(0.1, 0.07), normal_force="reaction", radius=0.02)
    floor = fm.Plane(system.ground.marker("floor", (0.0, 0.0, -0.05)), (0.0, 0.0, 1.0))
    system.contact(fm.Point(hand.marker("tip", (0.25, 0.0, 0.0))), floor, law=fm.Rigid(friction=0.3), name="floor")
    felt = system.state("filter", lambda t, x, v: 5.0 * (v - x), [system.sensor("rate", hinge)])
    system.force(arm["out"], (0.0, 0.0, system.function(lambda t, x: x, [felt])))
    ledger = system.simulate(1.0, rtol=1e-6).energy_ledger()
    assert ledger.largest_balance < 30e-6 * ledger.scale


def on_a_stop(mass, stiffness, damping, deviation=-1.0, end="lower", **contact):
    """A slider on a damped stop, or a contact of the same law, ``deviation`` times its depth at rest deeper than that."""
    down = -1.0 if end == "lower" else 1.0
    depth = mass * 9.81 / stiffness
    system = fm.System(gravity=(0.0, 0.0, 9.81 * down))
    slider = system.add(fm.RigidBody(mass, (1e-4, 1e-4, 1e-4)), "slider")
    start = down * depth * (1.0 + deviation)
    slide = system.prismatic(system.ground["origin"], slider["origin"], axis="z", displacement=start, name="slide")
    if contact:
        plane = fm.Plane(system.ground["origin"], (0.0, 0.0, -down))
        system.contact(fm.Point(slider["origin"]), plane, law=contact["law"], name="stop")
    else:
        slide.limit(**{end: 0.0}, stiffness=stiffness, damping=damping)
    return system.simulate(1.0), down * depth


@pytest.mark.parametrize("mass", [1.0, 0.02], ids=["1 um", "20 nm"])
@pytest.mark.parametrize("end", ["lower", "upper"])
def test_a_stop_damps_what_rests_on_it(mass, end):
    """The stop's `depth` is 100 to 5000 times that at rest. In a free decay of 1 % of this damping is at most 0.2 % of the
    spring force, and lacks half the square of that, 2e-6."""
    stiffness, deviation = 1e7, 0.01
    damping = 0.2 * math.sqrt(stiffness * mass)
    result, depth = on_a_stop(mass, stiffness, damping, deviation, end)
    rate, natural = damping / (2.0 * mass), math.sqrt(stiffness / mass)
    frequency = math.sqrt(natural**2 - rate**2)
    t = np.linspace(0.0, 3.0 / rate, 200)
    decay = np.exp(-rate * t) * (np.cos(frequency * t) + rate / frequency * np.sin(frequency * t))
    found = result.resampled(t)["slide.displacement"] / depth - 1.0
    # the depth at rest is 1e-6 m or less; the default atol of 1e-9 m holds to a thousandth of that
    assert found == pytest.approx(deviation * decay, abs=deviation * 1e-3 + 1e-12 / abs(depth))


@pytest.mark.parametrize(("mass", "stiffness", "damping"), [(1.0, 1e7, 5e3), (0.1, 1e8, 5e3), (0.004, 1e7, 100.0)])
@pytest.mark.parametrize("end", ["lower", "upper"])
def test_rest_on_a_stop_costs_what_a_contact_does(mass, stiffness, damping, end):
    """8000 to 120 000 steps without damping at rest, or where the tangent looks across the end, 1e-7 m away."""
    result, depth = on_a_stop(mass, stiffness, damping, end=end)
    contact, _ = on_a_stop(mass, stiffness, damping, end=end, law=fm.LinearContact(stiffness, damping))
    assert result.stats["steps_accepted"] < 1.5 * contact.stats["steps_accepted"] + 10
    assert result["slide.displacement"][-1] == pytest.approx(depth, rel=1e-6)
    assert result["slide.displacement"][-1] == pytest.approx(contact["slide.displacement"][-1], rel=1e-6)
