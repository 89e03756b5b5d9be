"""What integrator="auto" chooses, and what is said of integrators and tolerances that do not exist."""

import numpy as np
import pytest
from planar_four_bar import four_bar
from smooth_motions import double_pendulum, flexible_pendulum

import flexmbs as fm
from flexmbs import MechanismError, load_case
from flexmbs.analysis.prepare.prepare import ready
from flexmbs.analysis.run.auto_integrator import choose_integrator, unbanded


def ball_on_plane():
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = system.add(fm.RigidBody.sphere(1000.0, 0.1), name="ball", position=(0.0, 0.0, 1.0))
    plane = fm.Plane(system.ground["origin"], normal=(0.0, 0.0, 1.0))
    system.contact(fm.Sphere(ball["origin"], 0.1), plane, law=fm.Hertz(1e6), name="floor")
    return system


def sprung(stiffness):
    """Two carts in a row, one hanging on the other by a spring."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    first = system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), name="first")
    second = system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), name="second")
    one = system.prismatic(system.ground["origin"], first["origin"], axis="x", name="one")
    two = system.prismatic(first["origin"], second["origin"], axis="x", name="two")
    one.spring(stiffness=1.0)
    two.spring(stiffness=stiffness)
    return system


def pushed(friction=None, stop=None):
    """A block that slides, pushed by a constant force."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    block = system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), name="block")
    slide = system.prismatic(system.ground["origin"], block["origin"], axis="x", rate=1.0, name="slide").actuate(0.1)
    if friction is not None:
        slide.friction(0.3, normal_force=20.0, transition=friction)
    if stop is not None:
        slide.limit(upper=stop, stiffness=1e6)
    return system


@pytest.mark.parametrize(
    ("build", "name", "reason"),
    [
        (double_pendulum, "explicit", "a tree of rigid bodies without contacts"),
        (four_bar, "radau", "constraints"),
        (ball_on_plane, "radau", "contacts (floor)"),
        (lambda: sprung(2.0), "radau", "springs and few coordinates"),
        (pushed, "explicit", "not stiff"),
        (lambda: pushed(friction=1e-6), "radau", "stiff"),  # where it comes to rest
        (lambda: pushed(stop=1.0), "radau", "stops in joints"),
        (lambda: sprung(1e9), "radau", "stiff"),
    ],
)
def test_choice_and_its_reason(build, name, reason):
    method, why = choose_integrator("auto", ready(build()))
    assert method.name == name
    assert reason in why


def test_run_tells_what_it_chose():
    stats = double_pendulum().simulate(0.01).stats
    assert stats["integrator"] == "explicit"
    assert "tree" in stats["integrator_reason"]
    assert flexible_pendulum().simulate(0.001, integrator="bdf").stats["integrator_reason"] == "as requested"


def rigid_ball():
    system = fm.System()
    ball = system.add(fm.RigidBody.sphere(1000.0, 0.05), name="ball")
    system.prismatic(system.ground["origin"], ball["origin"], axis="z", displacement=1.0)
    plane = fm.Plane(system.ground["origin"], normal=(0, 0, 1))
    system.contact(fm.Point(ball["origin"]), plane, law=fm.Rigid(restitution=0.5), name="floor")
    return system


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: double_pendulum().simulate(0.1, integrator="rk4"), "'rk4' is unknown; choose one of 'auto', 'radau'"),
        (lambda: double_pendulum().simulate(0.1, integrator="tr_bdf2"), "'tr_bdf2' was removed: use 'generalised_alpha'"),
        (lambda: fm.BDF(formulation="I2"), "'I2' is unknown; choose one of 'SI2', 'SI1', 'I3'"),
        (lambda: fm.BDF(max_order=7), "from 1 to 6"),
        (lambda: fm.GeneralisedAlpha(rho_inf=1.2), "rho_inf = 1.2 must be a number from 0 to 1"),
        (lambda: fm.HHT(alpha=0.1), "alpha = 0.1 must be a number"),
        (lambda: fm.Newmark(beta=0.1, gamma=0.5), "beta = 0.1 must be a number"),
        (lambda: double_pendulum().simulate(0.1, atol={"angles": 1e-9}), "unknown kinds of coordinates ['angles']"),
        (lambda: double_pendulum().simulate(0.1, atol={"angle": -1.0}), "atol['angle'] = -1.0 must be a positive"),
        (lambda: four_bar().simulate(0.1, integrator="explicit"), "for trees without closed loops"),
        (lambda: rigid_ball().simulate(0.1, integrator="explicit"), "which rigid contacts (floor) are"),
    ],
)
def test_what_does_not_exist_is_refused(make, words):
    with pytest.raises(MechanismError) as caught:
        make()
    assert words in str(caught.value)


def test_absolute_tolerances_by_kind_set_the_steps():
    """A looser tolerance of modes lets an axial one go, which is small and fast; that of angles stays."""
    case = load_case("flexible_pendulum_impact").module
    system = case.build(case.resolve(case.Parameters()))
    runs = [
        system.simulate(0.05, rtol=1e-6, atol={"mode": mode, "mode_rate": 1e3 * mode}, integrator="radau") for mode in (1e-11, 1e-5)
    ]
    tight, loose = (run.stats["steps_accepted"] for run in runs)
    assert loose < 0.9 * tight
    assert abs(runs[0]["hinge.angle"][-1] - runs[1]["hinge.angle"][-1]) < 1e-6


def test_bands_are_unfolded():
    band, n = 1, 4
    full = np.diag(np.arange(1.0, 5.0)) + np.diag([5.0, 6.0, 7.0], 1) + np.diag([8.0, 9.0, 10.0], -1)
    folded = np.zeros((n, 2 * band + 1))
    for i in range(n):
        for j in range(max(0, i - band), min(n, i + band + 1)):
            folded[i, j - i + band] = full[i, j]
    assert np.array_equal(unbanded(folded, band), full)
