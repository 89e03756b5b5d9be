"""The tolerance asked for is that of the motion: at its end the error is at most ten times rtol.

Smooth motions that are not chaotic, and one up to the second impact; coordinates of unlike sizes are compared in parts
of their sizes.
"""

from functools import cache

import numpy as np
import pytest
from smooth_motions import CONSTRAINED, MOTIONS, THROUGH_AN_IMPACT

# -log10 of rtol; generalised-alpha, of order 2, needs 1e5 steps at 1e-7
TOLERANCES = {"radau": range(2, 10), "explicit": range(2, 10), "bdf": range(2, 10), "generalised_alpha": range(2, 6)}
FACTOR = 10.0
KEPT = {**MOTIONS, **THROUGH_AN_IMPACT}


@cache
def exact(name):
    motion = KEPT[name]
    return motion.end(motion.build().simulate(motion.t_end, rtol=1e-12, atol=1e-14, integrator="radau"))


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("integrator", TOLERANCES)
def test_error_at_the_end(integrator, name):
    if integrator == "explicit" and name in (*CONSTRAINED, *THROUGH_AN_IMPACT):
        pytest.skip("explicit integrators know no constraints and are not for stiff contacts")
    motion = KEPT[name]
    system = motion.build()
    errors = []
    for digits in TOLERANCES[integrator]:
        rtol = 10.0**-digits
        end = motion.end(system.simulate(motion.t_end, rtol=rtol, integrator=integrator))
        errors.append(np.abs(end - exact(name)).max())
        assert errors[-1] < FACTOR * rtol
    # and the tolerance is what sets it
    assert errors[-1] < 1e-2 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", KEPT)
def test_order_two_keeps_the_tightest_tolerances(name):
    """Up to a million steps; with constraints rounding decides at 1e-9 (the top in absolute coordinates: 22 times)."""
    motion = KEPT[name]
    for rtol in (1e-6, 1e-7, 1e-8) if name in CONSTRAINED else (1e-6, 1e-7, 1e-8, 1e-9):
        result = motion.build().simulate(motion.t_end, rtol=rtol, integrator="generalised_alpha", store_every=1000)
        assert np.abs(motion.end(result) - exact(name)).max() < FACTOR * rtol
