"""Quadratic damping against closed forms: m v' = -c v |v| alone, and with gravity."""

import numpy as np
import pytest

import flexmbs as fm

M, C = 2.0, 0.7


def block(gravity, **start):
    """A mass on a vertical prismatic joint."""
    system = fm.System(gravity=(0.0, 0.0, -gravity))
    body = system.add(fm.RigidBody(M, (1.0, 1.0, 1.0)), name="block")
    return system, system.prismatic(system.ground["origin"], body["origin"], axis="z", name="slide", **start)


@pytest.mark.parametrize("v0", [3.0, -3.0])
def test_a_coasting_mass_slows_down_like_1_over_t(v0):
    system, slide = block(0.0, rate=v0)
    slide.force(fm.QuadraticDamping(C))
    result = system.simulate(2.0, rtol=1e-10)
    v, k = result["slide.displacement.rate"], C * abs(v0) / M
    # the error of the integrator at rtol 1e-10
    assert v == pytest.approx(v0 / (1.0 + k * result.t), abs=1e-8)
    assert result["slide.displacement"] == pytest.approx(np.sign(v0) * M / C * np.log1p(k * result.t), abs=1e-8)
    assert result["slide.displacement.quadratic damping.effort"] == pytest.approx(-C * v * np.abs(v), abs=1e-12)


def test_a_fall_between_markers_reaches_its_terminal_velocity():
    g = 9.81
    system, slide = block(g)
    anchor = system.ground.marker("anchor", position=(0.0, 0.0, 100.0))
    system.force_element(anchor, slide.b, fm.QuadraticDamping(C), name="air")
    result = system.simulate(3.0, rtol=1e-10)
    terminal = np.sqrt(M * g / C)
    # the error of the integrator at rtol 1e-10
    assert result["slide.displacement.rate"] == pytest.approx(-terminal * np.tanh(g * result.t / terminal), abs=1e-8)
    assert result["air.force"][-1] == pytest.approx(C * terminal**2, rel=1e-4)  # tension, nearly the weight


def test_a_negative_coefficient_is_refused():
    with pytest.raises(fm.MechanismError, match="quadratic damping: coefficient -1 must be at least 0"):
        fm.QuadraticDamping(-1)


def test_what_is_no_law_is_refused():
    _system, slide = block(0.0)
    with pytest.raises(fm.MechanismError, match="joint 'slide', force: expected a force law"):
        slide.force(0.7)
