"""A rigid contact that comes to rest is at rest for the next step, whatever its tolerance.

What its slip and gap are off zero, less than what counts as slip or as a gap, is a jump to a step: no shorter one makes
it smaller. BDF and TR-BDF2, whose steps have tighter tolerances than Radau's, stopped there ("step size too small").
"""

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
@pytest.mark.parametrize(("integrator", "rtol"), [("bdf", 1e-5), ("bdf", 1e-9), ("tr_bdf2", 1e-5)])
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
