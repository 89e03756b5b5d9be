"""Records of moving frames, wrenches and joint axes in :class:`flexmbs.core.layout.tables.Workspace`.

Fields carry the monogram notation of docs/notation.md: R_WB and p_WB are rotation matrix and position of frame B in
frame W, w_WB, v_WB, alpha_WB and a_WB its angular velocity, velocity, angular acceleration and acceleration. All
components are in the axes of the first frame. Units: m, rad, s, N.
"""

from __future__ import annotations

import numpy as np

VECTOR, MATRIX = (3,), (3, 3)


def _frame(pair: str) -> np.dtype:
    """Motion of the second frame of ``pair`` relative to the first: 24 numbers without gaps."""
    fields = [(f"R_{pair}", "f8", MATRIX)]
    fields += [(f"{name}_{pair}", "f8", VECTOR) for name in ("p", "w", "v", "alpha", "a")]
    return np.dtype(fields, align=True)


#: A body in the world.
BODY_FRAME = _frame("WB")
#: A marker in the world, or a frame on its way from one marker through the axes of a joint to the next.
MARKER_FRAME = _frame("WM")
#: A marker in its body.
MARKER_IN_BODY = _frame("BM")
# rows of Workspace.marker: the first and the second marker, where the axes of a closed loop end
A, B, END = range(3)

WRENCH = np.dtype([("force", "f8", VECTOR), ("moment", "f8", VECTOR)], align=True)
#: A wrench, and the point to which its moment refers.
WRENCH_AT_POINT = np.dtype([("point", "f8", VECTOR), ("force", "f8", VECTOR), ("moment", "f8", VECTOR)], align=True)

#: What the way back through a joint axis needs; world axes.
AXIS_STATE = np.dtype(
    [
        ("direction", "f8", VECTOR),  # unit vector of a rotation or translation
        ("R_WM", "f8", MATRIX),  # of a ball: the axes in which its coordinates are stated
        ("p_u", "f8", VECTOR),  # of a curve or surface: derivative of the position by its (first) coordinate
        ("p_v", "f8", VECTOR),  # of a surface: derivative of the position by its second coordinate
        ("rotation_u", "f8", VECTOR),  # of a curve: derivative of the rotation by its coordinate
        ("shift", "f8", VECTOR),  # of a curve or surface: displacement
    ],
    align=True,
)
#: Coordinates of a curve or surface with two derivatives; on the way back the generalised forces on them.
CURVE_MOTION = np.dtype(
    [(name, "f8") for name in ("u", "v", "u_rate", "v_rate", "u_accel", "v_accel", "force_u", "force_v")], align=True
)
#: Point of a curve with three derivatives by its parameter, and the rotation of the frame that follows the curve.
CURVE_POINT = np.dtype(
    [("c", "f8", VECTOR), ("c_s", "f8", VECTOR), ("c_ss", "f8", VECTOR), ("c_sss", "f8", VECTOR), ("R", "f8", MATRIX)], align=True
)
#: Point of a surface with its derivatives by two parameters.
SURFACE_POINT = np.dtype([(name, "f8", VECTOR) for name in ("x", "x_u", "x_v", "x_uu", "x_uv", "x_vv")], align=True)

#: Articulated inertia [A, B; B^T, C], which takes an (angular, linear) acceleration to a (moment, force), of A and C
#: only the upper triangle; the moment and force that bodies further out pass on; the acceleration of the body.
ARTICULATED = np.dtype(
    [
        ("A", "f8", MATRIX),
        ("B", "f8", MATRIX),
        ("C", "f8", MATRIX),
        ("moment", "f8", VECTOR),
        ("force", "f8", VECTOR),
        ("alpha", "f8", VECTOR),
        ("a", "f8", VECTOR),
    ],
    align=True,
)
#: A coordinate in the articulated-body algorithm.
COLUMN = np.dtype(
    [
        ("axis", "i8"),  # with which it is eliminated
        ("effort", "f8"),  # generalised force left for it
        ("inverse", "f8"),  # reciprocal of its inertia
        ("w", "f8", VECTOR),  # angular velocity and velocity of its body per unit rate
        ("v", "f8", VECTOR),
        ("moment", "f8", VECTOR),  # that accelerate it
        ("force", "f8", VECTOR),
    ],
    align=True,
)
#: Rotation matrices and vectors that one kernel hands to the next.
SCRATCH = np.dtype(
    [
        ("R", "f8", MATRIX),
        ("u", "f8", VECTOR),
        ("v", "f8", VECTOR),
        ("n", "f8", VECTOR),
        ("e", "f8", VECTOR),  # of what rolls
        ("force", "f8", VECTOR),
        ("moment", "f8", VECTOR),
    ],
    align=True,
)
#: A contact point, world axes (core.contact.gap).
TOUCH = np.dtype(
    [
        ("gap", "f8"),
        ("rate", "f8"),  # of the gap
        ("n", "f8", VECTOR),  # unit normal from b to a
        ("p", "f8", VECTOR),  # half way between the closest points: where the forces on both bodies act
        ("u", "f8", VECTOR),  # velocity of a relative to b at p, tangential
        ("w", "f8", VECTOR),  # angular velocity of a relative to b
        ("force", "f8"),  # normal force
        ("energy", "f8"),  # elastic energy; of surfaces with many points only
        ("friction", "f8", VECTOR),  # force on a
        ("moment", "f8", VECTOR),  # of rolling and pivoting resistance, on a
        ("n_rate", "f8", VECTOR),  # derivatives of n and p of a rigid contact (core.contact.contact_kinematics)
        ("p_rate", "f8", VECTOR),
        ("has_rates", "i8"),  # 1: of a pair of shapes that knows them
        ("clear", "f8"),  # m: how far a point stands back, as its touch is that of another point; below zero: it does not
    ],
    align=True,
)
#: A contact at one point of a step: gap (m) and its rate (m/s); how fast and with what acceleration the body of marker
#: a moves as seen from that of marker b; how much more the gap may be accelerated by the curvature of the shapes.
GAP_MOTION = np.dtype([(name, "f8") for name in ("gap", "rate", "speed", "acceleration", "bend")], align=True)
