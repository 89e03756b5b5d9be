"""Addresses of the large parts of a step (integrate.calls): of the run's method, of constraints where there are any."""

from __future__ import annotations

import numpy as np

from flexmbs.integrate import calls
from flexmbs.integrate.methods import Method
from flexmbs.kernels.tables import Tables


def addresses(tables: Tables, method: Method) -> np.ndarray:
    """(ENTRIES,) words; compiles what is not in the cache."""
    from flexmbs.integrate.tangent_entries import renewal_entry, tangent_entry

    found = np.zeros(calls.ENTRIES, dtype=np.int64)
    found[calls.TANGENT_ENTRY], found[calls.RENEWAL_ENTRY] = tangent_entry.address, renewal_entry.address
    for place, address in zip(
        (calls.ATTEMPT_ENTRY, calls.KEEP_ENTRY, calls.INNER_ENTRY), method.entries(), strict=False
    ):
        found[place] = address
    if len(tables.constraints):
        from flexmbs.integrate.constraint_entries import constraint_entry

        found[calls.CONSTRAINTS_ENTRY] = constraint_entry.address
    return found
