"""Energy: none of the integrators drifts by more than its tolerance or its numerical damping explains.

Numerical damping of generalised-alpha: the amplification of high frequencies is rho_inf by construction (Chung and
Hulbert 1993, equation 18); Newmark's trapezoidal rule has none.
"""

import numpy as np
import pytest
from scipy.special import ellipk
from smooth_motions import MOTIONS, double_pendulum

import flexmbs as fm


def oscillator(frequency):
    """1 kg on a spring, displaced by 1 m."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    mass = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="mass")
    joint = system.prismatic(system.ground["origin"], mass["origin"], axis="x", displacement=1.0, name="slide")
    joint.spring(stiffness=frequency**2)
    return system


def positions(integrator, frequency, step, t_end):
    """Positions of the oscillator at equal steps: tolerances so loose that only ``max_step`` sets them."""
    result = oscillator(frequency).simulate(t_end, rtol=0.5, atol=1e12, max_step=step, integrator=integrator)
    lengths = np.diff(result.t)
    equal = np.flatnonzero(np.abs(lengths - step) < 1e-9 * step)
    return result["slide.displacement"][equal[0] : equal[-1] + 1]


def radius(found):
    """Largest factor a step of a sequence made of three: roots of the recurrence that its first terms satisfy."""
    rows = np.array([found[i : i + 3] for i in range(2, 5)])
    recurrence = np.linalg.solve(rows, found[5:8])
    return float(np.abs(np.roots([1.0, *-recurrence[::-1]])).max())


def exact_radius(integrator, phase):
    """Spectral radius of the amplification of (x, h v, h^2 a) at omega h = ``phase``."""
    alpha_m, alpha_f, beta, gamma = integrator.parameters(1e-6)
    square = phase**2
    after = np.array([[1.0, 0.0, -beta], [0.0, 1.0, -gamma], [square * (1.0 - alpha_f), 0.0, 1.0 - alpha_m]])
    before = np.array([[1.0, 1.0, 0.5 - beta], [0.0, 1.0, 1.0 - gamma], [-square * alpha_f, 0.0, -alpha_m]])
    return float(np.abs(np.linalg.eigvals(np.linalg.solve(after, before))).max())


# 3e-3: equal roots, of which rounding makes different ones.
@pytest.mark.parametrize("rho_inf", [0.3, 0.6, 0.9])
def test_high_frequencies_are_damped_by_rho_inf_a_step(rho_inf):
    integrator = fm.GeneralisedAlpha(rho_inf=rho_inf)
    assert exact_radius(integrator, 1e3) == pytest.approx(rho_inf, rel=0.03)
    assert radius(positions(integrator, 1e5, 1e-2, 0.5)) == pytest.approx(exact_radius(integrator, 1e3), rel=3e-3)


def test_trapezoidal_rule_damps_nothing():
    """omega h = 0.1: after 1000 steps the energy is what it was, to rounding."""
    for integrator in (fm.Newmark(), fm.HHT(alpha=0.0), fm.GeneralisedAlpha(rho_inf=1.0)):
        result = oscillator(10.0).simulate(10.0, rtol=0.5, atol=1e12, max_step=1e-2, integrator=integrator)
        energy = result["energy.total"]
        assert np.abs(energy / energy[0] - 1.0).max() < 1e-9


def test_hht_damps_as_its_spectral_radius_says():
    """alpha = -1/3: the radius at infinite frequency is (1 + alpha) / (1 - alpha) = 1/2 (Hilber et al. 1977)."""
    integrator = fm.HHT(alpha=-1.0 / 3.0)
    assert exact_radius(integrator, 1e3) == pytest.approx(0.5, rel=0.03)
    assert radius(positions(integrator, 1e5, 1e-2, 0.5)) == pytest.approx(exact_radius(integrator, 1e3), rel=3e-3)


# Largest change of the energy in 20 s in parts of the tolerance and of the kinetic energy; errors of steps add up.
@pytest.mark.parametrize("integrator", ["radau", "explicit", "bdf", fm.GeneralisedAlpha(rho_inf=1.0)])
def test_energy_stays_to_the_tolerance(integrator):
    rtol = 1e-5
    result = double_pendulum().simulate(20.0, rtol=rtol, integrator=integrator)
    total = result["energy.total"]
    assert np.abs(total - total[0]).max() < 100.0 * rtol * result["energy.kinetic"].max()


@pytest.mark.parametrize("name", ["four-bar", "top, absolute"])
@pytest.mark.parametrize("integrator", ["radau", "bdf", "generalised_alpha"])
def test_constraints_do_no_work(integrator, name):
    motion, rtol = MOTIONS[name], 1e-5
    result = motion.build().simulate(4.0 * motion.t_end, rtol=rtol, integrator=integrator)
    total = result["energy.total"]
    assert np.abs(total - total[0]).max() < 30.0 * rtol * result["energy.kinetic"].max()


@pytest.mark.parametrize("integrator", ["radau", "explicit", "bdf", "generalised_alpha"])
def test_steady_spin_turns_on_and_on(integrator):
    """A body spins about its axis: nothing but the chart of rotations bounds the step, and 1000 rad are still right."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    system.add(fm.RigidBody(1.0, (1.0, 1.0, 2.0)), name="body", angular_velocity=(0.0, 0.0, 10.0))
    result = system.simulate(100.0, integrator=integrator)
    half = 0.5 * 10.0 * 100.0
    found = np.array([result[f"body.free.rotation.quaternion.{part}"][-1] for part in "wz"])
    expected = np.array([np.cos(half), np.sin(half)])
    assert min(np.abs(found - expected).max(), np.abs(found + expected).max()) < 1e-9


@pytest.mark.parametrize(("options", "bound"), [({}, 3e-4), ({"rtol": 1e-9}, 1e-8), ({"integrator": "radau"}, 1e-6)])
def test_drift_of_an_undamped_pendulum_in_a_thousand_periods(options, bound):
    """As docs/integrators.md says: small, but more than rounding."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    rod = system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    system.revolute(system.ground["origin"], rod["origin"], axis="z", angle=1.0 - np.pi / 2.0, name="hinge")
    period = 4.0 * np.sqrt(2.0 / 3.0 / 9.81) * ellipk(np.sin(0.5) ** 2)
    result = system.simulate(1000.0 * period, **options)
    exchanged = 0.5 * 9.81 * (1.0 - np.cos(1.0))
    assert 1e-11 < abs(result["energy.total"][-1] - result["energy.total"][0]) / exchanged < bound
