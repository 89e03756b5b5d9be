"""Coefficient of Coulomb friction, regularised: with p(z) = z (15 - 10 z^2 + 3 z^4) / 8 it is

    mu_s p(v / v_s)                             |v| <= v_s
    mu_s + (mu_d - mu_s) (1 + p(2 z - 1)) / 2   v_s <= |v| <= v_d,   z = (|v| - v_s) / (v_d - v_s)
    mu_d                                        beyond

with two continuous derivatives.  The shape is that of the coefficient over slip velocity in Adams/Solver (CONTACT and
FRICTION statements), there with cubic steps.
"""

from flexmbs.machine_code.kernel import kernel

STATIC, DYNAMIC, STICTION_RATE, SLIP_RATE = range(4)


@kernel
def smooth_sign(z):
    """Odd polynomial from -1 at -1 to 1 at 1, with two derivatives that vanish there."""
    return 0.125 * z * (15.0 - z * z * (10.0 - 3.0 * z * z))


@kernel
def friction_coefficient(parameters, rate):
    """Coefficient at a slip ``rate``, with its sign."""
    speed, stiction_rate, slip_rate = abs(rate), parameters[STICTION_RATE], parameters[SLIP_RATE]
    static, dynamic = parameters[STATIC], parameters[DYNAMIC]
    if speed <= stiction_rate:
        return static * smooth_sign(rate / stiction_rate)
    size = dynamic
    if speed < slip_rate:
        z = (speed - stiction_rate) / (slip_rate - stiction_rate)
        size = static + (dynamic - static) * 0.5 * (1.0 + smooth_sign(2.0 * z - 1.0))
    return size if rate > 0.0 else -size
