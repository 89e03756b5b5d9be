"""Numbers that look like degrees, millimetres or per cent: refused where they can only be wrong, else said."""

import math
import warnings

import numpy as np
import pytest

import flexmbs as fm


def block(**options):
    system = fm.System(**options)
    return system, system.add(fm.RigidBody(1.0, (0.1, 0.1, 0.1)), "block")


def hinged(**start):
    system, body = block()
    return system, system.revolute(system.ground["origin"], body["origin"], name="hinge", **start)


LOOKS_WRONG = {
    "start angle": (lambda: hinged(angle=90), "'hinge': start angle: 90 rad is 14.3 turns.*in rad"),
    "half degrees": (lambda: hinged(angle=-22.5), "-22.5 rad"),
    "driver": (lambda: hinged()[1].prescribe(45.0), "prescribed angle: 45 rad"),
    "spring": (lambda: hinged()[1].spring(1.0, rest=30), "spring: rest: 30 rad"),
    "stop": (lambda: hinged()[1].limit(-60, 60, stiffness=1.0), "limit: upper: 60 rad"),
    "rotation of a body": (
        lambda: fm.System().add(fm.RigidBody.point(1.0), "a", rotation=(0, 0, 90)),
        "body 'a': the rotation vector",
    ),
    "rotation of a marker": (lambda: block()[1].marker("m", rotation=(0, 45, 0)), "marker 'm'.*45 rad = 7.16 turns"),
    "rotation": (lambda: fm.rotation([0, 0, 180]), "rotation vector"),
    "Euler angles in rad": (lambda: fm.EulerAngles("xyz", (0, 0, 90)), r"\(0, 0, 90\) rad is more than a turn"),
    "Euler angles in degrees": (lambda: fm.EulerAngles("xyz", (0, math.pi / 2, 0), degrees=True), "round fractions of pi"),
    "gravity": (lambda: fm.System(gravity=(0, 0, -9810)), "gravity of 9810 m/s2"),
    "marker": (lambda: block()[1].marker("tip", (500, 0, 0)), "marker 'tip' on body 'block' is 500 m from the centre"),
}


@pytest.mark.parametrize("name", LOOKS_WRONG)
def test_what_looks_like_another_unit_is_said(name):
    state, message = LOOKS_WRONG[name]
    with pytest.warns(fm.MechanismWarning, match=message):
        state()


def test_bodies_of_other_units_are_said():
    with pytest.warns(fm.BodyWarning, match="rigid box is 785000 m large"):
        fm.RigidBody.box(7850.0, (785e3, 100.0, 100.0))
    with pytest.warns(fm.BodyWarning, match="no solid has a density of 7.85e-09 kg/m3"):
        fm.RigidBody.box(7.85e-9, (100.0, 10.0, 10.0))


def test_usual_numbers_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system, hinge = hinged(angle=2.0 * math.pi, rate=314.0)
        hinge.spring(1.0, rest=62.83)  # ten turns, of a winch
        hinge.limit(-6.0, 6.0, stiffness=1.0)
        system.add(fm.RigidBody.box(7850.0, (100.0, 3.0, 3.0)), "boom").marker("tip", (100.0, 0.0, 0.0))
        system.add(fm.RigidBody(1.0, (1e-6, 1e-6, 1e-6)), "near a point").marker("lever", (2.0, 0.0, 0.0))
        fm.EulerAngles("zxz", (30, 45, 90), degrees=True)
        fm.EulerAngles("zxz", (0.5, math.pi, -2.0 * math.pi))
        fm.rotation((0.0, 0.0, 2.0 * math.pi))


REFUSED = {
    "no number": (lambda: hinged(angle="90 deg"), "start angle: expected a number, got '90 deg'"),
    "nan": (lambda: hinged(rate=math.nan), "start rate of angle.*not a finite number"),
    "position": (lambda: fm.System().add(fm.RigidBody.point(1.0), "a", position="far"), "expected 3 finite numbers"),
    "gravity": (lambda: fm.System(gravity=9.81), "gravity.*expected 3 finite numbers"),
    "density": (lambda: fm.RigidBody.box("steel", (1, 1, 1)), "density .kg/m3.: expected a number, got 'steel'"),
    "rtol": (lambda: block()[0].simulate(1.0, rtol=10), "rtol = 10: the relative error of a step must be at most 1"),
    "rtol as a word": (lambda: block()[0].simulate(1.0, rtol="fine"), "rtol = 'fine' must be a positive"),
    "negative atol": (lambda: block()[0].simulate(1.0, atol=-1e-6), "atol = -1e-06 must be a positive"),
    "t_end": (lambda: block()[0].simulate(-1.0), "t_end = -1.0 must be a positive finite number of seconds"),
    "t_end nan": (lambda: block()[0].simulate(math.nan), "t_end = nan"),
    "t_end as a word": (lambda: block()[0].simulate("1 s"), "t_end = '1 s'"),
    "max_step": (lambda: block()[0].simulate(1.0, max_step=-0.1), "max_step = -0.1 s must be positive"),
    "max_step as a word": (lambda: block()[0].simulate(1.0, max_step="small"), "max_step = 'small'"),
    "kinematics": (lambda: block()[0].kinematics(1.0, steps=1e12), "steps = 1000000000000.0 must be a whole number"),
    "kinematics end": (lambda: block()[0].kinematics("long"), "kinematics: t_end = 'long'"),
    "statics": (lambda: block()[0].statics(time=math.nan), "statics: time .s.: nan is not a finite number"),
    "assemble": (lambda: block()[0].assemble(time="now"), "assemble: time .s.: expected a number, got 'now'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_can_only_be_wrong_is_refused(name):
    state, message = REFUSED[name]
    with pytest.raises(fm.FlexmbsError, match=message):
        state()


def test_loose_tolerances_and_endless_ends_are_said():
    from flexmbs.analysis.run.settings import check_end, check_tolerances

    with pytest.warns(fm.MechanismWarning, match="rtol = 0.1 allows errors of 10%"):
        check_tolerances(0.1, None)
    with pytest.warns(fm.MechanismWarning, match=r"atol\['angle'\] = 5"):
        check_tolerances(1e-6, {"angle": 5.0, "state": 100.0})
    with pytest.warns(fm.MechanismWarning, match="1.16e[+]04 days; times are in s"):
        check_end(1e9)


def test_gravity_can_be_given_later_and_is_checked():
    system, _ = block()
    system.gravity = (1.0, 2.0, 3)
    assert isinstance(system.gravity, np.ndarray) and system.gravity.tolist() == [1.0, 2.0, 3.0]
    result = system.assemble()
    acceleration = [result[f"block.free.{axis}.acceleration"][0] for axis in "xyz"]
    assert acceleration == pytest.approx([1.0, 2.0, 3.0], rel=1e-14)
    for wrong in (9.81, (0, 0, math.nan), "down", None):
        with pytest.raises(fm.MechanismError, match="gravity"):
            system.gravity = wrong
    with pytest.raises(ValueError, match="read-only"):
        system.gravity[2] = math.nan
    assert system.gravity.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(fm.MechanismError, match="coordinates = 'relative'"):
        system.coordinates = "relative"
