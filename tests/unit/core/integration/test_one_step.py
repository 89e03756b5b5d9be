"""One step of every method on q'' = -w^2 q, for which its result is known in closed form.

Newton's iteration is carried on to 2 % of a tolerance of 1e-12: 1e-11.
"""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.prepare.prepare import ready
from flexmbs.analysis.run.settings import make_settings
from flexmbs.core.contact.rigid.contact_work import allocate_contact_work
from flexmbs.core.layout import state as s
from flexmbs.core.layout.rigid_contacts import make_rigid_contacts
from flexmbs.core.layout.tables import make_workspace
from flexmbs.core.methods.method_table import METHODS
from flexmbs.core.methods.radau_coefficients import END, STAGES
from flexmbs.core.methods.radau_coefficients import A as RADAU_A
from flexmbs.core.stepping.linking import link_method
from flexmbs.core.stepping.step_loop import start

OMEGA, Q0, V0, H = 3.0, 0.7, -0.4, 0.05
MATRIX = np.array([[0.0, 1.0], [-(OMEGA**2), 0.0]])  # y' = MATRIX y, y = (q, v)
START = np.array([Q0, V0])
CLOSE = dict(rel=1e-11, abs=1e-12)


@pytest.fixture(scope="module")
def model():
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    block = system.add(fm.RigidBody(2.0, (1.0, 1.0, 1.0)), name="block")
    slider = system.prismatic(system.ground["origin"], block["origin"], name="guide", axis="z", displacement=Q0, rate=V0)
    slider.spring(stiffness=2.0 * OMEGA**2)
    return ready(system)


class Stepper:
    """The blocks of a run, before its first step."""

    def __init__(self, model, integrator, rtol=1e-12):
        method = integrator.method
        self.method, tables = method, model.tables
        self.state, self.scratch = s.make_state(tables, 0, method.history_rows), s.make_scratch(tables, method)
        self.state.q[:], self.state.v[:] = model.q, model.v
        settings = make_settings(model, 10.0, rtol, rtol, np.inf, integrator)
        self.blocks = tables, self.state, settings, self.scratch, make_workspace(tables)
        link_method(self.scratch, method)
        rigid = make_rigid_contacts(tables)
        solver = allocate_contact_work(0)
        assert start(*self.blocks, s.make_log(tables, 0), rigid, solver) == s.CHUNK_FULL

    def step(self, h=H):
        """(q, v) at the end, acceleration there, iterations, error, its order."""
        iterations, error, order = self.method.attempt_step(*self.blocks, h)
        end = np.array([self.scratch.end_q[0], self.scratch.end_v[0]])
        return end, float(self.scratch.end_a[0]), iterations, error, order


def test_every_method_is_tested_here():
    assert set(METHODS) == {"radau", "generalised_alpha", "bdf", "explicit"}


@pytest.mark.parametrize("family", range(3), ids=["order 5", "order 9", "order 13"])
def test_radau_is_the_collocation_method(model, family):
    """y1 = y0 + h sum b_i k_i with the stages k = (I - h A (x) MATRIX)^-1 (1 (x) MATRIX y0), solved as they stand."""
    stepper, count = Stepper(model, fm.Radau()), int(STAGES[family])
    stepper.state.order = family
    end, acceleration, iterations, error, order = stepper.step()
    A = RADAU_A[family, :count, :count]
    stages = np.linalg.solve(np.eye(2 * count) - H * np.kron(A, MATRIX), np.tile(MATRIX @ START, count))
    assert end == pytest.approx(START + H * A[END] @ stages.reshape(count, 2), **CLOSE)
    assert acceleration == pytest.approx(-(OMEGA**2) * end[0], **CLOSE)
    assert iterations > 0 and error > 0.0 and order == count + 1.0


