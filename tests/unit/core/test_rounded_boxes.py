"""Points of boxes and capsules that are rigid: the least of their gaps is the distance of the bodies."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.spatial.transform import Rotation

import flexmbs as fm
from flexmbs.core.contact.gap import gap_at
from flexmbs.core.layout.tables import make_workspace
from flexmbs.model.compile_mechanism import compile_system

BOX, OTHER = (0.2, 0.1, 0.06), (0.15, 0.12, 0.05)
ROUND, OTHER_ROUND = 5e-3, 3e-3
RADIUS, LENGTH = 0.02, 0.2


def bodies(kind, position, rotation):
    """A box or capsule in space, and a box on ground."""
    system = fm.System()
    part = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="part", position=position, rotation=rotation)
    own = fm.Box(part.frame, BOX, edge_radius=ROUND) if kind == "box" else fm.Capsule(part.frame, RADIUS, LENGTH)
    system.contact(own, fm.Box(system.ground["origin"], OTHER, edge_radius=OTHER_ROUND), law=fm.Rigid(), name="c")
    return compile_system(system)


def gaps(model):
    """Gaps of all points, and which of them stand back for others."""
    work, still = make_workspace(model.tables), np.zeros_like(model.q)
    found, back = [], []
    for c in range(len(model.tables.contacts)):
        found.append(gap_at(model.tables, c, model.q.copy(), still, still.copy(), model.reference, work)[0])
        back.append(work.touch[0]["clear"] > 0.0)
    return np.array(found), np.array(back)


def distance(kind, position, R):
    """Of the two bodies, by minimisation over the core of the first."""
    half, radius = (0.5 * np.array(BOX) - ROUND, ROUND) if kind == "box" else ([0.5 * LENGTH, 0.0, 0.0], RADIUS)
    reach = 0.5 * np.array(OTHER) - OTHER_ROUND

    def square(x):
        d = position + R @ x
        d = d - np.clip(d, -reach, reach)
        return d @ d, 2.0 * R.T @ d

    limits = [(-h, h) for h in half]
    best = minimize(square, np.zeros(3), jac=True, bounds=limits, options={"ftol": 1e-18, "gtol": 1e-13})
    return np.sqrt(best.fun) - radius - OTHER_ROUND


@pytest.mark.parametrize("kind", ["box", "capsule"])
def test_least_gap_is_the_distance(kind):
    rng = np.random.default_rng(3)
    for number in range(6):
        turn = Rotation.random(random_state=rng) if number % 3 else Rotation.from_rotvec([0, 0, rng.uniform(-3, 3)])
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        far = brentq(lambda x, t=turn, d=direction: distance(kind, x * d, t.as_matrix()) - 2e-3, 0.03, 0.5)
        position = far * direction
        expected = distance(kind, position, turn.as_matrix())
        assert 1e-3 < expected < 3e-3
        found, back = gaps(bodies(kind, position, turn))
        assert found.min() == pytest.approx(expected, abs=1e-9)
        assert found[~back].min() == pytest.approx(expected, abs=1e-9)


def test_face_on_face_touches_at_the_corners_of_what_is_covered():
    """Overlap of two faces with a shift: a corner of each, and two crossings of edges; none twice."""
    found, back = gaps(bodies("box", (0.06, 0.05, 0.5 * (BOX[2] + OTHER[2])), None))
    touching = (np.abs(found) < 1e-12) & ~back
    assert np.flatnonzero(touching)[0] < 8 <= np.flatnonzero(touching)[1] < 16 <= np.flatnonzero(touching)[2]
    assert touching.sum() == 4


def test_equal_boxes_touch_at_four_corners():
    system = fm.System()
    part = system.add(fm.RigidBody.box(1000.0, BOX), name="part", position=(0, 0, BOX[2]))
    system.contact(fm.Box(part.frame, BOX), fm.Box(system.ground["origin"], BOX), law=fm.Rigid(), name="c")
    found, back = gaps(compile_system(system))
    assert ((np.abs(found) < 1e-12) & ~back).sum() == 4
