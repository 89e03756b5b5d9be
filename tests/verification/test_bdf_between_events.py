"""BDF where events cut steps short: its next step, which otherwise follows from the last one, is as long as before."""

import pytest

import flexmbs as fm


@pytest.mark.parametrize("apart", [1e-14, 1e-12])
def test_goes_on_where_two_events_leave_almost_no_step_between_them(apart):
    """A body at 1 m/s passes two marks that are ``apart`` in m."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body = system.add(fm.RigidBody(1.0, (0.1, 0.1, 0.1)), "body")
    slide = system.prismatic(system.ground["origin"], body["origin"], axis="x", rate=1.0, name="slide")
    travel = system.sensor("coordinate", slide)
    never = system.event(travel >= 5.0, fm.Stop(), name="never")
    for number in range(2):
        system.event(travel >= 0.3 + number * apart, fm.Disarm(never), name=f"mark {number}")
    result = system.simulate(1.0, integrator="bdf")
    assert len(result.t) < 50  # 33; steps that grow again from nothing, by a factor of 2 at most, are 70 more
    assert result["slide.displacement"][-1] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("rate", [1.0, 1.5, 5.1])
def test_goes_on_where_a_pin_rattles_in_its_bore(rate):
    """It stopped at 0.04 s; the motion is that of another method."""

    def angle(integrator):
        system = fm.System(gravity=(1.0, 0.0, -9.81))
        arm = system.add(fm.RigidBody(1.0, (0.01, 0.01, 0.01), center=(0.1, 0.0, 0.0)), "arm")
        play = fm.Clearance(radial=1e-3, law=fm.Rigid(friction=0.1, restitution=0.5))
        system.revolute(system.ground["origin"], arm["origin"], axis="y", name="hinge", rate=rate, clearance=play)
        return system.simulate(0.2, rtol=1e-5, integrator=integrator)["hinge.angle"][-1]

    assert angle("bdf") == pytest.approx(angle("radau"), abs=2e-4)


def test_end_of_approach_happens_once():
    """The first step after it, of almost no length, met it again and again: the run hung. Two bounces, by two methods."""

    def height(integrator, rtol):
        system = fm.System(gravity=(0.0, 0.0, -9.81))
        ball = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), "ball")
        system.prismatic(system.ground["origin"], ball["origin"], axis="z", displacement=0.1, name="fall")
        law = fm.ElasticPlastic(modulus=1e9, radius=0.01, yield_pressure=1e6)
        system.contact(fm.Point(ball["origin"]), fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0)), law=law, name="floor")
        return system.simulate(2.0, rtol=rtol, integrator=integrator)["fall.displacement"][-1]

    assert height("bdf", 1e-5) == pytest.approx(height("radau", 1e-7), abs=1e-5)
