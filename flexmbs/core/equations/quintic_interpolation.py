"""Motion between two points: the quintic through positions, velocities and accelerations at both.

It is what results read between two of their rows, for every method.
"""

from flexmbs.machine_code.kernel import kernel


@kernel
def quintic(q0, v0, a0, q1, v1, a1, h, x):
    """Position (error O(h^6)), velocity, acceleration of one coordinate at x (0 to 1) of the time ``h``."""
    hv0, hv1, hha0, hha1 = h * v0, h * v1, h * h * a0, h * h * a1
    # what the parabola from the start misses at the end
    gap = q1 - q0 - hv0 - 0.5 * hha0
    slope, bend = hv1 - hv0 - hha0, hha1 - hha0
    c3 = 10.0 * gap - 4.0 * slope + 0.5 * bend
    c4 = -15.0 * gap + 7.0 * slope - bend
    c5 = 6.0 * gap - 3.0 * slope + 0.5 * bend
    x2, x3 = x * x, x * x * x
    return (
        q0 + x * hv0 + 0.5 * x2 * hha0 + x3 * (c3 + x * (c4 + x * c5)),
        (hv0 + x * hha0 + x2 * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5))) / h,
        (hha0 + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))) / (h * h),
    )


@kernel
def interpolate_between(tables, scratch, q0, v0, a0, q1, v1, a1, h, x):
    """Point x (0 to 1) between two points of the step, ``h`` apart, into ``scratch.point_*``."""
    for k in range(q0.shape[0]):
        scratch.point_q[k], scratch.point_v[k], scratch.point_a[k] = quintic(q0[k], v0[k], a0[k], q1[k], v1[k], a1[k], h, x)
    # a condensed mode has a value where others have their acceleration, and no rates
    for i in range(len(tables.condensed)):
        k = tables.condensed[i]
        scratch.point_a[k] = a0[k] + x * (a1[k] - a0[k])


@kernel
def interpolate(tables, state, scratch, h, x):
    """Point x (0 to 1) of the step into ``scratch.point_*``.

    In the chart of the step, where balls are at zero and their rates are angular velocities at its start.
    """
    interpolate_between(tables, scratch, state.q, state.v, state.a, scratch.end_q, scratch.end_v, scratch.end_a, h, x)
