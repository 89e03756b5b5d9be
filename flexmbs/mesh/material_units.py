"""Which usual units a modulus and a density are in, each judged by the values of metals and common plastics.

People mix units that no system has together: moduli in MPa with densities in g/cm3, in psi with lb/in3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_MODULUS, _DENSITY = 5e10, 4000.0  # Pa and kg/m3 of the usual material: between plastics and steel
_SOFTEST, _STIFFEST, _DENSITY_RANGE = -1.6, 1.1, 0.8  # decades around them that are at home in a unit
FAR_OFF = 2.6  # decades (root of the sum of squares) from the usual that no common engineering material has
_LIGHTEST = 0.1  # kg/m3; no material is lighter, aerogels weigh 1
METAL_DENSITY = 2000.0  # kg/m3; below it soft moduli are real, in the density's own system of units
_IN_NO_SYSTEM = ("g/cm3", "lb/in3")  # densities that go with no modulus of the list but dyn/cm2
_METRIC = ({"Pa": 1.0, "MPa": 1e6, "GPa": 1e9, "dyn/cm2": 0.1}, {"kg/m3": 1.0, "g/cm3": 1e3, "kg/mm3": 1e9, "t/mm3": 1e12})
_POUND, _INCH = 0.45359237, 0.0254
_PSI = _POUND * 9.80665 / _INCH**2
_IMPERIAL = ({"psi": _PSI, "ksi": 1e3 * _PSI}, {"lb/in3": _POUND / _INCH**3, "lbf s2/in4": _POUND * 9.80665 / _INCH**4})
# Pairs that are those of a system which has no name in read_mesh.
_SYSTEMS = {("dyn/cm2", "g/cm3"): "0.01,0.001,1"}


@dataclass(frozen=True)
class UnitPair:
    """Units of a modulus and a density by name, and the two in Pa and kg/m3.

    ``system`` : what ``read_mesh`` calls the system that has both, if that is one without a name; else empty
    """

    modulus_unit: str
    density_unit: str
    modulus: float
    density: float

    @property
    def names(self) -> str:
        """ "MPa and g/cm3"."""
        return f"{self.modulus_unit} and {self.density_unit}"

    @property
    def system(self) -> str:
        """See the class."""
        return _SYSTEMS.get((self.modulus_unit, self.density_unit), "")


def usual_units(modulus: float | None, density: float | None) -> UnitPair | None:
    """The units in which a modulus and a density are those of a usual material; None when there are none.

    Soft materials (rubber, foam) with a density in kg/m3 are no reason to doubt that the modulus is in Pa, and so on.
    """
    if modulus is None or density is None or not (modulus > 0.0 and density > 0.0):
        return None
    best, least = None, math.inf
    for moduli, densities in (_METRIC, _IMPERIAL):
        for modulus_unit, stress in moduli.items():
            for density_unit, mass in densities.items():
                pair = UnitPair(modulus_unit, density_unit, modulus * stress, density * mass)
                stiffer, denser = math.log10(pair.modulus / _MODULUS), math.log10(pair.density / _DENSITY)
                if not _SOFTEST <= stiffer <= _STIFFEST or abs(denser) > _DENSITY_RANGE:
                    continue
                if density_unit not in _IN_NO_SYSTEM and pair.density < METAL_DENSITY:
                    continue
                if abs(stiffer) + abs(denser) < least:
                    best, least = pair, abs(stiffer) + abs(denser)
    return best


def decades_off(modulus: float | None, density: float | None) -> float:
    """Decades by which a modulus (Pa) and a density (kg/m3) are off the usual material; None: not known."""
    stiffer = 0.0 if modulus is None else math.log10(modulus / _MODULUS)
    return math.hypot(stiffer, 0.0 if density is None else 2.0 * math.log10(density / _DENSITY))


def doubt_about_si(modulus: float, density: float) -> str | None:
    """What E and density look like when they can hardly be in Pa and kg/m3; None when they can, or look like nothing.

    A sentence's end: "look like MPa and t/mm3 (in SI: 2.1e+11 and 7850)".
    """
    if not (modulus > 0.0 and density > 0.0):
        return None
    if decades_off(modulus, density) <= FAR_OFF:
        return None
    pair = usual_units(modulus, density)
    if pair is None:
        return "look like other units" if density < _LIGHTEST else None
    return f"look like {pair.names} (in SI: {pair.modulus:g} and {pair.density:g})"
