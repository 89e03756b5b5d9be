"""What every force law is: a class with parameters, and two functions that compiled code calls by address.

A law acts on one scalar: a joint coordinate, the distance of two markers, or an angle between them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flexmbs.common.errors import MechanismError
from flexmbs.machine_code.entry import interface
from flexmbs.machine_code.signature import Floats


@interface
def law_force(parameters: Floats, x: float, rate: float, given: float) -> float:
    """Force (N or N m) along the coordinate ``x`` (m or rad), positive in its positive direction.

    ``rate`` of the coordinate; ``given``: present value of ``ForceLaw.given``, 0 without one.
    """


@interface
def law_energy(parameters: Floats, x: float) -> float:
    """Energy (J) stored at coordinate ``x`` (m or rad)."""


@dataclass(frozen=True)
class ReactionLoad:
    """``ForceLaw.given`` that is the reaction of the law's own joint, filtered by a ``lag`` (s).

    ``arm`` (1/m) times the moment transverse to the axis is added to the force.
    """

    lag: float
    arm: float


class ForceLaw(ABC):
    """Force as a function of a coordinate, of its rate and of one quantity (docs/adding_a_force_law.md).

    A subclass states its parameters and two functions of them; it can stand in a user's script.

    Attributes
    ----------
    kind : name of the law in descriptions and in the names of histories
    force : (parameters (n,), x, rate, given) -> N or N m. An entry of the core, or a static method
    energy : (parameters (n,), x) -> J, the potential of the force at rate 0; None: it stores none
    given : number, function of time or sensor that the force depends on, or a :class:`ReactionLoad`
    is_passive : whether it can only store and dissipate energy
    is_driven : whether ``given`` is what drives the mechanism (a motor), not a condition of the force (a normal load)
    """

    kind: str = "force"
    force: Callable[[Sequence[float], float, float, float], float]
    energy: Callable[[Sequence[float], float], float] | None = None
    given: Any = None
    is_passive: bool = False
    is_driven: bool = False

    @abstractmethod
    def parameters(self) -> Sequence[float]:
        """Any number of finite numbers for ``force`` and ``energy``, in their order."""


def check_parameter(what: str, value: Any, low: float = -math.inf, positive: bool = False) -> None:
    """MechanismError if a parameter is no finite number of at least ``low``, or not positive."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < low or (positive and number <= 0.0):
        bound = "positive" if positive else "a number" if low == -math.inf else f"at least {low:g}"
        raise MechanismError(f"{what} {value!r} must be {bound}")
