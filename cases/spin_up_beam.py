"""A slender beam is spun up about one end: centrifugal forces must stiffen it.

After Kane, Ryan and Banerjee (1987) and Simo and Vu-Quoc (1987). The beam lies along x and turns about
z, without gravity.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import flexmbs as fm

ELEMENTS = 100
PLOTS = {
    "Spin": ("spin.angle.rate",),
    "Tip deflection": ("beam.tip.displacement.y",),
    "Tip extension": ("beam.tip.displacement.x",),
}


@dataclass(frozen=True)
class Parameters:
    length: float = fm.parameter(10.0, "m", "length")
    axial_rigidity: float = fm.parameter(2.8e7, "N", "EA")
    bending_rigidity: float = fm.parameter(1.4e4, "N m2", "EI")
    mass_per_length: float = fm.parameter(1.2, "kg/m", "mass per length")
    spin_rate: float = fm.parameter(6.0, "rad/s", "spin rate reached")
    spin_up_time: float = fm.parameter(15.0, "s", "time until the spin rate is reached")
    modes: int = fm.parameter(3, "", "bending modes in the plane of rotation")
    axial_modes: int = fm.parameter(0, "", "axial modes")
    geometric_stiffness: bool = fm.parameter(True, "", "include second-order displacements")
    t_end: float = fm.parameter(20.0, "s", "end time")
    rtol: float = fm.parameter(1e-7, "", "relative tolerance")
    atol: float = fm.parameter(1e-9, "", "absolute tolerance")


def spin_up(rate: float, duration: float):
    """Angle, rate and acceleration as functions of time: rate * (t/T - sin(2 pi t/T)/(2 pi)) until T, then constant."""
    k = 2.0 * pi / duration

    def angle(t):
        if t < duration:
            return rate / duration * (0.5 * t * t + (cos(k * t) - 1.0) / (k * k))
        return rate * (t - 0.5 * duration)

    def velocity(t):
        return rate / duration * (t - sin(k * t) / k) if t < duration else rate

    def acceleration(t):
        return rate / duration * (1.0 - cos(k * t)) if t < duration else 0.0

    return angle, velocity, acceleration


def build(p: Parameters) -> fm.System:
    """Beam on a hinge whose angle is prescribed."""
    section, material = fm.section_from_rigidities(
        p.axial_rigidity, p.bending_rigidity, p.bending_rigidity, p.bending_rigidity, p.mass_per_length
    )
    body = fm.reduce(
        fm.line_mesh(p.length, ELEMENTS, section, material),
        interfaces={"root": "ROOT", "tip": "TIP"},
        modes=fm.ClampedFree(at="root", bending=(p.modes, 0), axial=p.axial_modes),
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
        second_order="full" if p.geometric_stiffness else "none",
    )
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    beam = system.add(body, name="beam")
    axle = system.ground.marker("axle")
    spin = system.revolute(axle, beam["root"], axis="z", name="spin")
    spin.prescribe(*spin_up(p.spin_rate, p.spin_up_time))
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    time, deflection = result.extreme("beam.tip.displacement.y")
    return {
        "tip_deflection_extreme": deflection,
        "tip_deflection_extreme_time": time,
        "tip_deflection_end": result["beam.tip.displacement.y"][-1],
        "tip_extension_end": result["beam.tip.displacement.x"][-1],
    }
