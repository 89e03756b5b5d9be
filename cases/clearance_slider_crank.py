"""A slider-crank with play in the joint between rod and slider.

Ravn, Multibody System Dynamics 2 (1998) 1-24; Flores, Ambrosio and Claro, Multibody System Dynamics 12 (2004) 47-74:
a crank at constant speed, no gravity and no friction, the journal centred at the start, contact by the law of
Lankarani and Nikravesh. The motion is chaotic after a few contacts: figures of single contacts are good for the first
three, counts and extremes over a turn are those of one such motion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, sqrt

import numpy as np

import flexmbs as fm

CONTACTS = 8  # of which there are figures
IN_FILES = {
    "crank": "crank",
    "rod": "rod",
    "m_rod": "rod_mass",
    "J_rod": "rod_inertia",
    "m_slider": "slider_mass",
    "rpm": "speed",
    "clearance": "clearance",
    "restitution": "restitution",
    "E": "youngs_modulus",
    "nu": "poisson_ratio",
    "R_bearing": "bearing_radius",
    "R_journal": "journal_radius",
    "K": "stiffness",
}
UNITS = {"slider_acceleration_max": "m/s2", "crank_torque_max": "N m", "first_contact_time": "s", "first_peak_force": "N"}
PLOTS = {
    "Slider": ("guide.displacement.acceleration",),
    "Crank": ("shaft.angle.driving_force",),
    "Pin": ("pin.force",),
    "Eccentricity": ("pin.u", "pin.v"),
    "Phase": ("pin.phase",),
}


@dataclass(frozen=True)
class Parameters:
    crank: float = fm.parameter(0.05, "m", "length of the crank")
    rod: float = fm.parameter(0.12, "m", "length of the rod")
    rod_mass: float = fm.parameter(0.21, "kg", "mass of the rod, at its middle")
    rod_inertia: float = fm.parameter(2.5e-4, "kg m2", "inertia of the rod about its middle")
    slider_mass: float = fm.parameter(0.14, "kg", "mass of the slider")
    speed: float = fm.parameter(5000.0, "rev/min", "speed of the crank")
    clearance: float = fm.parameter(5e-4, "m", "radial clearance of the pin in the slider", minimum=1e-9)
    restitution: float = fm.parameter(0.9, "", "restitution", minimum=0.0, maximum=1.0)
    youngs_modulus: float = fm.parameter(207e9, "Pa", "Young's modulus of pin and slider")
    poisson_ratio: float = fm.parameter(0.3, "", "Poisson's ratio of both")
    bearing_radius: float = fm.parameter(0.01, "m", "radius of the bearing")
    journal_radius: float = fm.parameter(0.0095, "m", "radius of the journal")
    stiffness: float | None = fm.parameter(None, "N/m^1.5", "K; none: of two spheres of these radii")
    parameters: str | None = fm.parameter(None, "", "JSON file with values of the folder clearance_slider_crank")
    t_end: float | None = fm.parameter(None, "s", "end time; none: one turn of the crank")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")
    atol: float = fm.parameter(1e-14, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters; fill in what follows from others."""
    p = fm.with_parameter_file(p, IN_FILES)
    if p.stiffness is None:
        p = replace(p, stiffness=sphere_stiffness(p))
    return p if p.t_end is not None else replace(p, t_end=60.0 / p.speed)


def sphere_stiffness(p: Parameters) -> float:
    """K of two spheres by Hertz, N/m^1.5, as the publications take it: 2/3 E / (1 - nu^2) sqrt(R1 R2 / (R1 + R2))."""
    radius = p.bearing_radius * p.journal_radius / (p.bearing_radius + p.journal_radius)
    return 2.0 / 3.0 * p.youngs_modulus / (1.0 - p.poisson_ratio**2) * sqrt(radius)


def build(p: Parameters, ideal: bool = False) -> fm.System:
    """``ideal``: without clearance."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    crank = system.add(bar(1.0, 1e-4, p.crank, 0.5 * p.crank), name="crank")  # at constant speed: its inertia is idle
    rod = system.add(bar(p.rod_mass, p.rod_inertia, p.rod, 0.0), name="rod")
    block = fm.RigidBody.box(1.0, (0.03, 0.02, 0.02))
    slider = system.add(fm.RigidBody(p.slider_mass, (1e-4,) * 3, surface=block.surface), name="slider")
    shaft = system.revolute(system.ground.marker("shaft"), crank["origin"], name="shaft")
    shaft.prescribe(rate=p.speed * pi / 30.0)
    half = 0.5 * p.rod
    system.revolute(crank.marker("pin", (p.crank, 0.0, 0.0)), rod.marker("big_end", (-half, 0.0, 0.0)), name="crank_pin")
    system.prismatic(system.ground.frame, slider["origin"], displacement=p.crank + p.rod, name="guide")
    play = fm.Clearance(radial=p.clearance, law=fm.LankaraniNikravesh(p.stiffness, p.restitution))
    small_end = rod.marker("small_end", (half, 0.0, 0.0))
    system.revolute(slider["origin"], small_end, name="pin", clearance=None if ideal else play)
    return system


def bar(mass: float, inertia: float, length: float, middle: float) -> fm.RigidBody:
    """A bar along x about the point ``middle``."""
    shape = fm.RigidBody.box(1.0, (length, 0.01, 0.01), (middle, 0.0, 0.0))
    return fm.RigidBody(mass, (inertia,) * 3, surface=shape.surface)


def ideal_figures(p: Parameters) -> dict[str, float]:
    """Without clearance, over a turn."""
    turn = 60.0 / p.speed
    result = build(p, ideal=True).simulate(turn, rtol=1e-10, atol=1e-12, max_step=turn / 4000.0, progress=False)
    force = [result[f"pin.reaction.force.{axis}"] for axis in "xyz"]
    return {
        "max_abs_slider_acc": abs(result.extreme("guide.displacement.acceleration")[1]),
        "max_abs_crank_torque": abs(result.extreme("shaft.angle.driving_force")[1]),
        "max_pin_force": float(np.linalg.norm(force, axis=0).max()),
    }


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Of this run, and under the names of the reference: ``K_flores``, ``ideal_joint``."""
    contacts = [contact for contact in result.contacts if contact.end == contact.end]
    first = contacts[0] if contacts else None
    acceleration = abs(result.extreme("guide.displacement.acceleration")[1])
    rows = [{"t0": c.start, "t1": c.end, "v_in": c.approach_speed, "F_peak": c.peak_force} for c in contacts[:CONTACTS]]
    return {
        "first_contact_time": first and first.start,
        "first_peak_force": first and first.peak_force,
        "slider_acceleration_max": acceleration,
        "crank_torque_max": abs(result.extreme("shaft.angle.driving_force")[1]),
        "contact_count": len(result.contacts),
        "K_flores": {
            "K": p.stiffness,
            "n_contacts_first_rev": sum(contact.start < 60.0 / p.speed for contact in result.contacts),
            "first_contacts": rows,
            "max_abs_slider_acc": acceleration,
            "max_pen_ecc": p.clearance + max((contact.max_depth for contact in result.contacts), default=0.0),
        },
        "ideal_joint": ideal_figures(p),
    }
