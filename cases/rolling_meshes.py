"""Two steel rollers with an elastic tread roll on each other: flexible bodies from meshes, surface against surface.

The lower roller turns at a constant speed, the upper one is pressed on it and braked. The tread is an elastic
foundation (K. L. Johnson, Contact Mechanics, 1985, sec. 4.3): pressure k d, so that a load F on rollers of width L and
relative radius R, 1/R = 1/R1 + 1/R2, opens a patch of half width b with F = 2/3 k L b^3 / R. Where the rollers deform
too, the patch is wider. With full slip the friction is mu F; below it the brake torque decides it, and the upper roller
creeps.

With the default divisions each roller has about 20,000 nodes on its surface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm

UNITS = {"normal_force": "N", "friction_force": "N", "creepage": "", "half_width": "m"}
PLOTS = {"Contact": ("tread.force",), "Approach": ("tread.gap",)}


@dataclass(frozen=True)
class Parameters:
    inner_radius: float = fm.parameter(0.05, "m", "radius of the bore of each roller")
    outer_radius: float = fm.parameter(0.1, "m", "outer radius of each roller")
    width: float = fm.parameter(0.04, "m", "width of each roller")
    radial: int = fm.parameter(2, "", "elements through the rim", minimum=1)
    around: int = fm.parameter(208, "", "elements around", minimum=12)
    along: int = fm.parameter(14, "", "elements along the axis", minimum=1)
    modes: int = fm.parameter(20, "", "modes of each roller", minimum=1)
    youngs_modulus: float = fm.parameter(210e9, "Pa", "of the rollers")
    density: float = fm.parameter(7850.0, "kg/m3", "of the rollers")
    damping: float = fm.parameter(0.05, "", "damping ratio of the modes")
    foundation: float = fm.parameter(8e9, "N/m3", "pressure per depth of the tread")
    foundation_damping: float = fm.parameter(2.0, "s/m", "damping of the tread")
    load: float = fm.parameter(2000.0, "N", "that presses the upper roller on the lower one")
    torque: float = fm.parameter(20.0, "N m", "that brakes the upper roller", minimum=0.0)
    friction: float = fm.parameter(0.3, "", "coefficient of friction")
    transition: float = fm.parameter(0.05, "m/s", "slip at which friction is fully developed")
    speed: float = fm.parameter(20.0, "rad/s", "angular speed of the lower roller")
    t_end: float = fm.parameter(0.04, "s", "end time")
    rtol: float = fm.parameter(1e-4, "", "relative tolerance")
    atol: float = fm.parameter(1e-8, "", "absolute tolerance")


def roller(p: Parameters) -> fm.FlexibleBody:
    material = fm.Material("steel", p.youngs_modulus, 0.3, p.density)
    mesh = fm.ring_mesh(p.inner_radius, p.outer_radius, p.width, (p.radial, p.around, p.along), material)
    return fm.reduce(
        mesh,
        interfaces={"hub": fm.Interface("BORE", kind="rigid")},
        modes=fm.ClampedFree(at="hub", count=p.modes),
        name="roller",
        second_order="none",
        damping=p.damping,
    )


def approach(p: Parameters) -> float:
    """Depth of rigid rollers under the load, m: b^2 = 2 R d."""
    return half_width(p) ** 2 / p.outer_radius


def half_width(p: Parameters) -> float:
    """Of the patch of rigid rollers, m."""
    relative = 0.5 * p.outer_radius
    return float((1.5 * p.load * relative / (p.foundation * p.width)) ** (1.0 / 3.0))


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body = roller(p)
    lower, upper = system.add(body, "lower"), system.add(body, "upper")
    drive = system.revolute(system.ground.marker("bearing"), lower["hub"], axis="z", name="drive")
    drive.prescribe(rate=p.speed)
    carriage = system.add(fm.RigidBody(1.0, (1e-3, 1e-3, 1e-3)), "carriage")
    height = 2.0 * p.outer_radius + 1e-7
    press = system.prismatic(system.ground.marker("guide"), carriage["origin"], "y", displacement=height, name="press")
    stiffness = 2.0 * half_width(p) * p.width * p.foundation
    mass = body.mass + 1.0
    press.spring(damping=1.4 * float(np.sqrt(stiffness * mass)), preload=p.load)
    follow = system.revolute(carriage["origin"], upper["hub"], axis="z", rate=-p.speed, name="follow")
    follow.spring(preload=-p.torque)
    surfaces = (fm.BodySurface(part, lambda x: np.hypot(x[:, 0], x[:, 1]) > 0.999 * p.outer_radius) for part in (upper, lower))
    system.contact(
        *surfaces,
        law=fm.ElasticFoundation(p.foundation, p.foundation_damping),
        friction=fm.Coulomb(p.friction, transition=p.transition),
        name="tread",
    )
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Means over the second half of the run; the patch at its end."""
    late = result.t >= 0.5 * result.t[-1]
    slip = p.speed + result["follow.angle.rate"][late]  # of upper relative to lower, both with the same radius
    patch = fm.contact_pressure(build(p), result, "tread", float(result.t[-1]))
    return {
        "normal_force": float(np.mean(result["tread.force"][late])),
        "friction_force": float(np.mean(result["tread.friction"][late])),
        "creepage": float(np.mean(slip) / p.speed),
        "half_width": 0.5 * patch.area / p.width,
        "half_width_of_rigid_rollers": half_width(p),
        "patch_area": patch.area,
        "contact_points": len(patch.points),
    }
