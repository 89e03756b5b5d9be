"""What a linearisation prints: a table of its modes, with the bodies that have their energy."""

import numpy as np
import pytest

import flexmbs as fm


def test_modes_of_two_masses_are_printed_as_a_table():
    """m and 3 m on springs of their own: each mode has the energy of one body; one is damped by 5 %."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    for name, mass, damping in (("light", 1.0, 0.0), ("heavy", 3.0, 2.0 * 0.05 * np.sqrt(3.0 * 12.0))):
        body = system.add(fm.RigidBody(mass, (0.1, 0.1, 0.1)), name)
        slide = system.prismatic(system.ground["origin"], body["origin"], axis="x", name=f"{name} slide")
        slide.spring(12.0, damping=damping)
    found = system.linearize()
    assert sum(found.body_shares.values()) == pytest.approx(1.0)
    assert found.body_shares["heavy"] == pytest.approx([1.0, 0.0], abs=1e-9)
    title, header, first, second = str(found).splitlines()
    assert title == "2 modes in the stationary frame"
    assert header.split("  ")[1] == "mode" and header.endswith("kinetic energy [%]")
    assert first.split() == ["1", "0.31791", "5", "heavy", "slide.displacement", "(1)", "heavy", "(100)"]
    assert second.split() == ["2", "0.55133", "0", "light", "slide.displacement", "(1)", "light", "(100)"]


def test_a_wheel_that_rubs_is_not_isolated():
    """Its spin was called isolated: "nothing drives or loads it"."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    cart = system.add(fm.RigidBody(5.0, (0.1, 0.1, 0.1)), "cart")
    system.prismatic(system.ground.marker("rail", (0.0, 0.0, 0.1)), cart["origin"], axis="x")
    wheel = system.add(fm.RigidBody(1.0, (0.01, 0.02, 0.01)), "wheel")
    system.revolute(cart["origin"], wheel["origin"], axis="y")
    assert "'wheel' can spin" in str(system.describe())
    floor = fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0))
    system.contact(fm.Sphere(wheel["origin"], 0.1001), floor, law=fm.Hertz(1e8), friction=fm.Coulomb(0.3))
    assert "'wheel' can spin" not in str(system.describe())
