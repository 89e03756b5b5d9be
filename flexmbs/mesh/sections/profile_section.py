"""Beam sections from the profiles of FE programs: ``profile_section``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.properties import BeamSection
from flexmbs.mesh.sections.beam_sections import unit_direction
from flexmbs.mesh.sections.profiles import FAMILIES, Profile
from flexmbs.mesh.sections.section_constants import Shape, section_constants

_LINES = ("origin", "centroid", "shear center")
_LINE_OF_FAMILY = {"abaqus": "origin", "calculix": "origin", "nastran": "centroid", "ansys": "centroid"}


def profile_section(
    family: str,
    profile: str,
    dimensions: Sequence[float],
    y_axis: Sequence[float] = (0.0, 1.0, 0.0),
    poisson_ratio: float = 0.3,
    where: str = "",
    line: str | None = None,
) -> BeamSection:
    """The beam section that an FE program derives from the name and dimensions of a profile.

    Circles, rings, ellipses and rectangles by closed forms; all other shapes by exact integrals over their straight
    edges and, for torsion and shear, by finite elements (``section_constants``; right to 0.1 %). FE programs take
    approximations for thin walls there, which differ by a few percent for thick ones.

    Parameters
    ----------
    family : "abaqus", "calculix", "nastran" or "ansys"
    profile : the program's name of the shape ("RECT", "TUBE2", "HREC"), upper or lower case
    dimensions : in the program's order; more than the profile has are left out (Ansys: numbers of cells)
    y_axis : direction, in mesh coordinates, of the profile's first axis: Abaqus n1, element y of Nastran, section y
        of Ansys
    poisson_ratio : for the shear factors of circles and rings (Cowper)
    where : file, line and card, the beginning of messages
    line : what of the section lies on the line of the element: its "origin" (Abaqus, CalculiX; default there), its
        "centroid" (PBARL, Ansys; default there) or its "shear center" (PBEAML). Sections of Ansys and of PBEAML have
        their ``shear_center``; the others are taken to have it at the centroid, as their programs do

    Raises
    ------
    MeshError
        Unknown profile; too few dimensions; dimensions that make no shape.
    """
    line = _LINE_OF_FAMILY[family] if line is None else line
    if line not in _LINES:
        raise ValueError(f"line = {line!r}; it must be one of {', '.join(_LINES)}.")
    name = _known_name(FAMILIES[family], str(profile).strip().upper())
    known = FAMILIES[family].get(name)
    start = f"{where}: " if where else ""
    if known is None:
        raise MeshError(f"{start}profile {profile} is unknown. {near_names(name, FAMILIES[family])}")
    try:
        used = known.checked(tuple(float(value) for value in dimensions))
        section = _made(known, used, float(poisson_ratio), line)
        direction = unit_direction(y_axis)
    except MeshError as error:
        raise MeshError(f"{start}profile {name}: {error}") from None
    if not (line == "shear center" or family == "ansys"):
        section = replace(section, shear_center=(0.0, 0.0))
    kept = used if known.lengths else ()
    return replace(section, y_axis=direction, profile=name, dimensions=kept, where=where)


def _known_name(profiles: dict[str, Profile], name: str) -> str:
    """The profile with this name but for blanks, or that a longer name begins with (RECTANGULAR), else the name.

    Ansys abbreviates names to four letters (CSOL, CTUB).
    """
    plain = {known.replace(" ", ""): known for known in profiles}
    joined = name.replace(" ", "")
    if joined in plain:
        return plain[joined]
    longer = (known for key, known in plain.items() if len(key) > 3 and joined.startswith(key))
    return next(longer, next((known for key, known in plain.items() if len(joined) == 4 and key.startswith(joined)), name))


@lru_cache(maxsize=2000)
def _made(profile: Profile, dimensions: tuple[float, ...], poisson_ratio: float, line: str) -> BeamSection:
    made = profile.made(dimensions, poisson_ratio)
    section = section_constants(made) if isinstance(made, Shape) else made
    if not min(section.area, section.Iy, section.Iz, section.torsion_constant) > 0.0:
        raise MeshError("its area, moments of inertia and torsion constant are not all positive; check its dimensions.")
    if line == "origin":
        return section
    y, z = section.shear_center
    return replace(section, centroid=(0.0, 0.0) if line == "centroid" else (-y, -z))
