"""The flat tables that the kernels read: one record per body, joint axis, marker, force, contact, constraint.

Offsets (fields named ``*_at``) point into ``Tables.pool``, one flat array of floats.  Index -1 means none.
Coordinates are the local ones of a step: one per joint axis or mode, three (a rotation vector relative to
``State.reference``) per ball.  Behind them stands one multiplier per scalar constraint: its value is its
"acceleration", its equation the constraint differentiated to accelerations (core.constraints).
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.contact_tables import CONTACT, FEATURE, GROUP
from flexmbs.core.layout.force_tables import (
    BUSHING,
    BUSHING_RECORD,
    ELEMENT,
    ELEMENT_RECORD,
    FRICTION_RECORD,
    SAMPLER,
    SENSOR,
    SPREAD_LOAD,
    TURN,
    TURN_MEMORY,
    USER_FUNCTION,
    USER_STATE,
)
from flexmbs.core.layout.frames import (
    ARTICULATED,
    AXIS_STATE,
    BODY_FRAME,
    COLUMN,
    CURVE_MOTION,
    CURVE_POINT,
    GAP_MOTION,
    MARKER_FRAME,
    MARKER_IN_BODY,
    MATRIX,
    SCRATCH,
    SURFACE_POINT,
    TOUCH,
    VECTOR,
    WRENCH,
    WRENCH_AT_POINT,
)
from flexmbs.core.layout.friction_tables import JOINT_FRICTION
from flexmbs.core.layout.records import NONE, record_type
from flexmbs.core.layout.switch_tables import ACTION, EVENT, EVENT_MEMORY, SWITCH
from flexmbs.machine_code.blocks import Block

# kinds of joint axes; from CURVE on: core.mechanics.curve_axes
ROTATION, TRANSLATION, BALL, CURVE, INVERSE_CURVE, SURFACE = 0, 1, 2, 3, 4, 5
CLOSURE, COUPLING, DISTANCE, COMPONENT, ROLLING, CABLE = 0, 1, 2, 3, 4, 5
DISC, BALL_ON_PLANE = 0, 1  # what rolls
# Workspace.extent: the whole residual; only constraints (no inertia, no forces); these with the relative
# angular velocity in place of the rate of rho, which vanishes at a right angle; the whole and all sensors; what
# balances impulses: without applied forces, friction and contact, which are finite
WHOLE, CONSTRAINTS, OPENINGS, RECORDED, IMPULSES = range(5)
POSITION_LEVEL, VELOCITY_LEVEL, ACCELERATION_LEVEL = 0, 1, 2
# kinds of contact points: two that are compiled in; called by address a pair of shapes, many points of surfaces at
# once, and a point on a surface that deforms
SPHERE_PLANE, SPHERE_SPHERE, SHAPE_PAIR, SURFACES, POINT_ON_SURFACE = 0, 1, 2, 3, 4
AT_ZERO_DEPTH, AT_ZERO_FORCE = 0, 1  # where a contact ends
WORLD, FOLLOWER = 0, 1
PERMANENT, SWITCHED = 1, 2  # multipliers
# kinds of signals; what piecewise polynomials do beyond their ends
FUNCTION, PIECES, HARMONIC, SUM, PRODUCT = 0, 1, 2, 3, 4
HOLD, STOP, REPEAT, CONTINUE = 0, 1, 2, 3
# columns of Workspace.signal (the first three), rows of Workspace.weight: a quantity, its two derivatives,
# and the generalised force on it
VALUE, RATE, ACCEL, FORCE = 0, 1, 2, 3
FULL_MATRIX, DIAGONAL_MATRIX, ZERO_MATRIX = 0, 1, 2
COLUMNS = 4  # functions of a block of an inertia basis: their twelve sums stay in the sixteen registers of AVX2
# column of Workspace.constraint behind those of POSITION_LEVEL and VELOCITY_LEVEL
COSINE = 2
KINETIC, GRAVITY, ELASTIC, TOTAL = 0, 1, 2, 3  # energies
FAULT_FUNCTION, FAULT_TIME, FAULT_INPUTS = 0, 1, 2  # places in Workspace.fault

BODY = record_type(
    [
        ("parent_marker", "i8"),
        ("own_marker", "i8"),
        ("axis_start", "i8"),
        ("axis_end", "i8"),
        ("modes", "i8"),
        ("modal_start", "i8"),  # first modal coordinate
        ("rank", "i8"),  # R, number of inertia basis functions
        ("x_at", "i8"),  # X (3, R)
        ("sign", "f8"),  # of what column 1 of X adds: -1 for a rigid body with a negative second moment
        ("place_start", "i8"),  # places of its fields in Workspace.weight: modes, then forms
        ("place_end", "i8"),
        ("order_start", "i8"),  # the modes in the order of their places
        ("block_start", "i8"),  # blocks of functions of the inertia basis (core.mechanics.inertia); none: rigid
        ("block_end", "i8"),
        ("pair_start", "i8"),
        ("pair_end", "i8"),
        ("form_start", "i8"),  # places of its quadratic forms (core.mechanics.quadratic_forms)
        ("form_end", "i8"),
        ("form_at", "i8"),  # their coefficients (pairs, forms); -1: each form is one pair
        ("stiffness_at", "i8"),
        ("damping_at", "i8"),
        ("stiffness_kind", "i8"),  # FULL_MATRIX, DIAGONAL_MATRIX or ZERO_MATRIX
        ("damping_kind", "i8"),
        ("cubic_at", "i8"),  # cubic strain energy (forms, modes); -1: none
        ("root_mass", "f8"),  # sqrt(mass)
        ("backwards", "i8"),  # 1: the joint was stated from this body to its parent
    ],
    parent_marker=NONE,
    own_marker=NONE,
    sign=1.0,
    axis_start=NONE,
    axis_end=NONE,
    form_at=NONE,
    cubic_at=NONE,
)
AXIS = record_type(
    [
        ("kind", "i8"),
        ("coordinate", "i8"),
        ("ball", "i8"),
        ("direction", "f8", VECTOR),
        ("factor", "f8"),  # the axis moves by factor * coordinate + offset; of a ball 1, or -1: run from b to a
        ("offset", "f8"),
        ("second", "i8"),  # second coordinate of a surface
        ("at", "i8"),  # curve or surface (core.mechanics.splines)
        ("follow", "i8"),  # 1: the frame turns with the curve
    ],
    ball=NONE,
    factor=1.0,
    second=NONE,
    at=NONE,
)
MARKER = record_type(
    [
        ("body", "i8"),
        ("flexible", "i8"),
        ("fields_at", "i8"),  # (6, places of its body): displacement and rotation by each mode and quadratic form
        ("p_BM", "f8", VECTOR),  # in the undeformed body
        ("R_BM", "f8", MATRIX),
    ],
    fields_at=NONE,
    R_BM=np.eye(3),
)
# Four functions of an inertia basis: per component the runs of fields that have coefficients there.  `at`: of each run
# in turn a (COLUMNS, count) array; `run`: the first one; `ends`: behind the last one of each component.
BLOCK = record_type([("at", "i8"), ("run", "i8"), ("ends", "i8", VECTOR)])
RUN = record_type([("first", "i8"), ("count", "i8")])  # places, from the first one of the body
# Of two modes with places a >= b: where their product stands in Workspace.product, a * modes + b
PAIR = record_type([("product", "i8")])
# value, rate, acceleration: addresses of C functions double f(double t); address 0: the constant (or zero).  The other
# kinds: numbers in the pool (core.mechanics.signals), or two signals that stand before this one.
SIGNAL = record_type(
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
LOAD = record_type(
    [("marker", "i8"), ("is_torque", "i8"), ("frame", "i8"), ("sx", "i8"), ("sy", "i8"), ("sz", "i8"), ("factor", "f8")], factor=1.0
)
# state 1: no position but a user state, which is the coordinate's velocity
# unit: of condensed modes (core.mechanics.condensed_modes) the position at a = 1; 0 for all others
# size: of a state, the reference value of its tolerance (analysis.run.tolerances)
# multiplier: PERMANENT or SWITCHED (core.layout.switch_tables)
COORDINATE = record_type(
    [("signal", "i8"), ("level", "i8"), ("multiplier", "i8"), ("state", "i8"), ("unit", "f8"), ("size", "f8")],
    signal=NONE,
    size=1.0,
)
# One record per joint that closes a loop, coupler, rod, driven marker component; its rows are consecutive multipliers.
CONSTRAINT = record_type(
    [
        ("kind", "i8"),
        ("a", "i8"),  # markers
        ("b", "i8"),
        ("row", "i8"),  # first multiplier
        ("rows", "i8"),
        ("start", "i8"),  # axes of a closure, terms of a coupling or cable
        ("end", "i8"),
        ("signal", "i8"),
        ("level", "i8"),  # at which the signal prescribes
        ("component", "i8"),  # of a marker's position; what rolls
        ("switch", "i8"),  # -1: it acts always
        ("length", "f8"),  # of a rod, a cable; radius
        ("u_A", "f8", VECTOR),  # what rolls: two tangents and the normal of its plane, axes of a; its axle, axes of b
        ("v_A", "f8", VECTOR),
        ("n_A", "f8", VECTOR),
        ("e_B", "f8", VECTOR),
    ],
    signal=NONE,
    switch=NONE,
)
TERM = record_type([("coordinate", "i8"), ("factor", "f8")])  # of a cable: marker, parts of the cable behind it
# A spring and damper on sum of factor * coordinate over terms: a span of an elastic belt.
COUPLER = record_type([("start", "i8"), ("end", "i8"), ("stiffness", "f8"), ("damping", "f8"), ("rest", "f8")])
MOST_SHARED = 64  # switches with a matrix of their shares
MAX_BRISTLES = 6  # of a contact point


class Tables(Block):
    """A mechanism, constant during a run."""

    fields = {
        "bodies": (BODY, 1),  # [0] is ground
        "axes": (AXIS, 1),
        "markers": (MARKER, 1),
        "blocks": (BLOCK, 1),
        "runs": (RUN, 1),
        "mode_order": ("i8", 1),  # modes of each body in the order of their places
        "pairs": (PAIR, 1),
        "signals": (SIGNAL, 1),
        "loads": (LOAD, 1),
        "elements": (ELEMENT, 1),
        "bushings": (BUSHING, 1),
        "turns": (TURN, 1),
        "spread_loads": (SPREAD_LOAD, 1),
        "sensors": (SENSOR, 1),
        "functions": (USER_FUNCTION, 1),
        "inputs": ("i8", 1),  # sensors of all functions
        "states": (USER_STATE, 1),
        "samplers": (SAMPLER, 1),
        "coordinates": (COORDINATE, 1),  # driver (signal or -1) of each coordinate; multipliers
        "condensed": ("i8", 1),  # coordinates of modes without inertia of their own (core.mechanics.condensed_modes)
        "massless": ("i8", 1),  # those of them that have no inertia at all: of contact patches (core.equations.massless_patches)
        "contacts": (CONTACT, 1),
        "features": (FEATURE, 1),
        "groups": (GROUP, 1),
        "excluded": ("i8", 1),
        "constraints": (CONSTRAINT, 1),
        "switches": (SWITCH, 1),  # constraints that are switched
        "joint_frictions": (JOINT_FRICTION, 1),  # friction that sticks in joints
        "events": (EVENT, 1),  # of the user
        "actions": (ACTION, 1),
        "terms": (TERM, 1),
        "couplers": (COUPLER, 1),
        "free": ("i8", 1),  # the unknowns: coordinates that are not driven, multipliers of independent constraints
        "band": ("i8", 0),  # half bandwidth of matrices over the unknowns; 0: dense
        # which unknowns are coupled, which are shifted together (model.tangent_shifts); empty: all, each alone
        "pattern_start": ("i8", 1),  # (unknowns + 1,) where each column begins in
        "pattern_rows": ("i8", 1),
        "shift_start": ("i8", 1),  # where each group begins in
        "shift_columns": ("i8", 1),
        "shift_split": ("i8", 0),  # groups of accelerations; those behind them are of velocities and positions
        "pool": ("f8", 1),
        "gravity": ("f8", 1),
    }


class Workspace(Block):
    """Scratch arrays of one evaluation; nothing in them outlives it."""

    fields = {
        "frame": (BODY_FRAME, ("bodies",)),  # of the bodies
        "wrench": (WRENCH, ("bodies",)),  # on each body, moment about its origin, world axes
        "axis": (AXIS_STATE, ("some_axes",)),  # what the way back needs of each axis
        "joint_point": ("f8", ("bodies", 3)),  # where the own marker of each body is
        "marker_in_body": (MARKER_IN_BODY, (1,)),
        "marker": (MARKER_FRAME, (3,)),  # rows A, B, END of core.layout.frames
        "scratch": (SCRATCH, (2,)),  # of whoever moves frames, of shapes of a contact
        "reaction": (WRENCH, ("reactions",)),  # (nb + constraints,) on the second marker of each joint, world axes
        "constraint": ("f8", ("n", 3)),  # of each multiplier: value and rate of its constraint; of rotations
        # also the cosine of the open angle
        "r": ("f8", (3, "rank")),  # position, velocity and acceleration of the body's points in its frame
        "rate": ("f8", (3, "rank")),
        "accel": ("f8", (3, "rank")),
        "weight": ("f8", (4, "places")),  # modal coordinates and quadratic forms of all bodies with two derivatives; force
        # on them
        "product": ("f8", (4, "products")),  # all products of two modes of a body with two derivatives; force on them
        "curve_motion": (CURVE_MOTION, (1,)),  # along a curve or surface; where it leads; what goes back through it
        "curve_point": (CURVE_POINT, (1,)),
        "surface_point": (SURFACE_POINT, (1,)),
        "curve_wrench": (WRENCH_AT_POINT, (1,)),
        "touch": (TOUCH, (2,)),  # contact point; another one that is put aside
        "moved_marker": (MARKER_FRAME, (2,)),  # the markers of a contact, put aside
        "slip": ("f8", (9,)),  # what friction depends on: slip velocity, angular velocity, normal
        "resistance": ("f8", (6 + MAX_BRISTLES,)),  # (6 + bristles,) what it gives: force, moment, rates of bristles
        "surface": ("f8", ("surface",)),  # what is known of surfaces at the present coordinates (core.contact.surfaces.layout)
        # projection on forces of closed rigid contacts that change no motion; zero without slots
        "sharing": ("f8", ("shares", "shares")),
        "extent": ("i8", (1,)),  # WHOLE, CONSTRAINTS ...
        "signal": ("f8", ("values", 3)),  # (signals + outputs, 3) value, first and second derivative; outputs of user functions
        "input": ("f8", ("inputs",)),  # inputs of all user functions
        "output": ("f8", ("outputs",)),  # outputs of the one that is called
        "fault": ("f8", 1),  # user function that gave no finite number (-1: none), time, its inputs
        "energy": ("f8", (3,)),
        "condensed": ("f8", ("condensed",)),  # values of the condensed coordinates during an evaluation
        "articulated": (ARTICULATED, ("bodies",)),  # with the columns: see core.mechanics.articulated_body
        "columns": (COLUMN, ("n",)),
        "rigid_tree": ("i8", 0),  # 1: accelerations can be had that way
        "free_tree": ("i8", 0),  # 1: and nothing but gravity and drivers acts (core.mechanics.free_tree)
        "dense": ("i8", 1),  # unknowns whose accelerations need a mass matrix in explicit methods
        "reads_accelerations": ("i8", 0),  # 1: user functions do, so that the residual need not be linear in them
        # the contacts, those of groups with the shapes of the pair that they serve, whose number is `occupant`
        "contact": (CONTACT, 1),
        "occupant": ("i8", ("contacts",)),
        "feature_frame": (MARKER_FRAME, (2, "features")),  # at both ends of a part of a step
        "feature_box": ("f8", ("features", 6)),  # lower and upper ends of what a sphere sweeps in it
        "feature_cell": ("i8", ("features", 3)),  # of a grid (core.contact.broad_phase)
        "cell_start": ("i8", ("cell_ends",)),  # where the spheres of each bucket of cells begin in
        "cell_spheres": ("i8", ("features",)),
        "near": ("i8", ("features",)),  # spheres near one of them
        "touching": ("i8", ("pair_hash",)),  # numbers of the pairs that touch, in a hash table
        "path": ("i8", ("bodies",)),  # those between ground and the two of one contact, the last one first
        "gap_motion": (GAP_MOTION, (2, "contacts")),  # at both ends of a part of a step
        "one_gap": (GAP_MOTION, (3,)),  # of one contact: both ends of a part of the step, and a point inside
        "record": ("f8", ("record",)),  # what elements, bushings, sensors and functions measured (core.layout.force_tables)
    }


def sharing_size(tables: Tables) -> int:
    """Rows of ``Workspace.sharing``: three of each switch, if they serve rigid contacts, but not very many."""
    return 3 * len(tables.switches) if np.any(tables.contacts["rigid"] != 0) and len(tables.switches) <= MOST_SHARED else 0


def lengths(tables: Tables) -> dict[str, int]:
    """Lengths of the tables by their names, and ``n``, that of the coordinates with the multipliers: sizes of blocks."""
    return {name: len(array) for name, array in tables.arrays.items() if array.ndim} | {"n": len(tables.coordinates)}


def make_workspace(tables: Tables) -> Workspace:
    """Scratch arrays large enough for ``tables``."""
    bodies, outputs = tables.bodies, tables.functions["outputs"]
    sizes = lengths(tables) | {
        "some_axes": max(1, len(tables.axes)),
        "reactions": len(bodies) + len(tables.constraints),
        "rank": int(max(4, bodies["rank"].max())),
        "places": int(max(1, bodies["place_end"].max())),
        "products": max(1, int(bodies["modes"].max()) ** 2),
        "surface": int(tables.contacts["scratch"].sum()),
        "shares": sharing_size(tables),
        "values": max(1, len(tables.signals) + int(outputs.sum())),
        "outputs": int(outputs.max(initial=1)),
        "cell_ends": power_of_two(2 * len(tables.features)) + 1,
        "pair_hash": power_of_two(2 * len(tables.contacts)),
        "record": max(1, record_size(tables)),
    }
    return Workspace.zeros(
        sizes,
        fault=np.concatenate([[-1.0], np.zeros(1 + len(tables.inputs))]),
        rigid_tree=is_rigid_tree(tables),
        free_tree=is_rigid_tree(tables) and not has_forces(tables),
        dense=dense_unknowns(tables),
        reads_accelerations=reads_accelerations(tables),
        contact=tables.contacts,
    )


def has_rows(tables: Tables) -> bool:
    """Whether there are multipliers, of constraints that act always or are switched."""
    return len(tables.constraints) + len(tables.switches) > 0


def power_of_two(least: int) -> int:
    """Smallest power of two that is at least ``least``, and at least 1."""
    return 1 << max(0, int(least) - 1).bit_length()


def dense_unknowns(tables: Tables) -> np.ndarray:
    """Unknowns whose accelerations need a mass matrix in explicit methods.

    None of a tree of rigid bodies; else those of the branches from ground that hold a flexible body. All, where joints
    run along curves, constraints close loops or user functions read accelerations.
    """
    simple = np.isin(tables.axes["kind"], (ROTATION, TRANSLATION, BALL))
    if has_rows(tables) or not np.all(simple) or reads_accelerations(tables):
        return np.array(tables.free)
    bodies, branch = tables.bodies, np.zeros(len(tables.bodies), dtype=np.int64)
    for b in range(1, len(bodies)):
        parent = tables.markers["body"][bodies["parent_marker"][b]]
        branch[b] = branch[parent] if parent else b
    flexible = np.isin(branch, branch[bodies["modes"] > 0]) & (np.arange(len(bodies)) > 0)
    found: set[int] = set()
    for b in np.flatnonzero(flexible):
        for axis in tables.axes[bodies["axis_start"][b] : bodies["axis_end"][b]]:
            found.update(range(axis["coordinate"], axis["coordinate"] + (3 if axis["kind"] == BALL else 1)))
        start = int(bodies["modal_start"][b])
        found.update(range(start, start + int(bodies["modes"][b])))
    return np.array([k for k in tables.free if int(k) in found], dtype=np.int64)


def record_size(tables: Tables) -> int:
    """Length of ``Workspace.record``."""
    one_each = len(tables.sensors) + int(tables.functions["outputs"].sum())
    friction = FRICTION_RECORD * int(np.count_nonzero(tables.contacts["friction_record"] >= 0))
    return ELEMENT_RECORD * len(tables.elements) + BUSHING_RECORD * len(tables.bushings) + one_each + friction


def is_rigid_tree(tables: Tables) -> bool:
    """Whether all bodies are rigid, no joint runs along a curve, and nothing closes a loop."""
    simple = np.isin(tables.axes["kind"], (ROTATION, TRANSLATION, BALL))
    return bool(not has_rows(tables) and np.all(tables.bodies["modes"] == 0) and np.all(simple))


def has_forces(tables: Tables) -> bool:
    """Whether anything but gravity and drivers acts on the bodies, or states of users have equations of their own."""
    forces = ("elements", "bushings", "loads", "spread_loads", "contacts", "couplers", "functions", "states")
    return any(len(getattr(tables, name)) > 0 for name in forces)


def history_size(tables: Tables) -> int:
    """Length of ``State.contact_history``."""
    anchors = int(np.count_nonzero(tables.switches["anchor_at"] >= 0))
    remembered = int(tables.contacts["history"].sum()) + int(tables.joint_frictions["history"].sum())
    return remembered + anchors + EVENT_MEMORY * len(tables.events) + TURN_MEMORY * len(tables.turns)


def active_size(tables: Tables) -> int:
    """Length of ``State.active``."""
    return len(tables.contacts) + len(tables.switches)


def reads_accelerations(tables: Tables) -> bool:
    """Whether user functions, what stands in their place, or friction read accelerations or reactions."""
    return bool(np.any(tables.sensors["of_accelerations"][tables.inputs])) or len(tables.joint_frictions) > 0
