"""What holds for every contact law that comes with flexmbs, and for those of users."""

import inspect
import pkgutil
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pytest

import flexmbs as fm
import flexmbs.core.laws.contact as package
from flexmbs.model.compile_contact_laws import law_fields

EXAMPLES = [
    fm.PowerLaw(3e4),
    fm.PowerLaw(2e7, 2.0),
    fm.Hertz(1.5e10),
    fm.HuntCrossley(1.5e10, damping=0.3),
    fm.LankaraniNikravesh(1.5e10, 0.8),
    fm.Flores(2e9, 0.4),
    fm.Gonthier(2e9, 0.4, 1.2, exact=True),
    fm.LinearContact(1e6, 40.0),
    fm.LinearContact(1e6, 40.0, separation="zero force"),
    fm.ElasticFoundation(1e9, 2.0),
    fm.Anagnostopoulos(1e6, 0.7),
    fm.HertzLine(1.1e11, 0.01, 0.02),
    fm.ElasticPlastic(1.1e11, 0.01, 2e10),
]


def functions(law: fm.ContactLaw):
    """force(depth, rate) and energy(depth) of a contact that has begun with 0.5 m/s and 2 kg.

    A law that is renewed has been deeper by a thousandth.
    """
    p, force, energy = np.array(law.parameters()), type(law).force, type(law).energy
    if not law.history:
        return lambda d, rate: force(p, d, rate), lambda d: energy(p, d)

    def history(depth):
        found = np.zeros(len(law.history))
        type(law).begin(p, found, 0.5, 2.0)
        if law.update is not None and depth > 0.0:
            type(law).update(p, found, 10.0 ** round(np.log10(depth)) * 1.001, 0.0)
        return found

    return lambda d, rate: force(p, history(d), d, rate), lambda d: energy(p, history(d), d)


def test_every_law_has_an_example():
    modules = [import_module(f"{package.__name__}.{module.name}") for module in pkgutil.iter_modules(package.__path__)]
    laws = {
        kind
        for module in modules
        for _name, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, fm.ContactLaw) and not inspect.isabstract(kind) and not kind.is_rigid
    }
    assert {type(law) for law in EXAMPLES} == laws


@pytest.mark.parametrize("law", EXAMPLES)
def test_damping_takes_energy(law):
    """The force is larger while the depth grows, and smaller while it shrinks, or the same."""
    force, _energy = functions(law)
    for depth in (1e-6, 1e-4):
        at_rest = force(depth, 0.0)
        assert force(depth, 0.2) >= at_rest >= force(depth, -0.2)


@pytest.mark.parametrize("law", EXAMPLES)
def test_force_is_the_slope_of_the_energy_and_grows(law):
    force, energy = functions(law)
    depths = np.array([1e-6, 1e-5, 1e-4, 1e-3])
    forces = [force(depth, 0.0) for depth in depths]
    slopes = [(energy(d * 1.0001) - energy(d * 0.9999)) / (2e-4 * d) for d in depths]
    assert force(0.0, 0.0) == energy(0.0) == 0.0
    if not law.jumps:
        assert force(0.0, 1.0) == force(0.0, -1.0) == 0.0
    # central difference with a relative step of 1e-4: error 1e-8, rounding 1e-12
    np.testing.assert_allclose(slopes, forces, rtol=1e-7)
    assert np.all(np.diff(forces) > 0.0)


@dataclass(frozen=True)
class OwnHertz(fm.ContactLaw):
    """Hertz's law as a user would write it."""

    stiffness: float

    def parameters(self):
        return (self.stiffness,)

    @staticmethod
    def force(parameters, depth, rate):
        return parameters[0] * depth**1.5

    @staticmethod
    def energy(parameters, depth):
        return parameters[0] * depth**2.5 / 2.5


class OnlyPython(OwnHertz):
    """The same in what numba cannot compile."""

    @staticmethod
    def force(parameters, depth, rate):
        return {"k": parameters[0]}.get("k", object()) * depth**1.5


