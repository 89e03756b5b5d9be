"""Coulomb friction, regularised: -mu(v) N r with the coefficient

    mu_s p(v / v_s)                             |v| <= v_s,          p(z) = z (15 - 10 z^2 + 3 z^4) / 8
    mu_s + (mu_d - mu_s) (1 + p(2 z - 1)) / 2   v_s <= |v| <= v_d,   z = (|v| - v_s) / (v_d - v_s)
    mu_d                                        beyond

with two continuous derivatives.  A joint that sticks creeps, slower than v_s.  p0: mu_s, p1: mu_d, p2: v_s, p3: v_d (of
the coordinate's rate), p4: radius r at which the normal force N acts (1 for translations).  The shape is that of the
coefficient over slip velocity in Adams/Solver (CONTACT and FRICTION statements), there with cubic steps.
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel


@kernel
def smooth_sign(z):
    """Odd polynomial from -1 at -1 to 1 at 1, with two derivatives that vanish there."""
    return 0.125 * z * (15.0 - z * z * (10.0 - 3.0 * z * z))


@kernel
def friction_coefficient(element, rate):
    """Coefficient at a slip ``rate``, with its sign."""
    speed = abs(rate)
    if speed <= element.p2:
        return element.p0 * smooth_sign(rate / element.p2)
    size = element.p1
    if speed < element.p3:
        z = (speed - element.p2) / (element.p3 - element.p2)
        size = element.p0 + (element.p1 - element.p0) * 0.5 * (1.0 + smooth_sign(2.0 * z - 1.0))
    return size if rate > 0.0 else -size


@kernel
def friction_force(element, normal, rate):
    return -friction_coefficient(element, rate) * max(normal, 0.0) * element.p4
