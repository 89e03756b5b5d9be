"""Checks of sizes."""

from __future__ import annotations

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.geometry.rotations import as_number


def positive(value: float, what: str) -> float:
    """A finite number above zero, or MechanismError."""
    number = as_number(value, what)
    if number <= 0.0:
        raise MechanismError(f"{what}: {number:g} must be positive")
    return number
