"""Records of forces, sensors, user functions and user states; what they measure is in Workspace.record.

Fields named ``signal`` (sx, sy, sz) are rows of ``Workspace.signal``: the functions of time first, behind them the
outputs of user functions.
"""

from flexmbs.core.layout.frames import VECTOR
from flexmbs.core.layout.records import NONE, record_type

# what an element acts on
COORDINATE_ELEMENT, LINE_ELEMENT, ANGLE_ELEMENT = 0, 1, 2
# whose force it is: its own law's; a friction law's of contacts; friction that sticks (core.layout.friction_tables)
LAW, SLIDES, STICKS = range(3)
# what a sensor refers to
COORDINATE, MARKERS, REACTION, NORMAL_LOAD, ENERGY, SIGNAL_VALUE, MODAL_SUM = range(7)
# Workspace.record of an element: its coordinate, the rate of that, force along it, power of the force
MEASURED, MEASURED_RATE, ELEMENT_FORCE, ELEMENT_POWER, ELEMENT_RECORD = range(5)
# Workspace.record of a bushing: deformation (6), its rate (6), force and moment on b in the axes of a (6), their power
DEFORMATION, DEFORMATION_RATE, BUSHING_FORCE, BUSHING_MOMENT, BUSHING_POWER, BUSHING_RECORD = 0, 6, 12, 15, 18, 19
# Workspace.record of a contact point with friction: force (3) and moment at the point (3) on a, world axes; power
FRICTION_FORCE, FRICTION_MOMENT, FRICTION_POWER, FRICTION_RECORD = 0, 3, 6, 7

# A force along a joint coordinate, the line between two markers, or an angle between them.
ELEMENT = record_type(
    [
        ("geometry", "i8"),
        ("a", "i8"),  # coordinate, or marker
        ("b", "i8"),
        ("turn", "i8"),  # Tables.turns, of an angle
        ("signal", "i8"),  # normal force of friction, command of a motor, applied force
        ("at", "i8"),  # Workspace.record
        ("force", "i8"),  # addresses of the functions of its law (core.laws.force.force_law); energy 0: it stores none
        ("energy", "i8"),
        ("law", "i8"),  # hash of the name of its law: addresses differ between processes
        ("parameters_at", "i8"),  # of the law, in the pool
        ("parameters", "i8"),  # how many
        ("slides", "i8"),  # LAW, SLIDES (core.laws.friction.contact_friction) or STICKS
        ("radius", "f8"),  # at which the faces slip, m; 1 for translations
        ("bristle", "i8"),  # first coordinate of its bristle states
        ("bristles", "i8"),  # how many
    ],
    turn=NONE,
    signal=NONE,
    radius=1.0,
    bristle=NONE,
)
BUSHING = record_type(
    [
        ("a", "i8"),
        ("b", "i8"),
        ("at", "i8"),  # Workspace.record
        ("stiffness", "f8", (6, 6)),
        ("damping", "f8", (6, 6)),
        ("rest", "f8", (6,)),  # deformation without force
        ("preload", "f8", (6,)),
        ("turn", "i8"),  # Tables.turns
    ]
)
# How often marker b turns about an axis of marker a: as often as coordinates of joints say, or counted from step to step.
TURN = record_type(
    [
        ("a", "i8"),
        ("b", "i8"),
        ("axis", "f8", VECTOR),  # in the axes of a; zero: a rotation about any axis, which cannot be counted
        ("start", "i8"),  # Tables.terms: the angle is their sum and the offset, up to less than half a turn
        ("end", "i8"),
        ("offset", "f8"),
        ("kept", "i8"),  # whether it is counted from step to step: the terms say at most where it starts
        ("at", "i8"),  # State.contact_history, TURN_MEMORY numbers
    ]
)
# what is remembered of the last step: the angle, whether it is known, and its rate if it is kept; of a rotation about
# any axis the vector (3), and when it first passed half a turn
TURN_ANGLE, TURN_KNOWN = 0, 1
HALF_TURN, TURN_RATE, TURN_MEMORY = 3, 4, 5
# A load spread over a flexible body; pool: force (3), moment about the frame (3) and modal forces (n) in body axes at
# q = 0 and per modal coordinate, (1 + n, 6 + n).
SPREAD_LOAD = record_type([("body", "i8"), ("signal", "i8"), ("field_at", "i8")])
SENSOR = record_type(
    [
        ("kind", "i8"),
        ("a", "i8"),  # coordinate; marker in whose axes; row of Workspace.reaction, of Workspace.signal; pool
        ("b", "i8"),  # marker; first coordinate and number of them of a combination
        ("count", "i8"),
        ("component", "i8"),
        ("axis", "f8", VECTOR),
        ("arm", "f8"),  # force per moment, 1/m, of a normal load
        ("factor", "f8"),  # value = factor * measured + offset
        ("offset", "f8"),
        ("at", "i8"),  # Workspace.record
        ("of_accelerations", "i8"),  # whether it is known with the accelerations only
        ("value", "i8"),  # of a coordinate or markers: address of its function (core.sensors.sensor_kind)
        ("keyword", "i8"),  # hash of the keyword of its kind: addresses differ between processes
        ("turn", "i8"),  # Tables.turns, of an angle
    ],
    turn=NONE,
    factor=1.0,
)
# void f(double t, const double* inputs, double* outputs); address 0: the outputs are the inputs; -1: not ready, zeros.
USER_FUNCTION = record_type(
    [
        ("address", "i8"),
        ("time", "i8"),  # signal that is the time
        ("input_start", "i8"),  # Tables.inputs: numbers of its sensors
        ("input_end", "i8"),
        ("output", "i8"),  # first of its outputs
        ("outputs", "i8"),
        ("sampled", "i8"),  # 1: called at its samples only
        ("at", "i8"),  # Workspace.record of its outputs
    ],
    at=NONE,
)
# v[coordinate] is the state, a[coordinate] its rate: the signal, or (signal - state) / lag with lag > 0; held where
# the signal is -1.
USER_STATE = record_type([("coordinate", "i8"), ("signal", "i8"), ("lag", "f8")], signal=NONE)
# coordinate: first of the held ones
SAMPLER = record_type([("function", "i8"), ("coordinate", "i8"), ("period", "f8"), ("first", "f8")])
