"""Geometric stiffness is the second-order load seen from the other side; spin stiffens and softens."""

import numpy as np
import pytest
from fem_meshes import STEEL, box, straight_beam

from flexmbs import BodyError, assemble, line_mesh, natural_modes, rectangle
from flexmbs.fem.solids.kinds import SOLID_KINDS
from flexmbs.fem.supports import held_components
from flexmbs.fem.vibration import spin_stiffness


def check_against_second_order_loads(model):
    fields = np.random.default_rng(3).standard_normal((model.ndof, 3)) * 1e-3
    a, b, w = fields.T
    K = model.geometric_stiffness(w)
    (load,) = model.second_order_loads(fields, [(0, 1)]).T
    assert a @ (K @ b) == pytest.approx(w @ load, rel=1e-10)
    assert abs(K - K.T).max() <= 1e-12 * abs(K).max()


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_solids(kind):
    check_against_second_order_loads(assemble(box(kind, (2, 1, 1), distort=0.2)))


@pytest.mark.parametrize("theory", ["timoshenko", "euler-bernoulli"])
def test_beams(theory):
    check_against_second_order_loads(assemble(straight_beam(3, direction=(1.0, 2.0, -0.5)), beam_theory=theory))


def test_pulled_beam_is_a_string():
    """A pinned beam under a large tension N has the frequencies of a stiff string (Blevins, table 8-9)."""
    section, N = rectangle(0.002, 0.002), 1000.0
    model = assemble(line_mesh(1.0, 40, section, STEEL), beam_theory="euler-bernoulli", rotary_inertia=False)
    pull = np.zeros((41, 6))
    pull[:, 0] = np.linspace(0.0, N / (STEEL.youngs_modulus * section.area), 41)
    held = np.zeros((41, 6), bool)
    held[[0, 40], :4] = True
    stiffness = model.K + model.geometric_stiffness(pull.ravel())
    found = natural_modes(model, held.ravel(), 1, stiffness=stiffness).frequencies[0]
    EI, m = STEEL.youngs_modulus * section.Iy, STEEL.density * section.area
    assert found == pytest.approx(np.pi / 2 * np.sqrt(EI / m) * np.sqrt(1.0 + N / (EI * np.pi**2)), rel=1e-6)


def test_spinning_cantilever():
    """Flap and lag of a beam on a hub of radius 0 at a spin of 3 sqrt(EI / m L^4).

    4.7973: Wright, Smith, Thresher and Wang (J. Appl. Mech. 49, 1982), table 1; lag has one spin squared less. Their
    beam has neither shear nor rotary inertia: 1e-3 covers both for a thickness of 1/100 of the length.
    """
    section = rectangle(0.01, 0.01)
    model = assemble(line_mesh(1.0, 30, section, STEEL), beam_theory="euler-bernoulli")
    held = held_components(model, ["ROOT"])
    unit = np.sqrt(STEEL.youngs_modulus * section.Iy / (STEEL.density * section.area))  # rad/s, length 1 m
    stiffness = spin_stiffness(model, held, 3.0 * unit, (0.0, 1.0, 0.0))
    lag, flap = 2 * np.pi * natural_modes(model, held, 2, stiffness=stiffness).frequencies / unit
    assert flap == pytest.approx(4.7973, rel=1e-3)
    assert lag == pytest.approx(np.sqrt(4.7973**2 - 3.0**2), rel=1e-3)


def test_impossible_spins():
    model = assemble(line_mesh(1.0, 4, rectangle(0.01, 0.01), STEEL))
    with pytest.raises(BodyError, match="spin axis"):
        spin_stiffness(model, held_components(model, ["ROOT"]), 1.0, [0.0, 0.0, 0.0])
    with pytest.raises(BodyError, match="nothing holds the body against the centrifugal load"):
        spin_stiffness(model, np.zeros(model.ndof, bool), 1.0, [0.0, 0.0, 1.0])


@pytest.mark.parametrize("count", [10, 100], ids=["dense", "sparse"])
def test_a_spin_beyond_divergence_is_refused(count):
    """A cantilever along the axis of spin diverges at its first natural frequency, where softening is its stiffness."""
    model = assemble(line_mesh(1.0, count, rectangle(0.01, 0.02), STEEL))
    held = held_components(model, ["ROOT"])
    first = 2.0 * np.pi * natural_modes(model, held, 1).frequencies[0]
    stiffness = spin_stiffness(model, held, 0.99 * first, (1.0, 0.0, 0.0))
    slow = 2.0 * np.pi * natural_modes(model, held, 1, stiffness=stiffness, spin=0.99 * first).frequencies[0]
    # the rotary inertia of the sections is left out of the softening: 1e-4 of first^2 for this thickness
    assert slow == pytest.approx(first * np.sqrt(1.0 - 0.99**2), rel=1e-2)
    for speed in (1.01 * first, 5.0 * first, 30.0 * first, 3000.0 * first):
        stiffness = spin_stiffness(model, held, speed, (1.0, 0.0, 0.0))
        with pytest.raises(BodyError, match="angular velocity is too high: spin softening exceeds the stiffness"):
            natural_modes(model, held, 1, stiffness=stiffness, spin=speed)
