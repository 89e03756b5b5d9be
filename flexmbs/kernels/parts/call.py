"""Call a part of the residual, when the model has it."""

from __future__ import annotations

from flexmbs.kernels.blocks import address_of, call_words, data_of
from flexmbs.kernels.jit import kernel


@kernel
def call_part(part, tables, active, q, v, a, work, out):
    """Part number ``part`` (kernels.parts) adds what it has to the residual ``out``."""
    if work.entries[part] != 0:
        call_words(
            work.entries[part], address_of(tables), data_of(active), data_of(q), data_of(v), data_of(a),
            address_of(work), data_of(out), 0,
        )  # fmt: skip
