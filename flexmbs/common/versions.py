"""Versions of flexmbs, its sources, Python and the libraries that compute, as results and studies record them."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from flexmbs.common.errors import FlexmbsError

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


PACKAGE = Path(__file__).resolve().parent.parent


def source_digest(folders: tuple[str, ...]) -> str:
    """Hexadecimal hash (40 digits) of the names and contents of all Python files in folders of the package."""
    digest = hashlib.blake2b(digest_size=20)
    for folder in folders:
        found = (os.path.join(place, name) for place, _, names in os.walk(PACKAGE / folder) for name in names)
        for path in sorted(path for path in found if path.endswith(".py")):
            digest.update(path[len(str(PACKAGE)) + 1 :].replace(os.sep, "/").encode() + b"\0")
            with open(path, "rb", buffering=0) as file:
                digest.update(file.readall())
    return digest.hexdigest()


def require(library: str, purpose: str, error: type[FlexmbsError] = FlexmbsError, extra: str = "") -> None:
    """``error``, with the command that installs it (or an extra of flexmbs), if a library is missing."""
    if importlib.util.find_spec(library) is None:
        wanted = f'"flexmbs[{extra}]"' if extra else library
        raise error(f"{purpose} needs {library}, which is not installed: pip install {wanted}")
