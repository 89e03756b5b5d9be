"""What every friction of contacts and joints is: a class with parameters, and a function called by address."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact.law_numbers import checked_number


class ContactFriction(ABC):
    """Friction as a function of the normal force and of the relative motion of two bodies at a contact point.

    A subclass states its parameters and one function; it can stand in a user's script (docs/contact.md). Joints take
    the same laws (``joint.friction``): their slip velocity is along the first axis of ``motion``.

    Attributes
    ----------
    force : (parameters (n,), normal_force (N), motion (9,), bristles (k,), out (6 + k,)), a static method that writes
        to ``out``: force (3, N) and moment (3, N m) on the first body at the contact point, then the rates of the
        bristles. ``motion``: slip velocity of the first body relative to the second (3, m/s), angular velocity
        likewise (3, rad/s), unit normal towards the first body (3)
    bristles : names of the states of the law, at most 6; none for a law without memory. They are unknowns of the run,
        are set to zero where a contact starts, and are held in the axes of the second marker
    bristle_size : typical size of a state, to which tolerances refer
    """

    force: Callable[..., None]
    bristles: tuple[str, ...] = ()
    bristle_size: float = 1.0

    @property
    def line_bristles(self) -> tuple[str, ...]:
        """The states that friction along a line needs (in a joint)."""
        return self.bristles

    @abstractmethod
    def parameters(self) -> tuple[float, ...]:
        """Any number of numbers for ``force``, in their order."""


@dataclass(frozen=True, kw_only=True)
class ResistingFriction(ContactFriction):
    """Friction that may also resist rolling and pivoting; all laws that come with flexmbs.

    Parameters
    ----------
    rolling : m, lever arm of the normal force: the moment rolling * normal force acts against rolling
    pivoting : m, radius at which the friction of the area in contact acts against turning about the normal (2/3 of the
        radius of a disc under even pressure, 3 pi / 16 of the radius of Hertz's area). Slip and turning share the
        friction: with both, (force / mu N)^2 + (moment / pivoting mu N)^2 = 1 (R. D. Howe and M. R. Cutkosky, Int. J.
        Robotics Research 15 (1996) 531)
    rolling_rate : rad/s, at which resistance to rolling has its full size
    """

    rolling: float = 0.0
    pivoting: float = 0.0
    rolling_rate: float = 0.01

    def __post_init__(self) -> None:
        checked(self.rolling, "rolling (m)", positive=False)
        checked(self.pivoting, "pivoting (m)", positive=False)
        checked(self.rolling_rate, "rolling_rate (rad/s)")

    def parameters(self) -> tuple[float, ...]:
        return float(self.rolling), float(self.pivoting), float(self.rolling_rate)


def checked(value: object, name: str, *, positive: bool = True) -> float:
    """A finite number that is positive, or at least 0; MechanismError for others."""
    return checked_number(value, name, above=positive, of="friction")


def checked_coefficients(static: object, kinetic: object) -> tuple[float, float]:
    """Static and kinetic coefficient; ``kinetic`` None: the same. MechanismError if negative or the wrong way round."""
    high = checked(static, "static coefficient", positive=False)
    low = high if kinetic is None else checked(kinetic, "kinetic coefficient", positive=False)
    if low > high:
        raise MechanismError(f"friction: the static coefficient {high:g} must not be below the kinetic one, {low:g}")
    return high, low
