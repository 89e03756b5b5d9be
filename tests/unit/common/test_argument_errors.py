"""Calls with wrong arguments, and texts in place of numbers: which, and what would be right."""

import pytest

import flexmbs as fm


def block():
    system = fm.System()
    return system, system.add(fm.RigidBody(1.0, (0.01, 0.01, 0.01)), "block")


def test_unknown_and_missing_arguments_are_named():
    system, body = block()
    with pytest.raises(fm.MechanismError, match="simulate: there is no argument 'rtoll'; did you mean 'rtol'"):
        system.simulate(1.0, rtoll=1e-6)
    with pytest.raises(fm.MechanismError, match=r"revolute: missing .*'b'; it is called as revolute\(a, b, axis='z'"):
        system.revolute(body["origin"])
    with pytest.raises(fm.MechanismError, match=r"contact: missing .*'law'; it is called as contact\(first, second, law"):
        system.contact(fm.Sphere(body["origin"], 0.1), fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0)))
    with pytest.raises(fm.BodyError, match="RigidBody.box: there is no argument 'siz'; did you mean 'size'"):
        fm.RigidBody.box(7800.0, siz=(0.1, 0.1, 0.1))
    with pytest.raises(fm.BodyError, match=r"RigidBody.rod: missing .*'length'; it is called as RigidBody.rod\(mass, length\)"):
        fm.RigidBody.rod(1.0)


def test_errors_of_users_functions_stay_as_they_are():
    system, body = block()
    slide = system.prismatic(system.ground["origin"], body["origin"], name="slide")
    slide.actuate(lambda t, x: x.no_such_method(), [system.sensor("coordinate", slide)])
    with pytest.raises(fm.MechanismError, match="effort fails at the start: AttributeError.*no_such_method"):
        system.simulate(0.1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: fm.RigidBody.rod("2.0", 0.5), r"rigid rod: mass \(kg\): expected a number, got '2.0'"),
        (lambda: fm.RigidBody.sphere(7800.0, "0.1"), "rigid sphere: radius must be a number, in m, not '0.1'"),
        (lambda: fm.RigidBody.box("7800", (0.1, 0.1, 0.1)), "rigid box: density .*expected a number, got '7800'"),
        (lambda: fm.RigidBody("1", (0.1, 0.1, 0.1)), "mass '1' kg must be positive"),
        (lambda: fm.RigidBody(None), "mass None kg must be positive"),
        (lambda: fm.RigidBody([1.0, 2.0]), r"mass \[1.0, 2.0\] kg must be positive"),
        (lambda: fm.RigidBody.point(1.0, "left"), "expected 3 finite numbers, got 'left'"),
        (lambda: fm.RigidBody(1.0, ("a", 0.1, 0.1)), "inertia .* must be numbers"),
        (lambda: fm.Sphere(block()[1]["origin"], ".1"), r"radius \(m\): expected a number, got '.1'"),
    ],
)
def test_texts_are_no_numbers(make, said):
    with pytest.raises(fm.FlexmbsError, match=said):
        make()


@pytest.mark.parametrize("time", ["soon", [0.0, "soon"], {}])
def test_what_is_no_time_is_said(time):
    result = block()[0].simulate(0.01)
    for ask in (result.at, result.resampled):
        with pytest.raises(ValueError, match="expected a time in s"):
            ask(time)


def test_unknown_bodies_of_a_result_are_named():
    system, _ = block()
    result = system.simulate(0.01)
    for ask in (result.largest_von_mises, result.flexible, result.stress_envelope):
        with pytest.raises(fm.UnknownHistoryError, match="no body named 'blok'. Did you mean block"):
            ask("blok")
