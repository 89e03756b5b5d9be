"""The contact problem of one contact, with 3 x 3 compliance, solved by its cases: open, sticking, slipping.

Slip along the unit vector e has lam_t = -mu lam_n e and y_n = 0, so lam_n = -q_n / (W_nn - mu W_nt . e); that y_t is
parallel to e is an equation for the angle of e, a trigonometric polynomial of degree 2 with up to four roots.
"""

import math

from flexmbs.machine_code.kernel import kernel

ANGLES = 48  # at which signs are looked at
BISECTIONS = 30
SOFT = 1e-13  # added to the diagonal, relative


@kernel
def solve_single(W, at, qn, q1, q2, least, mu, normal_step, tangent_step):
    """Force (n, t1, t2) of the contact whose rows begin at ``at``, with y = q without it; and whether there is one."""
    if qn + W[at, at] * least >= 0.0 or mu == 0.0:
        pressed = max(least, -qn * normal_step)
        s1 = q1 + W[at + 1, at] * pressed
        s2 = q2 + W[at + 2, at] * pressed
        found, f1, f2 = _tangential(W, at, s1, s2, mu * pressed, tangent_step)
        rate = qn + W[at, at] * pressed + W[at, at + 1] * f1 + W[at, at + 2] * f2
        if found and (mu == 0.0 or rate >= 0.0):
            return True, pressed, f1, f2
    fn, f1, f2 = _stick(W, at, qn, q1, q2, normal_step, tangent_step)
    if fn >= least and math.sqrt(f1 * f1 + f2 * f2) <= mu * fn:
        return True, fn, f1, f2
    return _slip(W, at, qn, q1, q2, least, mu)


@kernel
def _stick(W, at, qn, q1, q2, normal_step, tangent_step):
    """The force with y = 0."""
    t, u = at + 1, at + 2
    a, b, c = W[at, at] + SOFT / normal_step, W[at, t], W[at, u]
    d, e, f = W[t, t] + SOFT / tangent_step, W[t, u], W[u, u] + SOFT / tangent_step
    A, B, C = d * f - e * e, c * e - b * f, b * e - c * d
    D, E, F = a * f - c * c, b * c - a * e, a * d - b * b
    inverse = -1.0 / (a * A + b * B + c * C)
    return (inverse * (A * qn + B * q1 + C * q2), inverse * (B * qn + D * q1 + E * q2), inverse * (C * qn + E * q1 + F * q2))


@kernel
def _tangential(W, at, s1, s2, radius, tangent_step):
    """Friction of a contact with a given normal force, whose y_t without friction is s."""
    if radius == 0.0:
        return True, 0.0, 0.0
    t, u = at + 1, at + 2
    d, e, f = W[t, t] + SOFT / tangent_step, W[t, u], W[u, u] + SOFT / tangent_step
    inverse = 1.0 / (d * f - e * e)
    f1, f2 = inverse * (e * s2 - f * s1), inverse * (e * s1 - d * s2)
    if f1 * f1 + f2 * f2 <= radius * radius:
        return True, f1, f2
    before, angle_before = 0.0, 0.0
    for count in range(ANGLES + 1):
        angle = 2.0 * math.pi * count / ANGLES
        value = _turn_fixed(W, at, s1, s2, radius, angle)
        if count > 0 and before * value <= 0.0:
            low, high, sign = angle_before, angle, before
            for _halving in range(BISECTIONS):
                middle = 0.5 * (low + high)
                if sign * _turn_fixed(W, at, s1, s2, radius, middle) > 0.0:
                    low = middle
                else:
                    high = middle
            p, q = math.cos(low), math.sin(low)
            y1 = s1 - radius * (W[t, t] * p + W[t, u] * q)
            y2 = s2 - radius * (W[u, t] * p + W[u, u] * q)
            if y1 * p + y2 * q >= 0.0:
                return True, -radius * p, -radius * q
        before, angle_before = value, angle
    return False, 0.0, 0.0


@kernel
def _turn_fixed(W, at, s1, s2, radius, angle):
    """e x y_t of a slip along the angle under a given normal force."""
    t, u = at + 1, at + 2
    p, q = math.cos(angle), math.sin(angle)
    y1 = s1 - radius * (W[t, t] * p + W[t, u] * q)
    y2 = s2 - radius * (W[u, t] * p + W[u, u] * q)
    return p * y2 - q * y1


@kernel
def _slip_along(W, at, qn, q1, q2, mu, p, q):
    """y_t of a slip along (p, q) times the denominator of the normal force, and that denominator."""
    t, u = at + 1, at + 2
    below = W[at, at] - mu * (W[at, t] * p + W[at, u] * q)
    y1 = q1 * below - qn * (W[t, at] - mu * (W[t, t] * p + W[t, u] * q))
    y2 = q2 * below - qn * (W[u, at] - mu * (W[u, t] * p + W[u, u] * q))
    return y1, y2, below


@kernel
def _slip(W, at, qn, q1, q2, least, mu):
    """Slip with a normal force that keeps the contact closed."""
    before, angle_before = 0.0, 0.0
    for count in range(ANGLES + 1):
        angle = 2.0 * math.pi * count / ANGLES
        y1, y2, _below = _slip_along(W, at, qn, q1, q2, mu, math.cos(angle), math.sin(angle))
        value = math.cos(angle) * y2 - math.sin(angle) * y1
        if count > 0 and before * value <= 0.0:
            low, high, sign = angle_before, angle, before
            for _halving in range(BISECTIONS):
                middle = 0.5 * (low + high)
                p, q = math.cos(middle), math.sin(middle)
                y1, y2, _below = _slip_along(W, at, qn, q1, q2, mu, p, q)
                if sign * (p * y2 - q * y1) > 0.0:
                    low = middle
                else:
                    high = middle
            p, q = math.cos(low), math.sin(low)
            y1, y2, below = _slip_along(W, at, qn, q1, q2, mu, p, q)
            fn = -qn / below if below != 0.0 else -1.0
            if fn >= least and (y1 * p + y2 * q) * below >= 0.0:
                return True, fn, -mu * fn * p, -mu * fn * q
        before, angle_before = value, angle
    return False, 0.0, 0.0, 0.0
