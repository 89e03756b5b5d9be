"""Parts that swing on others move on circles: second-order motion of bushings, bars, springs and masses beside them."""

from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import ElementBlock, Material, Mesh, PointMass, SpringSection, TrussSection, general_section

STEEL = Material("steel", 210e9, 0.3, 7850.0)
SIDE = 0.01
AREA, MOMENT = SIDE**2, SIDE**4 / 12
EI, EA, LINE = STEEL.youngs_modulus * MOMENT, STEEL.youngs_modulus * AREA, STEEL.density * AREA
SQUARE = general_section(AREA, MOMENT, MOMENT, 0.1406 * SIDE**4, (0.0, 0.0, 1.0), shear_factor=5 / 6)


def stiff_row(divisions: int, first: float, last: float) -> np.ndarray:
    return np.column_stack([np.linspace(first, last, divisions + 1), np.zeros((divisions + 1, 2))])


def first_moment(body, order) -> np.ndarray:
    """int of a field dm, kg m: of the first mode (order 1) or of its second-order field (order 2)."""
    fields = body.inertia.P[0] if order == 1 else body.inertia.Z[0]
    return np.sqrt(body.mass) * fields[:, 0]


def test_a_beam_on_a_soft_bushing_swings_on_a_circle():
    """Two beams joined by a bushing that is stiff but for one rotation; a body with inertia beside the tip.

    The first mode turns the second beam by psi about the bushing, so to second order all of it moves by
    -1/2 psi^2 r towards the axis of the bushing.
    """
    hinge, mass, arm = 0.5, 0.4, np.array([0.03, 0.05, 0.0])
    points = np.vstack([stiff_row(4, 0.0, hinge), stiff_row(4, hinge, 1.0)])
    order = np.arange(4)
    nodes = np.vstack([np.column_stack([order, order + 1]), np.column_stack([order + 5, order + 6])])
    beams = ElementBlock("beam2", np.arange(8) + 1, nodes, STEEL, SQUARE)
    # the soft rotation is 1e-6 of the beams' own EI / L: they bend by a millionth
    bushing = SpringSection(np.array([1e9, 1e9, 1e9, 1e6, 1e6, 1e-6 * EI]))
    joint = ElementBlock("spring2", np.array([9]), np.array([[4, 5]]), section=bushing)
    body = PointMass("body", 9, mass, 1e-4 * np.eye(3), arm)
    mesh = Mesh(
        points,
        np.arange(10) + 1,
        (beams, joint),
        {"ROOT": np.array([0]), "TIP": np.array([9])},
        point_masses=(body,),
        source="swing",
    )
    found = fm.reduce(mesh, interfaces={"root": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree(at="root", count=1), trust_units=True)
    tip, psi = found.markers["tip"], found.markers["tip"].Psi[0, 2]
    assert tip.Phi[0] == pytest.approx([0.0, psi * 0.5, 0.0], abs=1e-5 * psi)
    assert tip.Zu[0] == pytest.approx([-0.5 * psi**2 * 0.5, 0.0, 0.0], abs=1e-5 * psi**2)
    assert tip.Zr[0] == pytest.approx(0.0, abs=1e-5 * psi**2)
    moment = 0.5 * LINE * np.array([0.25, 0.0, 0.0]) + mass * (np.array([0.5, 0.0, 0.0]) + arm)
    turned = psi * np.array([-moment[1], moment[0], 0.0])
    assert first_moment(found, 1) == pytest.approx(turned, abs=1e-5 * psi)
    assert first_moment(found, 2) == pytest.approx(-0.5 * psi**2 * moment, abs=1e-5 * psi**2)


@pytest.mark.parametrize("kind", ["truss2", "spring2"])
def test_a_mass_on_a_bar_swings_on_a_circle(kind):
    """A mass at the end of a truss, or of an axial spring: held sideways by soft springs, it moves by -u^2 / 2 L."""
    length, mass = 0.4, 0.3
    points = np.vstack([stiff_row(4, 0.0, 1.0), [[1.0 + length, 0, 0], [1.0 + length, 0.0, 0.5], [1 + length, 3.0, 0]]])
    beams = ElementBlock("beam2", np.arange(4) + 1, np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), STEEL, SQUARE)
    bar = ElementBlock("truss2", np.array([5]), np.array([[4, 5]]), STEEL, TrussSection(AREA))
    if kind == "spring2":
        axial = SpringSection(np.array([EA / length, 0, 0, 0, 0, 0]), axial=True, mass=LINE * length)
        bar = replace(bar, kind=kind, material=None, section=axial)
    # sideways: bars from the beam's end to two points beside the mass, and soft springs to it
    stiff = SpringSection(np.full(6, 1e8))
    frame = ElementBlock("spring2", np.array([6, 7]), np.array([[4, 6], [4, 7]]), section=stiff)
    soft = SpringSection(np.array([0.02, 0, 0, 0, 0, 0]), axial=True)
    along_y = ElementBlock("spring2", np.array([8]), np.array([[5, 7]]), section=soft)
    along_z = replace(
        along_y, ids=np.array([9]), nodes=np.array([[5, 6]]), section=SpringSection(np.array([5.0, 0, 0, 0, 0, 0]), axial=True)
    )
    masses = tuple(
        PointMass(f"mass {node}", node, m, np.zeros((3, 3)), np.zeros(3)) for node, m in ((5, mass), (6, 1e-3), (7, 1e-3))
    )
    mesh = Mesh(
        points,
        np.arange(8) + 1,
        (beams, bar, frame, along_y, along_z),
        {"ROOT": np.array([0]), "END": np.array([5])},
        point_masses=masses,
        source="swing",
    )
    found = fm.reduce(mesh, interfaces={"root": "ROOT", "end": "END"}, modes=fm.ClampedFree(at="root", count=1), trust_units=True)
    end = found.markers["end"]
    u = end.Phi[0, 1]
    # the spring of 0.02 N/m moves the beam's end by 0.02 / 3 EI = 4e-5 of u, and turns it as much
    assert end.Phi[0] == pytest.approx([0.0, u, 0.0], abs=2e-4 * abs(u))
    assert end.Zu[0, 0] == pytest.approx(-0.5 * u**2 / length, rel=5e-4)
