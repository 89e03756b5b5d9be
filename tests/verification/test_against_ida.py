"""End states against IDA of SUNDIALS (scikit-sundae): the same equations, an independent integrator.

Hindmarsh et al., SUNDIALS: suite of nonlinear and differential/algebraic equation solvers, ACM Trans. Math. Softw. 31
(2005) 363.  Forms of the equations: tests/first_order.py.
"""

import numpy as np
import pytest
from first_order import FirstOrder
from planar_four_bar import four_bar

import flexmbs as fm
from flexmbs import load_case

pytest.importorskip("sksundae")


def flexible_pendulum() -> fm.System:
    """The bar of the founding case without its stop: one hinge, three bending modes and an axial one."""
    case = load_case("flexible_pendulum_impact").module
    return case.build(case.resolve(case.Parameters(stop=False)))


def ida(system: fm.System, times, rtol: float) -> tuple[FirstOrder, np.ndarray]:
    """The equations and y (times, N)."""
    from sksundae.ida import IDA

    equations = FirstOrder(system)
    solver = IDA(
        equations.implicit,
        rtol=rtol,
        atol=equations.absolute(1e-2 * rtol),
        algebraic_idx=equations.algebraic(),
        max_num_steps=1_000_000,
    )
    solution = solver.solve(np.array([0.0, *times]), equations.y, equations.rate)
    assert solution.success, solution.message
    return equations, solution.y[-len(times) :]


# IDA asks for 1e-12 a step: BDF loses more over the 700 oscillations of the axial mode (1.3 kHz) than Radau at
# 1e-10 does. 1e-9 is twice the distance that remains, in velocities of the pendulum.
CASES = {"flexible pendulum": (flexible_pendulum, (0.2, 0.5)), "four-bar linkage": (four_bar, (0.5, 1.0))}
ALLOWED = 1e-9


@pytest.mark.parametrize("case", CASES)
def test_end_states_agree_with_ida(case):
    build, times = CASES[case]
    system = build()
    equations, found = ida(system, times, 1e-12)
    for t, y in zip(times, found, strict=True):
        result = system.simulate(t, rtol=1e-10, atol=1e-12, integrator="radau").trajectory
        positions, velocities = equations.split(y)
        for ours, theirs, size in (
            (result.q[-1][equations.own], positions, np.abs(result.q).max()),
            (result.v[-1][equations.own], velocities, np.abs(result.v).max()),
        ):
            assert np.abs(ours - theirs).max() < ALLOWED * size


def test_form_for_ida_is_zero_on_a_motion_of_ours():
    """The start with its multipliers; at the end of a run, what does not contain them: q' = v and the constraints."""
    equations = FirstOrder(four_bar())
    out = np.ones(len(equations.y))
    equations.implicit(0.0, equations.y, equations.rate, out)
    n = len(equations.own)
    assert np.abs(equations.rate[n : 2 * n]).max() > 1.0
    assert np.abs(out).max() < 1e-9
    end = four_bar().simulate(0.5, rtol=1e-10, atol=1e-12, integrator="radau").trajectory
    q, v, a = (part[-1][equations.own] for part in (end.q, end.v, end.a))
    none = np.zeros(len(equations.rows))
    equations.implicit(0.5, np.concatenate([q, v, none]), np.concatenate([v, a, none]), out)
    assert np.abs(out[:n]).max() == 0.0
    # accelerations of rtol 1e-10
    assert np.abs(out[2 * n :]).max() < 1e-7
