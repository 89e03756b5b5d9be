"""The mechanics as the integrator sees them: residual and gaps, called by address (flexmbs.core.parts.entries)."""

from __future__ import annotations

from flexmbs.core.abi.blocks import address_of, call_words, data_of
from flexmbs.core.abi.kernel import kernel
from flexmbs.core.parts import FUNCTION, GAP, RESIDUAL


@kernel
def residual(tables, active, q, v, a, reference, work, out):
    """See flexmbs.core.equations.residual.residual."""
    call_words(
        work.entries[RESIDUAL], address_of(tables), data_of(active), data_of(q), data_of(v), data_of(a),
        data_of(reference), address_of(work), data_of(out),
    )  # fmt: skip


@kernel
def gap_at(tables, c, q, v, a, reference, work):
    """Gap of contact ``c`` and its rate."""
    call_words(
        work.entries[GAP], address_of(tables), c, data_of(q), data_of(v), data_of(a), data_of(reference),
        address_of(work), 0,
    )  # fmt: skip
    return work.gap[0], work.gap[1]


@kernel
def call_function(tables, active, q, v, a, number, work):
    """Outputs of user function ``number`` into ``work.signal``; the residual was evaluated at the same state."""
    call_words(
        work.entries[FUNCTION], address_of(tables), data_of(active), data_of(q), data_of(v), data_of(a), number,
        address_of(work), 0,
    )  # fmt: skip


@kernel
def set_end_signals(tables, scratch, work):
    """Functions of time as they are at the end of the step."""
    for j in range(len(tables.signals)):
        for k in range(3):
            work.signal[j, k] = scratch.end_signal[j, k]
