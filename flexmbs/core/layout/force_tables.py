"""Records of forces, sensors, user functions and user states; what they measure is in Workspace.record.

Fields named ``signal`` (sx, sy, sz) are rows of ``Workspace.signal``: the functions of time first, behind them the
outputs of user functions.
"""

from __future__ import annotations

import numpy as np

# what an element acts on
COORDINATE_ELEMENT, LINE_ELEMENT, TWIST_ELEMENT = 0, 1, 2
# its law
SPRING_LAW, FRICTION_LAW, STOP_LAW, MOTOR_LAW, APPLIED_LAW = 0, 1, 2, 3, 4
# what a sensor measures
(
    VALUE, RATE, ACCELERATION, POSITION, VELOCITY, RELATIVE_ACCELERATION, ROTATION_VECTOR, SPIN, SPIN_RATE, TWIST,
    LENGTH, LENGTH_RATE, SPECIFIC_FORCE, REACTION, NORMAL_LOAD, ENERGY, SIGNAL_VALUE, COMBINATION,
) = range(18)  # fmt: skip
# those that are known with the accelerations only
OF_ACCELERATIONS = (ACCELERATION, RELATIVE_ACCELERATION, SPIN_RATE, SPECIFIC_FORCE, REACTION, NORMAL_LOAD)
# numbers in Workspace.record.  Element: coordinate, its rate, force along it, power of the force.  Bushing: deformation
# (6), its rate (6), force and moment on b in the axes of a (6), their power.
ELEMENT_RECORD, BUSHING_RECORD = 4, 19

# A force along a joint coordinate, the line between two markers, or an angle between them.
ELEMENT = np.dtype(
    [
        ("geometry", "i8"),
        ("law", "i8"),
        ("a", "i8"),  # coordinate, or marker
        ("b", "i8"),
        ("x", "f8"),  # axis of an angle, in the axes of a
        ("y", "f8"),
        ("z", "f8"),
        ("rest", "f8"),  # where its spring has no deformation
        ("signal", "i8"),  # normal force of friction, command of a motor, applied force
        ("at", "i8"),  # Workspace.record
        ("table", "i8"),  # pool: elastic force over deformation, torque over speed (core.laws.force.table)
        ("damper", "i8"),  # pool: damping force over rate
        ("p0", "f8"),  # numbers of the law
        ("p1", "f8"),
        ("p2", "f8"),
        ("p3", "f8"),
        ("p4", "f8"),
        ("p5", "f8"),
    ]
)
BUSHING = np.dtype(
    [
        ("a", "i8"),
        ("b", "i8"),
        ("stiffness_at", "i8"),  # pool: (6, 6)
        ("damping_at", "i8"),
        ("rest_at", "i8"),  # pool: deformation without force (6), preload (6)
        ("at", "i8"),
    ]
)
# A load spread over a flexible body; pool: force (3), moment about the frame (3) and modal forces (n) in body axes at
# q = 0 and per modal coordinate, (1 + n, 6 + n).
SPREAD_LOAD = np.dtype([("body", "i8"), ("signal", "i8"), ("field_at", "i8")])
SENSOR = np.dtype(
    [
        ("kind", "i8"),
        ("a", "i8"),  # coordinate; marker in whose axes; row of Workspace.reaction, of Workspace.signal; pool
        ("b", "i8"),  # marker; first coordinate and number of them of a combination
        ("count", "i8"),
        ("component", "i8"),
        ("x", "f8"),  # axis
        ("y", "f8"),
        ("z", "f8"),
        ("arm", "f8"),  # force per moment, 1/m, of a normal load
        ("factor", "f8"),  # value = factor * measured + offset
        ("offset", "f8"),
        ("at", "i8"),  # Workspace.record
    ]
)
# void f(double t, const double* inputs, double* outputs); address 0: the outputs are the inputs; -1: not ready, zeros.
USER_FUNCTION = np.dtype(
    [
        ("address", "i8"),
        ("time", "i8"),  # signal that is the time
        ("input_start", "i8"),  # Tables.inputs: numbers of its sensors
        ("input_end", "i8"),
        ("output", "i8"),  # first of its outputs
        ("outputs", "i8"),
        ("sampled", "i8"),  # 1: called at its samples only
        ("at", "i8"),  # Workspace.record of its outputs
    ]
)
# v[coordinate] is the state, a[coordinate] its rate: the signal, or (signal - state) / lag with lag > 0; held where
# the signal is -1.
USER_STATE = np.dtype([("coordinate", "i8"), ("signal", "i8"), ("lag", "f8")])
SAMPLER = np.dtype(
    [("function", "i8"), ("coordinate", "i8"), ("period", "f8"), ("first", "f8")]  # first of the held coordinates
)
