"""Call a part of the residual, when the model has it."""

from __future__ import annotations

from flexmbs.core.abi.blocks import address_of, call_words, data_of
from flexmbs.core.abi.kernel import kernel


@kernel
def call_part(part, tables, active, q, v, a, work, out):
    """Part number ``part`` (core.parts) adds what it has to the residual ``out``."""
    if work.entries[part] != 0:
        call_words(
            work.entries[part], address_of(tables), data_of(active), data_of(q), data_of(v), data_of(a),
            address_of(work), data_of(out), 0,
        )  # fmt: skip
