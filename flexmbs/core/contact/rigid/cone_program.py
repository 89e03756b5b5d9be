"""Small dense programs with second-order cones.

    min x.P x / 2 + q.x   with   s = A x + g,   s >= 0 in the first rows,   |(s1, s2)| <= s0 in each three after them

P >= 0 is diagonal. The multipliers z are in the same cones and fulfil P x + q = A^T z and s.z = 0. Primal-dual interior
points with Nesterov and Todd's scaling, Mehrotra's predictor and corrector (Andersen, Roos, Terlaky 2003). A step is a
problem of least squares with the rows W^-1 A and sqrt(P), solved by the triangle of their QR factors and refined.
"""

import math

from flexmbs.core.contact.rigid.second_order_cones import (
    divide,
    find_scaling,
    longest_step,
    move_inside,
    multiply,
    scale,
    set_identity,
    stay_inside,
    unscale,
)
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.linalg.dense_qr import factorise_columns, solve_augmented
from flexmbs.core.linalg.vectors import add_multiple, dot
from flexmbs.machine_code.kernel import kernel

STEPS = 50
END = 1e-14  # error that is not worth another step
NEAR, FAR = 1e-3, 1e3  # it ends where the error grows by FAR after it was below NEAR
GOOD, LATE = 1e-9, 5  # and where it is below GOOD and has not fallen in LATE steps
STAY = 0.99  # part of the way to the edge
SHORT = 1e-9  # part of a step
SOLUTIONS = 2  # of the same linear system: the second one refines it


@kernel
def solve_cone_program(work, m, n, lines):
    """Solve the program of m rows, the first ``lines`` of them numbers >= 0, and n <= m unknowns; returns its ``error``.

    It stands in the first numbers of ``work``: ``AT`` (n, m), ``g``, ``P``, ``q``; the solution in ``x``, ``s``, ``z``.
    Numbers of about 1 in q and g are best: errors are relative to 1 + those.
    """
    x, s, z, ds, dz, w, size = work.x, work.s, work.z, work.ds, work.dz, work.weight, work.size
    _begin(work, m, n, lines)
    degree, late = lines + (m - lines) // 3, 0
    size_q, size_g = 1.0 + _largest(work.q, n), 1.0 + _largest(work.g, m)
    work.error, work.steps = math.inf, 0
    for step in range(STEPS):
        gap = _find_errors(work, m, n)
        error = max(_largest(work.error_x, n) / size_q, _largest(work.error_s, m) / size_g, gap / (1.0 + abs(dot(work.q, x, n))))
        if work.error < NEAR and not error < FAR * work.error:
            break
        late += 1
        if step == 0 or error < work.error:
            work.error, work.steps, late = error, step, 0
            copy_vector(x, work.best_x)
            copy_vector(s, work.best_s)
            copy_vector(z, work.best_z)
        if error < END or (late >= LATE and work.error < GOOD) or not find_scaling(s, z, m, lines, w, size):
            break
        rows = _factorise(work, m, n, lines)
        if rows == 0:
            break
        scale(z, w, size, work.middle, m, lines)
        for i in range(m):
            work.right[i] = -work.middle[i]
        _find_direction(work, m, n, lines, rows)
        a = min(longest_step(s, ds, m, lines), longest_step(z, dz, m, lines))
        _correct(work, m, lines, (1.0 - a) * (1.0 - a) * (1.0 - a) * gap / degree)
        _find_direction(work, m, n, lines, rows)
        a = min(1.0, STAY * min(longest_step(s, ds, m, lines), longest_step(z, dz, m, lines)))
        if not (a >= SHORT and _largest(work.dx, n) < math.inf):
            break
        add_multiple(x, a, work.dx, n)
        add_multiple(s, a, ds, m)
        add_multiple(z, a, dz, m)
        stay_inside(s, m, lines)
        stay_inside(z, m, lines)
    copy_vector(work.best_x, x)
    copy_vector(work.best_s, s)
    copy_vector(work.best_z, z)
    return work.error


