"""Versions of flexmbs, of Python and of the libraries that compute, as results and studies record them."""

from __future__ import annotations

import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version

LIBRARIES = ("flexmbs", "numpy", "scipy", "numba")


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    return ("python", platform.python_version()), *((library, _version(library)) for library in LIBRARIES)


def library_versions() -> dict[str, str]:
    """Name -> version in this process."""
    return dict(_versions())


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:  # run from a folder of sources
        return str(getattr(sys.modules.get(library), "__version__", "not installed"))
