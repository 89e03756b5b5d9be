"""What holds for every friction law of contacts and joints, and for those of users."""

import inspect
import pkgutil
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fm
import flexmbs.core.laws.friction as package

EXAMPLES = [
    fm.Coulomb(0.3, 0.2, transition=1e-2),
    fm.Coulomb(0.3, rolling=1e-3, pivoting=2e-3),
    fm.Stribeck(0.3, 0.2, 0.05, exponent=1.0, viscous=0.1),
    fm.Stribeck(0.3, 0.2, 0.05, rolling=1e-3, pivoting=2e-3),
    fm.Threlfall(0.3, 0.2, transition=1e-2),
    fm.Threlfall(0.3, rolling=1e-3, pivoting=2e-3),
    fm.LuGre(0.3, 0.2, 0.05, 1e4),
    fm.LuGre(0.3, 0.2, 0.05, 1e4, viscous=0.1, rolling=1e-3, pivoting=2e-3),
    fm.LuGre(0.3, 0.2, 0.05, 1e4, elastic=0.6, pivoting=2e-3),
]


def call(law, normal_force, motion, bristles=None):
    """(force, moment, rates of the bristles)."""
    k = len(law.bristles)
    out = np.zeros(6 + k)
    type(law).force(np.array(law.parameters()), normal_force, motion, np.zeros(k) if bristles is None else bristles, out)
    return out[:3], out[3:6], out[6:]


def random_motion(random):
    """Slip, angular velocity and normal, over many sizes."""
    n = random.normal(size=3)
    n /= np.linalg.norm(n)
    u, w = (10.0 ** random.uniform(-5.0, 1.0) * random.normal(size=3) for _ in range(2))
    return np.concatenate([u - (u @ n) * n, w, n])


def test_every_law_has_an_example():
    modules = [import_module(f"{package.__name__}.{module.name}") for module in pkgutil.iter_modules(package.__path__)]
    laws = {
        kind
        for module in modules
        for _name, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, fm.ContactFriction) and "force" in vars(kind)
    }
    assert {type(law) for law in EXAMPLES} == laws


@pytest.mark.parametrize("law", EXAMPLES)
def test_friction_never_adds_energy(law):
    """Its power plus the growth of what bristles store, sigma_0 N z^2 / 2, is negative for every motion."""
    random = np.random.default_rng(3)
    for _ in range(200):
        motion, load = random_motion(random), 10.0 ** random.uniform(-2.0, 4.0)
        bristles = getattr(law, "bristle_size", 1.0) * random.normal(size=len(law.bristles))
        force, moment, rates = call(law, load, motion, bristles)
        power = force @ motion[:3] + moment @ motion[3:6]
        stored = load * law.stiffness * (bristles @ rates) if law.bristles else 0.0
        size = np.linalg.norm(force) * np.linalg.norm(motion[:3]) + abs(stored)
        assert power + stored <= 1e-12 * size
        assert abs(force @ motion[6:]) <= 1e-12 * np.linalg.norm(force)


