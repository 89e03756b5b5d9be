"""Wright, Smith, Thresher and Wang (1982), Yoo and Shin (1998): frequencies of a rotating cantilever, hub radius 0.

Reference converged to 1e-9; twelve modes per plane must give 1e-4 in the first five frequencies of both planes.
"""

import pytest

from flexmbs import run_case


@pytest.mark.parametrize("gamma", [0, 5, 12, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 3, 4, 6, 7, 8, 9, 10, 11))])
def test_flap_and_chord(reference, gamma):
    expected = reference("rotating_beam_frequencies")[f"delta=0,gamma={gamma}"]
    figures = run_case("rotating_beam_frequencies", {"gamma": float(gamma)}).figures
    assert figures["flap"] == pytest.approx(expected["flap"], rel=1e-4)
    assert figures["chord"] == pytest.approx(expected["chord"], rel=1e-4)
