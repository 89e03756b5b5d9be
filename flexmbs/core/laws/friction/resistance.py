"""What the friction laws share: speed of slip, coefficient after Stribeck, force and moment against the motion."""

import math

from flexmbs.core.laws.friction.smooth_coefficient import smooth_sign
from flexmbs.machine_code.kernel import kernel

#: The first parameters of every law; its own follow.
ROLLING, PIVOTING, ROLLING_RATE, OWN = range(4)
#: Places in ``motion`` and ``out``.
U, W, N = 0, 3, 6
FORCE, MOMENT, RATES = 0, 3, 6


@kernel
def spin(motion):
    """Angular velocity about the normal, rad/s."""
    return motion[W] * motion[N] + motion[W + 1] * motion[N + 1] + motion[W + 2] * motion[N + 2]


@kernel
def sliding_speed(parameters, motion):
    """Speed (m/s) of slip, and of turning about the normal at the radius of pivoting, together."""
    turning = parameters[PIVOTING] * spin(motion)
    return math.sqrt(motion[U] ** 2 + motion[U + 1] ** 2 + motion[U + 2] ** 2 + turning * turning)


@kernel
def stribeck_coefficient(static, kinetic, stribeck_speed, exponent, speed):
    """kinetic + (static - kinetic) exp(-(speed / stribeck_speed)^exponent)."""
    if static == kinetic:
        return kinetic
    return kinetic + (static - kinetic) * math.exp(-((speed / stribeck_speed) ** exponent))


@kernel
def resist(parameters, normal_force, motion, viscosity, out):
    """out = force and moment of sliding friction: ``viscosity`` (N s/m) times the slip, against it; and of rolling."""
    radius = parameters[PIVOTING]
    turning = -viscosity * radius * radius * spin(motion)
    for k in range(3):
        out[FORCE + k] = -viscosity * motion[U + k]
        out[MOMENT + k] = turning * motion[N + k]
    resist_rolling(parameters, normal_force, motion, out)


@kernel
def resist_rolling(parameters, normal_force, motion, out):
    """Add the moment rolling * normal force against the angular velocity in the plane of contact."""
    if parameters[ROLLING] == 0.0:
        return
    about_normal = spin(motion)
    squared = 0.0
    for k in range(3):
        squared += (motion[W + k] - about_normal * motion[N + k]) ** 2
    rate = math.sqrt(squared)
    slow = parameters[ROLLING_RATE]
    # moment over rate: finite where rolling starts and ends
    damping = 1.0 / rate if rate >= slow else smooth_slope(rate / slow) / slow
    for k in range(3):
        out[MOMENT + k] -= parameters[ROLLING] * normal_force * damping * (motion[W + k] - about_normal * motion[N + k])


@kernel
def smooth_slope(z):
    """smooth_sign(z) / z."""
    return smooth_sign(z) / z if z > 0.0 else 1.875
