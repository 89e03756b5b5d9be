"""Addresses of the large parts of a step (core.equations.calls): of the method, of constraints where there are any."""

from __future__ import annotations

import numpy as np

from flexmbs.core.equations import calls
from flexmbs.core.layout.tables import Tables
from flexmbs.core.methods.method import Method
from flexmbs.core.methods.methods import entries_of


def addresses(tables: Tables, method: Method) -> np.ndarray:
    """(ENTRIES,) words; compiles what is not in the cache."""
    from flexmbs.core.equations.tangent_entries import renewal_entry, tangent_entry

    found = np.zeros(calls.ENTRIES, dtype=np.int64)
    found[calls.TANGENT_ENTRY], found[calls.RENEWAL_ENTRY] = tangent_entry.address, renewal_entry.address
    for place, address in zip(
        (calls.ATTEMPT_ENTRY, calls.HISTORY_ENTRY, calls.INTERMEDIATE_ENTRY), entries_of(method), strict=False
    ):
        found[place] = address
    if len(tables.constraints):
        from flexmbs.core.equations.constraint_entries import constraint_entry

        found[calls.CONSTRAINTS_ENTRY] = constraint_entry.address
    return found
