"""Spheres in a box in Exudyn: mass points, GeneralContact with its search tree, velocity Verlet."""

from __future__ import annotations

import sys
import time

import numpy as np

from peer_systems.sphere_box import Box, Run

sys.exudynFast = True  # the build without range checks


def exudyn_spheres(box: Box, t_end: float, steps: int) -> Run:
    """A run of equal steps. Stiffnesses of two partners act in series there, hence twice that of the contact."""
    import exudyn as exu
    from exudyn import itemInterface as items

    exu.SetWriteToConsole(False)
    exu.SuppressWarnings(True)
    mbs = exu.SystemContainer().AddSystem()
    contact = mbs.AddGeneralContact()
    contact.verboseMode = 0
    contact.SetFrictionPairings(np.zeros((1, 1)))
    contact.SetSearchTreeCellSize([max(2, round(box.side / (3.0 * box.radius)))] * 3)
    contact.SetSearchTreeBox([-0.1 * box.side] * 3, [1.1 * box.side] * 3)
    stiffness = 2.0 * box.stiffness
    for place, velocity in zip(box.places, box.velocities, strict=True):
        node = mbs.AddNode(items.NodePoint(referenceCoordinates=place, initialVelocities=velocity))
        mbs.AddObject(items.ObjectMassPoint(physicsMass=box.mass, nodeNumber=node))
        marker = mbs.AddMarker(items.MarkerNodePosition(nodeNumber=node))
        contact.AddSphereWithMarker(
            marker, radius=box.radius, contactStiffness=stiffness, contactDamping=0.0, frictionMaterialIndex=0
        )
    ground = mbs.AddObject(items.ObjectGround())
    frame = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=ground, localPosition=[0, 0, 0]))
    points, triangles = _walls(box)
    contact.AddTrianglesRigidBodyBased(
        rigidBodyMarkerIndex=frame,
        contactStiffness=stiffness,
        contactDamping=0.0,
        frictionMaterialIndex=0,
        pointList=points,
        triangleList=triangles,
    )
    mbs.Assemble()
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime, integration.verboseMode = steps, t_end, 0
    integration.explicitIntegration.computeEndOfStepAccelerations = False
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = t_end
    settings.parallel.numberOfThreads = 1
    begin = time.perf_counter()
    mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.VelocityVerlet)
    seconds = time.perf_counter() - begin
    moved = np.array(mbs.systemData.GetODE2Coordinates()).reshape(-1, 3)
    return Run(box.places + moved, np.array(mbs.systemData.GetODE2Coordinates_t()).reshape(-1, 3), seconds, steps)


def _walls(box: Box) -> tuple[list, list]:
    """Two triangles for each wall; their normals point into the box."""
    points, triangles = [], []
    for _name, place, normal in box.walls():
        axis = int(np.argmax(np.abs(normal)))
        first, second = (np.eye(3)[(axis + k) % 3] for k in (1, 2))
        far = 3.0 * box.side
        corners = [
            place - box.side * (first + second) + far * (i * first + j * second) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))
        ]
        at = len(points)
        points += corners
        order = [(0, 1, 2), (0, 2, 3)] if normal[axis] > 0.0 else [(0, 2, 1), (0, 3, 2)]
        triangles += [[at + k for k in corner] for corner in order]
    return points, triangles
