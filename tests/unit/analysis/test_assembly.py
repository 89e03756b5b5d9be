"""Closing loops from rough poses, with coordinates held, and what is said when it cannot be done."""

import warnings

import numpy as np
import pytest
from planar_four_bar import bar, four_bar, rocker_angle

import flexmbs as fm


def test_given_values_stay_and_the_others_follow():
    found = four_bar(angle=0.9).assemble()
    assert found["A.angle"][0] != pytest.approx(0.9, abs=1e-3)  # 'D' was given too: both give way
    system = four_bar(angle=0.9)
    system.joints["A"].hold()
    found = system.assemble()
    assert found["A.angle"][0] == 0.9
    assert found["D.angle"][0] == pytest.approx(rocker_angle(0.9), abs=1e-12)
    assert found["constraint_error"][0] < 1e-12
    assert found.status == "assembled"


def test_held_values_that_leave_no_way():
    system = four_bar()
    system.joints["A"].hold("angle")
    system.joints["D"].hold()
    with pytest.raises(fm.MechanismError, match="with 'A.angle', 'D.angle' held: '.' stays open by 0.1245.* m"):
        system.assemble()


def test_hold_of_an_unknown_coordinate():
    with pytest.raises(fm.MechanismError, match=r"joint 'A' \(revolute\): no coordinate 'displacement' to hold"):
        four_bar().joints["A"].hold("displacement")


def test_loop_that_cannot_close_names_joint_and_gap():
    """Two bars of 1 m between pins 2.5 m apart lack half a metre."""
    system = fm.System()
    first, second = system.add(bar(1.0), name="first"), system.add(bar(1.0), name="second")
    system.revolute(system.ground["origin"], first["origin"], name="A")
    system.revolute(first.marker("end", position=(1.0, 0.0, 0.0)), second["origin"], name="B")
    pin = system.ground.marker("pin", position=(2.5, 0.0, 0.0))
    system.revolute(pin, second.marker("end", position=(1.0, 0.0, 0.0)), name="C")
    for analysis in (system.assemble, lambda: system.simulate(1.0), system.statics):
        with pytest.raises(fm.MechanismError, match=r"loops cannot be closed .*: '[BC]' stays open by 0.5 m\. Start"):
            analysis()


def test_rough_pose_far_from_closed():
    chance = np.random.default_rng(5)
    for _ in range(10):
        system = four_bar(angle=0.9)
        system.joints["A"].hold()
        for name in "BCD":
            system.joints[name].start["angle"] = float(chance.uniform(-np.pi, np.pi))
            system.joints[name].given.add("angle")
        assert system.assemble()["constraint_error"][0] < 1e-11


def test_velocities_are_made_consistent():
    system = four_bar()
    system.joints["A"].hold()
    system.joints["A"].start_rate["angle"] = 3.0
    system.joints["A"].given_rates.add("angle")
    step = 1e-5
    slope = (rocker_angle(0.9 + step) - rocker_angle(0.9 - step)) / (2.0 * step)
    assert system.assemble()["D.angle.rate"][0] == pytest.approx(3.0 * slope, rel=1e-8)


def test_flexible_links_are_not_bent_to_close_a_loop():
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    flexible = fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree(at="hinge", bending=(3, 0)))
    length = float(np.ptp(flexible.points, axis=0).max())
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    beam, link = system.add(flexible, name="beam"), system.add(bar(length), name="link")
    system.revolute(system.ground["origin"], beam["hinge"], name="A")
    system.revolute(beam["tip"], link["origin"], name="B")
    slider = system.add(bar(0.1), name="slider")
    system.prismatic(system.ground["origin"], slider["origin"], displacement=1.5 * length, name="guide")
    system.revolute(link.marker("end", position=(length, 0.0, 0.0)), slider["origin"], name="C")
    found = system.assemble()
    modal = [name for name in found.names if name.startswith("beam.bending") and name.count(".") == 1]
    assert len(modal) == 3
    assert all(found[name][0] == 0.0 for name in modal)


@pytest.mark.parametrize("height, length", [(1.0, 9.0), (1.0, lambda t: 9.0 + t), (4.5, 9.0), (4.5, 9.05)])
def test_a_cable_that_does_not_fit_the_stated_positions_is_named_with_the_length_that_would(height, length):
    system = fm.System()
    one, two = (system.add(fm.RigidBody.point(1.0), name, position=(x, 0, -height)) for name, x in (("one", 0.0), ("two", 2.0)))
    eyes = [system.ground.marker(f"eye {x}", (x, 0, 0)) for x in (0, 2)]
    system.cable([one["origin"], *eyes, two["origin"]], length, name="hoist", parts=(1, 1e-6, 1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        system.assemble()
    said = [str(one.message) for one in caught if "cable" in str(one.message)]
    if height == 4.5:
        assert said == []
    else:
        assert len(said) == 1 and "cable 'hoist': its length at t = 0 s is 9 m" in said[0] and "length = 2" in said[0]
