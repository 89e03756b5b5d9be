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

EXAMPLES = [fm.PowerLaw(3e4), fm.PowerLaw(2e7, 2.0), fm.Hertz(1.5e10), fm.HuntCrossley(1.5e10, damping=0.3)]


def test_every_law_has_an_example():
    modules = [import_module(f"{package.__name__}.{module.name}") for module in pkgutil.iter_modules(package.__path__)]
    laws = {
        kind for module in modules for _name, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, fm.ContactLaw) and not inspect.isabstract(kind)
    }  # fmt: skip
    assert {type(law) for law in EXAMPLES} == laws


@pytest.mark.parametrize("law", EXAMPLES)
def test_force_is_the_slope_of_the_energy_and_grows(law):
    p, force, energy = np.array(law.parameters()), type(law).force, type(law).energy
    depths = np.array([1e-6, 1e-5, 1e-4, 1e-3])
    forces = [force(p, depth, 0.0) for depth in depths]
    slopes = [(energy(p, d * 1.0001) - energy(p, d * 0.9999)) / (2e-4 * d) for d in depths]
    assert force(p, 0.0, 1.0) == force(p, 0.0, -1.0) == energy(p, 0.0) == 0.0
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


def bouncing(law) -> fm.Result:
    """A steel ball of 20 mm radius falls 5 mm onto a plane."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = system.add(fm.RigidBody.sphere(7850.0, 0.02), name="ball", position=(0.0, 0.0, 0.025))
    floor = fm.Plane(system.ground.marker("floor"), normal=(0.0, 0.0, 1.0))
    system.contact(fm.Sphere(ball["origin"], 0.02), floor, law, name="floor")
    return system.simulate(0.05, rtol=1e-8)


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


class NoForce(fm.ContactLaw):
    def parameters(self):
        return ("a",)


@pytest.mark.parametrize(
    ("law", "text"),
    [
        (Tension(1e10), "must be 0 at zero depth for every rate.*Let damping grow with the depth"),
        (WrongEnergy(1e10), "the energy is not the integral of the force"),
        (Fails(1e10), "cannot be evaluated: KeyError: 'no such table'"),
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
    ball = system.add(
        fm.RigidBody.sphere(7850.0, 0.02), name="ball", position=(0.0, 0.0, 0.021), velocity=(0.0, 0.0, -0.7)
    )
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


def test_restitution_that_cannot_be_is_refused():
    for restitution, speed in ((0.0, 1.0), (1.1, 1.0), (0.5, 0.0), (0.5, float("inf"))):
        with pytest.raises(fm.MechanismError, match="restitution"):
            fm.HuntCrossley.from_restitution(1e9, restitution, speed)
    with pytest.raises(fm.MechanismError, match="damping"):
        fm.HuntCrossley(1e9, damping=-1.0)
