"""Bodies of shells: averaged interfaces, modes and second-order fields."""

from dataclasses import replace

import numpy as np
import pytest
from shell_meshes import KINDS, flat, sheet

from flexmbs import ClampedFree, FreeFree, Material, assemble, reduce

every_kind = pytest.mark.parametrize("kind", KINDS)
STEEL = Material("steel without lateral strain", 210e9, 0.0, 7850.0)
LENGTH, WIDTH, THICKNESS = 1.0, 0.1, 0.01


def strip(kind):
    mesh, grid = sheet(kind, (24, 2), flat(LENGTH, WIDTH), THICKNESS, STEEL)
    return replace(mesh, node_sets={"ROOT": grid[0], "TIP": grid[-1]})


def beam_frequency(depth, root):
    """Euler-Bernoulli, Hz."""
    return root**2 / (2 * np.pi * LENGTH**2) * np.sqrt(210e9 * depth**2 / 12 / 7850.0)


@every_kind
def test_an_averaged_edge_holds_a_strip_as_a_beam(kind):
    body = reduce(strip(kind), interfaces={"root": "ROOT", "tip": "TIP"}, modes=ClampedFree(at="root", count=3))
    expected = [beam_frequency(THICKNESS, 1.875104), beam_frequency(THICKNESS, 4.694091), beam_frequency(WIDTH, 1.875104)]
    # shear lowers the third by 1 %, and an edge of three averaged nodes is soft in the plane (tri3: by 6 %)
    assert body.frequencies == pytest.approx(expected, rel=0.07 if kind == "tri3" else 0.03)


@every_kind
def test_free_strip(kind):
    body = reduce(strip(kind), interfaces={"tip": "TIP"}, modes=FreeFree(count=2))
    expected = [beam_frequency(THICKNESS, 4.730041), beam_frequency(THICKNESS, 7.853205)]
    assert body.frequencies == pytest.approx(expected, rel=0.02)
    assert body.mass == pytest.approx(LENGTH * WIDTH * THICKNESS * 7850.0, rel=1e-12)


@every_kind
def test_bending_shortens_the_strip(kind):
    """The tip of a bent cantilever comes nearer by int w'^2 / 2 dx."""
    mesh = strip(kind)
    body = reduce(mesh, interfaces={"root": "ROOT", "tip": "TIP"}, modes=ClampedFree(at="root", count=1))
    fem = assemble(mesh)
    middle = np.argsort(fem.mesh.points[:, 0], kind="stable")[1::3]
    slope, x = -body.rotations[0][middle, 1], fem.mesh.points[middle, 0]
    expected = -0.5 * np.trapezoid(slope**2, x)
    assert body.markers["tip"].Zu[0, 0] == pytest.approx(expected, rel=0.02)
