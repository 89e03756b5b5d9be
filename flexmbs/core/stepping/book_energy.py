"""The energy ledger: what has been supplied and lost up to each row of the log, by whom.

Power is integrated over the motion that results read between two rows, the quintic through positions, velocities and
accelerations, by Gauss' quadrature of order 6: what the balance of energy then lacks is what the integrator missed, and
what the projection onto the constraints has changed.  Contacts lose stored energy too where they start, end and renew
their history.
"""

from __future__ import annotations

import math

import numpy as np

from flexmbs.core.contact.gap import contact_energy, contact_geometry
from flexmbs.core.contact.groups import occupy
from flexmbs.core.equations.applied_powers import fill_powers
from flexmbs.core.equations.quintic_interpolation import quintic
from flexmbs.core.equations.rotation_charts import chart_rates
from flexmbs.core.layout.energy_booking import EnergyBooking
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.tables import BALL, SURFACES, Tables, Workspace
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.mechanics.vectors import cross
from flexmbs.core.stepping.write_log_rows import log_columns
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats2

# Gauss' quadrature of order 6 on [0, 1] (Hairer and Wanner II, 1996, IV.5): exact for the velocities of a quintic times
# a force that is linear in time
NODES = 0.5 + 0.5 * np.array([-math.sqrt(0.6), 0.0, math.sqrt(0.6)])
WEIGHTS = np.array([5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0])
MOST_PIECES = 128
# Two rows nearer to each other (of the time, or 1e-3 s), as of two events, say nothing of a motion between them: rounding of
# positions would be velocities of 1e5 m/s.
SHORTEST = 1e-14


@entry
def book_energy(
    tables: Tables, rows: Floats2, count: int, balls: int, booking: EnergyBooking, work: Workspace, out: Floats2
) -> None:
    """Add to ``booking.total`` what has flowed between ``rows`` (count,), and write it behind each of them.

    out (count, flows + 1): flows since the start (core.layout.energy_booking), and the energy stored in contacts, J.
    The total at the beginning is that at the first row.
    """
    flows = booking.total.shape[0]
    for i in range(count):
        before = rows[max(i - 1, 0)]
        if rows[i, TIME] - before[TIME] > SHORTEST * max(1e-3, before[TIME]):
            book_interval(tables, before, rows[i], balls, booking, work)
        if len(tables.contacts) > 0:
            book_contacts(tables, before, rows[i], i == 0, balls, booking, work)
        for k in range(flows):
            out[i, k] = booking.total[k]
        out[i, flows] = booking.stored


@kernel
def book_interval(tables, first, last, balls, booking, work):
    """Integrate the powers from one row to the next."""
    n, h = len(tables.coordinates), last[TIME] - first[TIME]
    _q, _r, _v, _a, at_active = log_columns(n, balls)
    flags = len(tables.contacts) + len(tables.switches)
    touches = False
    for c in range(flags):
        booking.active[c] = int(first[at_active + c])
        if c < len(tables.contacts):
            touches = touches or booking.active[c] != 0 or tables.contacts[c].always != 0
    if booking.always == 0 and not touches:
        return
    place_ends(tables, first, last, balls, booking)
    contact_history = first[at_active + flags :]
    integrate(tables, booking, first[TIME], h, 1, contact_history, touches, work)
    if missed_at_most(tables, booking, h) > booking.resolved * exchanged(booking):
        refine(tables, booking, first[TIME], h, contact_history, touches, work)
    for k in range(booking.total.shape[0]):
        booking.total[k] += booking.flow[k]


@kernel
def integrate(tables, booking, begin, h, pieces, contact_history, touches, work):
    """``booking.flow`` by Gauss' quadrature on a number of ``pieces`` of the time between two rows."""
    booking.flow[:] = 0.0
    for piece in range(pieces):
        for i in range(len(NODES)):
            x = (piece + NODES[i]) / pieces
            interpolate_rows(tables, booking, h, x)
            evaluate_signals(tables, begin + x * h, work.signal)
            impose_drivers(tables, work.signal, booking.q, booking.v, booking.a)
            fill_powers(tables, booking, contact_history, touches, work)
            for k in range(booking.flow.shape[0]):
                booking.node_power[i, k] = booking.power[k]
                booking.flow[k] += h / pieces * WEIGHTS[i] * booking.power[k]


