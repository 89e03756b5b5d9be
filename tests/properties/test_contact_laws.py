"""What holds for every contact law that comes with flexmbs, and for those of users."""

import inspect
import pkgutil
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pytest

import flexmbs as fm
import flexmbs.core.laws.contact as package
from flexmbs.model.contact_laws import law_fields

EXAMPLES = [fm.PowerLaw(3e4), fm.PowerLaw(2e7, 2.0), fm.Hertz(1.5e10)]


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
