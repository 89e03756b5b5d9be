"""The film between a pin (marker a) and its bore (marker b): core.laws.film.short_bearing."""

import math

from flexmbs.core.contact.pair_geometry import surface_contact
from flexmbs.core.contact.pairs.joint_play import across, direction_off_centre
from flexmbs.core.laws.film.short_bearing import film_force, film_torque
from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.vectors import components, cross, difference, put, rotate, vector_at
from flexmbs.machine_code.entry import entry

# numbers: axis of the bore (axes of b), radius, length, clearance, viscosity, thickness below which surfaces touch
AXIS, RADIUS, LENGTH, CLEARANCE, VISCOSITY, LEAST = 0, 3, 4, 5, 6, 7


@entry(surface_contact)
def journal_film(tables, contact, q, v, work, residual, apply):
    """Thickness of the film where it is thinnest, and its force and torque on pin and bore."""
    record = tables.contacts[contact]
    numbers = tables.pool[record.numbers_at : record.numbers_at + record.numbers]
    pin, bore, touch = work.marker[A], work.marker[B], work.touch[0]
    marker_in_world(tables, record.a, q, v, v, work, pin)
    marker_in_world(tables, record.b, q, v, v, work, bore)
    bx, by, bz = vector_at(numbers, AXIS)
    bx, by, bz = rotate(bore.R_WM, bx, by, bz)
    # eccentricity and its rate, seen from the bore
    dx, dy, dz = difference(pin.p_WM, bore.p_WM)
    ux, uy, uz = difference(pin.v_WM, bore.v_WM)
    wx, wy, wz = components(bore.w_WM)
    cx, cy, cz = cross(wx, wy, wz, dx, dy, dz)
    ex, ey, ez = across(dx, dy, dz, bx, by, bz)
    ux, uy, uz = across(ux - cx, uy - cy, uz - cz, bx, by, bz)
    wx, wy, wz = difference(pin.w_WM, bore.w_WM)
    spin = wx * bx + wy * by + wz * bz
    distance, nx, ny, nz = direction_off_centre(ex, ey, ez, ux, uy, uz)
    tx, ty, tz = cross(bx, by, bz, nx, ny, nz)
    clearance, least = numbers[CLEARANCE], numbers[LEAST]
    radial, beside = ux * nx + uy * ny + uz * nz, ux * tx + uy * ty + uz * tz
    ratio = min(distance, clearance - least) / clearance  # the film is no thinner than where surfaces touch
    radius, length, viscosity = numbers[RADIUS], numbers[LENGTH], numbers[VISCOSITY]
    scale = viscosity * radius * length**3 / clearance**2
    along, across_it = film_force(scale, ratio, 0.0, radial / clearance, beside / clearance - 0.5 * spin * ratio)
    torque = film_torque(viscosity, radius, length, clearance, ratio, spin) - 0.5 * ratio * clearance * across_it
    fx, fy, fz = along * nx + across_it * tx, along * ny + across_it * ty, along * nz + across_it * tz
    touch.gap, touch.rate = max(clearance - distance, least), -radial
    touch.force, touch.energy = math.sqrt(along * along + across_it * across_it), 0.0
    put(touch.n, -nx, -ny, -nz)
    put(touch.p, pin.p_WM[0], pin.p_WM[1], pin.p_WM[2])
    put(touch.u, 0.0, 0.0, 0.0)
    if apply == 0:
        return
    mx, my, mz = torque * bx, torque * by, torque * bz
    sx, sy, sz = cross(dx, dy, dz, fx, fy, fz)
    add_force(tables, record.a, q, pin, fx, fy, fz, mx, my, mz, work, residual)
    add_force(tables, record.b, q, bore, -fx, -fy, -fz, -mx - sx, -my - sy, -mz - sz, work, residual)