@kernel
def missed_at_most(tables, booking, h):
    """What one piece misses of the work of drivers, J, if their power oscillates as the second difference says.

    Of P = p sin(w t + phase) the second difference of the nodes is up to d = 0.15 (w h)^2 p, and the quadrature misses
    up to h p (w h)^6 / 2016000, that is h d^3 / p^2 / 6800. Other powers act on unknowns, whose steps resolve them.
    """
    missed = 0.0
    for k in range(len(tables.coordinates)):
        if booking.booked[k] != 0:
            low, middle, high = booking.node_power[0, k], booking.node_power[1, k], booking.node_power[2, k]
            size, bend = max(abs(low), abs(middle), abs(high)), abs(low - 2.0 * middle + high)
            if size > 0.0:
                missed += h * bend * (bend / size) ** 2 / 6800.0
    return missed


@kernel
def exchanged(booking):
    """All that has flowed so far, J, whatever its direction."""
    total = 0.0
    for k in range(booking.flow.shape[0]):
        total += abs(booking.total[k]) + abs(booking.flow[k])
    return total


@kernel
def refine(tables, booking, begin, h, contact_history, touches, work):
    """Halve the pieces until that changes nothing: steps may be longer than the motion of a driver."""
    pieces = 1
    while pieces < MOST_PIECES:
        pieces *= 2
        copy_vector(booking.flow, booking.coarse)
        integrate(tables, booking, begin, h, pieces, contact_history, touches, work)
        change = 0.0
        for k in range(booking.flow.shape[0]):
            change += abs(booking.flow[k] - booking.coarse[k])
        if change <= booking.resolved * exchanged(booking):
            return


@kernel
def place_ends(tables, first, last, balls, booking):
    """Both rows into ``booking.start`` and ``end``, in the chart of the first one."""
    n, h = len(tables.coordinates), last[TIME] - first[TIME]
    at_q, at_reference, at_v, at_a, at_active = log_columns(n, balls)
    for k in range(n):
        booking.start_q[k], booking.start_v[k], booking.start_a[k] = first[at_q + k], first[at_v + k], first[at_a + k]
        booking.end_q[k], booking.end_v[k], booking.end_a[k] = last[at_q + k], last[at_v + k], last[at_a + k]
    for i in range(len(tables.condensed)):
        k = tables.condensed[i]
        booking.end_v[k] = (booking.end_q[k] - booking.start_q[k]) / h
    for c in range(len(tables.contacts)):  # where a contact ends its bristles are at rest at once
        if first[at_active + c] != 0.0 and last[at_active + c] == 0.0:
            for k in range(tables.contacts[c].bristle, tables.contacts[c].bristle + tables.contacts[c].bristles):
                booking.end_v[k], booking.end_a[k] = booking.start_v[k] + h * booking.start_a[k], booking.start_a[k]
    place_balls(first, at_reference, booking)
    for i in range(len(tables.axes)):
        axis = tables.axes[i]
        if axis.kind == BALL:
            c, at = axis.coordinate, at_reference + 4 * axis.ball
            x, y, z = turn_between(first[at : at + 4], last[at : at + 4])
            booking.end_q[c], booking.end_q[c + 1], booking.end_q[c + 2] = x, y, z
            chart_rates(booking.end_q, booking.end_v, booking.end_a, c)