def falling(law) -> fm.System:
    """A steel ball of 20 mm radius falls 5 mm onto a plane."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = system.add(fm.RigidBody.sphere(7850.0, 0.02), name="ball", position=(0.0, 0.0, 0.025))
    floor = fm.Plane(system.ground.marker("floor"), normal=(0.0, 0.0, 1.0))
    system.contact(fm.Sphere(ball["origin"], 0.02), floor, law, name="floor")
    return system


def bouncing(law) -> fm.Result:
    return falling(law).simulate(0.05, rtol=1e-8)


@pytest.mark.parametrize("own", [OwnHertz, OnlyPython])
def test_a_law_of_a_script_is_as_good_as_ours(own):
    ours, theirs = bouncing(fm.Hertz(1e10)), bouncing(own(1e10))
    (a, *_), (b, *_) = ours.contacts, theirs.contacts
    # the same formula, evaluated with other rounding
    np.testing.assert_allclose([b.start, b.peak_force, b.impulse], [a.start, a.peak_force, a.impulse], rtol=1e-7)


class Tension(OwnHertz):
    @staticmethod
    def force(parameters, depth, rate):
        return parameters[0] * depth + 3.0 * rate


class WrongEnergy(OwnHertz):
    @staticmethod
    def energy(parameters, depth):
        return parameters[0] * depth**2.5


class Fails(OwnHertz):
    @staticmethod
    def energy(parameters, depth):
        raise KeyError("no such table")


class NoBegin(OwnHertz):
    history = ("speed",)

    @staticmethod
    def force(parameters, history, depth, rate):
        return parameters[0] * depth**1.5


class WrongBegin(NoBegin):
    @staticmethod
    def begin(parameters, history, speed, mass):
        history[0] = float("nan")

    @staticmethod
    def energy(parameters, history, depth):
        return parameters[0] * depth**2.5 / 2.5


class WrongHistory(WrongBegin):
    history = "speed"


class WrongSeparation(OwnHertz):
    separation = "never"


class NoForce(fm.ContactLaw):
    def parameters(self):
        return ("a",)


@pytest.mark.parametrize(
    ("law", "text"),
    [
        (Tension(1e10), "must be 0 at zero depth for every rate.*Let damping grow with the depth"),
        (WrongEnergy(1e10), "the energy is not the integral of the force"),
        (Fails(1e10), "cannot be evaluated: KeyError: 'no such table'"),
        (NoBegin(1e10), r"no static method begin\(parameters, history, speed, mass\)"),
        (WrongBegin(1e10), "begin.. left .nan. in the history"),
        (WrongHistory(1e10), "history must be a tuple of names"),
        (WrongSeparation(1e10), "separation must be 'zero depth' or 'zero force', not 'never'"),
        (NoForce(), r"parameters\(\) must return numbers"),
        (OwnHertz(float("nan")), "is not finite"),
    ],
)
def test_laws_that_cannot_be_are_refused_by_name(law, text):
    with pytest.raises(fm.MechanismError, match=f"contact 'a'.*{text}"):
        law_fields(law, "contact 'a'", None)


@pytest.mark.parametrize("exponent", [1.5, 1.0])
@pytest.mark.parametrize("restitution", [0.9, 0.5, 0.1])
def test_damped_impact_parts_with_the_exact_restitution(restitution, exponent):
    """The relation of HuntCrossley.from_restitution, by the speeds before and after a central impact."""
    stiffness = 1e10 if exponent == 1.5 else 1e7
    law = fm.HuntCrossley.from_restitution(stiffness, restitution, 0.7, exponent)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    ball = system.add(fm.RigidBody.sphere(7850.0, 0.02), name="ball", position=(0.0, 0.0, 0.021), velocity=(0.0, 0.0, -0.7))
    floor = fm.Plane(system.ground.marker("floor"), normal=(0.0, 0.0, 1.0))
    system.contact(fm.Sphere(ball["origin"], 0.02), floor, law, name="floor")
    result = system.simulate(0.02, rtol=1e-8)
    (contact,) = result.contacts
    mass = 7850.0 * 4.0 / 3.0 * np.pi * 0.02**3
    # the error of a run is some times its rtol (docs/verification.md)
    assert result["ball.free.z.rate"][-1] == pytest.approx(0.7 * restitution, rel=3e-7)
    assert contact.impulse == pytest.approx(mass * 0.7 * (1.0 + restitution), rel=3e-7)
    lost = result["energy.total"][0] - result["energy.total"][-1]
    assert lost == pytest.approx(0.5 * mass * 0.49 * (1.0 - restitution**2), rel=1e-6)


@dataclass(frozen=True)
class OwnGonthier(fm.ContactLaw):
    """The law of Gonthier as a user would write it, and how deep the contact has been."""

    stiffness: float
    restitution: float

    history = ("damping (s/m)", "largest depth (m)")

    def parameters(self):
        return self.stiffness, (1.0 - self.restitution**2) / self.restitution

    @staticmethod
    def begin(p, history, speed, mass):
        history[0] = p[1] / max(speed, 1e-6)
        history[1] = 0.0

    @staticmethod
    def update(p, history, depth, rate):
        history[1] = max(history[1], depth)

    @staticmethod
    def force(p, history, depth, rate):
        return p[0] * depth**1.5 * (1.0 + history[0] * rate)

    @staticmethod
    def energy(p, history, depth):
        return p[0] * depth**2.5 / 2.5


class GonthierInPython(OwnGonthier):
    """The same in what numba cannot compile."""

    @staticmethod
    def begin(p, history, speed, mass):
        history[:] = {"c": p[1] / speed}.get("c", object()), 0.0


@pytest.mark.parametrize("own", [OwnGonthier, GonthierInPython])
def test_a_law_of_a_script_remembers_its_contact(own):
    ours, theirs = bouncing(fm.Gonthier(1e10, 0.6)), bouncing(own(1e10, 0.6))
    (a, *_), (b, *_) = ours.contacts, theirs.contacts
    found, expected = [b.start, b.peak_force, b.rebound_speed], [a.start, a.peak_force, a.rebound_speed]
    # another rounding, and one more step: it ends where the ball is deepest
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_what_a_law_remembers_is_part_of_saved_states(tmp_path):
    """A run that stops inside a contact, behind its deepest point, goes on with the dent that it has made."""
    law = fm.ElasticPlastic(1e11, 0.02, 5e8)
    contact = bouncing(law).contacts[0]
    late = 0.25 * contact.start + 0.75 * contact.end
    system = falling(law)
    first = system.simulate(late, rtol=1e-8, out=tmp_path / "run")
    assert first.final_state.arrays["state.contact_history"] == pytest.approx([contact.max_depth], rel=1e-6)
    resumed = system.simulate(0.05, rtol=1e-8, out=tmp_path / "run", resume=True).contacts[0]
    onward = falling(law).simulate(0.05, rtol=1e-9, start=first).contacts[0]  # a system of its own
    for found in (resumed, onward):
        assert found.rebound_speed == pytest.approx(contact.rebound_speed, rel=1e-6)
        assert found.approach_speed == first.contacts[0].approach_speed


def test_a_resumed_run_repeats_every_digit(tmp_path):
    system = falling(fm.Flores(1e9, 0.5))
    contact = bouncing(fm.Flores(1e9, 0.5)).contacts[0]
    inside = 0.5 * (contact.start + contact.end)
    first = system.simulate(inside, rtol=1e-8, out=tmp_path / "run")
    one = system.simulate(0.05, rtol=1e-8, out=tmp_path / "run", resume=True)
    two = system.simulate(0.05, rtol=1e-8, start=first)
    assert one.contacts[0] == two.contacts[0]
    assert one.contacts[0].restitution == pytest.approx(contact.restitution, rel=1e-6)


def test_a_contact_can_end_where_its_force_vanishes():
    """It starts again where the force would push: a mass that weighs on its pad returns before the pad is relaxed.

    In between it falls freely, and k d + c d' = 0 at both ends of that time, 2 (v / g - c / k) with v at its start.
    """
    k, c, g = 1e4, 40.0, 200.0
    system = fm.System(gravity=(0.0, -g, 0.0))
    block = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="block")
    floor = system.ground.marker("floor")
    system.prismatic(floor, block["origin"], axis="y", displacement=0.0, rate=-5.3, name="guide")
    law = fm.LinearContact(k, c, separation="zero force")
    system.contact(fm.Point(block["origin"]), fm.Plane(floor), law, name="pad")
    result = system.simulate(0.3, rtol=1e-9)
    first, second = result.contacts
    gaps = [np.interp(t, result.t, result["pad.gap"]) for t in (first.end, second.start)]
    assert gaps[0] == pytest.approx(-c / k * first.rebound_speed, rel=1e-6)
    assert gaps[1] < -1e-4  # it has not been open
    assert second.start - first.end == pytest.approx(2.0 * (first.rebound_speed / g - c / k), rel=1e-6)
    assert np.all(result["pad.force"] > -1e-6)  # N, of hundreds: where it vanishes within the tolerance
    assert not np.any(result["pad.force"][(result.t > first.end) & (result.t < second.start)])
    assert np.isnan(second.end)


@pytest.mark.parametrize("separation", ["zero depth", "zero force"])
def test_a_body_that_is_torn_away_is_held_back_or_not(separation):
    """A driver lifts a body faster than v0 / D: the law pulls, or the contact ends where its force vanishes."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    block = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="block")
    floor = system.ground.marker("floor")
    guide = system.prismatic(floor, block["origin"], axis="y", name="guide")
    guide.prescribe(fm.Harmonic(1e-4, 50.0 / np.pi, phase=0.5 * np.pi, offset=-5e-5))
    law = fm.Gonthier(1e9, 0.1, speed=5e-3, separation=separation)
    system.contact(fm.Point(block["origin"]), fm.Plane(floor), law, name="pad")
    result = system.simulate(0.06, rtol=1e-8)
    (contact,) = result.contacts
    # the depth falls at up to 0.01 m/s, v0 / D is 5e-4 m/s
    assert (result["pad.force"].min() < -10.0) == (separation == "zero depth")
    assert (result["pad.force"].min() > -1e-3) == (separation == "zero force")
    depth = -np.interp(contact.end, result.t, result["pad.gap"])
    # where 1 + c d' vanishes, just behind the deepest point: d' = -a^2 (t - t0)
    assert depth == pytest.approx(1.5e-4 if separation == "zero force" else 0.0, abs=1e-6)