@pytest.mark.parametrize("law", EXAMPLES)
def test_friction_has_no_direction_of_its_own(law):
    random = np.random.default_rng(4)
    for turned in (Rotation.from_rotvec([0.0, 0.0, 0.7]), Rotation.from_rotvec([-1.9, 0.3, 0.0])):
        R = turned.as_matrix()
        motion = random_motion(random)
        bristles = law.bristle_size * random.normal(size=len(law.bristles))
        as_seen, leaning = (R @ motion.reshape(3, 3).T).T.ravel(), bristles.copy()
        if law.bristles:
            leaning[:3] = R @ bristles[:3]
        force, moment, rates = call(law, 50.0, motion, bristles)
        other_force, other_moment, other_rates = call(law, 50.0, as_seen, leaning)
        np.testing.assert_allclose(other_force, R @ force, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(other_moment, R @ moment, rtol=1e-9, atol=1e-12)
        if law.bristles:
            np.testing.assert_allclose(other_rates[:3], R @ rates[:3], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("law", EXAMPLES)
def test_friction_grows_with_the_load_and_reaches_its_coefficients(law):
    n = np.array([0.0, 0.0, 1.0])
    fast = np.concatenate([[50.0, 0.0, 0.0], np.zeros(3), n])
    viscous = getattr(law, "viscous", 0.0)
    sizes = []
    for load in (0.0, 10.0, 20.0):
        bristles = np.zeros(len(law.bristles))
        if law.bristles:
            bristles[0] = law.kinetic / law.stiffness  # of steady sliding
        force, _moment, _rates = call(law, load, fast, bristles)
        sizes.append(-force[0])
    kinetic = law.static if law.kinetic is None else law.kinetic
    assert sizes[0] == 0.0
    assert sizes[1:] == pytest.approx([10.0 * (kinetic + 50.0 * viscous), 20.0 * (kinetic + 50.0 * viscous)], rel=1e-9)


@dataclass(frozen=True)
class Own(fm.ContactFriction):
    """Friction of a user: arctangent."""

    coefficient: float
    speed: float

    def parameters(self):
        return self.coefficient, self.speed

    @staticmethod
    def force(p, normal_force, motion, bristles, out):
        speed = (motion[0] ** 2 + motion[1] ** 2 + motion[2] ** 2) ** 0.5
        size = p[0] * normal_force * 2.0 / np.pi * np.arctan(speed / p[1])
        for k in range(3):
            out[k] = -size * motion[k] / max(speed, 1e-300)


class InPython(Own):
    """The same in what numba cannot compile."""

    @staticmethod
    def force(p, normal_force, motion, bristles, out):
        speed = {"speed": float(np.linalg.norm(motion[:3]))}.get("speed", object())
        out[:3] = -p[0] * normal_force * 2.0 / np.pi * np.arctan(speed / p[1]) * motion[:3] / max(speed, 1e-300)


def sliding(friction) -> fm.Result:
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    block = system.add(fm.RigidBody(1.0, (1.0,) * 3), name="block", velocity=(0.5, 0.0, 0.0))
    floor = fm.Plane(system.ground.frame, normal=(0.0, 0.0, 1.0))
    system.contact(fm.Point(block["origin"]), floor, law=fm.LinearContact(1e5, 400.0), friction=friction, name="floor")
    return system.simulate(0.05, rtol=1e-6, progress=False)


def test_a_law_of_a_script():
    one, two = (sliding(law(0.2, 1e-4)) for law in (Own, InPython))
    lost = 0.2 * 9.81 * 0.05
    # 1e-4 of the speed of the law are missing at a slip of 0.5 m/s: 2 / pi * 2e-4
    assert one["block.origin.velocity.x"][-1] == pytest.approx(0.5 - lost, rel=1e-4)
    assert two["block.origin.velocity.x"][-1] == pytest.approx(one["block.origin.velocity.x"][-1], rel=1e-9)


def test_a_law_of_contacts_in_a_joint_is_that_of_the_contact():
    """A block under 9.81 N: with Stribeck friction in the joint, and in a contact."""
    law = fm.Stribeck(0.3, 0.2, 0.1, viscous=0.1, transition=1e-4)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    block = system.add(fm.RigidBody(1.0, (1.0,) * 3), name="block")
    slide = system.prismatic(system.ground.frame, block["origin"], axis="x", rate=0.5, name="slide")
    slide.friction(law, normal_force=9.81)
    in_joint = system.simulate(0.05, rtol=1e-8, progress=False)["slide.displacement.rate"][-1]
    # in the contact the normal force settles within 20 ms, with the impulse of the weight
    assert sliding(law)["block.origin.velocity.x"][-1] == pytest.approx(in_joint, rel=1e-3)


def test_friction_about_an_axis_slips_at_its_radius():
    law = fm.Coulomb(0.3, 0.2, transition=1e-4)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    wheel = system.add(fm.RigidBody(1.0, (0.1, 0.1, 0.1)), name="wheel")
    pin = system.revolute(system.ground.frame, wheel["origin"], axis="z", rate=2.0, name="pin")
    pin.friction(law, normal_force=50.0, radius=0.05)
    result = system.simulate(0.1, rtol=1e-8, progress=False)
    # 0.2 * 50 N * 0.05 m = 0.5 N m on 0.1 kg m2
    assert result["pin.angle.rate"][-1] == pytest.approx(2.0 - 5.0 * 0.1, rel=1e-7)
    assert result["pin.angle.friction.effort"][-1] == pytest.approx(-0.5, rel=1e-9)
