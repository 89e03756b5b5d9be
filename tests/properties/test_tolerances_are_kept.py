"""The tolerance asked for is that of the motion: at its end the error is at most ten times rtol.

Smooth motions that are not chaotic; coordinates of unlike sizes are compared in parts of their sizes.
"""

from functools import cache

import numpy as np
import pytest
from smooth_motions import CONSTRAINED, MOTIONS

# -log10 of rtol; generalised-alpha, of order 2, needs 1e5 steps at 1e-7
TOLERANCES = {"radau": range(2, 10), "explicit": range(2, 10), "bdf": range(2, 10), "generalised_alpha": range(2, 6)}
FACTOR = 10.0


@cache
def exact(name):
    motion = MOTIONS[name]
    return motion.end(motion.build().simulate(motion.t_end, rtol=1e-12, atol=1e-14, integrator="radau"))


@pytest.mark.parametrize("name", MOTIONS)
@pytest.mark.parametrize("integrator", TOLERANCES)
def test_error_at_the_end(integrator, name):
    if integrator == "explicit" and name in CONSTRAINED:
        pytest.skip("explicit integrators know no constraints")
    motion = MOTIONS[name]
    system = motion.build()
    errors = []
    for digits in TOLERANCES[integrator]:
        rtol = 10.0**-digits
        end = motion.end(system.simulate(motion.t_end, rtol=rtol, integrator=integrator))
        errors.append(np.abs(end - exact(name)).max())
        assert errors[-1] < FACTOR * rtol
    # and the tolerance is what sets it
    assert errors[-1] < 1e-2 * errors[0]
