"""Every pair of shapes at random states: gap, rate, normal and contact point fit each other, forces balance."""

import numpy as np
import pytest
from icosphere import icosphere
from plain_state import PlainState, derivative, two_bodies

import flexmbs as fm
from flexmbs.core.contact.gap import add_contacts, contact_force, contact_geometry
from flexmbs.mechanism.contact.pairs import PAIRS

AXIS = (0.3, -0.5, 0.9)


def surface(m):
    """An egg of triangles with a smooth surface."""
    ball = icosphere(1, 0.3)
    return fm.RigidSurface(m, fm.SurfaceMesh(ball.points * [1.0, 0.7, 1.3], ball.faces), sharp_angle=3.0)


SHAPES = {
    fm.Sphere: lambda m: fm.Sphere(m, 0.2),
    fm.Plane: lambda m: fm.Plane(m, AXIS),
    fm.Capsule: lambda m: fm.Capsule(m, 0.1, 0.5, AXIS, crown=0.02),
    fm.Cylinder: lambda m: fm.Cylinder(m, 0.2, 0.5, AXIS, edge_radius=0.01, crown=0.01),
    fm.Bore: lambda m: fm.Bore(m, 4.0, axis=AXIS),
    fm.Cavity: lambda m: fm.Cavity(m, 4.0),
    fm.Box: lambda m: fm.Box(m, (0.3, 0.4, 0.5), edge_radius=0.01, crown=0.01),
    fm.Torus: lambda m: fm.Torus(m, 0.4, 0.1, AXIS),
    fm.Rectangle: lambda m: fm.Rectangle(m, (0.4, 0.6), normal=AXIS, thickness=0.2),
    fm.Disc: lambda m: fm.Disc(m, 0.4, normal=AXIS, thickness=0.2),
    fm.RigidSurface: surface,
}
RIGID_PAIRS = [pair for pair in PAIRS if fm.BodySurface not in pair]  # surfaces of bodies: test_contact_surfaces.py


def state_with(pair, seed: int) -> PlainState:
    system, (a, b) = two_bodies()
    system.contact(SHAPES[pair[0]](a), SHAPES[pair[1]](b), law=fm.LinearContact(2e5), name="hit")
    return PlainState(system, seed)


@pytest.mark.parametrize("pair", RIGID_PAIRS, ids=lambda pair: "-".join(kind.__name__ for kind in pair))
def test_gap_rate_and_forces_fit_each_other(pair):
    """The normal is the gradient of the gap: its rate is that of the bodies at the contact point."""
    for seed in range(2):
        state = state_with(pair, seed)
        for c in range(len(state.tables.contacts)):

            def gap(s, state=state, c=c):
                return contact_geometry(state.tables, c, *state.move(s), state.work)[0]

            slope = derivative(gap, 2e-4)
            q, v, a = state.move()
            value, rate, *normal = contact_geometry(state.tables, c, q, v, a, state.work)
            assert rate == pytest.approx(slope, abs=2e-8)
            assert np.linalg.norm(normal) == pytest.approx(1.0)
            active = np.zeros(len(state.tables.contacts), dtype=np.int64)
            active[c] = 1
            add_contacts(state.tables, active, np.zeros(0), q, v, a, state.work, state.residual)
            pushed = contact_force(state.tables, state.tables.contacts[c], np.zeros(0), value, rate)
            assert state.power(v) == pytest.approx(pushed * rate, rel=1e-9)
            bodies = list(zip(state.work.frame, state.work.wrench, strict=True))
            force = sum(wrench.force for wrench in state.work.wrench)
            moment = sum(w.moment + np.cross(f.p_WB, w.force) for f, w in bodies)
            assert max(np.abs(force).max(), np.abs(moment).max()) < 1e-11 * abs(pushed)
