"""Numbers in other units than m, rad, N and Pa are said once, where they are stated, with the value that was meant."""

import warnings
from pathlib import Path

import pytest

import flexmbs as fm

MESH = Path(__file__).parents[3] / "meshes" / "pendulum_beam.inp"
LAW = fm.LankaraniNikravesh(1e9, 0.9)


def hinged(**start):
    system = fm.System()
    bar = system.add(fm.RigidBody.rod(1.0, 1.0), "bar")
    return system, bar, system.ground.marker("o"), start


def hinge(**start):
    system, bar, ground, start = hinged(**start)
    return system.revolute(ground, bar["origin"], name="hinge", **start)


def touching(law, friction=None):
    system, bar, ground, _start = hinged()
    return system.contact(fm.Sphere(bar["origin"], 0.1), fm.Plane(ground), law, "floor", friction)


STATED = {  # what is stated, parts of what is said (none: nothing)
    "angle in degrees": (lambda: hinge().prescribe(90), ("hinge", "math.radians(90)")),
    "step in degrees": (lambda: hinge().prescribe(fm.Step(0.0, 1.0, 0.0, 90.0)), ("hinge", "math.radians(90)")),
    "step of a turn": (lambda: hinge().prescribe(fm.Step(0.0, 1.0, 0.0, 6.0)), ()),
    "speed in rev/min": (lambda: hinge().prescribe(rate=3000), ("hinge", "3000 rev/min are 314.159")),
    "run-up in rev/min": (lambda: hinge().prescribe(fm.Ramp(0.0, 1.0, 1500.0)), ("hinge", "1500 rev/min are 157.08")),
    "speed of a step": (lambda: hinge().prescribe(rate=fm.Step(0.0, 1.0, 0.0, 6000.0)), ("6000 rev/min are 628.319",)),
    "start rate in rev/min": (lambda: hinge(rate=3000.0), ("hinge", "start rate", "314.159")),
    "speed in rad/s": (lambda: hinge(rate=1000.0).prescribe(rate=628.3), ()),
    "friction in percent": (lambda: touching(LAW, fm.Coulomb(30.0)), ("floor", "30 % are 0.3")),
    "rigid friction": (lambda: touching(fm.Rigid(0.5, 30.0)), ("floor", "30 degrees 0.577")),
    "joint friction": (lambda: hinge().friction(30.0, normal_force=1.0, radius=0.01, transition=1e-3), ("hinge", "0.3")),
    "usual friction": (lambda: touching(LAW, fm.Coulomb(1.2)), ()),
    "play in mm": (lambda: hinge(clearance=fm.Clearance(radial=0.2, law=LAW, radius=0.01)), ("hinge", "20 times", "0.0002")),
    "usual play": (lambda: hinge(clearance=fm.Clearance(radial=2e-4, law=LAW, radius=0.01)), ()),
    "damping in percent": (lambda: reduced(damping=2.0), ("2 times the critical", "0.02")),
    "material in MPa": (lambda: material(210e3, 7.85e-9), ("MPa and t/mm3", "2.1e+11 and 7850")),
    "modulus in MPa": (lambda: material(210e3, 7850.0), ("MPa and kg/m3", "2.1e+11 and 7850")),
    "material in SI": (lambda: material(70e9, 2700.0), ()),
}


def reduced(**options):
    return fm.reduce(fm.read_mesh(MESH), interfaces={"root": "ROOT"}, modes=fm.FreeFree(count=3), **options)


def material(modulus: float, density: float):
    """A material that is given to a mesh whose file was in millimetres."""
    mesh = fm.box_mesh((1.0, 0.1, 0.1), (4, 1, 1))
    return fm.with_material(mesh, youngs_modulus=modulus, poisson_ratio=0.3, density=density)


@pytest.mark.parametrize("case", STATED)
def test_slips_of_units_are_said_once(case):
    state, parts = STATED[case]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        state()
    messages = [str(one.message) for one in caught if not isinstance(one.message, fm.BasisWarning)]
    assert len(messages) == bool(parts), messages
    assert all(part in messages[0] for part in parts)


@pytest.mark.parametrize(("stiffness", "sinks"), [(1e2, True), (1e8, False)])
def test_a_floor_into_which_a_ball_falls_is_named(stiffness, sinks):
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = system.add(fm.RigidBody.sphere(7800.0, 0.05), "ball", position=(0.0, 0.0, 0.06))
    floor = fm.Plane(system.ground.marker("floor"), normal=(0.0, 0.0, 1.0))
    system.contact(fm.Sphere(ball["origin"], 0.05), floor, fm.Hertz(stiffness), "floor")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        system.simulate(0.3)
    assert any("contact 'floor': one body sinks" in str(one.message) for one in caught) is sinks
