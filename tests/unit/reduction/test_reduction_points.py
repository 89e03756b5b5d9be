"""Markers at material points between nodes and off the surface of the nodes, to second order."""

import numpy as np
import pytest
from shell_meshes import flat, sheet

from flexmbs import CraigBampton, Interface, Material, SecondOrder, line_mesh, rectangle, reduce
from flexmbs.fem.rigid_motion import turned_arm

STEEL = Material("steel", 210e9, 0.3, 7850.0)
STATIC = CraigBampton("root", keep=("tip",), count=0, frequency_tolerance=None)


def body_of(mesh, *, root, tip, theory="timoshenko", second_order="full", **points):
    interfaces = {"root": root, "tip": tip} | {name: Interface(point=place) for name, place in points.items()}
    return reduce(mesh, interfaces=interfaces, modes=STATIC, beam_theory=theory, second_order=second_order, cache=False)


@pytest.mark.parametrize("theory", ["timoshenko", "euler-bernoulli"])
def test_a_point_inside_a_beam_moves_as_a_node_there_would(theory):
    place = (0.25, 0.0, 0.0)
    coarse, fine = (
        body_of(line_mesh(1.0, count, rectangle(0.02, 0.01), STEEL), root="ROOT", tip="TIP", theory=theory, at=place)
        for count in (2, 4)
    )
    for field in ("Phi", "Psi", "Zu", "Zr"):  # static modes are exact in any mesh, and so are their second-order fields
        found, expected = getattr(coarse.markers["at"], field), getattr(fine.markers["at"], field)
        assert found == pytest.approx(expected, abs=1e-7 * np.abs(expected).max())


def test_a_point_on_the_face_of_a_shell_turns_with_its_wall():
    mesh, grid = sheet("quad8", (8, 2), flat(0.5, 0.1), 0.01, STEEL)
    ends = {"root": Interface(node=int(grid[0, 2]) + 1), "tip": Interface(node=int(grid[-1, 2]) + 1)}
    body = body_of(mesh, **ends, middle=(0.3125, 0.0, 0.0), face=(0.3125, 0.0, 0.005))
    middle, face = body.markers["middle"], body.markers["face"]
    arm, (a, b) = np.array([0.0, 0.0, 0.005]), body.pairs.T
    turned = turned_arm(middle.Psi[a], middle.Psi[b], arm, (a == b)[:, None])
    expected = middle.Zu + np.cross(middle.Zr, arm) + turned
    assert face.Zu == pytest.approx(expected, abs=1e-9 * np.abs(turned).max())  # above a node
    assert np.abs(turned).max() > 1e-3 * np.abs(middle.Zu).max()


def test_fewer_fields_have_points_too():
    mesh = line_mesh(1.0, 2, rectangle(0.02, 0.01), STEEL)
    choice = SecondOrder(deflection=0.1, field_tolerance=1e-8)
    few = body_of(mesh, root="ROOT", tip="TIP", second_order=choice, at=(0.25, 0.0, 0.0))
    full = body_of(mesh, root="ROOT", tip="TIP", at=(0.25, 0.0, 0.0))
    q = np.linspace(-0.01, 0.01, len(full.mode_labels))
    found = few.quadratic_coordinates(q) @ few.markers["at"].Zr
    expected = full.quadratic_coordinates(q) @ full.markers["at"].Zr
    assert found == pytest.approx(expected, abs=1e-5 * np.abs(expected).max())
