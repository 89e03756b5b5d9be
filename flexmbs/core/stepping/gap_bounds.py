"""What a gap can do between two points of a step, from gap, rate and a bound B on its second derivative.

Both shapes of a contact are convex (spheres, planes): the gap then lies above the parabolas of curvature -B that touch
it at both ends, so that between the ends it is at least as large as where these meet. Without a bound from geometry an
interval would have to be searched; with it, conservative advancement leaves no contact out (Mirtich, Impulse-based
Dynamic Simulation of Rigid Body Systems, 1996, ch. 2; Zhang, Lee, Kim, ACM Trans. Graphics 25 (2006) 3).
"""

import math

from flexmbs.machine_code.kernel import kernel

# The acceleration inside an interval is at most this times the larger one at its ends plus the mean change of the rate,
# which finds what vanishes at both ends (1.54 for a cubic, that of quintic motion, which is zero at ends and middle).
MARGIN = 2.0
ROUNDING = 1e-13  # of gaps and of the way in the interval


@kernel
def largest_acceleration(left, right, duration, bends):
    """Bound on the second derivative of a gap between two points; ``bends`` 1: also on what curvature adds to it.

    What the gap has changed otherwise than its rates say (a quasi-static patch yields) counts as acceleration, too.
    """
    size = max(left.acceleration + bends * left.bend, right.acceleration + bends * right.bend)
    change = abs(right.rate - left.rate) / duration
    missed = abs(right.gap - left.gap - 0.5 * (left.rate + right.rate) * duration)
    way = abs(left.gap) + abs(right.gap) + (abs(left.rate) + abs(right.rate)) * duration
    return MARGIN * (size + change) + (4.0 * missed + ROUNDING * way) / (duration * duration)


@kernel
def is_far(left, right, duration):
    """Whether two bodies cannot meet between two points: both gaps together are more than what they can move."""
    speed = MARGIN * max(left.speed, right.speed) + duration * max(left.acceleration, right.acceleration)
    return left.gap + right.gap > speed * duration


@kernel
def stays_positive(gap0, rate0, gap1, rate1, duration, bound):
    """Whether a gap (m) cannot reach zero between two points ``duration`` apart; its acceleration is above -``bound``.

    It may be zero at the first point, if it grows there.
    """
    if gap1 <= 0.0 or gap0 < 0.0 or (gap0 == 0.0 and rate0 <= 0.0):
        return False
    # where both parabolas meet
    numerator = gap0 - gap1 + rate1 * duration + 0.5 * bound * duration * duration
    denominator = rate1 - rate0 + bound * duration
    if numerator < 0.0 or numerator > denominator * duration:
        return False
    if denominator <= 0.0:
        return gap0 > 0.0
    t = numerator / denominator
    return gap0 + t * (rate0 - 0.5 * bound * t) > 0.0


@kernel
def decreases(rate0, rate1, duration, bound):
    """Whether a quantity decreases all the time between two points; its second derivative is at most ``bound``."""
    return rate0 < 0.0 and rate1 < 0.0 and rate0 + rate1 + bound * duration < 0.0


@kernel
def itp_point(left, right, value0, value1, width, iteration, halvings, tolerance):
    """Next point at which a function is evaluated whose sign changes between two points.

    The ITP method of Oliveira and Takahashi (ACM Trans. Math. Softw. 47 (2021) 5): as fast as the secant's, never
    slower than ``halvings`` of the first ``width`` and one more.
    """
    middle = 0.5 * (left + right)
    room = tolerance * 2.0 ** (halvings + 1 - iteration) - 0.5 * (right - left)
    secant = (value1 * left - value0 * right) / (value1 - value0)
    shift = 0.2 / width * (right - left) ** 2
    sign = 1.0 if middle >= secant else -1.0
    x = secant + sign * shift if shift <= abs(middle - secant) else middle
    return x if abs(x - middle) <= room else middle - sign * max(room, 0.0)


@kernel
def halvings_to(width, tolerance):
    """Halvings after which ``width`` is at most twice ``tolerance``."""
    return int(max(0.0, math.ceil(math.log2(0.5 * width / tolerance))))
