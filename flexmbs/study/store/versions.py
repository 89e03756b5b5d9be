"""With what the runs of a study are computed: versions, and a hash of the sources."""

from __future__ import annotations

from functools import cache

from flexmbs.common.versions import library_versions, source_digest
from flexmbs.fem.solvers.factor import chosen_solver

#: Packages of flexmbs that determine results; showing them, commands and the bookkeeping of studies do not.
_DETERMINING = (
    "analysis",
    "case",
    "common",
    "core",
    "fem",
    "interop",
    "machine_code",
    "mechanism",
    "mesh",
    "model",
    "reduction",
    "result",
)


@cache
def sources_digest() -> str:
    """Hash of the sources of flexmbs that determine results, as this process found them first."""
    return source_digest(_DETERMINING)


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    found = {**library_versions(), "sources": sources_digest(), "solver": chosen_solver()}
    return tuple(sorted(found.items()))


def current_versions() -> dict[str, str]:
    """Name -> version of flexmbs, its sources (a hash), Python, libraries and the sparse solver in this process."""
    return dict(_versions())
