"""The methods of integration, by name.

A new method is a file that ends in its ``METHOD`` (core.methods.method), one with its C functions, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable

from flexmbs.core.methods import bdf, explicit, generalised_alpha, radau
from flexmbs.core.methods.method import Method


def _radau() -> tuple[int, ...]:
    from flexmbs.core.methods.radau_entries import attempt_entry, history_entry

    return attempt_entry.address, history_entry.address


def _generalised_alpha() -> tuple[int, ...]:
    from flexmbs.core.methods.alpha_entries import attempt_entry, history_entry

    return attempt_entry.address, history_entry.address


def _bdf() -> tuple[int, ...]:
    from flexmbs.core.methods.bdf_entries import attempt_entry, history_entry

    return attempt_entry.address, history_entry.address


def _explicit() -> tuple[int, ...]:
    from flexmbs.core.methods.explicit_entries import attempt_entry, history_entry, intermediate_entry

    return attempt_entry.address, history_entry.address, intermediate_entry.address


METHODS = {method.name: method for method in (radau.METHOD, generalised_alpha.METHOD, bdf.METHOD, explicit.METHOD)}
_ENTRIES: dict[str, Callable[[], tuple[int, ...]]] = {
    "radau": _radau, "generalised_alpha": _generalised_alpha, "bdf": _bdf, "explicit": _explicit
}  # fmt: skip


def entries_of(method: Method) -> tuple[int, ...]:
    """Loads or compiles the C functions of a method; their addresses: attempt, history, intermediate rows if any."""
    return _ENTRIES[method.name]() if method.name in _ENTRIES else ()
