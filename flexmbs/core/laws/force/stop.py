"""Compliant stops at both ends of a range: k d^e + c s(d / d_full) d' >= 0 at depth d beyond an end.

p0, p1: lower and upper end; p2: stiffness k (N/m^e), p3: exponent e, p4: damping c, p5: depth d_full at which all of
the damping acts (it rises from 0 as the smooth step s, so that the force has no jump where the stop is met).  Stops
never pull.
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel


@kernel
def push(element, depth, rate):
    """Force of one stop at ``depth`` > 0, with its ``rate``."""
    damping = element.p4
    if depth < element.p5:
        z = depth / element.p5
        damping *= z * z * (3.0 - 2.0 * z)
    return max(element.p2 * depth**element.p3 + damping * rate, 0.0)


@kernel
def stop_force(element, x, rate):
    if x > element.p1:
        return -push(element, x - element.p1, rate)
    if x < element.p0:
        return push(element, element.p0 - x, -rate)
    return 0.0


@kernel
def stop_energy(element, x):
    depth = max(x - element.p1, element.p0 - x, 0.0)
    return element.p2 * depth ** (element.p3 + 1.0) / (element.p3 + 1.0)