@kernel
def _begin(work, m, n, lines):
    """x with the least |A x + g| and z the least with P x + q = A^T z; then as much of the cones' middle as they need."""
    set_identity(work.weight, m, lines)
    work.size[:] = 1.0
    work.error_s[:] = 0.0
    for j in range(n):
        work.error_x[j] = work.q[j]
    for i in range(m):
        work.right[i] = -work.g[i]
    _find_direction(work, m, n, lines, _factorise(work, m, n, lines))
    copy_vector(work.dx, work.x)
    copy_vector(work.dz, work.z)
    for i in range(m):
        work.s[i] = -work.z[i]
    move_inside(work.s, m, lines)
    move_inside(work.z, m, lines)


@kernel
def _largest(v, n):
    """Largest magnitude of the first n numbers; infinite where one is no number."""
    size = 0.0
    for i in range(n):
        if not abs(v[i]) <= size:
            size = abs(v[i]) if abs(v[i]) < math.inf else math.inf
    return size


@kernel
def _find_errors(work, m, n):
    """P x + q - A^T z and s - A x - g; returns s.z."""
    for i in range(m):
        work.error_s[i] = work.s[i] - work.g[i]
    for j in range(n):
        work.error_x[j] = work.P[j] * work.x[j] + work.q[j] - dot(work.AT[j], work.z, m)
        add_multiple(work.error_s, -work.x[j], work.AT[j], m)
    return dot(work.s, work.z, m)


@kernel
def _factorise(work, m, n, lines):
    """B = W^-1 A, and the QR factors of its rows and those of sqrt(P); returns their number, 0 where they are infinite."""
    rows = m
    for j in range(n):
        unscale(work.AT[j], work.weight, work.size, work.BT[j], m, lines)
        copy_vector(work.BT[j, :m], work.QR[j, :m])
        work.QR[j, m:] = 0.0
        if work.P[j] > 0.0:
            work.QR[j, rows] = math.sqrt(work.P[j])
            rows += 1
    return rows if factorise_columns(work.QR, work.factors, n, rows) else 0


@kernel
def _find_direction(work, m, n, lines, rows):
    """dx, ds, dz of Newton's step whose scaled complementarity W^-1 ds + W dz is ``right``, which is overwritten.

    With u = W dz and c = right + W^-1 error_s it solves u + B dx = c, B^T u - P dx = error_x.
    """
    c, dx, u, f, h = work.right, work.dx, work.u, work.v, work.residual
    unscale(work.error_s, work.weight, work.size, u, m, lines)
    add_multiple(c, 1.0, u, m)
    dx[:] = 0.0
    u[:] = 0.0
    for _count in range(SOLUTIONS):
        f[:] = 0.0
        for i in range(m):
            f[i] = c[i] - u[i]
        for j in range(n):
            h[j] = work.error_x[j] + work.P[j] * dx[j] - dot(work.BT[j], u, m)
            add_multiple(f, -dx[j], work.BT[j], m)
        solve_augmented(work.QR, work.factors, n, rows, f, h, work.change)
        add_multiple(dx, 1.0, work.change, n)
        add_multiple(u, 1.0, f, m)
    for i in range(m):
        work.ds[i] = -work.error_s[i]
    for j in range(n):
        add_multiple(work.ds, dx[j], work.AT[j], m)
    unscale(u, work.weight, work.size, work.dz, m, lines)


@kernel
def _correct(work, m, lines, centre):
    """``right`` of the corrector: to ``centre`` times the unit, without what the predictor leaves."""
    right, u, v = work.right, work.u, work.v
    unscale(work.ds, work.weight, work.size, u, m, lines)
    scale(work.dz, work.weight, work.size, v, m, lines)
    multiply(u, v, u, m, lines)
    multiply(work.middle, work.middle, v, m, lines)
    set_identity(right, m, lines)
    for i in range(m):
        right[i] = centre * right[i] - v[i] - u[i]
    divide(work.middle, right, m, lines)
