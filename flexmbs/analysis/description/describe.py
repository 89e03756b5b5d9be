"""Builds the description of a mechanism."""

from __future__ import annotations

from flexmbs.analysis.assembly.locking_axes import loop_joints
from flexmbs.analysis.description.description import Description
from flexmbs.analysis.mobility.mobility import mobility
from flexmbs.analysis.recording.entries import entries
from flexmbs.common.errors import FlexmbsError
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.loop_closure_report import LoopClosure
from flexmbs.model.spanning_tree import spanning_tree


def describe(system: Mechanism) -> Description:
    """Bodies, joints, constraints, forces, loops, degrees of freedom, and the analysis that applies.

    A mechanism that cannot be assembled is described too; ``problem`` then gives the reason.
    """
    closing = None
    try:
        found, problem = (mobility(system), "") if len(system.bodies) > 1 else (None, "the system has no bodies")
        closing = None if found is None else found.closing
    except FlexmbsError as error:
        found, problem, closing = None, str(error), vars(error).get("closing")
    tree = spanning_tree(system)
    parts = entries(system)
    return Description(
        gravity=tuple(float(x) for x in system.gravity),
        coordinates=system.coordinates,
        bodies=parts.bodies,
        joints=parts.joints,
        constraints=parts.constraints,
        forces=parts.forces,
        contacts=parts.contacts,
        loops=tuple(tuple(one.name for one in loop_joints(tree, joint)) for joint in tree.cut),
        groups=fixed_groups(system),
        mobility=found,
        problem=problem,
        closing=closing or LoopClosure(),
    )


def fixed_groups(system: Mechanism) -> tuple[tuple[str, ...], ...]:
    """Groups of two or more bodies (ground included) that fixed joints connect into one."""
    group = {name: {name} for name in system.bodies}
    for joint in system.joints.values():
        if joint.type.name == "fixed" and group[joint.a.body] is not group[joint.b.body]:
            joined = group[joint.a.body] | group[joint.b.body]
            for name in joined:
                group[name] = joined
    found = {id(members): members for members in group.values() if len(members) > 1}
    return tuple(tuple(name for name in system.bodies if name in members) for members in found.values())
