"""The rigid chain as ObjectKinematicTree (minimal coordinates)."""

from __future__ import annotations

import numpy as np
from systems import LINK_DENSITY, LINK_SIZE, joint_angle

from exudyn_systems.solver import Choice, Solved, exudyn, solve


def chain(links: int, t_end: float, choice: Choice) -> Solved:
    """One run."""
    exu = exudyn()
    from exudyn import utilities as u

    length = LINK_SIZE[0]
    inertia = u.InertiaCuboid(LINK_DENSITY, list(LINK_SIZE)).Translated([0.5 * length, 0, 0])
    # the z axis of RotX(-phi) is (0, sin phi, cos phi)
    turn = [u.RotationMatrixX(-joint_angle(i)) for i in range(links)]
    turns, offsets, centres, moments = (exu.Matrix3DList(), exu.Vector3DList(), exu.Vector3DList(), exu.Matrix3DList())
    for i in range(links):
        turns.Append(turn[i - 1].T @ turn[i] if i else turn[0])
        offsets.Append([length if i else 0.0, 0, 0])
        centres.Append(inertia.COM())
        moments.Append(inertia.InertiaCOM())
    mbs = exu.SystemContainer().AddSystem()
    zeros = [0.0] * links
    node = mbs.AddNode(
        u.NodeGenericODE2(
            referenceCoordinates=zeros, initialCoordinates=zeros, initialCoordinates_t=zeros, numberOfODE2Coordinates=links
        )
    )
    tree = mbs.AddObject(
        u.ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[exu.JointType.RevoluteZ] * links,
            linkParents=np.arange(links) - 1,
            jointTransformations=turns,
            jointOffsets=offsets,
            linkInertiasCOM=moments,
            linkCOMs=centres,
            linkMasses=[inertia.Mass()] * links,
            gravity=[0, -9.81, 0],
        )
    )
    sensors = [
        mbs.AddSensor(
            u.SensorKinematicTree(
                objectNumber=tree, linkNumber=links - 1, localPosition=[length, 0, 0], outputVariableType=output, storeInternal=True
            )
        )
        for output in (exu.OutputVariableType.Position, exu.OutputVariableType.Velocity)
    ]
    mbs.Assemble()
    return solve(mbs, sensors, t_end, choice)
