"""Centrifugal load and softening are derivatives of 1/2 int |P (x + u)|^2 dm, turning sections and walls included."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import rectangle, rigid_rotations, straight_beam
from shell_meshes import KINDS, bowl, sheet

from flexmbs import PointMass, ShellSection, assemble
from flexmbs.fem.rigid_motion import rigid_motions

AXIS = np.array([0.48, -0.6, 0.64])
ACROSS = np.eye(3) - np.outer(AXIS, AXIS)
MASS = PointMass("m", 2, 0.2, 1e-4 * np.diag([3.0, 4.0, 5.0]), np.array([0.1, -0.05, 0.02]))


def beam(theory="timoshenko", rotary=True, masses=(), elements=3, **section):
    own = replace(rectangle(0.02, 0.06, y_axis=(0.0, 1.0, 1.0)), **section)
    mesh = straight_beam(elements, direction=(1.0, 2.0, -2.0), section=own)
    return assemble(replace(mesh, points=mesh.points + [0.3, -0.2, 0.1], point_masses=masses), theory, rotary)


def shell(kind, offset=0.0):
    return assemble(sheet(kind, (3, 3), bowl, distort=0.3, section=ShellSection(0.05, offset=offset))[0])


BEAMS = {
    "timoshenko": beam,
    "euler-bernoulli": lambda: beam("euler-bernoulli"),
    "no rotary inertia": lambda: beam("euler-bernoulli", rotary=False),
    "shear centre": lambda: beam(shear_center=(0.013, -0.021)),
}
SHELLS = {**{kind: (lambda kind=kind: shell(kind)) for kind in KINDS}, "offset": lambda: shell("quad4", 0.02)}
MODELS = {**BEAMS, "with a mass": lambda: beam(masses=(MASS,)), **SHELLS}


def gram(fields, W):
    """(n, n) int a . P b dm of fields (n, m, 3)."""
    return sum(part @ (W @ part.T) for part in np.moveaxis(fields @ ACROSS, 2, 0))


@pytest.mark.parametrize("name", MODELS)
def test_rigid_motion(name):
    """Of a body that moves and turns as a whole they are those of its mass moments."""
    model = MODELS[name]()
    points = model.mesh.points
    x, _, _, W = model.inertia_samples(np.zeros((model.ndof, 0)), [], np.zeros((model.ndof, 0)))
    forces = W @ x @ ACROSS
    load, softening = model.centrifugal(ACROSS)
    motions = rigid_motions(points, 6, np.zeros(3))
    fields = rigid_motions(x, 3, np.zeros(3)).T.reshape(6, -1, 3)
    expected = gram(fields, W)
    tolerance = 1e-11 * abs(expected).max()
    assert motions.T @ load == pytest.approx(np.einsum("nmi,mi->n", fields, forces), abs=tolerance)
    found = motions.T @ (softening @ motions)
    assert found[:3] == pytest.approx(expected[:3], abs=tolerance)
    # turning: of the linear fields, and the load's work on the quadratic ones
    (_, pairs, nodal), (_, _, exact) = rigid_rotations(points, with_turn=True), rigid_rotations(x, with_turn=True)
    for (a, b), at_nodes, bent in zip(pairs, nodal, exact, strict=True):
        of_nodes = load @ np.hstack([at_nodes, np.zeros_like(at_nodes)]).ravel()
        assert found[3 + a, 3 + b] + of_nodes == pytest.approx(expected[3 + a, 3 + b] + np.sum(forces * bent), abs=tolerance)


@pytest.mark.parametrize("name", [*BEAMS, *SHELLS])
def test_any_motion(name):
    """P on the linear fields, and the load's work on what the inside of beams and the turning of walls add to second
    order; without rotary inertia only displacements count."""
    model = (BEAMS | SHELLS)[name]()
    fields = np.random.default_rng(2).normal(size=(model.ndof, 2))
    load, softening = model.centrifugal(ACROSS)
    assert abs(softening - softening.T).max() < 1e-12 * abs(softening).max()
    x, values, bent, W = model.inertia_samples(fields, [(0, 1)], np.zeros((model.ndof, 1)))
    expected = gram(values, W)[0, 1] + np.sum((W @ x @ ACROSS) * bent[0])
    assert fields[:, 0] @ softening @ fields[:, 1] == pytest.approx(expected, rel=1e-9)
