"""What the pages on extending flexmbs say works as they stand."""

import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import JOINT_TYPES

ROOT = Path(__file__).resolve().parents[2]


def _module(page: str, monkeypatch) -> types.ModuleType:
    """The page's code block as a module."""
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    module = types.ModuleType("code_of_" + Path(page).stem)
    monkeypatch.setitem(sys.modules, module.__name__, module)  # dataclasses look their module up by name
    exec(compile(code, page, "exec"), module.__dict__)
    return module


def _hung_on(connect) -> fm.Result:
    """A box that hangs off centre, connected to ground by ``connect(system, marker)``, for 1 s."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    box = system.add(fm.RigidBody.box(7850.0, (0.02, 0.4, 0.05), center=(0.05, -0.2, 0.0)), name="box")
    connect(system, box["origin"])
    return system.simulate(1.0, rtol=1e-9)


def test_pan_and_tilt_are_two_hinges(monkeypatch):
    pan_tilt = _module("docs/adding_a_joint.md", monkeypatch).pan_tilt
    monkeypatch.setitem(JOINT_TYPES, "pan_tilt", pan_tilt)

    def as_one(system, marker):
        joint = system.joint("pan_tilt", system.ground.marker("g"), marker, name="head", upright="x", across="z")
        joint.start["pan"], joint.start_rate["tilt"] = 0.3, 1.0

    def as_two(system, marker):
        # a cross of negligible mass: 1e-9 of the box's
        cross = system.add(fm.RigidBody(3e-9, (1e-12, 1e-12, 1e-12)), name="cross")
        system.revolute(system.ground.marker("g"), cross["origin"], axis="x", angle=0.3, name="first")
        system.revolute(cross["origin"], marker, axis="z", rate=1.0, name="second")

    one, two = _hung_on(as_one), _hung_on(as_two)
    total = one["energy.total"]
    # the integrator's own error at rtol 1e-9 is of this size
    assert np.abs(total - total[0]).max() < 1e-7 * one["energy.kinetic"].max()
    # error of the integrator and the mass of the cross
    assert one["head.pan"][-1] == pytest.approx(two["first.angle"][-1], abs=1e-7)
    assert one["head.tilt"][-1] == pytest.approx(two["second.angle"][-1], abs=1e-7)


def test_page_on_joints_lists_all_and_its_scripts_run(capsys):
    page = (ROOT / "docs" / "joints.md").read_text("utf-8")
    world, reactions, drivers, friction = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    names: dict = {}
    exec(compile(world, "docs/joints.md", "exec"), names)
    assert names["result"]["big end.angle"][0] == pytest.approx(0.0, abs=1e-12)
    assert np.abs(names["result"]["piston.position.y"]).max() < 1e-12
    exec(compile(reactions, "docs/joints.md", "exec"), names)
    assert [float(word) for word in capsys.readouterr().out.split()] == pytest.approx([2.0, 2.0], abs=1e-12)
    assert abs(names["bearing"][0]) < 1e-12
    exec(compile(drivers, "docs/joints.md", "exec"), {})
    angle, _torque = (float(word) for word in capsys.readouterr().out.split())
    assert angle == pytest.approx(7.5, abs=0.02)  # 10 rad/s less half the run-up, and a ripple of 0.01 rad
    exec(compile(friction, "docs/joints.md", "exec"), names)
    assert names["system"].simulate(0.1, progress=False).t[-1] == 0.1
    missing = [kind for kind in JOINT_TYPES if f"`{kind}(a, b" not in page]
    assert not missing


def test_contact_law_of_a_cone(monkeypatch):
    cone = _module("docs/adding_a_contact_law.md", monkeypatch).Cone
    steel = fm.Material("steel", 210e9, 0.3)
    assert cone.from_material(np.pi / 4, steel).stiffness == pytest.approx(2 / np.pi * 210e9 / 0.91, rel=1e-12)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    mass, speed, k = 2.0, 3.0, 1e9
    body = system.add(fm.RigidBody(mass, (1, 1, 1)), "bob", position=(0.0, 1e-3, 0.0), velocity=(0.0, -speed, 0.0))
    floor = fm.Plane(system.ground.marker("floor"), normal=(0.0, 1.0, 0.0))
    system.contact(fm.Point(body["origin"]), floor, law=cone(stiffness=k), name="tip")
    (contact,) = system.simulate(0.01, rtol=1e-9).contacts
    # energy: k d^3 / 3 = m v^2 / 2 at the deepest point; tolerance: that of the run
    depth = (1.5 * mass * speed**2 / k) ** (1 / 3)
    assert contact.peak_force == pytest.approx(k * depth**2, rel=1e-6)
    assert contact.impulse == pytest.approx(2 * mass * speed, rel=1e-6)


def test_buffer_from_the_page(monkeypatch):
    """Damping by the approach speed: the same restitution at any speed."""
    buffer = _module("docs/adding_a_contact_law.md", monkeypatch).Buffer
    restitutions = []
    for speed in (0.1, 3.0):
        system = fm.System(gravity=(0.0, 0.0, 0.0))
        body = system.add(fm.RigidBody(2.0, (1, 1, 1)), "bob", position=(0.0, 1e-3, 0.0), velocity=(0.0, -speed, 0.0))
        floor = fm.Plane(system.ground.marker("floor"), normal=(0.0, 1.0, 0.0))
        system.contact(fm.Point(body["origin"]), floor, law=buffer(stiffness=1e6, loss=0.8), name="buffer")
        (contact,) = system.simulate(1e-3 / speed + 0.02, rtol=1e-9).contacts
        restitutions.append(contact.restitution)
    # ln((1 + x) / (1 - e x)) = x (1 + e), x = 0.8; tolerance: that of the run
    for e in restitutions:
        assert np.log(1.8 / (1.0 - 0.8 * e)) == pytest.approx(0.8 * (1.0 + e), rel=1e-7)


def test_a_cubic_spring_from_the_page(monkeypatch):
    spring = _module("docs/adding_a_force_law.md", monkeypatch).CubicSpring
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    block = system.add(fm.RigidBody(2.0, (1.0, 1.0, 1.0)), name="block")
    slide = system.prismatic(system.ground["origin"], block["origin"], axis="x", displacement=0.1, name="slide")
    slide.force(spring(800.0))
    result = system.simulate(5.0, rtol=1e-9)
    x, rate = result["slide.displacement"], result["slide.displacement.rate"]
    assert result["slide.displacement.cubic spring.effort"] == pytest.approx(-800.0 * x**3, abs=1e-9)
    assert result["energy.elastic"] == pytest.approx(200.0 * x**4, abs=1e-9)
    # the error of the integrator at rtol 1e-9
    assert rate**2 + 200.0 * x**4 == pytest.approx(np.full(len(x), 0.02), abs=1e-8)
    assert x.min() < -0.09
