"""Whether modes suffice for a hit: estimates against closed forms and an exact computation."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import BodyError

MASS, SPEED, LAW = 0.03288200310757317, 0.5, fm.Hertz(15384615384.615381)  # of the reference sphere_on_beam
HERTZ = 2.943275184324706  # contact time in indentations over the approach speed


def beam(modes, kind="plain"):
    return fm.uniform_beam(
        length=0.3,
        bending_stiffness=43.75,
        mass_per_length=0.785,
        supports=("clamped", "clamped"),
        modes=modes,
        markers={"hit": 0.15},
        contact_patches={"hit": kind},
    )


@pytest.mark.parametrize(("modes", "computed"), [(5, 518.633024415), (20, 412.301376056)])
def test_few_modes_make_the_peak_force_too_large(modes, computed):
    """Peak force of the exact computation (sphere_on_beam) over its limit of many modes, 409.3602 N."""
    advice = beam(modes).advice(contact="hit", mass=MASS, speed=SPEED, law=LAW)
    assert advice.peak_error == pytest.approx(computed / 409.3602 - 1.0, rel=0.5)
    assert any("ContactPatch('massless')" in remark for remark in advice.remarks) == (modes == 5)
    assert any("waves are not resolved" in remark for remark in advice.remarks) == (modes == 5)
    assert beam(modes, "massless").advice(contact="hit", mass=MASS, speed=SPEED, law=LAW).peak_error < 1e-9


def test_estimates_are_those_of_a_rigid_body():
    advice = beam(5).advice(contact="hit", mass=MASS, speed=SPEED, law=LAW)
    depth = (1.25 * MASS * SPEED**2 / LAW.stiffness) ** 0.4
    assert advice.depth == pytest.approx(depth, rel=1e-9)
    assert advice.duration == pytest.approx(HERTZ * depth / SPEED, rel=1e-6)
    assert advice.force == pytest.approx(LAW.stiffness * depth**1.5, rel=1e-9)
    body = beam(5)
    assert advice.highest_frequency == pytest.approx(body.frequencies[4], rel=1e-12)  # symmetric: moves the middle
    own = body.advice(contact="left", speed=SPEED, law=fm.PowerLaw(1e6), direction=(0.0, 1.0, 0.0))
    assert own.mass == pytest.approx(0.25 * body.mass, rel=1e-9)  # of a free bar at its end
    assert own.duration == pytest.approx(np.pi * np.sqrt(own.mass / 1e6), rel=1e-9)
    assert "periods of the highest mode" in str(advice)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"contact": "hut", "speed": 1.0, "law": LAW}, "no such marker; markers: left, right, hit"),
        ({"contact": "hit"}, "give speed"),
        ({"contact": "hit", "speed": -1.0, "law": LAW}, "speed .* must be a positive"),
        ({"contact": "hit", "speed": 1.0, "law": fm.Rigid()}, "a rigid impact takes no time, with any number of modes"),
        ({"contact": "hit", "speed": 1.0, "law": LAW, "direction": (0, 0, 0)}, "other than zero"),
    ],
)
def test_bad_questions(given, message):
    with pytest.raises(BodyError, match=message):
        beam(3).advice(**given)