@pytest.mark.parametrize("family", [1, 2])
def test_high_orders_of_radau_reach_their_order(model, family):
    """Steps of up to a radian of the vibration: halving them takes 2^(order + 1) from the error of one step."""

    def missed(h):
        stepper = Stepper(model, fm.Radau())
        stepper.state.order = family
        end = stepper.step(h)[0]
        c, s = np.cos(OMEGA * h), np.sin(OMEGA * h)
        return np.abs(end - [Q0 * c + V0 / OMEGA * s, V0 * c - Q0 * OMEGA * s]).max()

    order = 2 * STAGES[family] - 1
    h = 0.5 if family == 1 else 1.2
    assert np.log2(missed(h) / missed(0.5 * h)) > 0.9 * (order + 1)


def test_first_step_of_generalised_alpha_is_one_of_the_trapezoidal_rule(model):
    end, acceleration, iterations, _error, order = Stepper(model, fm.GeneralisedAlpha(0.8)).step()
    both = np.linalg.solve(np.eye(2) - 0.5 * H * MATRIX, (np.eye(2) + 0.5 * H * MATRIX) @ START)
    assert end == pytest.approx(both, **CLOSE)
    assert acceleration == pytest.approx(-(OMEGA**2) * end[0], **CLOSE)
    assert iterations > 0 and order == 3.0


def test_second_step_of_generalised_alpha_satisfies_its_equations(model):
    """Chung and Hulbert: velocities and positions from algorithmic accelerations a, with true ones at both ends."""
    stepper = Stepper(model, fm.GeneralisedAlpha(0.6))
    stepper.step()
    tables, state, settings, scratch, work = stepper.blocks
    stepper.method.update_history(tables, state, settings, scratch, H)
    state.q[:], state.v[:], state.a[:] = scratch.end_q, scratch.end_v, scratch.end_a
    state.has_prediction, state.last_step_size = 1, H
    q0, v0, true0, old = state.q[0], state.v[0], state.a[0], state.history_a[0, 0]
    alpha_m, alpha_f, beta, gamma = settings.parameters
    end, true1, _iterations, _error, _order = stepper.step()
    new = ((1.0 - alpha_f) * true1 + alpha_f * true0 - alpha_m * old) / (1.0 - alpha_m)
    assert end[1] == pytest.approx(v0 + H * ((1.0 - gamma) * old + gamma * new), **CLOSE)
    assert end[0] == pytest.approx(q0 + H * v0 + H * H * ((0.5 - beta) * old + beta * new), **CLOSE)


def test_first_step_of_bdf_is_one_of_implicit_euler(model):
    end, acceleration, iterations, _error, order = Stepper(model, fm.BDF()).step()
    assert end == pytest.approx(np.linalg.solve(np.eye(2) - H * MATRIX, START), **CLOSE)
    assert acceleration == pytest.approx(-(OMEGA**2) * end[0], **CLOSE)
    assert iterations > 0 and order == 2.0


@pytest.mark.parametrize(("rtol", "order"), [(1e-5, 5), (1e-10, 8)])
def test_explicit_pairs_have_their_order_and_estimate_it(model, rtol, order):
    """The error of a step falls as h^(order + 1), the difference to another order not faster than h^order."""
    misses, errors = [], []
    for h in (0.4, 0.2):
        end, _acceleration, iterations, error, power = Stepper(model, fm.Explicit(), rtol).step(h)
        values, vectors = np.linalg.eig(MATRIX * h)
        exact = (vectors @ np.diag(np.exp(values)) @ np.linalg.inv(vectors) @ START).real
        misses.append(np.abs(end - exact).max())
        errors.append(error)
        assert iterations == 1 and power == order
    assert np.log2(misses[0] / misses[1]) > order + 0.5
    assert np.log2(errors[0] / errors[1]) > order - 0.6


@pytest.mark.parametrize("integrator", [fm.Radau(), fm.GeneralisedAlpha(), fm.BDF(), fm.Explicit()])
def test_errors_are_estimated_in_parts_of_the_tolerance(model, integrator):
    """Another tolerance, the same step: the estimate is larger by as much, up to what the relative part changes."""
    loose, tight = (Stepper(model, integrator, rtol).step(1e-2)[3] for rtol in (1e-6, 1e-7))
    ratio = integrator.internal(1e-6) / integrator.internal(1e-7)
    assert tight / loose == pytest.approx(ratio, rel=0.05) or loose <= 1e-10
