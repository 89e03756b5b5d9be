"""Chain and chain of loops in Exudyn: rigid bodies with redundant coordinates, revolute joints, sparse solver."""

from __future__ import annotations

import sys
import time

import numpy as np
from accuracy import End

sys.exudynFast = True  # the build without range checks


def exudyn_rods(mechanism: str, bodies: int, t_end: float, solver: str, steps: int, newton: float) -> End:
    """Centres of all rods (n, 2) and their velocities, in the order stated, at the end of equal steps.

    The solve is timed. Bodies are 2-D, so that no constraints are redundant.

    ``solver``: "GeneralizedAlpha" or "TrapezoidalIndex2"; ``newton``: relative tolerance of modified Newton.
    """
    import exudyn as exu
    from exudyn import itemInterface as items

    exu.SetWriteToConsole(False)
    exu.SuppressWarnings(True)
    mbs = exu.SystemContainer().AddSystem()
    ground, starts = mbs.AddObject(items.ObjectGround()), []

    def rod(x: float, y: float, angle: float, rate: float, velocity=(0.0, 0.0)):
        centre = np.array([x + 0.5 * np.cos(angle), y + 0.5 * np.sin(angle)])
        speed = np.array(velocity) + 0.5 * rate * np.array([-np.sin(angle), np.cos(angle)])
        starts.append(centre)
        node = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=[*centre, angle], initialVelocities=[*speed, rate]))
        body = mbs.AddObject(items.ObjectRigidBody2D(physicsMass=1.0, physicsInertia=1.0 / 12.0, nodeNumber=node))
        mass = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=[0, -9.81, 0]))
        return tuple(mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[side, 0, 0])) for side in (-0.5, 0.5))

    def fixed(x: float):
        return mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=[x, 0, 0]))

    def hinge(a: int, b: int) -> None:
        mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=[a, b]))

    if mechanism == "chain":
        before = fixed(0.0)
        for i in range(bodies):
            start, end = rod(float(i), 0.0, 0.0, 0.0)
            hinge(before, start)
            before = end
    else:
        top = None
        for i in range(bodies // 2 + 1):
            foot, head = rod(float(i), 0.0, 0.5 * np.pi, -1.0)
            hinge(fixed(float(i)), foot)
            if top is not None:
                left, right = rod(float(i - 1), 1.0, 0.0, 0.0, velocity=(1.0, 0.0))
                hinge(top, left)
                hinge(right, head)
            top = head
    mbs.Assemble()
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime, integration.verboseMode = steps, t_end, 0
    integration.newton.useModifiedNewton = True
    integration.newton.relativeTolerance, integration.newton.absoluteTolerance = newton, 1e-10
    integration.generalizedAlpha.spectralRadius = 0.9
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.parallel.numberOfThreads = 1
    begin = time.perf_counter()
    mbs.SolveDynamic(settings, solverType=getattr(exu.DynamicSolverType, solver))
    seconds = time.perf_counter() - begin
    moved = np.array(mbs.systemData.GetODE2Coordinates()).reshape(-1, 3)[:, :2]
    velocity = np.array(mbs.systemData.GetODE2Coordinates_t()).reshape(-1, 3)[:, :2]
    iterations = mbs.sys["dynamicSolver"].it.newtonStepsCount
    return End(np.array(starts) + moved, velocity, seconds, steps, iterations)
