"""A steel ball on a clamped beam: equal modes against an exact computation, with plain modes and a massless patch.

Reference sphere_on_beam: exact Euler-Bernoulli modes, DOP853 at 1e-12, energy balance 5e-11; with the static
flexibility of the missing modes in series with the contact, without mass. Figures of its table (clamped_mid).
"""

import numpy as np
import pytest

from flexmbs import run_case

# modes, patch: t0, t1 and F_peak of each contact, restitution
EXACT = {
    (5, "plain"): (
        [0.0, 6.244688203301755e-05, 518.6330244146639],
        [0.0021309490933531915, 0.0022067028271313058, 298.61023352774487],
        0.7906827011611592,
    ),
    (5, "massless"): (
        [0.0, 7.444339596370679e-05, 419.7769368398138],
        [0.0021554381944172106, 0.002234274878444784, 281.9876005696998],
        0.8286614834980844,
    ),
}


@pytest.mark.parametrize(("modes", "patch"), EXACT)
def test_each_contact_at_equal_modes(modes, patch):
    *contacts, restitution = EXACT[modes, patch]
    figures = run_case("sphere_on_beam", {"modes": modes, "patch": patch, "t_end": 0.0024}).figures
    found = np.column_stack([[c[name] for c in figures["contacts"]] for name in ("t0", "t1", "F_peak")])
    # tolerance of the run; the contacts come to 5e-9, their times to 1e-12 s
    assert found == pytest.approx(np.array(contacts), rel=1e-6, abs=1e-10)
    assert figures["restitution"] == pytest.approx(restitution, rel=1e-6)
    assert figures["energy_error"] < 1e-7


def test_twenty_modes_and_a_massless_patch_are_at_the_limit_of_many():
    """409.3602 N and 72.19 us with all modes; 20 plain modes are 0.7 % above."""
    figures = run_case("sphere_on_beam", {"modes": 20, "t_end": 1e-4}).figures
    assert figures["F_peak"] == pytest.approx(409.3602, rel=1e-3)
    assert figures["residual_flexibility"] == pytest.approx(2.4397692e-10, rel=1e-4)
