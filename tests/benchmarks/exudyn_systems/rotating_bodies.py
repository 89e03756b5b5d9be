"""Heavy top and free body in Exudyn, in the forms that its explicit solvers take."""

from __future__ import annotations

import numpy as np
from peer_systems.rotating_bodies import Body

from exudyn_systems.solver import Choice, Solved, exudyn, solve


def heavy_top(body: Body, mass: float, point, t_end: float, choice: Choice) -> Solved:
    """Kinematic tree of three hinges about z, x, y, the first two without mass: R = Rz Rx Ry.

    Regular while the body's y axis, about which it spins, is not vertical.
    """
    exu = exudyn()
    from exudyn import utilities as u

    centre = np.array(body.first_moment) / mass
    about_centre = np.diag(body.inertia) - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    turns, offsets, centres, moments = (
        exu.Matrix3DList(), exu.Vector3DList(), exu.Vector3DList(), exu.Matrix3DList()
    )  # fmt: skip
    for last in (False, False, True):
        turns.Append(np.eye(3))
        offsets.Append([0, 0, 0])
        centres.Append(centre if last else [0, 0, 0])
        moments.Append(about_centre if last else np.zeros((3, 3)))
    mbs = exu.SystemContainer().AddSystem()
    x, y, z = body.omega
    node = mbs.AddNode(
        u.NodeGenericODE2(
            referenceCoordinates=[0.0] * 3, initialCoordinates=[0.0] * 3, initialCoordinates_t=[z, x, y],
            numberOfODE2Coordinates=3,
        )
    )  # fmt: skip
    tree = mbs.AddObject(
        u.ObjectKinematicTree(
            nodeNumber=node, linkParents=np.arange(3) - 1, jointTransformations=turns, jointOffsets=offsets,
            jointTypes=[exu.JointType.RevoluteZ, exu.JointType.RevoluteX, exu.JointType.RevoluteY],
            linkInertiasCOM=moments, linkCOMs=centres, linkMasses=[0.0, 0.0, mass], gravity=[0, 0, -body.gravity],
        )
    )  # fmt: skip
    sensors = [
        mbs.AddSensor(
            u.SensorKinematicTree(
                objectNumber=tree, linkNumber=2, localPosition=list(point), outputVariableType=output,
                storeInternal=True,
            )
        )
        for output in (exu.OutputVariableType.Position, exu.OutputVariableType.Velocity)
    ]  # fmt: skip
    mbs.Assemble()
    return solve(mbs, sensors, t_end, choice)


def free_body(body: Body, mass: float, point, t_end: float, choice: Choice) -> Solved:
    """Rigid body with a rotation vector as Lie group node."""
    exu = exudyn()
    from exudyn import utilities as u

    mbs = exu.SystemContainer().AddSystem()
    node = mbs.AddNode(
        u.NodeRigidBodyRotVecLG(
            referenceCoordinates=[0.0] * 6, initialVelocities=[0, 0, 0, *body.omega]
        )
    )  # fmt: skip
    moments = [*body.inertia, 0.0, 0.0, 0.0]
    rigid = mbs.AddObject(u.ObjectRigidBody(physicsMass=mass, physicsInertia=moments, nodeNumber=node))
    sensors = [
        mbs.AddSensor(u.SensorBody(bodyNumber=rigid, localPosition=list(point), outputVariableType=output,
                                   storeInternal=True))
        for output in (exu.OutputVariableType.Position, exu.OutputVariableType.Velocity)
    ]  # fmt: skip
    mbs.Assemble()
    return solve(mbs, sensors, t_end, choice)
