"""What every contact law is: a class with parameters, and functions that compiled code calls by address."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from flexmbs.machine_code.entry import interface
from flexmbs.machine_code.signature import Floats

ZERO_DEPTH, ZERO_FORCE = SEPARATIONS = "zero depth", "zero force"


@interface
def plain_force(parameters: Floats, depth: float, rate: float) -> float:
    """Force (N) at penetration ``depth`` >= 0 (m) that grows at ``rate`` (m/s)."""


@interface
def plain_energy(parameters: Floats, depth: float) -> float:
    """Elastic energy (J) at penetration ``depth`` >= 0 (m)."""


@interface
def law_force(parameters: Floats, history: Floats, depth: float, rate: float) -> float:
    """:func:`plain_force` of a law that remembers something."""


@interface
def law_energy(parameters: Floats, history: Floats, depth: float) -> float:
    """:func:`plain_energy` of a law that remembers something."""


@interface
def law_begin(parameters: Floats, history: Floats, speed: float, mass: float) -> None:
    """Set ``history`` at the onset: bodies approach at ``speed`` (m/s) with an effective ``mass`` (kg)."""


@interface
def law_update(parameters: Floats, history: Floats, depth: float, rate: float) -> None:
    """Renew ``history`` at the end of a step."""


class ContactLaw(ABC):
    """Contact force as a function of penetration and its rate.

    A subclass states its parameters and two functions of them; it can stand in a user's script
    (docs/adding_a_contact_law.md). All functions are static methods, or entries of the core.

    A law that depends on more than depth and rate names the numbers that it remembers in ``history``. They belong to
    one contact, are set where it starts, and are part of saved states. Its functions take them behind the parameters.

    Attributes
    ----------
    force : (parameters (n,), depth (m), rate (m/s)) -> N. Zero at zero depth for every rate unless ``jumps``; with a
        history (parameters, history (k,), depth, rate)
    energy : (parameters (n,), depth (m)) -> J: integral of the force over the depth at rate 0; with a history
        (parameters, history, depth)
    history : names of what the law remembers of a contact; none for most laws
    begin : (parameters, history, speed (m/s), mass (kg)): writes to ``history`` where a contact starts, from the
        approach speed and the effective mass of the bodies along the normal, 1 / (G M^-1 G^T)
    update : (parameters, history, depth, rate), or None: writes to ``history`` at the end of each step
    separation : where a contact ends. "zero depth" (default); "zero force": as soon as the law would pull. What is
        left of the penetration then exerts no force, unless the bodies approach again
    is_rigid : no force but constraints (``fm.Rigid``)
    per_area : the law gives a pressure (Pa), for surfaces that touch at many points, in place of a force
    jumps : the force at zero depth need not vanish (a viscous damper): it sets in, and may end, with a jump
    """

    force: Callable[..., float]
    energy: Callable[..., float]
    history: tuple[str, ...] = ()
    begin: Callable[..., None] | None = None
    update: Callable[..., None] | None = None
    separation: str = ZERO_DEPTH
    jumps: bool = False
    per_area: bool = False
    is_rigid: bool = False

    @abstractmethod
    def parameters(self) -> tuple[float, ...]:
        """Any number of numbers for ``force`` and ``energy``, in their order."""
