"""A run that starts in motion without vibration: quasi_static_start=True."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import Material, MechanismError, line_mesh, rectangle

LENGTH, SPEED = 0.5, 30.0


@pytest.fixture(scope="module")
def arm():
    """Steel strip, 0.5 m x 10 mm (y) x 20 mm (z), 20 beams: 33 Hz, 207 Hz and an axial mode at 2587 Hz."""
    mesh = line_mesh(LENGTH, 20, rectangle(0.01, 0.02), Material("STEEL", 210e9, 0.3, 7850.0))
    modes = fm.ClampedFree(at="hinge", bending=(2, 0), axial=1)
    return fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=modes, cache=False)


def spun(arm, angle, **options):
    """The arm driven about z; angle(t), its rate and acceleration."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    part = system.add(arm, name="arm", **options)
    system.revolute(system.ground["origin"], part["hinge"], axis="z", name="hinge").prescribe(*angle)
    return system


STEADY = (fm.Polynomial([0.0, SPEED]),)


def test_steady_spin_stretches_the_arm_and_leaves_it_at_rest(arm):
    """Under centrifugal load it stretches by rho w^2 l^3 / (3 E) and keeps that; else it rings to twice as much."""
    system = spun(arm, STEADY)
    stretch = 7850.0 * SPEED**2 * LENGTH**3 / (3.0 * 210e9)
    still = system.simulate(t_end=0.01, quasi_static_start=True, rtol=1e-8)
    x = still["arm.tip.displacement.x"]
    # the first axial mode of a rod shows 96 / pi^4 = 98.6 % of that; 2e-3 for its 20 elements
    assert x[0] == pytest.approx(96.0 / np.pi**4 * stretch, rel=2e-3)
    assert np.ptp(x) < 1e-5 * x[0] and np.abs(still["arm.tip.displacement.y"]).max() < 1e-6 * x[0]
    rings = system.simulate(t_end=0.01, rtol=1e-8)["arm.tip.displacement.x"]
    assert rings.min() < 0.01 * x[0] and rings.max() == pytest.approx(2.0 * x[0], rel=0.05)


def test_slow_swing_starts_on_the_slow_motion(arm):
    """A drive of 3 Hz, below the 33 Hz of the arm: deflection and its velocity as under the inertia forces of each
    instant, so that what vibrates at 33 Hz afterwards is a small part of the deflection.
    """
    w = 2.0 * np.pi * 3.0
    shift = 0.7  # rad: starts with acceleration and its derivative
    angle = (
        lambda t: 0.2 * np.sin(w * t + shift),
        lambda t: 0.2 * w * np.cos(w * t + shift),
        lambda t: -0.2 * w**2 * np.sin(w * t + shift),
    )
    system = spun(arm, angle)
    times = np.linspace(0.0, 0.3, 601)
    found = system.simulate(t_end=0.3, quasi_static_start=True, rtol=1e-8).resampled(times)["arm.tip.displacement.y"]
    stated = system.simulate(t_end=0.3, rtol=1e-8).resampled(times)["arm.tip.displacement.y"]
    basis = np.column_stack([f(k * w * times) for k in range(6) for f in (np.sin, np.cos)])  # what repeats with 3 Hz

    def vibration(y):
        return np.abs(y - basis @ np.linalg.lstsq(basis, y, rcond=None)[0]).max() / np.abs(found).max()

    assert vibration(found) < 1e-3
    assert vibration(stated) > 0.3


def test_hanging_body_starts_at_rest_in_its_static_deflection(arm):
    """Nothing drives it: held by a fixed joint it starts as statics() says."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    part = system.add(arm, name="arm")
    system.fixed(system.ground["origin"], part["hinge"])
    expected = system.statics()["arm.tip.displacement.y"][0]
    y = system.simulate(t_end=0.05, quasi_static_start=True, rtol=1e-8)["arm.tip.displacement.y"]
    np.testing.assert_allclose(y, expected, rtol=1e-6)


def test_refused(arm):
    system = spun(arm, STEADY)
    with pytest.raises(MechanismError, match="either from_equilibrium=True .* or quasi_static_start=True"):
        system.simulate(t_end=0.01, quasi_static_start=True, from_equilibrium=True)
    rigid = fm.System()
    rigid.revolute(rigid.ground["origin"], rigid.add(fm.RigidBody.point(1.0), "ball")["origin"])
    with pytest.raises(MechanismError, match="requires a flexible body"):
        rigid.simulate(t_end=0.01, quasi_static_start=True)


def told(system, **options) -> list[str]:
    """What a run says of its start."""
    return [text for text in system.simulate(t_end=2e-3, **options).stats["warnings"] if text.startswith("start: ")]


@pytest.mark.filterwarnings("ignore::flexmbs.ResultWarning")
def test_start_as_stated_is_told_with_the_size_of_its_vibration(arm):
    """Of the stretched arm 98.6 % of rho w^2 l^3 / (3 E), and of one that is accelerated what the slow start deflects it."""
    stretch = 96.0 / np.pi**4 * 7850.0 * SPEED**2 * LENGTH**3 / (3.0 * 210e9)
    slow = (fm.Polynomial([0.0, 0.0, 20.0]),)
    start = spun(arm, slow).simulate(t_end=1e-4, quasi_static_start=True)
    bent = np.hypot(start["arm.tip.displacement.x"][0], start["arm.tip.displacement.y"][0])
    for driver, size in ((STEADY, stretch), (slow, bent)):
        (text,) = told(spun(arm, driver))
        assert float(text.partition("'arm' ")[2].partition(" m off")[0]) == pytest.approx(size, rel=0.06)


@pytest.mark.filterwarnings("ignore::flexmbs.ResultWarning")
@pytest.mark.parametrize("acceleration", [40.0, lambda t: 40.0])
def test_start_that_rings_by_the_driver_of_a_constraint_is_told(arm, acceleration):
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    hinge = system.revolute(system.ground["origin"], system.add(arm, name="arm")["hinge"])
    system.couple((hinge, 1.0), acceleration=acceleration)
    assert told(system)[0].startswith("start: drivers move at t = 0 s")


@pytest.mark.filterwarnings("ignore::flexmbs.ResultWarning")
def test_start_that_does_not_ring_is_not_told_of(arm):
    assert told(spun(arm, STEADY), quasi_static_start=True) == []
    assert told(spun(arm, (fm.Ramp(0.0, 0.1, SPEED),))) == []
    slow = spun(arm, (fm.Polynomial([0.0, 1e-3]),))
    assert told(slow) == []  # below the tolerance
