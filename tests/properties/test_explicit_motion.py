"""Motions by the explicit pairs: their orders, and the same motions as by Radau where something acts in between."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.core.methods.explicit_coefficients import TIGHT

ROD = fm.RigidBody.rod(1.0, 1.0)
BOX = fm.RigidBody.box(500.0, (0.4, 0.1, 0.2), center=(0.2, 0.0, 0.0))


def chain(joints=("revolute", "spherical")) -> fm.System:
    """Boxes on each other, thrown into motion; the ball turns by more than a radian."""
    system = fm.System()
    at = system.ground.marker("start")
    for i, kind in enumerate(joints):
        part = system.add(BOX, name=f"box{i}")
        if kind == "spherical":
            system.spherical(at, part["origin"], angular_velocity=(3.0, -2.0, 4.0), name=f"joint{i}")
        else:
            system.revolute(at, part["origin"], axis="z", rate=2.0, name=f"joint{i}")
        at = part.marker("tip", position=(0.4, 0.0, 0.0))
    return system


def end(result, last: str = "box1"):
    return np.array([result[f"{last}.tip.{what}.{axis}"][-1] for what in ("position", "velocity") for axis in "xyz"])


@pytest.mark.parametrize(("order", "rtol", "steps"), [(5, 1.0, (40, 160)), (8, 0.5 * TIGHT, (10, 40))])
def test_order_of_equal_steps(order, rtol, steps):
    """Errors of steps h and h / 4 at the end of 0.8 s, with tolerances that reject nothing."""
    exact = end(chain().simulate(0.8, rtol=1e-13, atol=1e-14, integrator="explicit"))
    errors = []
    for count in steps:
        result = chain().simulate(0.8, rtol=rtol, atol=1e6, max_step=0.8 / count, integrator="explicit")
        assert result.stats["steps_rejected"] == 0
        assert count <= result.stats["steps_accepted"] < count + 8  # the first ones are shorter
        errors.append(np.abs(end(result) - exact).max())
    assert errors[1] > 1e-12
    assert 0.5 * np.log2(errors[0] / errors[1]) > order - 0.5


def test_stages_are_evaluated_once():
    """The accelerations at the end of a step are those at the start of the next one.

    What the quintic misses takes one more a step, and two more where three rows come between.
    """
    needed, most, evaluations = [], [], []
    for t_end in (0.25, 0.5):
        result = chain().simulate(t_end, rtol=1e-5, atol=1e-8, integrator="explicit")
        stats = result.stats
        needed.append(8 * stats["steps_accepted"] + 7 * stats["steps_rejected"])
        most.append(needed[-1] + 2 * stats["steps_accepted"])
        evaluations.append(stats["residual_evaluations"])
    assert needed[1] > needed[0]
    assert needed[1] - needed[0] <= evaluations[1] - evaluations[0] <= most[1] - most[0]


@pytest.fixture(scope="module")
def in_short_steps():
    return chain().simulate(1.0, rtol=1e-12, atol=1e-13, max_step=2e-4, integrator="explicit")


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-7, 1e-9])
def test_rows_inside_steps_keep_the_tolerance(rtol, in_short_steps):
    """All rows, those inside steps too, beside a run of 0.2 ms steps, which interpolates to 1e-9."""
    result = chain().simulate(1.0, rtol=rtol, atol=0.1 * rtol, integrator="explicit")
    exact = in_short_steps.resampled(result.t)
    assert len(result.t) > 1.5 * result.stats["steps_accepted"]
    for what in ("position", "velocity"):
        for axis in "xyz":
            name = f"box1.tip.{what}.{axis}"
            assert np.abs(result[name] - exact[name]).max() < 10.0 * rtol * np.abs(exact[name]).max()


def test_closed_loops_are_refused():
    system = chain(("revolute", "revolute"))
    tip = system.bodies["box1"]["tip"]
    system.revolute(system.ground.marker("other", position=(0.8, 0.0, 0.0)), tip, axis="z", name="closing")
    with pytest.raises(fm.MechanismError, match="for trees without closed loops.*joint1"):
        system.simulate(0.1, integrator="explicit")


def driven() -> fm.System:
    system = fm.System()
    arm = system.add(BOX, name="box0")
    first = system.revolute(system.ground.marker("start"), arm["origin"], axis="z", name="by rate")
    first.prescribe(rate=fm.Harmonic(2.0, 1.5))
    slider = system.add(BOX, name="slider")
    second = system.prismatic(arm.marker("tip", position=(0.4, 0.0, 0.0)), slider["origin"], axis="y", name="by accel")
    second.prescribe(acceleration=fm.Polynomial([3.0, -5.0]))
    last = system.add(BOX, name="box1")
    hinge = system.revolute(slider["origin"], last["origin"], axis=(0.0, 1.0, 1.0), name="free")
    last.marker("tip", position=(0.4, 0.0, 0.0))
    rate = system.sensor("rate", hinge)
    follower = system.lag("follower", rate, 0.2)
    hinge.actuate(lambda t, x: -2.0 * x, follower)
    return system


def test_drivers_and_states_as_by_radau():
    system = driven()
    exact = end(system.simulate(1.0, rtol=1e-11, atol=1e-12))
    for rtol in (1e-6, 1e-9):
        found = end(system.simulate(1.0, rtol=rtol, atol=0.1 * rtol, integrator="explicit"))
        assert np.abs(found - exact).max() < 10.0 * rtol * np.abs(exact).max()


@pytest.mark.parametrize("period", [0.05, 0.17])
def test_samples_as_by_radau(period):
    """Torques that jump at each sample, where the accelerations of the step before no longer hold."""

    def controlled():
        system = chain(("revolute", "revolute"))
        joint = system.joints["joint1"]
        rate = system.sensor("rate", joint)
        torque = system.controller("brake", lambda t, w: -0.3 * w, rate, period)
        joint.actuate(torque)
        return system

    exact = end(controlled().simulate(1.0, rtol=1e-11, atol=1e-12))
    found = end(controlled().simulate(1.0, rtol=1e-8, atol=1e-9, integrator="explicit"))
    assert np.abs(found - exact).max() < 1e-7 * np.abs(exact).max()


def test_bounces_as_in_closed_form():
    """A ball of 1 kg on a spring of 1e5 N/m from 1 m: duration of each contact, time of the fifth."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    ball = system.add(fm.RigidBody(1.0, (0.1, 0.1, 0.1)), name="ball")
    system.prismatic(system.ground.marker("floor"), ball["origin"], axis="y", displacement=1.0)
    system.contact(fm.Point(ball["origin"]), fm.Plane(system.ground["floor"]), fm.PowerLaw(1e5))
    result = system.simulate(4.5, rtol=1e-10, atol=1e-13, integrator="explicit")
    omega, speed = np.sqrt(1e5), np.sqrt(2.0 * 9.81)
    duration = (np.pi + 2.0 * np.arctan(9.81 / (omega * speed))) / omega
    assert len(result.contacts) == 5
    assert [contact.duration for contact in result.contacts] == pytest.approx([duration] * 5, rel=1e-6)
    last = np.sqrt(2.0 / 9.81) + 4.0 * (duration + 2.0 * np.sqrt(2.0 / 9.81))
    assert result.contacts[4].start == pytest.approx(last, rel=1e-7)


def test_tolerance_is_kept_within_a_factor_of_ten():
    exact = end(chain().simulate(1.0, rtol=1e-13, atol=1e-14, integrator="explicit"))
    for rtol in (1e-3, 1e-5, 1e-7, 1e-9):
        found = end(chain().simulate(1.0, rtol=rtol, atol=0.1 * rtol, integrator="explicit"))
        assert np.abs(found - exact)[:3].max() < 10.0 * rtol * np.linalg.norm(exact[:3])
        assert np.abs(found - exact)[3:].max() < 10.0 * rtol * np.linalg.norm(exact[3:])
