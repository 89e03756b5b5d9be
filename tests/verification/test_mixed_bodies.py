"""Bodies of several families and joints against closed form and against finer meshes of one family."""

from dataclasses import replace

import numpy as np
import pytest
from mixed_meshes import DEPTH, LENGTH, STEEL, bar_and_beam, end_face, merged, ribbed_plate, tied_blocks, whole_beam, with_node
from scipy.optimize import brentq

from flexmbs import (
    ClampedFree,
    Coupling,
    FreeFree,
    Interface,
    PointMass,
    Polynomial,
    RigidBody,
    SecondOrder,
    System,
    Tie,
    assemble,
    box_mesh,
    line_mesh,
    natural_modes,
    rectangle,
    reduce,
    without_unused_nodes,
)
from flexmbs.fem.supports import held_components
from flexmbs.fem.vibration import spin_stiffness
from flexmbs.reduction.interface import attach_all

CLAMPED = Interface(set="ROOT", kind="rigid")


def frequencies(mesh, fixed, count):
    """Elastic natural frequencies, Hz, of the model and of the body reduced from it, which must be the same."""
    natural = elastic(mesh, fixed, count)
    choice = ClampedFree("root", count=count) if fixed else FreeFree(count=count)
    body = reduce(mesh, interfaces={"root": CLAMPED} if fixed else {}, modes=choice)
    assert body.frequencies == pytest.approx(natural, rel=1e-6)
    return natural


@pytest.mark.parametrize("fixed", [("ROOT",), ()], ids=["clamped", "free"])
@pytest.mark.parametrize(("kind", "tolerance"), [("rigid", 7e-4), ("average", 7e-3)])
def test_bar_of_solids_continued_by_beams(kind, tolerance, fixed):
    """Six bending frequencies of the whole beam; an averaged end face gives way locally, a rigid one does not."""
    found = frequencies(bar_and_beam(kind), fixed, 6)
    assert found == pytest.approx(frequencies(whole_beam(), fixed, 6), rel=tolerance)


@pytest.mark.parametrize("fixed", [("ROOT",), ()], ids=["clamped", "free"])
def test_tied_blocks_are_one_block(fixed):
    """Blocks of 2 x 2 and 3 x 3 elements across, without and with a gap, against one block of 3 x 3."""
    one = frequencies(box_mesh((LENGTH, DEPTH, DEPTH), (20, 3, 3), STEEL), fixed, 6)
    # a tie is as stiff as its coarser face: 1e-4; the gap of 0.4 mm (0.1 % of the length) counts as rigid
    assert frequencies(tied_blocks(), fixed, 6) == pytest.approx(one, rel=2e-4)
    assert frequencies(tied_blocks(gap=0.0004), fixed, 6) == pytest.approx(one, rel=3e-3)


def bar_with_mass(ratio, offset=0.0):
    """A slender bar of solids with a mass of ``ratio`` bar masses behind its end, on all nodes of the end face."""
    solid = box_mesh((1.0, DEPTH, DEPTH), (25, 2, 2), STEEL)
    mesh, node = with_node(solid, (1.0 + offset, DEPTH / 2, DEPTH / 2))
    mass = PointMass("tip", node, ratio * 7850.0 * DEPTH**2, np.zeros((3, 3)), np.zeros(3))
    return replace(mesh, couplings=(Coupling("flange", "rigid", node, solid.node_sets["TIP"]),), point_masses=(mass,))


def roots_of_beam_with_tip_mass(ratio, count):
    """beta L of the clamped Euler-Bernoulli beam with a tip mass (Blevins, Formulas for Natural Frequency, 8-8)."""

    def characteristic(b):
        return 1 / np.cosh(b) + np.cos(b) + ratio * b * (np.cos(b) * np.tanh(b) - np.sin(b))

    grid = np.linspace(0.1, 12.0, 2000)
    values = characteristic(grid)
    return [brentq(characteristic, *grid[i : i + 2]) for i in np.flatnonzero(values[1:] * values[:-1] < 0)][:count]


