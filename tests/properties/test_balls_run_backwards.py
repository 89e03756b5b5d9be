"""Balls stated from the child to its parent: explicit and implicit methods, histories, deep trees that are cut."""

import numpy as np
import pytest
from constraint_checks import end_state
from scipy.spatial.transform import Rotation

import flexmbs as fm
from flexmbs.analysis.prepare.prepare import ready
from flexmbs.model.compile_mechanism import compile_system
from flexmbs.model.spanning_tree import DEEP


def chain(links: int, backwards: bool, kind: str = "spherical", extra=()) -> fm.System:
    """Rods from ground, each on the one before by a joint with a ball, bent and spinning at the start."""
    system = fm.System(gravity=(0.0, -9.81, 1.0))
    at = system.ground.marker("hook", (0.1, 0.2, 0.3), (0.2, 0.1, -0.3))
    R, w = Rotation.from_rotvec([0.1, 0.05, -0.08]), np.array([1.0, 0.4, -0.7])
    for i in range(links):
        body = system.add(fm.RigidBody(1.0, (0.02, 0.05, 0.04), (0.25, 0.0, 0.01)), f"link {i}")
        head = body.marker("head", (0.0, 0.02, 0.0))
        if backwards:
            system.joint(kind, head, at, f"joint {i}")
            system._state(system.joints[f"joint {i}"], {}, {}, R.inv().as_matrix(), -R.apply(w))
        else:
            system.joint(kind, at, head, f"joint {i}")
            system._state(system.joints[f"joint {i}"], {}, {}, R.as_matrix(), w)
        at = body.marker("tail", (0.5, 0.0, 0.0))
    return system


@pytest.mark.parametrize("integrator", ["explicit", "radau"])
def test_both_orders_move_alike(integrator):
    """Tolerance: that of a run, 1e-10 a step, times some hundred steps; frames and speeds are of order one to ten."""
    one, two = (chain(3, backwards).simulate(0.3, rtol=1e-10, integrator=integrator) for backwards in (False, True))
    assert np.abs(end_state(one) - end_state(two)).max() < 1e-7
    total = two["energy.total"]
    assert np.abs(total - total[0]).max() < 1e-7 * two["energy.kinetic"].max()


def test_histories_of_a_ball_are_those_of_b_against_a():
    one, two = (chain(1, backwards).simulate(0.2, rtol=1e-10) for backwards in (False, True))
    turn = [Rotation.from_quat([run[f"joint 0.rotation.quaternion.{c}"][-1] for c in "xyzw"]).as_matrix() for run in (one, two)]
    assert np.abs(turn[0] @ turn[1] - np.eye(3)).max() < 1e-8
    spin = [np.array([run[f"joint 0.rotation.omega.{c}"][-1] for c in "xyz"]) for run in (one, two)]
    assert np.abs(turn[0] @ spin[0] + spin[1]).max() < 1e-7


def test_a_deep_chain_is_cut_at_the_same_state():
    """The cut tree of implicit methods begins where the whole one does."""
    links = DEEP + 4
    one, two = (chain(links, backwards) for backwards in (False, True))
    assert all(branch.backwards for branch in compile_system(two).tree.branches)
    assert len(ready(two).tree.cut) > 0
    one, two = (system.simulate(0.01, rtol=1e-9, integrator="radau") for system in (one, two))
    assert np.abs(end_state(one) - end_state(two)).max() < 1e-7
