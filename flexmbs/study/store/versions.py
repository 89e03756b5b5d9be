"""With what the runs of a study are computed: versions, and a hash of the sources."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from flexmbs.common.source_digest import source_digest
from flexmbs.fem.solvers.factor import chosen_solver

#: Packages of flexmbs that determine results; showing them, commands and the bookkeeping of studies do not.
_DETERMINING = (
    "analysis", "case", "common", "core", "fem", "interop", "machine_code", "mechanism", "mesh", "model", "reduction",
    "result",
)  # fmt: skip
_LIBRARIES = ("flexmbs", "numpy", "scipy", "numba")


@cache
def sources_digest() -> str:
    """Hash of the sources of flexmbs that determine results, as this process found them first."""
    return source_digest(_DETERMINING)


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    found = [("python", platform.python_version()), ("sources", sources_digest()), ("solver", chosen_solver())]
    for library in _LIBRARIES:
        try:
            found.append((library, version(library)))
        except PackageNotFoundError:  # run from a folder of sources
            found.append((library, "not installed"))
    return tuple(sorted(found))


def current_versions() -> dict[str, str]:
    """Name -> version of flexmbs, its sources (a hash), Python, libraries and the sparse solver in this process."""
    return dict(_versions())
