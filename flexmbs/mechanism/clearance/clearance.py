"""What a joint with clearance is given, and the oil film of a lubricated one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact.contact_law import ContactLaw
from flexmbs.core.laws.friction.friction_law import ContactFriction
from flexmbs.mechanism.clearance.bore_profile import BoreProfile
from flexmbs.mechanism.geometry.rotations import as_number, as_positive
from flexmbs.mechanism.joint_type import DirectionLike


@dataclass(frozen=True)
class Clearance:
    """Play in a joint: its constraint gives way to contact between pin and bore, ball and socket, slider and rails.

    ``system.revolute(..., clearance=fm.Clearance(radial=..., law=...))``; also of spherical, prismatic and cylindrical
    joints. docs/clearance.md says which motions become free and which points touch.

    Parameters
    ----------
    radial : m, half the difference of the diameters; of a prismatic joint the distance of a centred slider from a rail
    law : what acts where surfaces touch: Hertz, LankaraniNikravesh, a class of one's own
    axial : m, of a revolute joint: how far the pin moves along its axis to either side until its shoulders touch; None:
        it is held
    length : m, of the pin in its bore, or of the slider, centred at the second marker; needed by tilting, wear and film
    radius : m, of the pin or ball; needed by tilting, friction, wear and film
    section : m, width of the slider between its rails, of a prismatic joint; two widths, across ``normal`` (or u) and
        along it (or v)
    normal : of a prismatic joint that moves in a plane (axes of the first marker): only rails across it have play;
        None: all four
    tilting : the pin may tilt in its bore, of revolute and cylindrical joints: both ends of the pin touch
    friction : law of friction at the points that touch; None: smooth
    film : :class:`JournalFilm`; None: dry
    profile : :class:`BoreProfile` of a worn bore; None: it is round
    offset, velocity : m and m/s, of the pin, ball or slider at the start, along the coordinates that play leaves free
        (u, v, w or x, y, z); none: centred, at rest

    MechanismError for numbers that are not positive, a law that is missing, and what does not fit together.
    """

    radial: float = math.nan
    law: ContactLaw | None = None
    axial: float | None = None
    length: float | None = None
    radius: float | None = None
    section: float | tuple[float, ...] | None = None
    normal: DirectionLike | None = None
    tilting: bool = False
    friction: ContactFriction | None = None
    film: JournalFilm | None = None
    profile: BoreProfile | None = None
    offset: Sequence[float] = ()
    velocity: Sequence[float] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.radial, str) and math.isnan(self.radial):
            also = " besides axial=" if self.axial is not None else ""
            raise MechanismError(f"clearance: radial= (m) is missing{also}: without it nothing holds the pin")
        if not isinstance(self.law, ContactLaw):
            raise MechanismError(
                f"clearance: law= must be a contact law, such as LankaraniNikravesh(stiffness, restitution), not {self.law!r}"
            )
        for name in ("radial", "axial", "length", "radius"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, as_positive(value, f"clearance: {name} (m)"))
        for name in ("offset", "velocity"):
            numbers = tuple(as_number(number, f"clearance: {name}") for number in getattr(self, name))
            object.__setattr__(self, name, numbers)
        for width in self.widths:
            as_positive(width, "clearance: section (m)")
        self._check_surfaces()

    @property
    def widths(self) -> tuple[float, ...]:
        """``section`` as a tuple, empty if there is none."""
        if self.section is None:
            return ()
        return tuple(self.section) if isinstance(self.section, Sequence) else (self.section,)

    def _check_surfaces(self) -> None:
        for name, kind in (("film", JournalFilm), ("profile", BoreProfile)):
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                raise MechanismError(f"clearance: {name}= must be a {kind.__name__}, not {value!r}")
        if self.film is not None and self.film.least_thickness >= self.radial:
            raise MechanismError(
                f"clearance: least_thickness of the film {self.film.least_thickness:g} m must be below the radial "
                f"clearance {self.radial:g} m"
            )

    @property
    def dry(self) -> float:
        """Eccentricity at which surfaces touch, m."""
        return self.radial - (0.0 if self.film is None else self.film.least_thickness)

    def needs(self, what: str, why: str, where: str) -> float:
        """A number that must have been given; MechanismError otherwise."""
        value = getattr(self, what)
        if value is None:
            raise MechanismError(f"{where}: clearance: {why} needs {what}= (m)")
        return float(value)


@dataclass(frozen=True)
class JournalFilm:
    """Oil film of a short journal bearing with cavitation (Ocvirk): flexmbs/core/laws/film/short_bearing.py.

    The film acts at any eccentricity. Where it becomes thinner than ``least_thickness``, the surfaces touch: the dry
    law of the clearance takes the depth below that thickness, and the film stays as stiff as it is there.

    Parameters
    ----------
    viscosity : Pa s, dynamic
    least_thickness : m, of the order of the roughness of both surfaces
    """

    viscosity: float
    least_thickness: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "viscosity", as_positive(self.viscosity, "film: viscosity (Pa s)"))
        object.__setattr__(self, "least_thickness", as_positive(self.least_thickness, "film: least_thickness (m)"))
