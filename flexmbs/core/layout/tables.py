"""The flat tables that the kernels read: one record per body, joint axis, marker, force, contact, constraint.

Offsets (fields named ``*_at``) point into ``Tables.pool``, one flat array of floats.  Index -1 means none.
Coordinates are the local ones of a step: one per joint axis or mode, three (a rotation vector relative to
``State.reference``) per ball.  Behind them stands one multiplier per scalar constraint: its value is its
"acceleration", its equation the constraint differentiated to accelerations (core.constraints).
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.abi.blocks import Block
from flexmbs.core.layout.force_tables import (
    BUSHING,
    BUSHING_RECORD,
    ELEMENT,
    ELEMENT_RECORD,
    OF_ACCELERATIONS,
    SAMPLER,
    SENSOR,
    SPREAD_LOAD,
    USER_FUNCTION,
    USER_STATE,
)

ROTATION, TRANSLATION, BALL, CURVE, INVERSE_CURVE, SURFACE = (
    0,
    1,
    2,
    3,
    4,
    5,
)  # from CURVE on: core.mechanics.curve_axes
CLOSURE, COUPLING, DISTANCE, COMPONENT, ROLLING, CABLE = 0, 1, 2, 3, 4, 5
DISC, BALL_ON_PLANE = 0, 1  # what rolls
# Workspace.extent: the whole residual; only constraints (no inertia, no forces); these with the relative
# angular velocity in place of the rate of rho, which vanishes at a right angle; the whole and all sensors
WHOLE, CONSTRAINTS, OPENINGS, RECORDED = 0, 1, 2, 3
POSITION_LEVEL, VELOCITY_LEVEL, ACCELERATION_LEVEL = 0, 1, 2
SPHERE_PLANE, SPHERE_SPHERE = 0, 1
WORLD, FOLLOWER = 0, 1
# kinds of signals; what piecewise polynomials do beyond their ends
FUNCTION, PIECES, HARMONIC, SUM, PRODUCT = 0, 1, 2, 3, 4
HOLD, STOP, REPEAT, CONTINUE = 0, 1, 2, 3

BODY = np.dtype(
    [
        ("parent_marker", "i8"),
        ("own_marker", "i8"),
        ("axis_start", "i8"),
        ("axis_end", "i8"),
        ("modes", "i8"),
        ("modal_start", "i8"),  # first modal coordinate
        ("rank", "i8"),  # R, number of inertia basis functions
        ("x_at", "i8"),  # X (3, R)
        ("row_start", "i8"),  # non-zero rows of P and Z, sorted by component
        ("row_end", "i8"),
        ("row_1", "i8"),  # number of rows of each component
        ("row_2", "i8"),
        ("row_3", "i8"),
        ("row_at", "i8"),  # their coefficients: per component an (R, rows) array
        ("pair_start", "i8"),
        ("pair_end", "i8"),
        ("form_start", "i8"),  # quadratic forms (core.mechanics.quadratic_forms), numbered through all bodies
        ("form_end", "i8"),
        ("form_at", "i8"),  # their coefficients (pairs, forms); -1: each form is one pair
        ("stiffness_at", "i8"),
        ("damping_at", "i8"),
        ("cubic_at", "i8"),  # cubic strain energy (forms, modes); -1: none
        ("root_mass", "f8"),  # sqrt(mass)
        ("backwards", "i8"),  # 1: the joint was stated from this body to its parent
    ]
)
AXIS = np.dtype(
    [
        ("kind", "i8"),
        ("coordinate", "i8"),
        ("ball", "i8"),
        ("x", "f8"),
        ("y", "f8"),
        ("z", "f8"),
        ("factor", "f8"),  # the axis moves by factor * coordinate + offset; of a ball 1, or -1: run from b to a
        ("offset", "f8"),
        ("second", "i8"),  # second coordinate of a surface
        ("at", "i8"),  # curve or surface (core.mechanics.splines)
        ("follow", "i8"),  # 1: the frame turns with the curve
    ]
)
MARKER = np.dtype(
    [
        ("body", "i8"),
        ("flexible", "i8"),
        ("frame_at", "i8"),  # position (3) and rotation (9) in the undeformed body
        ("field_at", "i8"),  # Phi (n, 3), Psi (n, 3), Zu (forms, 3), Zr (forms, 3)
    ]
)
ROW = np.dtype([("mode", "i8"), ("form", "i8"), ("component", "i8")])  # form = -1: component of P, else of Z
PAIR = np.dtype([("a", "i8"), ("b", "i8")])
# value, rate, acceleration: addresses of C functions double f(double t); address 0: the constant (or zero).  The other
# kinds: numbers in the pool (core.mechanics.signals), or two signals that stand before this one.
SIGNAL = np.dtype(
    [
        ("kind", "i8"),
        ("value", "i8"),
        ("rate", "i8"),
        ("acceleration", "i8"),
        ("constant", "f8"),
        ("at", "i8"),
        ("first", "i8"),
        ("second", "i8"),
    ]
)
LOAD = np.dtype(
    [
        ("marker", "i8"),
        ("is_torque", "i8"),
        ("frame", "i8"),
        ("sx", "i8"),
        ("sy", "i8"),
        ("sz", "i8"),
        ("factor", "f8"),
    ]
)
# state 1: no position but a user state, which is the coordinate's velocity
# unit: of condensed modes (core.mechanics.condensed_modes) the position at a = 1; 0 for all others
COORDINATE = np.dtype([("signal", "i8"), ("level", "i8"), ("multiplier", "i8"), ("state", "i8"), ("unit", "f8")])
# One record per joint that closes a loop, coupler, rod, driven marker component; its rows are consecutive multipliers.
CONSTRAINT = np.dtype(
    [
        ("kind", "i8"),
        ("a", "i8"),  # markers
        ("b", "i8"),
        ("row", "i8"),  # first multiplier
        ("rows", "i8"),
        ("start", "i8"),  # axes of a closure, terms of a coupling or cable, directions in the pool of what rolls
        ("end", "i8"),
        ("signal", "i8"),
        ("level", "i8"),  # at which the signal prescribes
        ("component", "i8"),  # of a marker's position; what rolls
        ("length", "f8"),  # of a rod, a cable; radius
    ]
)
TERM = np.dtype([("coordinate", "i8"), ("factor", "f8")])  # of a cable: marker, parts of the cable behind it
# A spring and damper on sum of factor * coordinate over terms: a span of an elastic belt.
COUPLER = np.dtype([("start", "i8"), ("end", "i8"), ("stiffness", "f8"), ("damping", "f8"), ("rest", "f8")])
CONTACT = np.dtype(
    [
        ("kind", "i8"),
        ("a", "i8"),
        ("b", "i8"),
        ("radius_a", "f8"),
        ("radius_b", "f8"),
        ("law", "i8"),  # number and parameters of the law (core.laws.contact)
        ("p0", "f8"),
        ("p1", "f8"),
        ("p2", "f8"),
        ("p3", "f8"),
        ("nx", "f8"),  # normal of the plane in marker b
        ("ny", "f8"),
        ("nz", "f8"),
    ]
)


class Tables(Block):
    """A mechanism, constant during a run."""

    fields = {
        "bodies": (BODY, 1),  # [0] is ground
        "axes": (AXIS, 1),
        "markers": (MARKER, 1),
        "rows": (ROW, 1),
        "pairs": (PAIR, 1),
        "signals": (SIGNAL, 1),
        "loads": (LOAD, 1),
        "elements": (ELEMENT, 1),
        "bushings": (BUSHING, 1),
        "spread_loads": (SPREAD_LOAD, 1),
        "sensors": (SENSOR, 1),
        "functions": (USER_FUNCTION, 1),
        "inputs": ("i8", 1),  # sensors of all functions
        "states": (USER_STATE, 1),
        "samplers": (SAMPLER, 1),
        "coordinates": (COORDINATE, 1),  # driver (signal or -1) of each coordinate; multipliers
        "condensed": ("i8", 1),  # coordinates of modes without inertia of their own (core.mechanics.condensed_modes)
        "contacts": (CONTACT, 1),
        "constraints": (CONSTRAINT, 1),
        "terms": (TERM, 1),
        "couplers": (COUPLER, 1),
        "free": ("i8", 1),  # the unknowns: coordinates that are not driven, multipliers of independent constraints
        "band": ("i8", 0),  # half bandwidth of matrices over the unknowns; 0: dense
        "pool": ("f8", 1),
        "gravity": ("f8", 1),
    }


class Workspace(Block):
    """Scratch arrays of one evaluation; nothing in them outlives it."""

    fields = {
        "frame": ("f8", 2),  # (nb, 24) body frames: R (9), p, w, v, alpha, a in world axes
        "wrench": ("f8", 2),  # (nb, 6) force, and moment about the body's origin, world axes
        "axis": ("f8", 2),  # (axes, 24) what the way back needs of each axis: its direction; rotation matrix of a ball
        "joint_point": ("f8", 2),  # (nb, 3) where the own marker of each body is
        "local": ("f8", 1),  # (33,) motion of a marker relative to its body, and scratch for a rotation matrix
        "scratch": ("f8", 2),  # (4, 24) frames
        "reaction": ("f8", 2),  # (nb + constraints, 6) force and moment on the second marker of each joint, world axes
        "constraint": ("f8", 2),  # (coordinates, 3) of each multiplier: value and rate of its constraint; of rotations
        # also the cosine of the open angle
        "r": ("f8", 2),  # (3, R) position, velocity and acceleration of the body's points in its frame
        "rate": ("f8", 2),
        "accel": ("f8", 2),
        "weight": ("f8", 2),  # (4, rows) what multiplies each row of P and Z in r, r', r''; force on it
        "form": ("f8", 2),  # (4, forms) quadratic forms of all bodies with two derivatives; force on them
        "motion": ("f8", 1),  # (6,) along a curve or surface; and (9,) what goes back through it
        "back": ("f8", 1),
        "extent": ("i8", 1),  # (1,) WHOLE, CONSTRAINTS or OPENINGS
        "gap": ("f8", 1),  # gap and its rate, of the contact last asked for
        "signal": ("f8", 2),  # (signals + outputs, 3) value, first and second derivative; outputs of user functions
        "input": ("f8", 1),  # inputs of all user functions
        "output": ("f8", 1),  # outputs of the one that is called
        "fault": ("f8", 1),  # user function that gave no finite number (-1: none), time, its inputs
        "energy": ("f8", 1),  # (3,)
        "condensed": ("f8", 1),  # values of the condensed coordinates during an evaluation
        "articulated": ("f8", 2),  # (nb, 27) and
        "columns": ("f8", 2),  # (coordinates, 15): see core.mechanics.articulated_body
        "rigid_tree": ("i8", 0),  # 1: accelerations can be had that way
        "reads_accelerations": ("i8", 0),  # 1: user functions do, so that the residual need not be linear in them
        "record": ("f8", 1),  # what elements, bushings, sensors and functions measured (core.layout.force_tables)
    }


def make_workspace(tables: Tables) -> Workspace:
    """Scratch arrays large enough for ``tables``."""
    rank = int(max(4, tables.bodies["rank"].max()))
    rows = int(max(1, (tables.bodies["row_end"] - tables.bodies["row_start"]).max()))
    bodies = len(tables.bodies)
    return Workspace(
        frame=np.zeros((bodies, 24)),
        wrench=np.zeros((bodies, 6)),
        axis=np.zeros((max(1, len(tables.axes)), 24)),
        joint_point=np.zeros((bodies, 3)),
        local=np.zeros(33),
        scratch=np.zeros((4, 24)),
        reaction=np.zeros((bodies + len(tables.constraints), 6)),
        constraint=np.zeros((len(tables.coordinates), 3)),
        r=np.zeros((3, rank)),
        rate=np.zeros((3, rank)),
        accel=np.zeros((3, rank)),
        weight=np.zeros((4, rows)),
        form=np.zeros((4, max(1, int(tables.bodies["form_end"].max())))),
        motion=np.zeros(6),
        back=np.zeros(9),
        extent=np.zeros(1, dtype=np.int64),
        gap=np.zeros(2),
        signal=np.zeros((max(1, len(tables.signals) + int(tables.functions["outputs"].sum())), 3)),
        input=np.zeros(len(tables.inputs)),
        output=np.zeros(int(tables.functions["outputs"].max(initial=1))),
        fault=np.concatenate([[-1.0], np.zeros(1 + len(tables.inputs))]),
        energy=np.zeros(3),
        condensed=np.zeros(len(tables.condensed)),
        articulated=np.zeros((bodies, 27)),
        columns=np.zeros((len(tables.coordinates), 15)),
        rigid_tree=int(is_rigid_tree(tables)),
        reads_accelerations=int(reads_accelerations(tables)),
        record=np.zeros(max(1, record_size(tables))),
    )


def record_size(tables: Tables) -> int:
    """Length of ``Workspace.record``."""
    one_each = len(tables.sensors) + int(tables.functions["outputs"].sum())
    return ELEMENT_RECORD * len(tables.elements) + BUSHING_RECORD * len(tables.bushings) + one_each


def is_rigid_tree(tables: Tables) -> bool:
    """Whether all bodies are rigid, no joint runs along a curve, and nothing closes a loop."""
    simple = np.isin(tables.axes["kind"], (ROTATION, TRANSLATION, BALL))
    return bool(len(tables.constraints) == 0 and np.all(tables.bodies["modes"] == 0) and np.all(simple))


def reads_accelerations(tables: Tables) -> bool:
    """Whether user functions, or what stands in their place, read accelerations or reactions."""
    return bool(np.any(np.isin(tables.sensors["kind"][tables.inputs], OF_ACCELERATIONS)))