def test_solid_bar_with_a_tip_mass():
    found = frequencies(bar_with_mass(0.5), ("ROOT",), 4)
    bending = np.sqrt(210e9 * DEPTH**2 / 12 / 7850.0) / (2 * np.pi)
    exact = np.repeat([root**2 * bending for root in roots_of_beam_with_tip_mass(0.5, 2)], 2)
    # shear and rotary inertia lower the first by 3e-4 and the second by 4e-3 at L / h = 50
    assert found[:2] == pytest.approx(exact[:2], rel=1e-3)
    assert found[2:] == pytest.approx(exact[2:], rel=6e-3)


WIDTH = 0.05


def t_section(cells_along=30):
    """The ribbed plate of solids: a row of elements through the plate, three through the rib's height."""
    thickness, (height, width) = 0.004, (0.03, 0.006)
    y = np.array([-0.5 * WIDTH, -0.25 * WIDTH, -width, -0.5 * width, 0.5 * width, width, 0.25 * WIDTH, 0.5 * WIDTH])
    z = np.append(-0.5 * thickness - height * np.array([1.0, 2 / 3, 1 / 3, 0.0]), 0.5 * thickness)
    mesh = box_mesh((0.4, 7.0, 4.0), (cells_along, 7, 4), STEEL)
    points = mesh.points.copy()
    points[:, 1] = np.interp(points[:, 1], np.arange(8), y)
    points[:, 2] = np.interp(points[:, 2], np.arange(5), z)
    middle = points[mesh.blocks[0].nodes].mean(axis=1)
    inside = (middle[:, 2] > -0.5 * thickness) | (np.abs(middle[:, 1]) < 0.5 * width)
    block = replace(mesh.blocks[0], nodes=mesh.blocks[0].nodes[inside], ids=mesh.blocks[0].ids[inside])
    return without_unused_nodes(replace(mesh, points=points, blocks=(block,), element_sets={}))


def test_ribbed_plate_of_shells_and_beams_against_solids():
    """Beams that hang on a plate by RBE2s, against the same plate and rib of quadratic hexahedra.

    Bending across the plate (0.6 % off) and in its plane (0.1 %) agree; torsion is 5 % too soft, because shells and
    beams know nothing of the 6 mm of the plate that the rib covers.
    """
    expected, found = (elastic(mesh, ("ROOT",), 3) for mesh in (t_section(), ribbed_plate((40, 8), width=WIDTH)))
    assert found[:2] == pytest.approx(expected[:2], rel=8e-3)
    assert found[2] == pytest.approx(expected[2], rel=0.06)
    unjoined = replace(ribbed_plate((40, 8), width=WIDTH), couplings=())
    assert elastic(unjoined, ("ROOT",), 1)[0] < 0.3 * expected[0]


def elastic(mesh, fixed, count):
    model = assemble(mesh)
    natural = natural_modes(model, held_components(model, fixed), count).frequencies
    return natural[natural > 0.0][:count]


def turning(mesh, speed, count):
    model = assemble(mesh)
    held = held_components(model, ["ROOT"])
    stiffness = spin_stiffness(model, held, speed, [0.0, 0.0, 1.0])
    return natural_modes(model, held, count, stiffness=stiffness).frequencies


def blade_with_mass(kind):
    """A blade from 0.1 to 0.6 m and a mass 50 mm beyond: on a rigid arm, or on beams a thousand times as stiff."""
    blade = line_mesh(0.5, 20, rectangle(0.02, 0.01, (0.0, 1.0, 0.0)), STEEL, start=(0.1, 0.0, 0.0))
    mesh, node = with_node(blade, (0.65, 0.0, 0.0))
    tip = mesh.node_sets["TIP"]
    mass = PointMass("tip", node, 0.2, np.zeros((3, 3)), np.zeros(3))
    mesh = replace(mesh, point_masses=(mass,))
    if kind == "rigid":
        return replace(mesh, couplings=(Coupling("arm", "rigid", int(tip[0]), np.array([node])),))
    stiff = replace(STEEL, name="stiff", youngs_modulus=1e3 * STEEL.youngs_modulus, density=1e-6)
    block = mesh.blocks[0]
    arm = replace(block, ids=np.array([99]), nodes=np.array([[tip[0], node]]), material=stiff)
    return replace(mesh, blocks=(block, arm))


def test_spinning_blade_with_a_mass_on_a_rigid_arm():
    """The force in the arm stiffens too: without that the first frequency at 200 rad/s is 3 % too low."""
    for speed in (0.0, 200.0):
        found, expected = (turning(blade_with_mass(kind), speed, 4) for kind in ("rigid", "beam"))
        # an arm a thousand times as stiff as the blade gives way by 2e-6
        assert found == pytest.approx(expected, rel=1e-5)


