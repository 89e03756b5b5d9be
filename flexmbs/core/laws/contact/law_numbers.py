"""Checks of the numbers of contact laws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.errors import MechanismError

if TYPE_CHECKING:
    from flexmbs.mesh.properties import Material


def checked_number(
    value: object, name: str, unit: str = "", lowest: float = 0.0, *, above: bool = True, of: str = "contact law"
) -> float:
    """``value`` as a float; MechanismError unless it is finite and above ``lowest`` (or at least that)."""
    finite = isinstance(value, int | float | np.number) and not isinstance(value, bool) and math.isfinite(value)
    if not finite or value < lowest or above and value == lowest:
        bound = ("positive" if lowest == 0.0 else f"above {lowest:g}") if above else f"at least {lowest:g}"
        raise MechanismError(f"{of}: {name} {value!r}{unit and ' ' + unit} must be {bound}")
    return float(value)


def compliance_of(*materials: Material) -> float:
    """Sum of (1 - nu^2) / E of the materials that touch, 1/Pa; MechanismError for numbers that no material has."""
    for one in materials:
        if not (one.youngs_modulus > 0.0 and -1.0 < one.poisson_ratio < 0.5):
            numbers = f"E = {one.youngs_modulus:g} Pa, nu = {one.poisson_ratio:g}"
            raise MechanismError(f"contact law: material '{one.name}' has {numbers}; E > 0 and -1 < nu < 0.5 are required")
    return sum((1.0 - one.poisson_ratio**2) / one.youngs_modulus for one in materials)


def checked_restitution(value: object, *, zero: bool) -> float:
    """A coefficient of restitution; MechanismError outside 0 to 1, or at 0 where a law has no answer to it."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool) and 0.0 <= value <= 1.0
    if not good or value == 0.0 and not zero:
        bound = "between 0 and 1" if zero else "above 0 and at most 1"
        raise MechanismError(f"contact law: restitution {value!r} must be {bound}")
    return float(value)


def checked_choice(value: object, name: str, known: tuple[str, ...]) -> str:
    """One of the ``known`` words; MechanismError for others."""
    if value not in known:
        raise MechanismError(f"contact law: {name} {value!r} must be {' or '.join(map(repr, known))}")
    return str(value)
