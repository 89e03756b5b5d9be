"""The oil film of a lubricated journal."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.core.laws.contact.law_numbers import checked_number


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
        checked_number(self.viscosity, "viscosity of a film", "Pa s")
        checked_number(self.least_thickness, "least_thickness of a film", "m")
