"""Order the bodies into a spanning tree from ground: who hangs on whom, by which joint."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.errors import MechanismError
from flexmbs.system.elements import Joint
from flexmbs.system.joints import free
from flexmbs.system.system import System


@dataclass(frozen=True)
class Branch:
    """A body and the joint that carries it (``joint.b`` lies on the body)."""

    body: str
    joint: Joint


def spanning_tree(system: System) -> list[Branch]:
    """Branches in an order in which every parent comes before its children.

    Bodies that no joint holds get a free joint to ground.

    Raises
    ------
    MechanismError
        A joint closes a loop; a joint is stated against the direction from ground; a pose was given to a
        body that a joint places.
    """
    carried: dict[str, Joint] = {}
    neighbours: dict[str, list[Joint]] = {name: [] for name in system.bodies}
    _refuse_loops(system)
    for joint in system.joints.values():
        neighbours[joint.a.body].append(joint)
        neighbours[joint.b.body].append(joint)
    order: list[Branch] = []
    reached = {"ground"}
    _spread("ground", neighbours, reached, carried, order)
    for name, part in system.bodies.items():
        if name not in reached and not any(j.b.body == name for j in neighbours[name]):
            order.append(Branch(name, _free_joint(system, name)))
            reached.add(name)
            _spread(name, neighbours, reached, carried, order)
        elif name in carried and part.pose is not None:
            raise MechanismError(
                f"body '{name}': joint '{carried[name].name}' places it, so position=, rotation=, velocity= and "
                "angular_velocity= of add() cannot hold too; give the joint its start values instead"
            )
    return order


def _spread(root: str, neighbours, reached: set[str], carried: dict[str, Joint], order: list[Branch]) -> None:
    queue = [root]
    while queue:
        at = queue.pop(0)
        for joint in neighbours[at]:
            if joint.a.body == at and joint.b.body not in reached:
                carried[joint.b.body] = joint
                order.append(Branch(joint.b.body, joint))
                reached.add(joint.b.body)
                queue.append(joint.b.body)
            elif joint.b.body == at and joint.a.body not in reached:
                raise MechanismError(
                    f"joint '{joint.name}': its first marker must be on the side of ground, but '{joint.a.label}' "
                    f"hangs on '{joint.b.label}'; swap the two markers"
                )


def _free_joint(system: System, name: str) -> Joint:
    part = system.bodies[name]
    position, quaternion = part.pose or (part.twist[0], None)
    joint = Joint(f"{name}.free", free(name), system.ground.frame, part.frame)
    if quaternion is not None:
        joint.rotation = quaternion
    joint.angular_velocity = part.twist[1]
    for k, letter in enumerate("xyz"):
        joint.start[letter] = float(position[k])
        joint.start_rate[letter] = float(part.twist[0][k])
    return joint


def _refuse_loops(system: System) -> None:
    """Union-find over the joints: the first one that connects what is connected already closes a loop."""
    leader = {name: name for name in system.bodies}

    def find(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for joint in system.joints.values():
        a, b = find(joint.a.body), find(joint.b.body)
        if a == b:
            raise MechanismError(
                f"joint '{joint.name}' between '{joint.a.label}' and '{joint.b.label}' closes a loop: these bodies are "
                "connected already. Only open chains can be computed; remove a joint, or replace it by a stiff spring"
            )
        leader[a] = b
