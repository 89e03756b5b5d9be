"""Flap and chord frequencies of a beam that rotates at constant speed.

Definition as in Wright et al. (1982) and Yoo and Shin (1998): uniform inextensible Euler-Bernoulli beam without rotary
inertia, clamped to a hub; frequencies and spin are in units of sqrt(EI / (rho A L^4)). Flap is along the axis of
rotation, chord in the plane of rotation.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import flexmbs as fm

ELEMENTS = 120
AXIAL_RIGIDITY = 1e6  # no axial modes: its value does not matter


@dataclass(frozen=True)
class Parameters:
    gamma: float = fm.parameter(6.0, "", "dimensionless spin, Omega L^2 sqrt(rho A / EI)")
    hub_ratio: float = fm.parameter(0.0, "", "radius of the hub divided by the length")
    modes: int = fm.parameter(12, "", "bending modes in each plane considered")


def build(p: Parameters, bending: tuple[int, int]) -> fm.System:
    """Beam of unit length, rigidity and mass on a hub that turns at the rate gamma about z."""
    section, material = fm.section_from_rigidities(AXIAL_RIGIDITY, 1.0, 1.0, 1.0, 1.0)
    body = fm.reduce(
        fm.line_mesh(1.0, ELEMENTS, section, material),
        interfaces={"root": "ROOT"},
        modes=fm.ClampedFree(at="root", bending=bending),
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
    )
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    hub = system.add(fm.RigidBody(mass=1.0, inertia=(1.0, 1.0, 1.0)), name="hub")
    beam = system.add(body, name="beam")
    gamma = p.gamma
    spin = system.revolute(system.ground.marker("axle"), hub["origin"], axis="z", rate=gamma, name="spin")
    spin.prescribe(lambda t: gamma * t, lambda t: gamma, lambda t: 0.0)
    system.fixed(hub.marker("rim", position=(p.hub_ratio, 0.0, 0.0)), beam["root"], name="root")
    return system


def analyse(p: Parameters) -> dict[str, object]:
    """Linearise about the spinning beam, once for each plane (they are not coupled)."""
    planes = {"flap": (0, p.modes), "chord": (p.modes, 0)}
    found = {name: build(p, bending).linearize().frequencies for name, bending in planes.items()}
    return {name: [2.0 * pi * frequency for frequency in values[:5]] for name, values in found.items()}
