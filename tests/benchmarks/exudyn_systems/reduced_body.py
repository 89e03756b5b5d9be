"""Reduced bodies of flexmbs as ObjectFFRFreducedOrder: the same nodes, mass and stiffness matrices, modes, damping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm
from exudyn_systems.solver import Choice, Solved, exudyn, run_solver
from flexmbs.mesh.marker_places import node_weights


@dataclass(frozen=True)
class ReducedBody:
    """What Exudyn needs of a body: its component, the damping of its modes, and markers as nodes with weights.

    Attributes
    ----------
    component : ObjectFFRFreducedOrderInterface; modes have unit mass
    scale : (n,) modal coordinates of flexmbs are ``scale`` times those of Exudyn
    damping : (n, n) of Exudyn's coordinates, or None
    markers : name -> (nodes, weights)
    """

    component: object
    scale: np.ndarray
    damping: np.ndarray | None
    markers: dict[str, tuple[np.ndarray, np.ndarray]]


def reduced_body(mesh: fm.Mesh, body: fm.FlexibleBody, interfaces: dict[str, str]) -> ReducedBody:
    """``interfaces``: marker name -> node set.  Reduced from the matrices of the whole mesh, as Exudyn does it."""
    exudyn()
    from exudyn.FEM import FEMinterface, ObjectFFRFreducedOrderInterface

    model = fm.assemble(mesh)
    scale = 1.0 / np.sqrt(np.diag(body.Me))
    fem = FEMinterface()
    fem.nodes = {"Position": np.array(body.points)}
    fem.massMatrix, fem.stiffnessMatrix = model.M.tocsr(), model.K.tocsr()
    fem.surface = [{"Name": "none", "Trigs": []}]
    modes = np.ascontiguousarray((body.modes.reshape(body.mode_count, -1) * scale[:, None]).T)
    fem.modeBasis = {"matrix": modes, "type": "HCBmodes"}
    damping = scale[:, None] * body.De * scale if body.De.any() else None
    markers = {}
    for name, node_set in interfaces.items():
        nodes = np.sort(np.asarray(mesh.node_sets[node_set]))
        markers[name] = nodes, node_weights(mesh, nodes).values
    return ReducedBody(ObjectFFRFreducedOrderInterface(fem), scale, damping, markers)


def add_body(mbs, body: ReducedBody, **motion) -> dict:
    """The body with its damping in a system; ``motion``: where and how fast it starts, gravity."""
    exu = exudyn()
    made = body.component.AddObjectFFRFreducedOrder(mbs, **motion)
    if body.damping is not None:
        damping = exu.MatrixContainer()
        damping.SetWithDenseMatrix(body.damping, useDenseMatrix=False)
        mbs.SetObjectParameter(made["oFFRFreducedOrder"], "dampingMatrixReduced", damping)
    return made


class Pendulum:
    """The body hinged about z at its frame, released at rest under gravity along -y; its marker "tip" is observed."""

    def __init__(self, body: ReducedBody, t_end: float, gravity: float = 9.81) -> None:
        self.body, self.t_end, self.gravity = body, t_end, gravity

    def __call__(self, choice: Choice) -> Solved:
        exu = exudyn()
        from exudyn import utilities as u

        mbs = exu.SystemContainer().AddSystem()
        made = add_body(mbs, self.body, positionRef=[0, 0, 0], gravity=[0, -self.gravity, 0])
        ground = mbs.AddMarker(u.MarkerBodyRigid(bodyNumber=mbs.AddObject(u.ObjectGround())))
        hinge = mbs.AddMarker(u.MarkerNodeRigid(nodeNumber=made["nRigidBody"]))
        mbs.AddObject(u.GenericJoint(markerNumbers=[ground, hinge], constrainedAxes=[1, 1, 1, 1, 1, 0]))
        nodes, weights = self.body.markers["tip"]
        tip = mbs.AddMarker(
            u.MarkerSuperElementPosition(bodyNumber=made["oFFRFreducedOrder"], meshNodeNumbers=nodes, weightingFactors=weights)
        )
        kinds = (exu.OutputVariableType.Position, exu.OutputVariableType.Velocity)
        sensors = [mbs.AddSensor(u.SensorMarker(markerNumber=tip, outputVariableType=kind, storeInternal=True)) for kind in kinds]
        mbs.Assemble()
        run = run_solver(mbs, self.t_end, choice)
        return run.solved(*(np.array(mbs.GetSensorValues(sensor)) for sensor in sensors))


@dataclass(frozen=True)
class Crank:
    """The slider-crank of docs/engine.md: radius (m), speed (rad/s), mass of the piston (kg)."""

    radius: float
    speed: float
    piston_mass: float


class SliderCrank:
    """The body as the connecting rod: its frame on the crank pin, its marker "small" on the piston.

    Starts at dead centre with given modal coordinates and rates (those of flexmbs) and angular velocity of the body
    frame; observed is the deflection ``shape`` @ modal coordinates.
    """

    def __init__(
        self, body: ReducedBody, crank: Crank, t_end: float, start: tuple[np.ndarray, np.ndarray], spin: float, shape: np.ndarray
    ) -> None:
        self.body, self.crank, self.t_end, self.start, self.spin, self.shape = body, crank, t_end, start, spin, shape

    def __call__(self, choice: Choice) -> Solved:
        exu = exudyn()
        from exudyn import utilities as u

        radius, speed = self.crank.radius, self.crank.speed
        mbs = exu.SystemContainer().AddSystem()
        made = add_body(
            mbs,
            self.body,
            positionRef=[radius, 0, 0],
            initialVelocity=[0, radius * speed, 0],
            initialAngularVelocity=[0, 0, self.spin],
        )
        modal = made["nGenericODE2"]
        for name, values in zip(("initialCoordinates", "initialCoordinates_t"), self.start, strict=True):
            mbs.SetNodeParameter(modal, name, list(values / self.body.scale))
        disc = mbs.AddNode(u.NodeRigidBody2D(initialVelocities=[0, 0, speed]))
        wheel = mbs.AddObject(u.ObjectRigidBody2D(nodeNumber=disc, physicsMass=1.0, physicsInertia=1.0))
        fixed = mbs.AddMarker(u.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(u.NodePointGround()), coordinate=0))
        for coordinate in range(3):
            marker = mbs.AddMarker(u.MarkerNodeCoordinate(nodeNumber=disc, coordinate=coordinate))
            turning = coordinate == 2  # at constant speed
            mbs.AddObject(
                u.CoordinateConstraint(markerNumbers=[fixed, marker], velocityLevel=turning, offset=speed if turning else 0.0)
            )
        pin = mbs.AddMarker(u.MarkerBodyRigid(bodyNumber=wheel, localPosition=[radius, 0, 0]))
        frame = mbs.AddMarker(u.MarkerNodeRigid(nodeNumber=made["nRigidBody"]))
        nodes, weights = self.body.markers["small"]
        small = mbs.AddMarker(
            u.MarkerSuperElementRigid(bodyNumber=made["oFFRFreducedOrder"], meshNodeNumbers=nodes, weightingFactors=weights)
        )
        # the piston is the mass of the small end along its guide: it has no other motion
        mass = mbs.AddNode(u.Node1D(referenceCoordinates=[0.0]))
        piston = mbs.AddObject(u.Mass1D(physicsMass=self.crank.piston_mass, nodeNumber=mass, referencePosition=[self.reach, 0, 0]))
        guide = mbs.AddMarker(u.MarkerBodyRigid(bodyNumber=piston))
        mbs.AddObject(u.GenericJoint(markerNumbers=[pin, frame], constrainedAxes=[1, 1, 1, 1, 1, 0]))
        mbs.AddObject(u.GenericJoint(markerNumbers=[guide, small], constrainedAxes=[1, 1, 1, 1, 1, 0]))
        mbs.Assemble()
        run = run_solver(mbs, self.t_end, choice)
        q, rates = (
            self.shape @ (self.body.scale * np.array(mbs.GetNodeOutput(modal, kind)))
            for kind in (exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t)
        )
        return run.solved(q, rates)

    @property
    def reach(self) -> float:
        """x of the piston at the start, m."""
        nodes, weights = self.body.markers["small"]
        q, scale = self.start[0], self.body.scale
        points = self.body.component.xRef.reshape(-1, 3)[nodes]
        moved = (self.body.component.modeBasis @ (q / scale)).reshape(-1, 3)[nodes]
        return self.crank.radius + float(weights @ (points + moved)[:, 0])