def test_a_contact_in_equilibrium_is_not_damped_by_a_hit():
    """1 kg on k d^1.5 rests at a depth d and vibrates with the stiffness 1.5 F / d; disturbed by a thousandth."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    ball = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="ball")
    floor = system.ground.marker("floor")
    system.prismatic(floor, ball["origin"], axis="y", displacement=-1e-5, name="guide")
    system.contact(fm.Point(ball["origin"]), fm.Plane(floor), fm.Flores(1e9, 0.5), name="floor")
    system.force(ball["origin"], (0.0, fm.Step(0.0, 1e-4, 0.0, -0.01), 0.0), name="push")
    result = system.simulate(0.05, from_equilibrium=True, rtol=1e-8)
    gap = result["floor.gap"]
    late = gap[result.t > 0.04]
    assert np.ptp(late) == pytest.approx(np.ptp(gap), rel=1e-2)
    assert np.ptp(gap) > 1e-9


@pytest.mark.parametrize("integrator", ["bdf", "generalised_alpha", "explicit"])
@pytest.mark.parametrize("law", [fm.Anagnostopoulos(1e6, 0.5), fm.ElasticPlastic(1.1e11, 0.02, 1e9)])
def test_laws_with_jumps_and_memory_with_all_methods(integrator, law):
    expected = falling(law).simulate(0.036, rtol=1e-9).contacts[0]
    (found,) = falling(law).simulate(0.036, rtol=1e-6, integrator=integrator).contacts
    assert found.restitution == pytest.approx(expected.restitution, rel=1e-4)
    assert found.peak_force == pytest.approx(expected.peak_force, rel=1e-4)


def test_numbers_of_laws_that_cannot_be_are_refused():
    for restitution in (-0.1, 1.01, float("nan"), True, "half"):
        for law in (fm.LankaraniNikravesh, fm.Flores, fm.Gonthier, fm.Anagnostopoulos):
            with pytest.raises(fm.MechanismError, match="restitution .* must be"):
                law(1e9, restitution)
    for law in (fm.Flores, fm.Gonthier, fm.Anagnostopoulos):
        with pytest.raises(fm.MechanismError, match="restitution 0.0 must be above 0 and at most 1"):
            law(1e9, 0.0)
    assert fm.LankaraniNikravesh(1e9, 0.0).factor == 0.75
    with pytest.raises(fm.MechanismError, match="restitution 0.0 must be above 0"):
        fm.LankaraniNikravesh(1e9, 0.0, exact=True)
    with pytest.raises(fm.MechanismError, match="separation 'soon' must be 'zero depth' or 'zero force'"):
        fm.LinearContact(1e6, 1.0, separation="soon")
    with pytest.raises(fm.MechanismError, match="damping -1.0 N s/m must be at least 0"):
        fm.LinearContact(1e6, -1.0)
    for radius in (0.0, (0.01, -0.01), (0.02, -0.01), (0.1, 0.1, 0.1)):
        with pytest.raises(fm.MechanismError, match="radius"):
            fm.HertzLine.from_materials(radius, 0.01, fm.Material("a", 1e9, 0.3), fm.Material("b", 1e9, 0.3))


def test_restitution_that_cannot_be_is_refused():
    for restitution, speed in ((0.0, 1.0), (1.1, 1.0), (0.5, 0.0), (0.5, float("inf"))):
        with pytest.raises(fm.MechanismError, match="restitution"):
            fm.HuntCrossley.from_restitution(1e9, restitution, speed)
    with pytest.raises(fm.MechanismError, match="damping"):
        fm.HuntCrossley(1e9, damping=-1.0)
