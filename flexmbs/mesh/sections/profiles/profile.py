"""What a profile of an FE program is: names of its dimensions, and how they make a shape."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_properties import BeamSection
from flexmbs.mesh.sections.profiles.shapes import Shape

# Sizes whose fourth powers are still numbers.
_SMALLEST, _LARGEST = 1e-60, 1e60


@dataclass(frozen=True)
class Profile:
    """One profile.

    Attributes
    ----------
    names : str
        Names of the dimensions in the program's order, with blanks between. A name with "?" may be zero, one with
        "~" any number; the others must be positive.
    shape : dimensions -> Shape, or a BeamSection, or a function of Poisson's ratio that returns one
    optional : int
        So many of the last dimensions may be missing; they are then None.
    many : bool
        Any number of dimensions, which ``shape`` checks itself.
    lengths : bool
        All dimensions are lengths (and so are kept with the section, for display and for change of units).
    """

    names: str
    shape: Callable[..., Shape | BeamSection | Callable[[float], BeamSection]]
    optional: int = 0
    many: bool = False
    lengths: bool = True

    def checked(self, dimensions: tuple[float, ...]) -> tuple[float, ...]:
        """The dimensions that the profile has; MeshError when one is missing or impossible."""
        names = self.names.split()
        plain = [name.strip("?~") for name in names]
        if len(dimensions) < len(names) - self.optional:
            raise MeshError(f"{len(dimensions)} dimensions are given, {len(names) - self.optional} are needed: {', '.join(plain)}.")
        used = dimensions if self.many else dimensions[: len(names)]
        for number, value in enumerate(used):
            name = names[number] if number < len(names) else "~value"
            if not math.isfinite(value) or abs(value) > _LARGEST:
                raise MeshError(f"{name.strip('?~')} = {value:g} must be a finite number.")
            if "~" in name or ("?" in name and value == 0.0):
                continue
            if value < _SMALLEST:
                raise MeshError(f"{name.strip('?~')} = {value:g} must be positive.")
        return used


def require(**lengths: float) -> None:
    """MeshError when a length that follows from the dimensions is not positive; "__" in its name is a minus."""
    for name, value in lengths.items():
        if not value > 0.0:
            text = name.replace("__", " - ").replace("_", " ")
            raise MeshError(f"{text} = {value:g} must be positive.")
