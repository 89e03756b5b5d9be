"""LuGre friction: elastic bristles between the surfaces, whose deflections are unknowns of the run.

With the slip velocity u, also of pivoting, its size s, deflections z and the normal force N

    z' = u - alpha sigma_0 s / g(s) z,   g = kinetic + (static - kinetic) exp(-(s / stribeck_speed)^exponent)
    force = -N (sigma_0 z + sigma_1 z' + sigma_2 u)

after C. Canudas de Wit, H. Olsson, K. J. Astrom and P. Lischinsky, IEEE Trans. Automatic Control 40 (1995) 419, scaled
with the normal force as in C. Canudas de Wit and P. Tsiotras, Proc. 38th CDC (1999) 3746: sigma_0 in 1/m, sigma_1 and
sigma_2 in s/m.  alpha is 1, or with an elastic range that of P. Dupont, V. Hayward, B. Armstrong and F. Altpeter, IEEE
Trans. Automatic Control 47 (2002) 787: 0 below a breakaway deflection and while the bristles relax.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.friction.contact_friction import contact_friction
from flexmbs.core.laws.friction.friction_law import ResistingFriction, checked, checked_coefficients
from flexmbs.core.laws.friction.resistance import (
    FORCE,
    MOMENT,
    OWN,
    PIVOTING,
    RATES,
    N,
    U,
    resist_rolling,
    sliding_speed,
    spin,
    stribeck_coefficient,
)
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

STATIC, KINETIC, STRIBECK_SPEED, EXPONENT, STIFFNESS, DAMPING, VISCOUS, ELASTIC = range(OWN, OWN + 8)
PIVOT = 3  # the bristle that resists turning about the normal, behind those of slip


@entry(contact_friction)
def lugre_force(parameters, normal_force, motion, bristles, out):
    for k in range(6):
        out[k] = 0.0
    relax = relaxation(parameters, motion, bristles)
    stiffness, damping, viscous = parameters[STIFFNESS], parameters[DAMPING], parameters[VISCOUS]
    along_normal = 0.0
    for k in range(min(PIVOT, len(bristles))):
        slip = motion[U + k]
        rate = slip - relax * bristles[k]
        out[RATES + k] = rate
        out[FORCE + k] = -normal_force * (stiffness * bristles[k] + damping * rate + viscous * slip)
        along_normal += out[FORCE + k] * motion[N + k]
    # the normal turns: what bristles have left along it acts no more
    for k in range(3):
        out[FORCE + k] -= along_normal * motion[N + k]
    if len(bristles) > PIVOT:
        radius = parameters[PIVOTING]
        slip = radius * spin(motion)
        rate = slip - relax * bristles[PIVOT]
        out[RATES + PIVOT] = rate
        moment = -radius * normal_force * (stiffness * bristles[PIVOT] + damping * rate + viscous * slip)
        for k in range(3):
            out[MOMENT + k] = moment * motion[N + k]
    resist_rolling(parameters, normal_force, motion, out)


@kernel
def relaxation(parameters, motion, bristles):
    """alpha sigma_0 s / g, 1/s: how fast bristles give way."""
    speed = sliding_speed(parameters, motion)
    g = stribeck_coefficient(parameters[STATIC], parameters[KINETIC], parameters[STRIBECK_SPEED], parameters[EXPONENT], speed)
    rate = parameters[STIFFNESS] * speed / g
    if parameters[ELASTIC] == 0.0:
        return rate
    size = growing = 0.0
    for k in range(len(bristles)):
        slip = motion[U + k] if k < PIVOT else parameters[PIVOTING] * spin(motion)
        size += bristles[k] * bristles[k]
        growing += bristles[k] * slip
    return rate * plastic_part(math.sqrt(size) * parameters[STIFFNESS] / g, growing, parameters[ELASTIC])


@kernel
def plastic_part(deflection, growing, elastic):
    """alpha: 0 up to the deflection ``elastic`` (relative to that of steady sliding), 1 from that of sliding on."""
    if growing <= 0.0 or deflection <= elastic:
        return 0.0
    if deflection >= 1.0:
        return 1.0
    return 0.5 + 0.5 * math.sin(math.pi * ((deflection - elastic) / (1.0 - elastic) - 0.5))


@dataclass(frozen=True)
class LuGre(ResistingFriction):
    """LuGre friction: bristles that deflect before they slip, so that bodies stick, yield a little and break away.

    Contacts have three bristle deflections (histories "CONTACT.bristle.x" ..., m, in the axes of the second marker), a
    fourth with ``pivoting``; joints one. Equations and sources: flexmbs/core/laws/friction/lugre.py.

    Parameters
    ----------
    static, kinetic : coefficients
    stribeck_speed : m/s
    stiffness : 1/m, sigma_0: coefficient per deflection
    damping : s/m, sigma_1: coefficient per rate of deflection. Above viscous / (static / kinetic - 1) the bristles can
        give back slightly more than they have taken (N. Barabanov and R. Ortega, IEEE Trans. Automatic Control 45
        (2000) 830)
    viscous : s/m, sigma_2: coefficient per speed
    exponent : of the Stribeck curve
    elastic : part of the deflection of steady sliding up to which bristles are purely elastic (Dupont et al. 2002), so
        that a small load that oscillates does not make the body drift; 0: the original law
    rolling, pivoting, rolling_rate : m, m, rad/s: resistance to rolling and to turning about the normal; see
        ``ResistingFriction`` in flexmbs/core/laws/friction/friction_law.py
    """

    static: float
    kinetic: float
    stribeck_speed: float
    stiffness: float
    damping: float = 0.0
    viscous: float = 0.0
    exponent: float = 2.0
    elastic: float = 0.0

    force = lugre_force

    def __post_init__(self) -> None:
        super().__post_init__()
        _high, low = checked_coefficients(self.static, self.kinetic)
        if low == 0.0:
            raise MechanismError("friction: the kinetic coefficient of LuGre must be positive")
        checked(self.stribeck_speed, "stribeck_speed (m/s)")
        checked(self.stiffness, "stiffness (1/m)")
        checked(self.damping, "damping (s/m)", positive=False)
        checked(self.viscous, "viscous (s/m)", positive=False)
        checked(self.exponent, "exponent")
        if checked(self.elastic, "elastic", positive=False) >= 1.0:
            raise MechanismError(f"friction: elastic {self.elastic:g} must be below 1")

    @property
    def bristles(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the deflections."""
        return ("x", "y", "z", "pivot") if self.pivoting > 0.0 else ("x", "y", "z")

    @property
    def line_bristles(self) -> tuple[str, ...]:
        return ("x",)

    @property
    def bristle_size(self) -> float:  # type: ignore[override]
        """Deflection at which the bristles give way, m."""
        return self.static / self.stiffness

    def parameters(self) -> tuple[float, ...]:
        own = (
            self.static,
            self.kinetic,
            self.stribeck_speed,
            self.exponent,
            self.stiffness,
            self.damping,
            self.viscous,
            self.elastic,
        )
        return (*super().parameters(), *map(float, own))
