"""The flexible pendulum as ObjectFFRFreducedOrder, with the mesh, mass and stiffness matrices of flexmbs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from systems import BETA, MODES, STIFFNESS, STOP, STOP_RADIUS, centred_bar

import flexmbs as fm
from exudyn_systems.solver import Choice, Solved, exudyn, solve


@lru_cache(maxsize=1)
def _component():
    """Clamped-free modes of the bar held by one rigid interface, the face of the hinge."""
    exudyn()
    from exudyn.FEM import FEMinterface, HCBstaticModeSelection, ObjectFFRFreducedOrderInterface

    mesh = centred_bar()
    model = fm.assemble(mesh)
    fem = FEMinterface()
    fem.nodes = {"Position": np.array(mesh.points)}
    fem.elements = [{"Name": "bar", "Hex20": np.array(mesh.blocks[0].nodes)}]
    fem.massMatrix, fem.stiffnessMatrix = model.M.tocsr(), model.K.tocsr()
    fem.surface = [{"Name": "none", "Trigs": []}]
    root, tip = (sorted(int(i) for i in mesh.node_sets[name]) for name in ("ROOT", "TIP"))
    fem.ComputeHurtyCraigBamptonModes(
        boundaryNodesList=[root], nEigenModes=MODES, useSparseSolver=True, computationMode=HCBstaticModeSelection.RBE2
    )
    return ObjectFFRFreducedOrderInterface(fem), tip


@dataclass(frozen=True)
class Load:
    """What moves the pendulum besides its start: gravity (m/s2), a constant force at the tip (N), the stop."""

    gravity: float = 9.81
    tip_force: float = 0.0
    stop: bool = False


def pendulum(t_end: float, choice: Choice, load: Load) -> Solved:
    """One run; the joint holds the reference frame, which is the quicker of two equivalent ways."""
    exu = exudyn()
    from exudyn import utilities as u

    component, tip = _component()
    mbs = exu.SystemContainer().AddSystem()
    made = component.AddObjectFFRFreducedOrder(
        mbs, positionRef=[0, 0, 0], gravity=[0, -load.gravity, 0], stiffnessProportionalDamping=BETA
    )
    body = made["oFFRFreducedOrder"]
    ground = mbs.AddObject(u.ObjectGround())
    hinge = mbs.AddMarker(u.MarkerNodeRigid(nodeNumber=made["nRigidBody"]))
    markers = [mbs.AddMarker(u.MarkerBodyRigid(bodyNumber=ground)), hinge]
    mbs.AddObject(u.GenericJoint(markerNumbers=markers, constrainedAxes=[1, 1, 1, 1, 1, 0]))
    kind = u.MarkerSuperElementRigid if load.stop else u.MarkerSuperElementPosition
    end = mbs.AddMarker(kind(bodyNumber=body, meshNodeNumbers=tip, weightingFactors=np.ones(len(tip)) / len(tip)))
    if load.tip_force:
        mbs.AddLoad(u.Force(markerNumber=end, loadVector=[0, load.tip_force, 0]))
    if load.stop:
        _add_stop(mbs, u, ground, end)
    outputs = (exu.OutputVariableType.Position, exu.OutputVariableType.Velocity)
    sensor = lambda kind: u.SensorMarker(markerNumber=end, outputVariableType=kind, storeInternal=True)  # noqa: E731
    sensors = [mbs.AddSensor(sensor(kind)) for kind in outputs]
    mbs.Assemble()
    return solve(mbs, sensors, t_end, choice)


def _add_stop(mbs, u, ground: int, end: int) -> None:
    stop = mbs.AddMarker(u.MarkerBodyRigid(bodyNumber=ground, localPosition=list(STOP)))
    data = mbs.AddNode(u.NodeGenericData(initialCoordinates=[0.1, 0, 0, 0], numberOfDataCoordinates=4))
    mbs.AddObject(
        u.ObjectContactSphereSphere(
            markerNumbers=[end, stop],
            nodeNumber=data,
            spheresRadii=[STOP_RADIUS, STOP_RADIUS],
            contactStiffness=STIFFNESS,
            contactStiffnessExponent=1.5,
            contactDamping=0,
            restitutionCoefficient=1,
            impactModel=0,
        )
    )
