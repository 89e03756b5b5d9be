"""Kane, Ryan and Banerjee (1987), Simo and Vu-Quoc (1987): a beam is spun up to 6 rad/s in 15 s.

Reference with n clamped-free modes and foreshortening (1e-9), and geometrically exact elements (1e-6 m; the
second-order field differs from them by 0.4 %, more with one mode).
"""

import pytest

from flexmbs import SimulationError, run_case


@pytest.mark.parametrize(
    ("n", "axial", "from_exact"), [(1, 0, 0.011), pytest.param(2, 0, 0.005, marks=pytest.mark.slow), (3, 0, 0.005), (3, 1, 0.005)]
)
def test_deflection(reference, n, axial, from_exact):
    expected = reference("spin_up_beam")[f"kane_n{n}_axial{axial}"]
    outcome = run_case("spin_up_beam", {"modes": n, "axial_modes": axial})
    figures, extreme = outcome.figures, expected["u2_extreme"]
    assert figures["tip_deflection_extreme"] == pytest.approx(extreme, rel=1e-3)
    # flat extreme: 1e-3 of the deflection is 0.1 s; 2 ms holds because both are smooth
    assert figures["tip_deflection_extreme_time"] == pytest.approx(expected["t_extreme"], abs=2e-3)
    assert figures["tip_deflection_end"] == pytest.approx(expected["u2_t20"], abs=1e-3 * abs(extreme))
    assert figures["tip_extension_end"] == pytest.approx(expected["u1_t20"], abs=1e-5)
    at = outcome.result.resampled([5.0, 10.0, 15.0])
    values = [expected[f"u2_t{time}"] for time in (5, 10, 15)]
    assert at["beam.tip.displacement.y"] == pytest.approx(values, abs=1e-3 * abs(extreme))
    exact = reference("spin_up_beam")["geometrically exact"]["u2_extreme"]
    assert figures["tip_deflection_extreme"] == pytest.approx(exact, rel=from_exact)


def test_without_geometric_stiffness_it_diverges():
    """Spin softening alone exceeds the bending stiffness once the spin passes the first chordwise frequency."""
    values = {"geometric_stiffness": False, "t_end": 20.0, "rtol": 1e-6}
    with pytest.raises(SimulationError, match="body 'beam' deforms further .*no geometric stiffness.*more than 50%") as caught:
        run_case("spin_up_beam", values)
    assert abs(caught.value.result["beam.tip.displacement.y"]).max() > 5.0  # half of the length
    with_stiffening = run_case("spin_up_beam", {"rtol": 1e-6}).result
    assert abs(with_stiffening["beam.tip.displacement.y"]).max() < 1.0
