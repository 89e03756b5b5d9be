"""The spanning tree: what hangs on what, and what cannot be computed."""

import pytest

import flexmbs as fm
from flexmbs.model.compile_mechanism import compile_system
from flexmbs.model.spanning_tree import SEGMENT, spanning_tree

BLOCK = fm.RigidBody(1.0, (1.0, 1.0, 1.0))


def blocks(count, **options):
    system = fm.System()
    return system, [system.add(BLOCK, name=f"block{i}", **options) for i in range(count)]


def test_parents_come_first_whatever_the_order_of_statements():
    system, (a, b, c) = blocks(3)
    system.revolute(b["origin"], c["origin"], name="last")
    system.revolute(a["origin"], b["origin"], name="middle")
    system.revolute(system.ground["origin"], a["origin"], name="first")
    assert [branch.joint.name for branch in spanning_tree(system).branches] == ["first", "middle", "last"]


def test_bodies_without_joints_are_free():
    system, (a, b) = blocks(2, position=(1.0, 0.0, 0.0))
    model = compile_system(system)
    assert model.coordinate_names[:3] == ("block0.free.x", "block0.free.y", "block0.free.z")
    assert model.q[0] == 1.0 and len(model.q) == 12


def test_chain_that_floats_starts_at_its_first_body():
    system, (a, b) = blocks(2)
    system.revolute(b["origin"], a["origin"], name="between")
    assert [branch.body for branch in spanning_tree(system).branches] == ["block1", "block0"]


def test_joint_that_closes_a_loop_is_cut():
    system, (a, b) = blocks(2)
    system.revolute(system.ground["origin"], a["origin"], name="first")
    system.revolute(a["origin"], b["origin"], name="second")
    system.fixed(system.ground["origin"], b["origin"], name="third")
    tree = spanning_tree(system)
    # breadth first: the fixed joint carries block1, so that the hinge between the blocks closes the loop
    assert [branch.joint.name for branch in tree.branches] == ["first", "third"]
    assert [joint.name for joint in tree.cut] == ["second"]
    model = compile_system(system)
    assert model.coordinate_names[: model.coordinate_count] == ("first.angle", "second.angle")
    assert len(model.coordinate_names) - model.coordinate_count == 6


def test_absolute_coordinates_cut_every_joint():
    system, (a, b) = blocks(2)
    system.revolute(system.ground["origin"], a["origin"], name="first")
    system.revolute(a["origin"], b["origin"], name="second")
    tree = spanning_tree(system, "absolute")
    assert all(branch.added for branch in tree.branches) and len(tree.cut) == 2


def test_joint_stated_towards_ground_runs_backwards():
    system, (a,) = blocks(1)
    system.revolute(a["origin"], system.ground["origin"], name="pin")
    (branch,) = spanning_tree(system).branches
    assert branch.backwards and branch.body == "block0"


def test_long_chains_are_cut_into_segments():
    system, chain = blocks(20)
    for first, second in zip([system.ground, *chain], chain, strict=False):
        system.revolute(first["origin"], second["origin"])
    tree = spanning_tree(system, "segmented")
    assert tree.depth == SEGMENT and len(tree.cut) == 2
    assert spanning_tree(system).depth == 20


def test_empty_system():
    with pytest.raises(fm.MechanismError, match="the system has no bodies"):
        compile_system(fm.System())


def test_fixed_joints_make_a_chain_no_longer():
    """Forty bodies welded in fours: ten moving joints deep, and no weld is cut where segments end."""
    system = fm.System()
    carrier = system.ground["origin"]
    for i in range(40):
        part = system.add(fm.RigidBody.rod(1.0, 0.1), name=f"part {i}")
        system.joint("fixed" if i % 4 else "revolute", carrier, part["origin"], name=f"joint {i}")
        carrier = part.marker("end", position=(0.1, 0.0, 0.0))
    assert spanning_tree(system).depth == 10
    cut = spanning_tree(system, "segmented").cut
    assert [joint.type.name for joint in cut] == ["revolute"]
    assert len(spanning_tree(system, "absolute").cut) == 40