def test_spinning_mass_beside_its_node():
    """A mass with an offset of 50 mm from the tip is one at a node on a rigid arm; so is one with rotary inertia."""
    blade = line_mesh(0.5, 20, rectangle(0.02, 0.01, (0.0, 1.0, 0.0)), STEEL, start=(0.1, 0.0, 0.0))
    tip = int(blade.node_sets["TIP"][0])
    for offset in ((0.05, 0.0, 0.0), (0.03, 0.02, -0.04)):
        beside = replace(blade, point_masses=(PointMass("tip", tip, 0.2, np.zeros((3, 3)), np.array(offset)),))
        apart, node = with_node(blade, blade.points[tip] + offset)
        mass = PointMass("tip", node, 0.2, np.zeros((3, 3)), np.zeros(3))
        arm = Coupling("arm", "rigid", tip, np.array([node]))
        apart = replace(apart, couplings=(arm,), point_masses=(mass,))
        assert turning(beside, 200.0, 6) == pytest.approx(turning(apart, 200.0, 6), rel=1e-9)
    # a dumbbell of two masses, and one mass with the inertia of the dumbbell
    arms = 0.04 * np.array([[0.6, 0.0, 0.8], [-0.6, 0.0, -0.8]])
    pair = tuple(PointMass("half", tip, 0.1, np.zeros((3, 3)), arm) for arm in arms)
    inertia = sum(0.1 * (arm @ arm * np.eye(3) - np.outer(arm, arm)) for arm in arms)
    one = (PointMass("whole", tip, 0.2, inertia, np.zeros(3)),)
    found, expected = (turning(replace(blade, point_masses=masses), 200.0, 6) for masses in (one, pair))
    assert found == pytest.approx(expected, rel=1e-9)


def test_spinning_blade_of_solids_with_a_mass_on_an_average():
    """The mass hangs on the mean motion of the end face, 50 mm before it; against beams with a rigid arm."""
    blade = box_mesh((0.5, 0.02, 0.01), (20, 2, 1), STEEL)
    blade = replace(blade, points=blade.points + [0.1, -0.01, -0.005])
    mesh, node = with_node(blade, (0.65, 0.0, 0.0))
    mass = PointMass("tip", node, 0.2, np.zeros((3, 3)), np.zeros(3))
    mesh = replace(mesh, couplings=(Coupling("arm", "average", node, blade.node_sets["TIP"]),), point_masses=(mass,))
    for speed in (0.0, 200.0):
        found, expected = turning(mesh, speed, 2), turning(blade_with_mass("rigid"), speed, 2)
        assert found == pytest.approx(expected, rel=5e-4)


# CalculiX 2.20 (seven digits): 20 x 3 x 2 C3D20 of 1.0 x 0.05 x 0.03 m, clamped (node set ROOT). RIGID BODY of the end
# face with a MASS of 5 kg at (1.1, 0.04, 0.02); DISTRIBUTING COUPLING of it with the MASS at the mean of its nodes; and
# two blocks of half the length, 10 x 3 x 2 and 12 x 2 x 2, joined by TIE (nodes of the second on faces of the first).
CALCULIX = {
    "rigid": [13.87061, 23.08299, 102.4381, 169.6453, 308.3759, 506.2802, 607.873, 691.396, 920.1447, 1047.892],
    "average": [15.22568, 25.33343, 122.0987, 201.9106, 369.1534, 603.9054, 658.5652, 749.9125, 926.9278, 1208.358],
    "tie": [25.17528, 41.84621, 157.1384, 258.8831, 437.5446, 659.2199, 713.7936, 850.021, 1295.478, 1362.766],
}
ORDINARY = replace(STEEL, name="steel", poisson_ratio=0.3)


def with_end_mass(kind):
    solid = box_mesh((1.0, 0.05, 0.03), (20, 3, 2), ORDINARY)
    tip = solid.node_sets["TIP"]
    mesh, node = with_node(solid, (1.1, 0.04, 0.02) if kind == "rigid" else solid.points[tip].mean(axis=0))
    mass = PointMass("end", node, 5.0, np.zeros((3, 3)), np.zeros(3))
    return replace(mesh, couplings=(Coupling("end", kind, node, tip),), point_masses=(mass,))


