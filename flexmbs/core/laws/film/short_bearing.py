"""Short journal bearing with a cavitating film (Ocvirk), closed form for any motion of the journal.

Reynolds' equation without flow along the circumference (NACA TN 2808, 1952), with the eccentricity e and its rate in
clearances, axes of the bearing, and n a unit vector at angle p around it:
    pressure = 6 mu c (z^2 - L^2/4) / h^3 * -V . n,  h = c (1 - e . n),  V = e' - omega/2 (axis x e)
The film cavitates where V . n < 0 (Guembel's condition at ambient pressure), so that it covers the half circle about V
(Booker, J. Basic Eng. 87 (1965) 537), and the force on the journal is
    F = -mu R L^3 / c^2 * integral of (V . n) n / (1 - e . n)^3 dp.
Sommerfeld's substitution 1 - e cos p = (1 - e^2) / (1 + e cos x) makes the integrands polynomials of cos x and sin x.
"""

import math

from flexmbs.machine_code.kernel import kernel


@kernel
def film_integrals(e, first):
    """cos^2, sin cos, sin^2 over (1 - e cos)^3, integrated from the angle ``first`` over half a circle (0 <= e < 1)."""
    root = math.sqrt(1.0 - e * e)
    x = math.atan2(root * math.sin(first), math.cos(first) - e)
    y = math.atan2(-root * math.sin(first), -math.cos(first) - e)
    if y <= x:
        y += 2.0 * math.pi
    span, s, t = y - x, math.sin(x), math.sin(y)
    sines = t - s  # integral of cos
    squares = 0.5 * (t * t - s * s)  # of sin cos
    doubles = 0.5 * (t * math.cos(y) - s * math.cos(x))
    cosines = math.cos(x) - math.cos(y)  # of sin
    first = (e * e * span + 2.0 * e * sines + 0.5 * span + doubles) / (root**5)
    mixed = (e * cosines + squares) / (root**4)
    return first, mixed, (0.5 * span - doubles) / (root**3)


@kernel
def film_force(scale, ex, ey, vx, vy):
    """Force on the journal (N), scale = mu R L^3 / c^2 (N s): eccentricity (below 1) and V (1/s) in clearances."""
    e = math.sqrt(ex * ex + ey * ey)
    ux, uy = 1.0, 0.0
    if e > 0.0:
        ux, uy = ex / e, ey / e
    along, across = ux * vx + uy * vy, ux * vy - uy * vx
    if along == 0.0 and across == 0.0:
        return 0.0, 0.0
    cc, sc, ss = film_integrals(e, math.atan2(across, along) - 0.5 * math.pi)
    radial, tangential = -scale * (along * cc + across * sc), -scale * (along * sc + across * ss)
    return radial * ux - tangential * uy, radial * uy + tangential * ux


@kernel
def film_torque(viscosity, radius, length, clearance, e, spin):
    """Torque of a full film on the journal (N m) by its ``spin`` (rad/s) in the bearing, e the eccentricity ratio.

    Without the part of the pressure, -c e / 2 times the force across e: Hamrock, Schmid and Jacobson, Fundamentals of
    Fluid Film Lubrication (2004), sec. 10.
    """
    return -2.0 * math.pi * viscosity * radius**3 * length * spin / (clearance * math.sqrt(1.0 - e * e))
