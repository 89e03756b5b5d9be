"""Joints whose friction sticks where something else holds them too: a lock, or a rigid contact that sticks."""

import numpy as np
import pytest

import flexmbs as fm


def locked_slide(second, normal_force, rate, rtol=1e-6):
    """A slide with friction that carries two bodies, locked from 0.3 to 0.5 s."""
    system = fm.System(gravity=(1.0, -0.7, -9.81))
    a = system.add(fm.RigidBody(1.0, (0.02, 0.03, 0.04), center=(0.1, 0.0, 0.0)), "a")
    b = system.add(fm.RigidBody(0.5, (0.01, 0.01, 0.02), center=(0.1, 0.0, 0.02)), "b")
    c = system.add(fm.RigidBody(0.4, (0.005, 0.006, 0.007), center=(0.1, 0.03, 0.0)), "c")
    slide = system.prismatic(system.ground["origin"], a["origin"], axis="x", rate=rate, name="slide")
    axes = {} if second == "universal" else {"axis": "y"}
    system.joint(second, a.marker("end", (0.3, 0.0, 0.0)), b["origin"], "second", **axes)
    system.spherical(b.marker("end", (0.3, 0.0, 0.0)), c["origin"], name="third")
    slide.friction(fm.DryFriction(0.3, 0.2), normal_force=normal_force)
    system.event(0.3, fm.Lock(slide), name="lock")
    system.event(0.5, fm.Free(slide), name="free")
    return system.simulate(0.7, rtol=rtol)


@pytest.mark.parametrize("second", ["universal", "revolute", "cylindrical"])
@pytest.mark.parametrize(("normal_force", "rate"), [(20.0, 0.5), ("reaction", 0.0), ("reaction", 0.5)])
def test_friction_leaves_the_load_to_the_lock(second, normal_force, rate):
    """Both held the same coordinate, without a share of the load: the matrix was singular, or not, by rounding."""
    result, finer = (locked_slide(second, normal_force, rate, rtol) for rtol in (1e-6, 1e-7))
    held = (result.t > 0.3) & (result.t < 0.5)
    assert np.ptp(result["slide.displacement"][held]) < 1e-12
    assert result["slide.displacement"][-1] == pytest.approx(finer["slide.displacement"][-1], abs=2e-5)


@pytest.mark.parametrize("rate", [0.0, 1.0])
@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_hinge_and_contact_start_to_slide_together(rate, restitution):
    """A growing force moves an arm whose hinge and tip both stick: the mechanism slid and stuck 5000 times in 1e-9 s.

    With the contact that began to slide the hinge could just stick again, with that hinge the contact could.
    """

    def end(rtol):
        system = fm.System(gravity=(0.0, 0.0, -9.81))
        arm = system.add(fm.RigidBody(1.0, (0.01, 0.01, 0.01), center=(0.1, 0.0, 0.0)), "arm")
        hand = system.add(fm.RigidBody(0.5, (0.003, 0.003, 0.003), center=(0.1, 0.0, 0.0)), "hand")
        hinge = system.revolute(system.ground["origin"], arm["origin"], axis="y", name="hinge", angle=-0.3, rate=rate)
        system.revolute(arm.marker("out", (0.3, 0.0, 0.0)), hand["origin"], axis="y", name="elbow", angle=0.3)
        hinge.friction(fm.DryFriction(0.1, 0.07), normal_force="reaction", radius=0.02)
        floor = fm.Plane(system.ground.marker("floor", (0.0, 0.0, -0.05)), (0.0, 0.0, 1.0))
        law = fm.Rigid(restitution=restitution, friction=1.0)
        system.contact(fm.Point(hand.marker("tip", (0.25, 0.0, 0.0))), floor, law=law, name="floor")
        felt = system.state("filter", lambda t, x, v: 5.0 * (v - x), [system.sensor("rate", hinge)])
        system.force(arm["out"], (0.0, 0.0, system.function(lambda t, x: 5.0 * x, [felt])))
        result = system.simulate(1.0, rtol=rtol)
        return np.array([result["hinge.angle"][-1], result["elbow.angle"][-1]]), len(result.t)

    (coarse, steps), (fine, _) = end(1e-6), end(1e-7)
    assert steps < 1000
    assert coarse == pytest.approx(fine, abs=2e-5)
