"""Libraries that evaluations need and that not every installation has."""

from __future__ import annotations

import importlib.util

from flexmbs.common.errors import StudyError


def require(library: str, purpose: str) -> None:
    """StudyError, with the command that installs it, if a library is missing."""
    if importlib.util.find_spec(library) is None:
        raise StudyError(f'{purpose} needs {library}, which is not installed: pip install "flexmbs[studies]"')
