"""Rotations: matrices, quaternions and the tangent of the exponential map.

R = exp(th~) = I + A th~ + B th~^2,  A = sin(f)/f, B = (1 - cos f)/f^2, f = |th|.
Left tangent:   w_spatial = T_l(th) th',  T_l = I + B th~ + C th~^2, C = (f - sin f)/f^3.
Right tangent:  w_body    = T_r(th) th',  T_r(th) = T_l(-th) = T_l(th)^T.
Sonneville and Bruels (2014), "Geometrically exact beam finite element on SE(3)", appendix A.
"""

import math

from flexmbs.core.mechanics.vectors import cross
from flexmbs.machine_code.kernel import kernel


@kernel
def exponential_coefficients(square):
    """A, B, C and the derivatives dB/df/f, dC/df/f for f^2 = ``square`` (series below f = 0.3: no cancellation)."""
    if square < 0.09:
        s = square
        a = 1.0 - s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0))))
        b = 0.5 * (1.0 - s / 12.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0 * (1.0 - s / 90.0 * (1.0 - s / 132.0)))))
        c = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0 * (1.0 - s / 156.0))))) / 6.0
        db = -(1.0 / 12.0) * (1.0 - s / 15.0 * (1.0 - s * 3.0 / 112.0 * (1.0 - s * 2.0 / 135.0 * (1.0 - s / 105.6))))
        dc = -(1.0 / 60.0) * (1.0 - s / 21.0 * (1.0 - s / 48.0 * (1.0 - s * 2.0 / 165.0 * (1.0 - s / 124.8))))
        return a, b, c, db, dc
    f = math.sqrt(square)
    sine, cosine = math.sin(f), math.cos(f)
    a = sine / f
    b = (1.0 - cosine) / square
    c = (f - sine) / (square * f)
    db = (sine / f - 2.0 * b) / square
    dc = ((1.0 - cosine) / square - 3.0 * c) / square
    return a, b, c, db, dc


@kernel
def rotation_matrix(x, y, z, out):
    """out (3, 3) = exp of the rotation vector (x, y, z)."""
    a, b, _c, _db, _dc = exponential_coefficients(x * x + y * y + z * z)
    out[0, 0] = 1.0 - b * (y * y + z * z)
    out[0, 1] = b * x * y - a * z
    out[0, 2] = b * x * z + a * y
    out[1, 0] = b * x * y + a * z
    out[1, 1] = 1.0 - b * (x * x + z * z)
    out[1, 2] = b * y * z - a * x
    out[2, 0] = b * x * z - a * y
    out[2, 1] = b * y * z + a * x
    out[2, 2] = 1.0 - b * (x * x + y * y)


@kernel
def tangent(x, y, z, ux, uy, uz, sign):
    """T_l(th) u (sign = 1) or T_r(th) u (sign = -1); the transpose of one is the other."""
    _a, b, c, _db, _dc = exponential_coefficients(x * x + y * y + z * z)
    px, py, pz = cross(x, y, z, ux, uy, uz)
    sx, sy, sz = cross(x, y, z, px, py, pz)
    b *= sign
    return ux + b * px + c * sx, uy + b * py + c * sy, uz + b * pz + c * sz


@kernel
def tangent_rate(x, y, z, ux, uy, uz, sign):
    """d/dt[T(th)] th' for th' = u (T_l for sign = 1, T_r for sign = -1)."""
    _a, _b, c, db, dc = exponential_coefficients(x * x + y * y + z * z)
    px, py, pz = cross(x, y, z, ux, uy, uz)
    sx, sy, sz = cross(x, y, z, px, py, pz)
    vx, vy, vz = cross(ux, uy, uz, px, py, pz)
    growth = x * ux + y * uy + z * uz
    db *= growth * sign
    dc *= growth
    return db * px + dc * sx + c * vx, db * py + dc * sy + c * vy, db * pz + dc * sz + c * vz


@kernel
def inverse_tangent(x, y, z, ux, uy, uz, sign):
    """T(th)^-1 u: I - sign/2 th~ + (1 - A / (2 B)) / f^2 th~^2 (T_l for sign = 1, T_r for sign = -1)."""
    square = x * x + y * y + z * z
    a, b, _c, _db, _dc = exponential_coefficients(square)
    factor = (1.0 - 0.5 * a / b) / square if square > 1e-3 else 1.0 / 12.0 + square / 720.0 + square * square / 30240.0
    px, py, pz = cross(x, y, z, ux, uy, uz)
    sx, sy, sz = cross(x, y, z, px, py, pz)
    half = 0.5 * sign
    return ux - half * px + factor * sx, uy - half * py + factor * sy, uz - half * pz + factor * sz


