"""Modal coordinates without inertia of their own: their positions follow their load (mechanism.high_modes).

Such a coordinate is an unknown of the equations like a multiplier: its value stands where others have their
acceleration, a, and its position is unit * a with unit = 1 / w^2.  In the mechanics it moves without velocity and
acceleration, so that its equation is  Ke q + loads = 0,  and the column of the "mass matrix" is Ke unit = Me.
"""

from flexmbs.machine_code.kernel import kernel


@kernel
def is_algebraic(coordinate):
    """Whether a record of ``Tables.coordinates`` has no motion to integrate: multipliers and condensed modes."""
    return coordinate.multiplier != 0 or coordinate.unit != 0.0


@kernel
def place_condensed(tables, q, v, a):
    """Positions of the condensed coordinates from their values in ``a``; their velocities are zero."""
    for i in range(len(tables.condensed)):
        k = tables.condensed[i]
        q[k] = tables.coordinates[k].unit * a[k]
        v[k] = 0.0


@kernel
def hide_condensed(tables, q, v, a, work):
    """:func:`place_condensed`, then no acceleration until :func:`show_condensed`."""
    place_condensed(tables, q, v, a)
    for i in range(len(tables.condensed)):
        k = tables.condensed[i]
        work.condensed[i] = a[k]
        a[k] = 0.0


@kernel
def show_condensed(tables, a, work):
    """Put the values of the condensed coordinates back."""
    for i in range(len(tables.condensed)):
        a[tables.condensed[i]] = work.condensed[i]
