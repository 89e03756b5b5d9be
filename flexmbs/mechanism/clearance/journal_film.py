"""The oil film of a lubricated journal."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.mechanism.geometry.rotations import as_positive


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