@kernel
def rotation_between(x, y, z, ux, uy, uz):
    """Rotation vector of exp(-a) exp(b) for rotation vectors a = (x, y, z) and b = (ux, uy, uz)."""
    a, b, _c, _db, _dc = exponential_coefficients(0.25 * (x * x + y * y + z * z))
    w0, s0 = 1.0 - 0.25 * (x * x + y * y + z * z) * b, -0.5 * a
    a, b, _c, _db, _dc = exponential_coefficients(0.25 * (ux * ux + uy * uy + uz * uz))
    w1, s1 = 1.0 - 0.25 * (ux * ux + uy * uy + uz * uz) * b, 0.5 * a
    cx, cy, cz = cross(s0 * x, s0 * y, s0 * z, s1 * ux, s1 * uy, s1 * uz)
    vx, vy, vz = w0 * s1 * ux + w1 * s0 * x + cx, w0 * s1 * uy + w1 * s0 * y + cy, w0 * s1 * uz + w1 * s0 * z + cz
    w = w0 * w1 - s0 * s1 * (x * ux + y * uy + z * uz)
    sine = math.sqrt(vx * vx + vy * vy + vz * vz)
    scale = 2.0 * math.atan2(sine, w) / sine if sine > 1e-8 else 2.0
    return scale * vx, scale * vy, scale * vz


@kernel
def quaternion_matrix(quaternion, out):
    """out (3, 3) = rotation matrix of the unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    out[0, 0] = 1.0 - 2.0 * (y * y + z * z)
    out[0, 1] = 2.0 * (x * y - w * z)
    out[0, 2] = 2.0 * (x * z + w * y)
    out[1, 0] = 2.0 * (x * y + w * z)
    out[1, 1] = 1.0 - 2.0 * (x * x + z * z)
    out[1, 2] = 2.0 * (y * z - w * x)
    out[2, 0] = 2.0 * (x * z - w * y)
    out[2, 1] = 2.0 * (y * z + w * x)
    out[2, 2] = 1.0 - 2.0 * (x * x + y * y)


@kernel
def rotate_quaternion(quaternion, x, y, z, out):
    """out = quaternion * exp(th / 2), normalised."""
    square = 0.25 * (x * x + y * y + z * z)
    a, b, _c, _db, _dc = exponential_coefficients(square)
    ew = 1.0 - square * b
    ex, ey, ez = 0.5 * a * x, 0.5 * a * y, 0.5 * a * z
    w0, x0, y0, z0 = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    w1 = w0 * ew - x0 * ex - y0 * ey - z0 * ez
    x1 = w0 * ex + x0 * ew + y0 * ez - z0 * ey
    y1 = w0 * ey - x0 * ez + y0 * ew + z0 * ex
    z1 = w0 * ez + x0 * ey - y0 * ex + z0 * ew
    scale = 1.0 / math.sqrt(w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    out[0], out[1], out[2], out[3] = scale * w1, scale * x1, scale * y1, scale * z1


@kernel
def rotation_vector(R):
    """Rotation vector of a rotation matrix ``R`` (3, 3), of length at most pi."""
    x, y, z = 0.5 * (R[2, 1] - R[1, 2]), 0.5 * (R[0, 2] - R[2, 0]), 0.5 * (R[1, 0] - R[0, 1])
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    if sine > 1e-8:
        factor = math.atan2(sine, cosine) / sine
        return factor * x, factor * y, factor * z
    if cosine > 0.0:
        return x, y, z
    # half a turn: (R + I) / 2 = n n^T, and the largest column is the best known
    k = 0
    for i in range(1, 3):
        if R[i, i] > R[k, k]:
            k = i
    root = math.pi / math.sqrt(0.5 * (R[k, k] + 1.0))
    nx = 0.5 * (R[0, k] + (1.0 if k == 0 else 0.0))
    ny = 0.5 * (R[1, k] + (1.0 if k == 1 else 0.0))
    nz = 0.5 * (R[2, k] + (1.0 if k == 2 else 0.0))
    return root * nx, root * ny, root * nz
