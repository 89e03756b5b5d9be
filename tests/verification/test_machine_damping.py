"""Damping stated for an assembled machine is that of its modes, and of its decay in time."""

import warnings

import numpy as np
import pytest
from scipy.signal import find_peaks

import flexmbs as fm


@pytest.fixture(scope="module")
def rod():
    modes = fm.ClampedFree(at="hinge", bending=(6, 0), axial=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.BasisWarning)
        mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
        return fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=modes, damping=0.02)


def arm(rod, links: int, free: bool = False, **options):
    """Rods in a chain with a steel ball at its end; ``free``: its hinges turn freely, as those of a double pendulum."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    before = system.ground.marker("base")
    for i in range(links):
        body, angle = system.add(rod, f"link{i}", **options), 0.3 * (-1) ** i
        hinge = system.revolute(before, body["hinge"], angle=-1.2 if free and i == 0 else angle, name=f"hinge{i}")
        if not free:
            hinge.prescribe(angle)
        before = body["tip"]
    system.fixed(before, system.add(fm.RigidBody.sphere(7800.0, 0.02), "ball")["origin"])
    return system


def vibrations(system) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies and damping ratios of the modes that vibrate, as linearised."""
    found = system.linearize()
    chosen = (found.frequencies > 1e-6) & (found.damping_ratios > 0.0)
    return found.frequencies[chosen], found.damping_ratios[chosen]


def test_a_ratio_of_the_body_is_another_one_in_the_machine_and_the_run_says_so(rod):
    system = arm(rod, 2)
    with pytest.warns(fm.ResultWarning, match=r"not the 2 % of its bodies alone; system.damp\(0.02\)"):
        result = system.simulate(0.01)
    frequency, ratio = (float(word) for word in result.stats["machine_damping"].split(" %")[0].split(" Hz "))
    modes = vibrations(system)  # about rest, whereas the run starts undeformed
    assert frequency == pytest.approx(modes[0][0], rel=0.1) and ratio == pytest.approx(100.0 * modes[1][0], rel=0.1)
    assert ratio < 0.5
    system.damp(0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("error", fm.ResultWarning)
        system.simulate(0.01)


@pytest.mark.parametrize(("links", "free"), [(1, False), (2, False), (2, True)])
def test_modes_of_the_machine_have_the_stated_ratio(rod, links, free):
    """To second order in the damping: 2 % squared, times what couples modes of several bodies."""
    system = arm(rod, links, free)
    reached = system.damp(0.02)
    assert reached.damping_ratios[:8] == pytest.approx(0.02, rel=1e-6)
    frequencies, ratios = vibrations(system)
    low = frequencies < 150.0
    assert low.sum() >= 4
    if not free:  # whose equilibrium from the start angles is upright, so that gravity makes it fall
        assert ratios[low] == pytest.approx(0.02, rel=5e-3)


def test_ratios_may_follow_from_rayleigh_lists_and_tables(rod):
    rayleigh = fm.Rayleigh.between((2.0, 0.01), (100.0, 0.03))
    table = fm.DampingByFrequency([(50.0, 0.01), (np.inf, 0.02)])
    for damping, wanted in (
        (rayleigh, lambda f: rayleigh.alpha / (4.0 * np.pi * f) + rayleigh.beta * np.pi * f),
        ([0.01, 0.02, 0.005], lambda f: np.array([0.01, 0.02, *[0.005] * (len(f) - 2)])),
        (table, lambda f: np.where(f <= 50.0, 0.01, 0.02)),
    ):
        system = arm(rod, 1)
        system.damp(damping)
        frequencies, ratios = vibrations(system)
        assert ratios[:5] == pytest.approx(wanted(frequencies)[:5], rel=2e-3)
    assert rayleigh.alpha / (8.0 * np.pi) + rayleigh.beta * 2.0 * np.pi == pytest.approx(0.01, rel=1e-12)


@pytest.mark.parametrize("links", [1, 2])
def test_damping_of_high_modes_leaves_low_ones_as_they_are(rod, links):
    """Stated for the machine they change by less than 1 %; stated for each body, by a third and more."""
    plain, high, bodies = arm(rod, links), arm(rod, links), arm(rod, links, high_modes=fm.DampedModes(above=100.0))
    plain.damp(0.002)
    high.damp(0.002, high_modes=fm.DampedModes(above=500.0))
    low = slice(0, 5)
    assert vibrations(high)[1][low] == pytest.approx(vibrations(plain)[1][low], rel=1e-2)
    top = max(high.linearize().damping_ratios)
    assert top > 0.9  # they are damped
    undamped = arm(rod, links)
    assert np.max(vibrations(bodies)[1][low] / vibrations(undamped)[1][low]) > 1.3


def test_a_machine_rings_down_at_the_stated_ratio(rod):
    """Logarithmic decrement of the lowest mode, hinge held: successive peaks fall by exp(-2 pi zeta / sqrt(1 - zeta^2))."""
    zeta, system = 0.02, arm(rod, 1)
    frequency = system.damp(zeta).frequencies[0]
    system.gravity = (0.0, 0.0, 0.0)  # the rod starts bent by nothing: a push of the ball sets it swinging
    system.force(system.bodies["ball"]["origin"], (0.0, fm.Step(0.0, 0.05, 1e-2, 0.0), 0.0))
    result = system.simulate(8.0 / frequency, rtol=1e-9)
    swing = result["ball.origin.position.y"] - result["ball.origin.position.y"][0]
    t = np.linspace(2.0 / frequency, 8.0 / frequency, 20001)
    peaks = find_peaks(np.interp(t, result.t, swing))[0]
    heights = np.interp(t[peaks], result.t, swing)
    decrement = np.log(heights[0] / heights[-1]) / (len(heights) - 1)
    assert decrement / np.sqrt(4.0 * np.pi**2 + decrement**2) == pytest.approx(zeta, rel=1e-2)  # higher modes, peaks


def test_what_cannot_be_damped_is_refused(rod):
    system = arm(rod, 1)
    for damping in (-0.01, "much", None, [0.01, np.nan]):
        with pytest.raises(fm.MechanismError, match="damp: damping must be a ratio"):
            system.damp(damping)
    rigid = fm.System()
    bar = rigid.add(fm.RigidBody.rod(1.0, 1.0), "bar")
    rigid.revolute(rigid.ground.marker("o"), bar["origin"])
    with pytest.raises(fm.MechanismError, match="no body of this system bends"):
        rigid.damp(0.01)
    for pair in (((1.0, 0.01), (1.0, 0.02)), ((1.0, 0.01), (2.0, 0.2)), (1.0, 2.0)):
        with pytest.raises(fm.BodyError, match="Rayleigh.between"):
            fm.Rayleigh.between(*pair)