@kernel
def turn_between(first, last):
    """Rotation vector from one unit quaternion (w, x, y, z) to another, of less than half a turn."""
    w0, x0, y0, z0 = first[0], -first[1], -first[2], -first[3]
    w1, x1, y1, z1 = last[0], last[1], last[2], last[3]
    px, py, pz = cross(x0, y0, z0, x1, y1, z1)
    w = w0 * w1 - x0 * x1 - y0 * y1 - z0 * z1
    x, y, z = w0 * x1 + w1 * x0 + px, w0 * y1 + w1 * y0 + py, w0 * z1 + w1 * z0 + pz
    sine = math.sqrt(x * x + y * y + z * z)
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    scale = 2.0 * math.atan2(sine, w) / sine if sine > 1e-8 else 2.0
    return scale * x, scale * y, scale * z


@kernel
def place_balls(row, at_reference, booking):
    """Quaternions of a row into ``booking.reference``."""
    for ball in range(booking.reference.shape[0]):
        for i in range(4):
            booking.reference[ball, i] = row[at_reference + 4 * ball + i]


@kernel
def interpolate_rows(tables, booking, h, x):
    """Point x (0 to 1) between both rows: quintics, cubics of the rates of user states, lines of multipliers."""
    for k in range(booking.start_q.shape[0]):
        q0, v0, a0 = booking.start_q[k], booking.start_v[k], booking.start_a[k]
        q1, v1, a1 = booking.end_q[k], booking.end_v[k], booking.end_a[k]
        coordinate = tables.coordinates[k]
        if coordinate.state != 0:
            y = 1.0 - x
            booking.q[k], booking.a[k] = q0, y * a0 + x * a1
            booking.v[k] = y * y * ((1.0 + 2.0 * x) * v0 + x * h * a0) + x * x * ((1.0 + 2.0 * y) * v1 - y * h * a1)
        elif coordinate.multiplier != 0 or coordinate.unit != 0.0:
            booking.q[k], booking.v[k], booking.a[k] = q0, v0, a0 + x * (a1 - a0)
        else:
            booking.q[k], booking.v[k], booking.a[k] = quintic(q0, v0, a0, q1, v1, a1, h, x)


@kernel
def book_contacts(tables, before, row, is_first, balls, booking, work):
    """Energy that contacts store at a row, and what they have lost there since the row ``before``.

    A contact that starts, ends, or remembers something else stores another energy at the same depth: the change is
    lost. Where all of the work has been booked (applied_powers.contact_powers), what is stored of it is not lost.
    """
    contacts, flags = len(tables.contacts), len(tables.contacts) + len(tables.switches)
    _q, _r, _v, _a, at_active = log_columns(len(tables.coordinates), balls)
    is_placed = False
    booking.stored = 0.0
    for c in range(contacts):
        was, now = before[at_active + c] != 0.0, row[at_active + c] != 0.0
        old, booking.kept[c] = booking.kept[c], 0.0
        if not (was or now) or tables.contacts[c].rigid != 0:
            continue
        if not is_placed:
            place_row(tables, row, balls, booking, work)
            is_placed = True
        contact = tables.contacts[c]
        occupy(tables, c, int(row[at_active + c] if now else before[at_active + c]), work)
        gap, _rate, _x, _y, _z = contact_geometry(tables, c, booking.q, booking.v, booking.a, work)
        if now and contact.kind == SURFACES:
            booking.kept[c] = work.touch[0].energy
        elif now:
            booking.kept[c] = contact_energy(tables, contact, row[at_active + flags :], abs(gap))
        if not is_first:
            if contact.update == 0 and contact.kind != SURFACES:
                old = contact_energy(tables, contact, before[at_active + flags :], abs(gap)) if was else 0.0
            booking.total[booking.contacts + c] += booking.kept[c] - old
        booking.stored += booking.kept[c]


@kernel
def place_row(tables, row, balls, booking, work):
    """Frames of a row, in its own chart."""
    n = len(tables.coordinates)
    at_q, at_reference, at_v, at_a, _active = log_columns(n, balls)
    for k in range(n):
        booking.q[k], booking.v[k], booking.a[k] = row[at_q + k], row[at_v + k], row[at_a + k]
    place_balls(row, at_reference, booking)
    forward_kinematics(tables, booking.q, booking.v, booking.a, booking.reference, work)
