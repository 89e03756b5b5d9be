"""Compliant stops at both ends of a range: k d^e + c s(d / d_full) d' >= 0 at depth d beyond an end.

Numbers: lower and upper end, stiffness k (N/m^e), exponent e, damping c, depth d_full at which all of the damping acts
(it rises from 0 as the smooth step s, so that the force has no jump where the stop is met).  Stops never pull.
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel

LOWER, UPPER, STIFFNESS, EXPONENT, DAMPING, FULL_DEPTH = range(6)  # numbers of the law in an element's record


@kernel
def push(element, depth, rate):
    """Force of one stop at ``depth`` > 0, with its ``rate``."""
    damping = element.p[DAMPING]
    if depth < element.p[FULL_DEPTH]:
        z = depth / element.p[FULL_DEPTH]
        damping *= z * z * (3.0 - 2.0 * z)
    return max(element.p[STIFFNESS] * depth ** element.p[EXPONENT] + damping * rate, 0.0)


@kernel
def stop_force(element, x, rate):
    if x > element.p[UPPER]:
        return -push(element, x - element.p[UPPER], rate)
    if x < element.p[LOWER]:
        return push(element, element.p[LOWER] - x, -rate)
    return 0.0


@kernel
def stop_energy(element, x):
    depth = max(x - element.p[UPPER], element.p[LOWER] - x, 0.0)
    return element.p[STIFFNESS] * depth ** (element.p[EXPONENT] + 1.0) / (element.p[EXPONENT] + 1.0)
