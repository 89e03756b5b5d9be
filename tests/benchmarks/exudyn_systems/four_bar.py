"""The rigid four-bar linkage of tests/planar_four_bar.py in Exudyn: plane bodies, plane revolute joints."""

from __future__ import annotations

import numpy as np
from planar_four_bar import COUPLER, CRANK, FRAME, ROCKER, bar

from exudyn_systems.solver import Choice, Solved, exudyn, solve


def four_bar(feet_and_pins: dict[str, np.ndarray], t_end: float, choice: Choice) -> Solved:
    """One run from rest; ``feet_and_pins``: places of the pins "B" and "C" at the start, (2,) m."""
    exu = exudyn()
    from exudyn import itemInterface as items

    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.AddObject(items.ObjectGround())
    places = {"A": np.zeros(2), "D": np.array([FRAME, 0.0]), **feet_and_pins}
    fixed = {
        name: mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=[*places[name], 0.0])) for name in ("A", "D")
    }
    ends, bodies = {}, {}
    for name, length, (start, end) in (("crank", CRANK, "AB"), ("coupler", COUPLER, "BC"), ("rocker", ROCKER, "DC")):
        part = bar(length)
        along = places[end] - places[start]
        centre = 0.5 * (places[start] + places[end])
        node = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=[*centre, float(np.arctan2(along[1], along[0]))]))
        moment = float(np.asarray(part.inertia)[2, 2])
        body = mbs.AddObject(items.ObjectRigidBody2D(physicsMass=part.mass, physicsInertia=moment, nodeNumber=node))
        weight = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=weight, loadVector=[0, -9.81, 0]))
        for at, side in ((start, -0.5), (end, 0.5)):
            ends[name, at] = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[side * length, 0, 0]))
        bodies[name] = body
    for a, b in (
        (fixed["A"], ends["crank", "A"]),
        (ends["crank", "B"], ends["coupler", "B"]),
        (fixed["D"], ends["rocker", "D"]),
        (ends["coupler", "C"], ends["rocker", "C"]),
    ):
        mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=[a, b]))
    outputs = (exu.OutputVariableType.Position, exu.OutputVariableType.Velocity)
    sensors = [
        mbs.AddSensor(
            items.SensorBody(
                bodyNumber=bodies["coupler"], localPosition=[0.5 * COUPLER, 0, 0], outputVariableType=output, storeInternal=True
            )
        )
        for output in outputs
    ]
    mbs.Assemble()
    return solve(mbs, sensors, t_end, choice)
