"""What every contact law is: a class with parameters, and two functions that compiled code calls by address."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from flexmbs.machine_code.entry import interface
from flexmbs.machine_code.signature import Floats


@interface
def law_force(parameters: Floats, depth: float, rate: float) -> float:
    """Force (N) at penetration ``depth`` >= 0 (m) that grows at ``rate`` (m/s)."""


@interface
def law_energy(parameters: Floats, depth: float) -> float:
    """Elastic energy (J) at penetration ``depth`` >= 0 (m)."""


class ContactLaw(ABC):
    """Contact force as a function of penetration and its rate.

    A subclass states its parameters and two functions of them; it can stand in a user's script
    (docs/adding_a_contact_law.md).

    Attributes
    ----------
    force : (parameters (n,), depth (m), rate (m/s)) -> N. Zero at zero depth for every rate: contacts start and end
        there. Static method, or an entry of the core.
    energy : (parameters (n,), depth (m)) -> J: integral of the force over the depth at rate 0
    """

    force: Callable[[Sequence[float], float, float], float]
    energy: Callable[[Sequence[float], float], float]

    @abstractmethod
    def parameters(self) -> tuple[float, ...]:
        """Any number of numbers for ``force`` and ``energy``, in their order."""
