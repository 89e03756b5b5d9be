"""All elements: measure, law, force; what they measured and their force stay in ``work.record``."""

from flexmbs.core.laws.force.force_law import law_energy, law_force
from flexmbs.core.laws.force.measure import apply, measure
from flexmbs.core.laws.friction.contact_friction import contact_friction
from flexmbs.core.layout.force_tables import ELEMENT_FORCE, ELEMENT_POWER, ELEMENT_RECORD, MEASURED, MEASURED_RATE, STICKS
from flexmbs.core.layout.tables import VALUE
from flexmbs.machine_code.kernel import kernel


@kernel
def add_elements(tables, q, v, a, contact_history, work, residual):
    for e in range(len(tables.elements)):
        element = tables.elements[e]
        if element.slides == STICKS:
            continue
        x, rate, nx, ny, nz = measure(tables, element, q, v, a, contact_history, work)
        given = work.signal[element.signal, VALUE] if element.signal >= 0 else 0.0
        parameters = tables.pool[element.parameters_at : element.parameters_at + element.parameters]
        if element.slides != 0:
            force = friction_effort(element, parameters, rate, given, v, work)
            for k in range(element.bristles):
                residual[element.bristle + k] = a[element.bristle + k] - work.resistance[6 + k]
        else:
            force = law_force(element.force, parameters, x, rate, given)
        record = work.record[element.at : element.at + ELEMENT_RECORD]
        record[MEASURED], record[MEASURED_RATE] = x, rate
        record[ELEMENT_FORCE], record[ELEMENT_POWER] = force, force * rate
        apply(tables, element, force, nx, ny, nz, q, work, residual)


@kernel
def friction_effort(element, parameters, rate, normal_force, v, work):
    """Effort of a friction law of contacts on a coordinate, with slip along x.

    The rates of its bristles stay in ``work.resistance[6:]``.
    """
    motion, out = work.slip, work.resistance
    motion[:] = 0.0
    motion[0], motion[8] = element.radius * rate, 1.0
    first = max(element.bristle, 0)
    bristles = v[first : first + element.bristles]
    contact_friction(element.force, parameters, max(normal_force, 0.0), motion, bristles, out)
    return element.radius * out[0]


@kernel
def element_energy(tables, q, v, a, contact_history, work):
    """Energy stored in all elements, J."""
    total = 0.0
    for e in range(len(tables.elements)):
        element = tables.elements[e]
        if element.energy != 0:
            x, _rate, _x, _y, _z = measure(tables, element, q, v, a, contact_history, work)
            parameters = tables.pool[element.parameters_at : element.parameters_at + element.parameters]
            total += law_energy(element.energy, parameters, x)
    return total
