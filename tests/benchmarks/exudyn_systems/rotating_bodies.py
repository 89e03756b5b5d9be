"""Heavy top and free body in Exudyn, in a form that its explicit solvers take."""

from __future__ import annotations

import numpy as np
from peer_systems.rotating_bodies import Body

from exudyn_systems.solver import Choice, Solved, exudyn, solve


def turning_body(body: Body, mass: float, point, t_end: float, choice: Choice) -> Solved:
    """Rigid body with a rotation vector as Lie group node; its origin is held when gravity acts.

    Inertia is that about the origin and the weight a force at the centre, so that rotations and translations are not
    coupled: explicit solvers set the accelerations of held coordinates to zero, without a reaction.
    """
    exu = exudyn()
    from exudyn import utilities as u

    mbs = exu.SystemContainer().AddSystem()
    node = mbs.AddNode(u.NodeRigidBodyRotVecLG(referenceCoordinates=[0.0] * 6, initialVelocities=[0, 0, 0, *body.omega]))
    moments, centre = [*body.inertia, 0.0, 0.0, 0.0], np.array(body.first_moment) / mass
    rigid = mbs.AddObject(u.ObjectRigidBody(physicsMass=mass, physicsInertia=moments, nodeNumber=node))
    if body.gravity:
        at_centre = mbs.AddMarker(u.MarkerBodyPosition(bodyNumber=rigid, localPosition=list(centre)))
        mbs.AddLoad(u.Force(markerNumber=at_centre, loadVector=[0, 0, -mass * body.gravity]))
        fixed = mbs.AddNode(u.NodePointGround())
        still = mbs.AddMarker(u.MarkerNodeCoordinate(nodeNumber=fixed, coordinate=0))
        for coordinate in range(3):  # explicit solvers eliminate these
            moving = mbs.AddMarker(u.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))
            mbs.AddObject(u.CoordinateConstraint(markerNumbers=[still, moving]))
    sensors = [
        mbs.AddSensor(u.SensorBody(bodyNumber=rigid, localPosition=list(point), outputVariableType=output, storeInternal=True))
        for output in (exu.OutputVariableType.Position, exu.OutputVariableType.Velocity)
    ]
    mbs.Assemble()
    return solve(mbs, sensors, t_end, choice)
