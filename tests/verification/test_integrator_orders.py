"""Observed orders of all integrators: how the error of the motion falls with the number of steps.

The step is chosen by error control, so orders are those of a run as it is: error ~ steps^-order.  References are runs
of Radau IIA at rtol 1e-12, which other tests hold against closed forms.
"""

from functools import cache

import numpy as np
import pytest
from smooth_motions import CONSTRAINED, MOTIONS

import flexmbs as fm

# Tolerances of the two runs between which the slope is taken, where the error is neither coarse nor rounding.
BETWEEN = {
    "radau 5": (1e-5, 1e-8),
    "explicit 5": (1e-3, 1e-6),
    "explicit 8": (5e-8, 1e-9),
    "generalised_alpha": (1e-2, 1e-5),
    "bdf 1": (1e-3, 1e-5),
    "bdf 2": (1e-4, 1e-6),
    "bdf 3": (1e-5, 1e-7),
    "bdf 4": (1e-6, 1e-8),
    "bdf 5": (1e-7, 1e-9),
    "bdf 6": (1e-6, 1e-9),
}
ORDERS = {
    "radau 5": 5.0,
    "explicit 5": 5.0,
    "explicit 8": 8.0,
    "generalised_alpha": 2.0,
    **{f"bdf {k}": float(k) for k in range(1, 7)},
}
# An order is seen between two tolerances, with steps that vary: a fifth below is within that.  Above it is no defect.
SLACK = 0.2


def integrator(name, formulation=None):
    if name.startswith("bdf"):
        return fm.BDF(formulation=formulation or "SI2", max_order=int(name[-1]))
    if name.startswith("explicit"):
        return fm.Explicit()  # of order 8 for tight tolerances
    if name.startswith("radau"):
        return fm.Radau(max_order=int(name.split()[1]))
    return fm.GeneralisedAlpha(formulation=formulation or "index 2")


@cache
def exact(name):
    motion = MOTIONS[name]
    return motion.end(motion.build().simulate(motion.t_end, rtol=1e-12, atol=1e-14, integrator="radau"))


def steps_and_error(name, chosen, rtol):
    motion = MOTIONS[name]
    result = motion.build().simulate(motion.t_end, rtol=rtol, integrator=chosen)
    return result.stats["steps_accepted"], float(np.abs(motion.end(result) - exact(name)).max()), result


def observed_order(name, chosen, tolerances):
    (few, coarse, _), (many, fine, result) = (steps_and_error(name, chosen, rtol) for rtol in tolerances)
    assert many > few
    return np.log(coarse / fine) / np.log(many / few), result


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("method", ORDERS)
def test_error_falls_with_the_order_of_the_method(method, motion):
    if method.startswith("explicit") and motion in CONSTRAINED:
        pytest.skip("explicit integrators know no constraints")
    order, result = observed_order(motion, integrator(method), BETWEEN[method])
    assert order > ORDERS[method] * (1.0 - SLACK)
    if motion in CONSTRAINED:
        # projected to rounding, or Newton's tolerance where positions are corrected within the step
        assert result["constraint_error"].max() < 1e-9


# With index 3 and steps that vary one order is lost (Gear, Gupta, Leimkuhler 1985, section 2).
@pytest.mark.parametrize(("formulation", "order"), [("SI1", 2.0), ("I3", 1.0)])
@pytest.mark.parametrize("motion", CONSTRAINED)
def test_bdf_in_other_formulations(formulation, order, motion):
    observed, result = observed_order(motion, integrator("bdf 2", formulation), BETWEEN["bdf 2"])
    assert observed > order * (1.0 - SLACK)
    assert result["constraint_error"].max() < 1e-9


# Steps of index 3 vary the more the looser the tolerance: the order shows later.
@pytest.mark.parametrize("motion", CONSTRAINED)
def test_generalised_alpha_in_index_3(motion):
    order, result = observed_order(motion, integrator("generalised_alpha", "index 3"), (3e-4, 1e-6))
    assert order > 2.0 * (1.0 - SLACK)
    assert result["constraint_error"].max() < 1e-9


@pytest.mark.parametrize("rho_inf", [0.0, 0.5, 1.0])
def test_generalised_alpha_keeps_its_order_with_any_damping(rho_inf):
    order, _ = observed_order("double pendulum", fm.GeneralisedAlpha(rho_inf=rho_inf), (1e-3, 1e-5))
    assert order > 2.0 * (1.0 - SLACK)