def two_tied():
    first, second = (box_mesh((0.5, 0.05, 0.03), divisions, ORDINARY) for divisions in ((10, 3, 2), (12, 2, 2)))
    mesh = merged(first, replace(second, points=second.points + [0.5, 0.0, 0.0]), "SECOND ")
    return replace(mesh, surfaces={"FACE": end_face(first, "TIP")}, ties=(Tie("glue", "SECOND ROOT", "FACE"),))


@pytest.mark.parametrize("kind", CALCULIX)
def test_joints_of_solids_against_calculix(kind):
    mesh = two_tied() if kind == "tie" else with_end_mass(kind)
    # half of the last digit printed, and the rule of the mass matrix (27 points in both)
    assert elastic(mesh, ("ROOT",), 10) == pytest.approx(CALCULIX[kind], rel=1e-6)


def in_motion(mesh, speed, count, root):
    """Frequencies, Hz, of the reduced body on a hub that turns about z, linearised about the steady motion."""
    body = reduce(mesh, interfaces={"root": root}, modes=ClampedFree("root", count=count))
    system = System(gravity=(0.0, 0.0, 0.0))
    hub = system.add(RigidBody(mass=1.0, inertia=(1.0, 1.0, 1.0)), name="hub")
    blade = system.add(body, name="blade")
    spin = system.revolute(system.ground.marker("axle"), hub["origin"], axis="z", rate=speed, name="spin")
    spin.prescribe(Polynomial([0.0, speed]))
    rim = hub.marker("rim", position=tuple(body.markers["root"].position))
    system.fixed(rim, blade["root"], name="root")
    return np.asarray(system.linearize().frequencies)


def test_reduced_blade_with_a_mass_on_a_rigid_arm_spins_as_its_model():
    """The second-order fields of followers, in reduced coordinates, stiffen as the joints of the model do."""
    root = Interface(set="ROOT")
    found, beams = (in_motion(blade_with_mass(kind), 200.0, 10, root)[:4] for kind in ("rigid", "beam"))
    assert found == pytest.approx(beams, rel=1e-5)
    # the model leaves out the Coriolis terms and the stretch under the load: 1e-4
    assert found == pytest.approx(turning(blade_with_mass("rigid"), 200.0, 4), rel=2e-4)


def test_reduced_ribbed_plate_spins_as_its_model():
    mesh = ribbed_plate((16, 4), width=WIDTH)
    sets = {**mesh.node_sets, "ROOT": mesh.node_sets["EDGE"]}
    mesh = replace(mesh, points=mesh.points + [0.1, 0.0, 0.0], node_sets=sets)
    at_rest, spinning = turning(mesh, 0.0, 3), turning(mesh, 400.0, 3)
    found = in_motion(mesh, 400.0, 10, CLAMPED)[:3]
    assert spinning[1] > 1.08 * at_rest[1]  # what is compared
    # the model leaves out the Coriolis terms and the stretch under the load: 6e-4
    assert found == pytest.approx(spinning, rel=1e-3)


def test_reduced_ribbed_plate_held_at_a_mean_with_followers_spins_as_its_model():
    """The root, averaged, has the first node of the rib among its nodes, which follows the plate through an arm."""
    mesh = ribbed_plate((16, 4), width=WIDTH)
    mesh = replace(mesh, points=mesh.points + [0.1, 0.0, 0.0])
    model = assemble(mesh)
    root = attach_all(model, {"root": "ROOT"})["root"].operator
    stiffness = spin_stiffness(model, root, 400.0, np.array([0.0, 0.0, 1.0]))
    expected = natural_modes(model, root, 3, stiffness=stiffness, spin=400.0).frequencies
    assert in_motion(mesh, 400.0, 10, "ROOT")[:3] == pytest.approx(expected, rel=1e-3)
    # the second-order part of what follows does not move the marker that holds the body, with few fields as with all
    for choice in ("full", SecondOrder(field_tolerance=1e-6)):
        body = reduce(mesh, interfaces={"root": "ROOT"}, modes=ClampedFree("root", count=6), second_order=choice)
        Z = np.concatenate([body.quadratic, body.quadratic_rotations], axis=2).reshape(len(body.quadratic), -1).T
        assert abs(root @ Z).max() < 1e-9 * abs(Z).max()
