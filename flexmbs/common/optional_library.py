"""Libraries that exports need and that not every installation has."""

from __future__ import annotations

import importlib.util

from flexmbs.common.errors import FlexmbsError


def require(library: str, purpose: str) -> None:
    """FlexmbsError, with the command that installs it, if a library is missing."""
    if importlib.util.find_spec(library) is None:
        raise FlexmbsError(f"{purpose} needs {library}, which is not installed: pip install {library}")
