"""Contact events: onset and end found on the step's interpolant, then hit exactly by repeating the step up to them."""

from __future__ import annotations

import math

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.contact.gap import contact_force, gap_at
from flexmbs.core.equations.mass_matrix import solve_mass
from flexmbs.core.equations.projection import factorise_mass
from flexmbs.core.equations.quintic_interpolation import interpolate
from flexmbs.core.laws.contact import law_energy
from flexmbs.core.layout.state import END, IMPULSE, PEAK, PEAK_TIME, TIME
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods.radau_coefficients import A, C

SAMPLES = 8


@kernel
def gap_inside(tables, c, state, scratch, work, h, x):
    """Gap of contact ``c`` and its rate at point ``x`` of the step."""
    interpolate(tables, state, scratch, h, x)
    evaluate_signals(tables, state.number[TIME] + x * h, work.signal)
    impose_drivers(tables, work.signal, scratch.point_q, scratch.point_v, scratch.point_a)
    return gap_at(tables, c, scratch.point_q, scratch.point_v, scratch.point_a, state.reference, work)


@kernel
def first_event(tables, state, scratch, work, h):
    """Earliest point x of the step where a contact starts or ends, and the contact; (2, -1) when none does."""
    best, which = 2.0, -1
    for c in range(len(tables.contacts)):
        sign = -1.0 if state.active[c] != 0 else 1.0  # sign * gap is positive before the event
        gap0, rate0 = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
        gap1, rate1 = gap_at(tables, c, scratch.q[END], scratch.v[END], scratch.a[END], state.reference, work)
        reach = h * (abs(rate0) + abs(rate1))
        if sign * gap0 > 2.0 * reach and sign * gap1 > 2.0 * reach:
            continue
        x = crossing(tables, c, state, scratch, work, h, sign, gap0, rate0)
        if x < best:
            best, which = x, c
    return best, which


@kernel
def crossing(tables, c, state, scratch, work, h, sign, gap0, rate0):
    """First root of the gap in the step; 2 when there is none.  Dips between samples are found by the rate's sign."""
    left, left_gap, left_rate = 0.0, max(sign * gap0, 0.0), sign * rate0
    for i in range(1, SAMPLES + 1):
        x = i / SAMPLES
        gap, rate = gap_inside(tables, c, state, scratch, work, h, x)
        gap, rate = sign * gap, sign * rate
        if gap > 0.0 and left_rate < 0.0 and rate > 0.0:
            x_low, gap_low = lowest(tables, c, state, scratch, work, h, sign, left, x)
            if gap_low < 0.0:
                x, gap = x_low, gap_low
        if gap <= 0.0:
            if left_gap <= 0.0:
                left, left_gap = leave(tables, c, state, scratch, work, h, sign, left, x)
                if left_gap <= 0.0:
                    return left
            return root(tables, c, state, scratch, work, h, sign, left, x)
        left, left_gap, left_rate = x, gap, rate
    return 2.0


@kernel
def lowest(tables, c, state, scratch, work, h, sign, left, right):
    """Point of the smallest gap between two points where the rate changes sign, by bisection on the rate."""
    gap = 0.0
    x = right
    for _ in range(40):
        x = 0.5 * (left + right)
        gap, rate = gap_inside(tables, c, state, scratch, work, h, x)
        gap *= sign
        if gap < 0.0:
            break
        if sign * rate < 0.0:
            left = x
        else:
            right = x
    return x, gap


@kernel
def leave(tables, c, state, scratch, work, h, sign, left, right):
    """A point just after ``left`` (where an event has just happened) at which the gap has left zero."""
    x, gap = right, 0.0
    for _ in range(40):
        x = left + 0.5 * (x - left)
        gap, _rate = gap_inside(tables, c, state, scratch, work, h, x)
        gap *= sign
        if gap > 0.0:
            break
    return x, gap


@kernel
def root(tables, c, state, scratch, work, h, sign, left, right):
    """Bisection, then the secant's accuracy by 60 halvings: robust on any interpolant."""
    for _ in range(60):
        x = 0.5 * (left + right)
        if x <= left or x >= right:
            break
        gap, _rate = gap_inside(tables, c, state, scratch, work, h, x)
        if sign * gap > 0.0:
            left = x
        else:
            right = x
    return right


@kernel
def record_contact(tables, state, scratch, work, h):
    """Add the step's impulse of each touching contact (Radau's quadrature of order 5) and keep the largest force."""
    for c in range(len(tables.contacts)):
        if state.active[c] == 0:
            continue
        contact = tables.contacts[c]
        for i in range(3):
            gap, rate = gap_inside(tables, c, state, scratch, work, h, C[i])
            state.episode[c, IMPULSE] += h * A[2, i] * contact_force(contact, gap)
        _gap0, rate0 = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
        x = 1.0
        if rate0 < 0.0 and rate > 0.0:
            left, right = 0.0, 1.0
            for _ in range(40):
                x = 0.5 * (left + right)
                gap, rate = gap_inside(tables, c, state, scratch, work, h, x)
                if rate < 0.0:
                    left = x
                else:
                    right = x
        force = contact_force(contact, gap)
        if force > state.episode[c, PEAK]:
            state.episode[c, PEAK] = force
            state.episode[c, PEAK_TIME] = state.number[TIME] + x * h


@kernel
def onset_step(tables, c, state, scratch, work):
    """A step that resolves the start of a contact: 1/30 of its expected duration (Hertz: about 3 depth / speed).

    The mass seen by the contact is 1 / (g M^-1 g^T), with g the gradient of the gap rate in the velocities.
    """
    m = len(tables.free)
    _gap, rate = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
    for i in range(m):
        k = tables.free[i]
        old = state.v[k]
        state.v[k] = old + 1.0
        _gap, shifted = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
        state.v[k] = old
        scratch.error_v[i] = shifted - rate
        scratch.real_x[i] = shifted - rate
    if len(tables.constraints) == 0:  # with constraints the tangent comes with these factors
        factorise_mass(tables, state, scratch)
    solve_mass(tables, state, scratch, scratch.real_x)
    compliance = 0.0
    for i in range(m):
        compliance += scratch.error_v[i] * scratch.real_x[i]
    speed = max(abs(rate), 1e-6)
    if not (compliance > 0.0 and math.isfinite(compliance)):
        return 1e-6
    depth = 1e-12
    while law_energy(tables.contacts[c], depth) < 0.5 * speed * speed / compliance and depth < 1.0:
        depth *= 1.2
    return 0.1 * depth / speed
