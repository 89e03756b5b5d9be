"""Springs and dampers on sums of coordinates: spans of elastic belts, flexible couplings between shafts."""

from flexmbs.machine_code.kernel import kernel


@kernel
def add_couplers(tables, q, v, residual):
    """Force k (e - rest) + c e' along e = sum of factor * coordinate."""
    for i in range(len(tables.couplers)):
        coupler = tables.couplers[i]
        stretch, rate = stretch_of(tables, coupler, q), stretch_of(tables, coupler, v)
        force = coupler.stiffness * (stretch - coupler.rest) + coupler.damping * rate
        for k in range(coupler.start, coupler.end):
            residual[tables.terms[k].coordinate] += force * tables.terms[k].factor


@kernel
def coupler_energy(tables, q):
    """Elastic energy of all couplers, J."""
    total = 0.0
    for i in range(len(tables.couplers)):
        coupler = tables.couplers[i]
        total += 0.5 * coupler.stiffness * (stretch_of(tables, coupler, q) - coupler.rest) ** 2
    return total


@kernel
def stretch_of(tables, coupler, q):
    """Sum of factor times coordinate over the terms of an elastic coupling."""
    total = 0.0
    for k in range(coupler.start, coupler.end):
        total += tables.terms[k].factor * q[tables.terms[k].coordinate]
    return total
