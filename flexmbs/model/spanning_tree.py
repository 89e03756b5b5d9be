"""Spanning tree of the bodies from ground: the joint that carries each body, and the joints that close loops."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.joint import Joint
from flexmbs.mechanism.joints import free, mass_point
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.mechanism.rigid_body import RigidBody

SEGMENT = 8  # number of joints per segment when long chains are cut
DEEP = 32  # number of joints between a body and ground above which chains are cut


@dataclass(frozen=True)
class Branch:
    """A body and the joint that carries it.

    ``backwards``: the joint's first marker is on the body; ``added``: a free joint that was not stated by the user;
    ``turns``: False for a point mass on a ball joint, whose rotation is undetermined.
    """

    body: str
    joint: Joint
    backwards: bool = False
    added: bool = False
    turns: bool = True


@dataclass(frozen=True)
class SpanningTree:
    """Branches ordered such that parents precede their children, and the cut joints.

    ``depth``: largest number of movable joints between a body and ground.
    """

    branches: tuple[Branch, ...]
    cut: tuple[Joint, ...]
    depth: int = 0


def spanning_tree(system: Mechanism, coordinates: str = "reduced") -> SpanningTree:
    """Spanning tree, breadth first from ground in the order in which joints were stated; the other joints are cut.

    Bodies that no joint carries get a free joint to ground. With ``coordinates`` "absolute" this applies to every body,
    with "segmented" to every body ``SEGMENT`` joints after the previous one: in a long chain the cost of a solution
    then grows linearly with its length instead of cubically; with "placed" to every body whose pose or velocity was given.
    """
    growth = _Growth(system, coordinates == "placed")
    longest = {"segmented": SEGMENT, "absolute": 0}.get(coordinates, len(system.bodies))
    growth.spread("ground", longest)
    for name in _roots_first(system):
        if name not in growth.depth:
            growth.plant(name, longest)
    carrying = {id(branch.joint) for branch in growth.order}
    cut = tuple(joint for joint in system.joints.values() if id(joint) not in carrying)
    return SpanningTree(tuple(growth.order), cut, max(growth.depth.values()))


def _roots_first(system: Mechanism) -> list[str]:
    """Bodies in the order in which they may become roots: those that are not the second body of a joint come first."""
    second = {joint.b.body for joint in system.joints.values() if not joint.cut}
    posed = [name for name, part in system.bodies.items() if part.pose is not None]
    free_ends = [name for name in system.bodies if name not in second and name not in posed]
    return [*posed, *free_ends, *(name for name in system.bodies if name not in posed and name in second)]


class _Growth:
    """The tree while it grows."""

    def __init__(self, system: Mechanism, placed: bool):
        self.system, self.placed = system, placed
        self.order: list[Branch] = []
        self.depth = {"ground": 0}  # of the bodies that have been reached
        self.neighbours: dict[str, list[Joint]] = {name: [] for name in system.bodies}
        for joint in system.joints.values():
            if not joint.cut:
                self.neighbours[joint.a.body].append(joint)
                self.neighbours[joint.b.body].append(joint)

    def plant(self, name: str, longest: int) -> None:
        self.order.append(Branch(name, free_joint(self.system, name), added=True))
        self.depth[name] = 1
        self.spread(name, longest)

    def spread(self, root: str, longest: int) -> None:
        queue = deque([root])
        while queue:
            at = queue.popleft()
            for joint in self.neighbours[at]:
                moves = bool(joint.coordinates)  # fixed joints do not make a chain longer
                if self.depth[at] >= longest and (moves or longest == 0):
                    continue
                backwards = joint.b.body == at
                body = joint.a.body if backwards else joint.b.body
                if body in self.depth or self.placed and self.system.bodies[body].pose is not None:
                    continue
                turns = not (joint.type.ends_with_ball and _is_mass_point(self.system, body))
                self.order.append(Branch(body, joint, backwards, turns=turns))
                self.depth[body] = self.depth[at] + int(moves)
                queue.append(body)


def free_joint(system: Mechanism, name: str) -> Joint:
    """Free joint between ground and a body that no joint carries: six freedoms, three for a point mass."""
    part = system.bodies[name]
    position, quaternion = part.pose or (np.zeros(3), None)
    kind = mass_point(name) if _is_mass_point(system, name) else free(name)
    joint = Joint(f"{name}.free", kind, system.ground.frame, part.frame)
    if quaternion is not None:
        joint.rotation = quaternion
    joint.angular_velocity = part.twist[1]
    for k, letter in enumerate("xyz"):
        joint.start[letter] = float(position[k])
        joint.start_rate[letter] = float(part.twist[0][k])
    for given, shift, turn in ((joint.given, "position", "rotation"), (joint.given_rates, "velocity", "angular_velocity")):
        given.update("xyz" if shift in part.stated else "", {"rotation"} & set(joint.coordinates) if turn in part.stated else ())
    return joint


def _is_mass_point(system: Mechanism, name: str) -> bool:
    """Whether a body is a point mass: no inertia, and all markers at its mass, so that its rotation has no effect."""
    part = system.bodies[name]
    body = part.body
    if not isinstance(body, RigidBody) or body.inertia.any() or body.center.any():
        return False
    joints = [joint for joint in system.joints.values() if name in (joint.a.body, joint.b.body)]
    turns = any(not joint.type.ends_with_ball for joint in joints)
    if turns or any(marker.position.any() for marker in part.markers.values()):
        return False
    for joint in joints:
        if joint.a.body == name and len(joint.type.axes) > 1:
            raise MechanismError(
                f"joint '{joint.name}' ({joint.type.name}): its line, plane, curve or directions are fixed to its "
                f"first marker, but body '{name}' is a point mass without rotation; exchange the two markers"
            )
    return True
