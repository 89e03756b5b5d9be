"""Beams from formulas: frequencies, shapes and integrals of mass against closed forms."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import BodyError

LENGTH, EI, MASS = 0.7, 12.0, 0.4
# k L of the first and the eightieth mode: R. D. Blevins, Formulas for Natural Frequency and Mode Shape (1979)
ROOTS = {
    ("clamped", "clamped"): (4.730040744862704, 80.5 * np.pi),
    ("clamped", "free"): (1.875104068711961, 79.5 * np.pi),
    ("clamped", "pinned"): (3.926602312047919, 80.25 * np.pi),
    ("pinned", "pinned"): (np.pi, 80.0 * np.pi),
    ("pinned", "free"): (3.926602312047919, 80.25 * np.pi),
    ("free", "free"): (4.730040744862704, 80.5 * np.pi),
}


def beam(supports, modes, **options):
    return fm.uniform_beam(
        length=LENGTH, bending_stiffness=EI, mass_per_length=MASS / LENGTH, supports=supports, modes=modes, **options
    )


@pytest.mark.parametrize("supports", ROOTS)
def test_frequencies(supports):
    roots = np.array(ROOTS[supports])
    expected = (roots / LENGTH) ** 2 * np.sqrt(EI * LENGTH / MASS) / (2.0 * np.pi)
    assert beam(supports, [1, 80]).frequencies == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("direction", ["y", "z"])
def test_modes_of_a_hinged_beam(direction):
    """Mean axes at a hinge: no angular momentum about it; modal mass L/2 of a sine of a beam on two supports."""
    axis = "xyz".index(direction)
    hinged = beam(("pinned", "free"), 6, direction=direction)
    angular = np.cross(hinged.inertia.X[None], hinged.inertia.P, axis=1).sum(axis=2)
    assert angular == pytest.approx(0.0, abs=1e-12)
    assert hinged.Me == pytest.approx(np.diag(np.diag(hinged.Me)), abs=1e-12)
    sines = beam(("pinned", "pinned"), 4, direction=direction)
    assert np.diag(sines.Me) == pytest.approx(0.5 * MASS, rel=1e-6)  # the scale 1
    assert abs(sines.modes[2, :-1, axis]) == pytest.approx(abs(np.sin(3.0 * np.pi * np.linspace(0, 1, 101))), abs=1e-6)
    turned = sines.rotations[2, :-1, 3 - axis]
    slope = np.gradient(sines.modes[2, :-1, axis], LENGTH / 100.0, edge_order=2) * (1.0 if axis == 1 else -1.0)
    assert turned == pytest.approx(slope, abs=0.02 * abs(slope).max())


@pytest.mark.parametrize(
    ("supports", "place", "expected"),
    [
        (("clamped", "free"), 1.0, 1.0 / 3.0),
        (("pinned", "pinned"), 0.5, 1.0 / 48.0),
        (("clamped", "clamped"), 0.5, 1.0 / 192.0),
        (("pinned", "free"), 1.0, 2.0 / 105.0),  # the load balanced by inertia, no momentum about the hinge
    ],
)
def test_static_flexibility(supports, place, expected):
    body = beam(supports, 1, markers={"at": place * LENGTH})
    found = body.flexibility[list(body.markers).index("at"), 1, 1] * EI / LENGTH**3
    assert found == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"supports": ("glued", "free")}, "supports must be two of 'clamped', 'pinned', 'free'"),
        ({"length": 0.0}, "length \\(m\\) = 0.0 must be a positive"),
        ({"direction": "x"}, "direction must be 'y' or 'z'"),
        ({"markers": {"far": 2.0}}, "are not on the beam, which is 0.7 m long"),
        ({"modes": [1, 1]}, "different numbers from 1"),
        ({"markers": {"supports": 0.2}}, "'supports' is the marker that holds it; give the marker at 0.2 m another name"),
        ({"contact_patches": {"far": "massless"}}, "contact patch 'far' is not a marker"),
        ({"contact_patches": {"left": "soft"}}, "kind must be"),
    ],
)
def test_bad_input(changed, message):
    given = dict(length=LENGTH, bending_stiffness=EI, mass_per_length=1.0, supports=("clamped", "free"), modes=2)
    with pytest.raises(BodyError, match=message):
        fm.uniform_beam(**{**given, **changed})


@pytest.mark.slow
def test_foreshortening_of_a_cantilever():
    """Same length along the bent axis, to second order; modes of finite elements give the same inertia."""
    exact = beam(("clamped", "free"), 2, foreshortening=True)
    q = np.array([0.01, -0.004])
    tip = exact.markers["right"]
    x = np.linspace(0.0, LENGTH, 4001)
    along = exact.pairs.tolist()
    assert along == [[0, 0], [0, 1], [1, 1]]
    slopes = q @ beam(("clamped", "free"), 2, nodes=4001).rotations[:, :-1, 2]
    shortened = exact.quadratic_coordinates(q) @ tip.Zu[:, 0]
    assert shortened == pytest.approx(-0.5 * np.trapezoid(slopes**2, x), rel=1e-6)
    section, material = fm.section_from_rigidities(1e6, EI, EI, EI, MASS / LENGTH)
    meshed = fm.reduce(
        fm.line_mesh(LENGTH, 40, section, material),
        interfaces={"root": "ROOT"},
        modes=fm.ClampedFree(at="root", bending=(2, 0)),
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
    )
    scale = exact.modes[:, 100, 1] / meshed.modes[:, -1, 1]

    def square(body, factors):
        P, Z = body.inertia.P * factors[:, None, None], body.inertia.Z.copy()
        Z *= np.prod(factors[body.pairs], axis=1)[:, None, None]
        both = np.concatenate([body.inertia.X[None], P, Z]).reshape(-1, body.inertia.X.shape[1])
        return both @ both.T

    expected = square(meshed, scale)
    assert square(exact, np.ones(2)) == pytest.approx(expected, abs=1e-5 * np.abs(expected).max())
    assert exact.inertia.compression_error < 1e-13


def test_damping_ratio():
    body = beam(("clamped", "free"), 3, damping_ratio=0.02)
    assert np.diag(body.De) == pytest.approx(0.04 * np.sqrt(np.diag(body.Ke) * np.diag(body.Me)), rel=1e-12)


@pytest.mark.parametrize("values", [{"supports": ("clamped", "clamped")}, {"contact_patches": {"right": "massless"}}])
def test_foreshortening_needs_a_free_end(values):
    with pytest.raises(BodyError, match="foreshortening needs a held left end, a free right end, and no contact"):
        beam(**({"supports": ("clamped", "free"), "modes": 1, "foreshortening": True} | values))
