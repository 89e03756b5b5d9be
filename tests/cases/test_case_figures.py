"""Every case runs, and one of its figures is right.

Reference figures: separate special-purpose programs (exact equations of that one system, DOP853 at 1e-12).
"""

import math

import pytest

from flexmbs.cases import list_cases, run_case
from flexmbs.errors import FlexmbsError


def test_all_cases_are_listed():
    assert [case.name for case in list_cases()] == [
        "andrews_squeezer",
        "bricard",
        "car_axis",
        "composite_inertia",
        "flexible_double_pendulum_impact",
        "flexible_pendulum_impact",
        "heavy_top",
        "n_four_bar",
        "rotating_beam_frequencies",
        "slider_crank_simeon",
        "solid_pendulum",
        "spin_up_beam",
    ]


def test_flexible_pendulum_impact():
    outcome = run_case("flexible_pendulum_impact", {"bending_modes": 1, "t_end": 0.49})
    # reference for one bending and one axial mode; 1e-5 is what the reference comparison asks for
    assert outcome.figures["first_contact_time"] == pytest.approx(0.4834293608577816, rel=1e-5)
    assert outcome.figures["first_impulse"] == pytest.approx(1.146337678058137, rel=1e-3)
    assert outcome.figures["contact_count"] == 1
    assert outcome.parameters["length"] == pytest.approx(1.0, rel=1e-12)
    assert outcome.parameters["contact_stiffness"] == pytest.approx(15384615384.615385, rel=1e-9)


def test_flexible_pendulum_without_stop_has_no_contact():
    figures = run_case("flexible_pendulum_impact", {"stop": False, "bending_modes": 1, "t_end": 0.6}).figures
    assert figures["contact_count"] == 0
    assert figures["first_contact_time"] is None
    assert figures["angle_end"] < 0.0  # it swings through


def test_parameters_replace_values_of_the_mesh():
    values = {"length": 0.5, "thickness": 0.002, "stop": False, "t_end": 0.01, "axial_modes": 0, "bending_modes": 1}
    outcome = run_case("flexible_pendulum_impact", values)
    frequency = outcome.result.flexible("pendulum").frequencies[0]
    # Euler-Bernoulli cantilever: (1.8751^2 / 2 pi) sqrt(E h^2 / 12 rho) / L^2
    exact = 1.8751040687119611**2 / (2 * math.pi) * math.sqrt(210e9 * 0.002**2 / (12 * 7850.0)) / 0.5**2
    # 100 cubic elements: error far below 1e-6
    assert frequency == pytest.approx(exact, rel=1e-6)


def test_flexible_double_pendulum_impact():
    figures = run_case("flexible_double_pendulum_impact", {"t_end": 0.45}).figures
    assert figures["first_contact_time"] == pytest.approx(0.4466046841176486, rel=1e-5)
    assert figures["first_impulse"] == pytest.approx(0.10415871846248549, rel=1e-3)


def test_spin_up_beam():
    figures = run_case("spin_up_beam").figures
    assert figures["tip_deflection_extreme"] == pytest.approx(-0.5759178389915329, rel=1e-3)
    # reference grid: 20 us
    assert figures["tip_deflection_extreme_time"] == pytest.approx(6.76952, abs=1e-3)
    assert figures["tip_deflection_end"] == pytest.approx(0.0006062357101017064, abs=1e-3 * 0.576)


def test_rotating_beam_frequencies():
    figures = run_case("rotating_beam_frequencies", {"gamma": 2.0}).figures
    # Wright et al. (1982); converged Galerkin solution
    assert figures["flap"][:2] == pytest.approx([4.137319572871197, 22.61492195378868], rel=1e-4)
    assert figures["chord"][:2] == pytest.approx([3.6217969639480216, 22.52631117107178], rel=1e-4)


def test_solid_pendulum():
    figures = run_case("solid_pendulum", {"t_end": 0.1}).figures
    beam = 1.8751040687119611**2 / (2 * math.pi) * math.sqrt(210e9 * 0.004**2 / (12 * 7850.0))
    # solid against slender beam: 0.3 % with the averaged hinge
    assert figures["frequencies"][0] == pytest.approx(beam, rel=3e-3)
    assert len(figures["frequencies"]) == 6
    # the same bar as a beam: swing angles agree to 3e-3 rad, the largest stress to 10 % (the solid shows the local
    # stress of its hinge too)
    as_beam = run_case("solid_pendulum", {"t_end": 0.1, "mesh": "pendulum_beam.inp"}).figures
    assert figures["angle_end"] == pytest.approx(as_beam["angle_end"], abs=3e-3)
    assert figures["max_von_mises"] == pytest.approx(as_beam["max_von_mises"], rel=0.1)


def test_andrews_squeezer():
    # IVP test set, published; the crank has turned two and a half times
    assert run_case("andrews_squeezer").figures["q"][0] == pytest.approx(15.81077119629904, rel=1e-9)


def test_car_axis():
    # IVP test set, published
    assert run_case("car_axis").figures["y_right"] == pytest.approx(0.37391102726536124, rel=1e-9)


def test_slider_crank_simeon():
    # IVP test set, published
    assert run_case("slider_crank_simeon").figures["phi2"] == pytest.approx(-0.331173498825626, rel=1e-7)
    # q0 stretches the rod by q4; the block stands there
    start = run_case("slider_crank_simeon", {"q0": "0,0,0,1e-4", "qd0": "0 0 0 0", "t_end": 1e-6})
    assert start.result["slide.displacement"][0] == pytest.approx(0.4501, rel=1e-12)


def test_n_four_bar():
    figures = run_case("n_four_bar", {"loops": 2, "v0": 0.0, "t_end": 0.5}).figures
    assert (figures["x"], figures["y"]) == pytest.approx((0.0, 1.0), abs=1e-9)  # upright it stays
    falling = run_case("n_four_bar", {"loops": 2, "t_end": 0.5}).figures
    omega = math.hypot(falling["vx"], falling["vy"])
    # energy: I omega^2 / 2 + 3.5 m g l sin phi, I = 3 m l^2
    assert 1.5 * omega**2 + 3.5 * 9.81 * falling["y"] == pytest.approx(1.5 + 3.5 * 9.81, rel=1e-7)


def test_bricard():
    figures = run_case("bricard", {"t_end": 2.0}).figures
    assert figures["energy_error"] < 1e-6
    assert figures["constraint_error"] < 1e-10


def test_heavy_top():
    # quaternion equations about the fixed point
    found = run_case("heavy_top", {"speed": "slow", "t_end": 1.0}).figures["position_end"]
    assert found == pytest.approx([-0.42297282930353564, -0.8939974676117162, -0.1478597767305248], abs=1e-7)


@pytest.mark.parametrize(
    ("case", "values", "message"),
    [
        ("heavy_top", {"speed": "rapid"}, "'speed' must be fast or slow"),
        ("heavy_top", {"Omega0": "1,2"}, "expected 3 finite numbers, got .1.0, 2.0."),
        ("n_four_bar", {"loops": 0}, "'loops' must be at least 1"),
        ("car_axis", {"r": 1.0}, "'r' must be smaller than L = 1 m"),
        ("slider_crank_simeon", {"init": "init3"}, "'init' must be init1 or init2"),
        ("slider_crank_simeon", {"q0": "1,2"}, "'q0' must be 4 numbers"),
        ("andrews_squeezer", {"coordinates": "relative"}, "expected one of reduced, absolute"),
    ],
)
def test_wrong_parameters_of_cases(case, values, message):
    with pytest.raises(FlexmbsError, match=message):
        run_case(case, values)
