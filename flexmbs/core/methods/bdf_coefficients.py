"""Weights of backward differentiation at unequal steps.

Times are counted from the present one, which is 0: those of earlier steps are negative, the end of the step is h.
Number 0 is the present, number i >= 1 row i - 1 of the history.
"""

from flexmbs.machine_code.kernel import kernel


@kernel
def time_of(history_t, i):
    """Time of point number ``i``."""
    return 0.0 if i == 0 else history_t[i - 1]


@kernel
def extrapolation(history_t, count, h, out):
    """out[0:count]: weights with which points 0 ... count - 1 give the value of their polynomial at time ``h``."""
    for i in range(count):
        own, weight = time_of(history_t, i), 1.0
        for j in range(count):
            if j != i:
                other = time_of(history_t, j)
                weight *= (h - other) / (own - other)
        out[i] = weight


@kernel
def differentiation(history_t, order, h, out):
    """1 / alpha_0, and out[0:order]: alpha_1 ... of y'(h) = alpha_0 y(h) + sum_j alpha_j+1 y_j, points j < order."""
    leading = 0.0
    for i in range(order):
        own = time_of(history_t, i)
        leading += 1.0 / (h - own)
        weight = 1.0 / (own - h)
        for j in range(order):
            if j != i:
                other = time_of(history_t, j)
                weight *= (h - other) / (own - other)
        out[i] = weight
    return 1.0 / leading


@kernel
def error_constant(history_t, order, h):
    """Local error of BDF as a part of the difference between it and the extrapolation from order + 1 points.

    With the derivative number order + 1 as f: the extrapolation misses f prod_j=0..order (h - t_j) / (order + 1)!, BDF
    makes the error f beta prod_j=0..order-1 (h - t_j) / (order + 1)!, of the other sign.
    """
    leading = 0.0
    for i in range(order):
        leading += 1.0 / (h - time_of(history_t, i))
    beta = 1.0 / leading
    return beta / (h - time_of(history_t, order) + beta)


@kernel
def difference_constant(history_t, order, h):
    """:func:`error_constant` where the difference is that from an accurate value: the result of another order."""
    leading = 0.0
    for i in range(order):
        leading += 1.0 / (h - time_of(history_t, i))
    return 1.0 / (leading * (h - time_of(history_t, order)))
