"""code_aster V5.02.032 (parameters): a turning beam, pinned at one end, hits a linear spring with its free tip.

Reference: pinned-free modes, converged to 1e-6 at 80 of them; linear theory, so the blow is made a thousand times
smaller here. Modes of the hinged beam in a frame at the hinge converge fastest when they are clamped there (1e-5 of
the impulse with 5 modes, 3e-7 with 10); free-free modes with mean axes come to the same with more of them. Duration
and peak force converge slower, as both bases lack the tip's own compliance: 2e-4 with 10 modes, 3e-5 with 20.
"""

import pytest

import flexmbs as fm
from flexmbs import line_mesh, rectangle

MATERIAL = fm.Material("beam", 67e9, 0.0, 2400.0)
LENGTH, SIDE, STIFFNESS, SPIN, REDUCTION = 0.783, 0.014, 18000.0, 3.8, 1e-3
BASES = {"clamped-free": fm.ClampedFree(at="hinge", bending=(10, 0)), "free-free": fm.FreeFree(bending=(10, 0))}


@pytest.fixture(params=BASES)
def system(request):
    body = fm.reduce(
        line_mesh(LENGTH, 100, rectangle(SIDE, SIDE), MATERIAL),
        interfaces={"hinge": "ROOT", "tip": "TIP"},
        modes=BASES[request.param],
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
    )
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    beam = system.add(body, name="beam")
    system.revolute(system.ground.marker("pin"), beam["hinge"], axis="z", rate=-SPIN * REDUCTION, name="pin")
    rest = system.ground.marker("rest", position=(LENGTH, 0.0, 0.0))
    system.contact(fm.Point(beam["tip"]), fm.Plane(rest), fm.PowerLaw(STIFFNESS), name="spring")
    return system


def test_impact(reference, system):
    (expected,) = reference("impact_pinned_beam_linear_spring")["k=18000,N=80"]
    result = system.simulate(0.013, rtol=1e-8, atol=1e-14)
    contact = result.contacts[0]
    assert contact.start == 0.0
    assert contact.duration == pytest.approx(expected["t1"], rel=4e-4)
    assert contact.peak_force == pytest.approx(REDUCTION * expected["F_peak"], rel=4e-4)
    assert contact.impulse == pytest.approx(REDUCTION * expected["impulse"], rel=5e-5)


def test_frequencies_of_the_hinged_beam(reference, system):
    expected = reference("impact_pinned_beam_linear_spring")["freqs_pinned_free_Hz"]
    # the first two are the free rotation; ten free-free modes give the third to 1.2e-3
    assert system.linearize().frequencies[2:5] == pytest.approx(expected[:3], rel=2e-3)
