"""A pair of flexible spur gears from meshes: the pinion turns slowly, the gear is loaded by a torque.

The teeth touch with their involute flanks: integration points of the pinion's against the faces of the gear's. The
pressure of a point is that of an elastic foundation, which stands for the local flattening; bending of teeth, rim and
web is that of the modes: some of the body held at its bore, and static responses to patterns of pressure on the flanks
that mesh. The loaded transmission error along the line of action is  r_b1 phi_1 - r_b2 phi_2,  and the mesh stiffness
the normal force over that, per width. ISO 6336-1 (2019) puts the mean mesh stiffness of steel gears near
20 N/(mm um) = 2e10 N/m2 and that of one pair of teeth near 14 N/(mm um).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, pi, radians

import numpy as np

import flexmbs as fm

UNITS = {
    "mesh_stiffness": "N/m2",
    "mesh_stiffness_least": "N/m2",
    "mesh_stiffness_most": "N/m2",
    "transmission_error": "m",
    "transmission_error_peak_to_peak": "m",
}
PLOTS = {"Mesh": ("mesh.force",), "Speeds": ("pinion shaft.angle.rate", "gear shaft.angle.rate")}


@dataclass(frozen=True)
class Parameters:
    pinion_teeth: int = fm.parameter(20, "", "teeth of the pinion", minimum=5)
    gear_teeth: int = fm.parameter(30, "", "teeth of the gear", minimum=5)
    module: float = fm.parameter(4e-3, "m", "module")
    width: float = fm.parameter(20e-3, "m", "width of both gears")
    pressure_angle: float = fm.parameter(20.0, "deg", "pressure angle")
    backlash: float = fm.parameter(50e-6, "m", "by which teeth are thinner on the pitch circle than half a pitch")
    bore: float = fm.parameter(0.5, "", "radius of the bores over that of the pitch circles")
    youngs_modulus: float = fm.parameter(206e9, "Pa", "Young's modulus")
    poisson_ratio: float = fm.parameter(0.3, "", "Poisson's ratio")
    density: float = fm.parameter(7850.0, "kg/m3", "density")
    tooth_elements: int = fm.parameter(4, "", "elements across a tooth", minimum=1)
    flank_elements: int = fm.parameter(6, "", "elements along a flank", minimum=1)
    width_elements: int = fm.parameter(2, "", "elements along the width", minimum=1)
    modes: int = fm.parameter(6, "", "modes of each gear held at its bore", minimum=1)
    patterns: int = fm.parameter(
        2, "", "patterns of pressure on each flank beyond three linear ones; -1: no static modes", minimum=-1
    )
    points: int = fm.parameter(12, "", "integration points along each edge of a face", minimum=1)
    quasi_static: float = fm.parameter(1e3, "Hz", "above which modes follow their load without inertia")
    foundation: float = fm.parameter(2e14, "N/m3", "pressure per depth of the flanks: local flattening")
    torque: float = fm.parameter(200.0, "N m", "on the gear")
    bearing_damping: float = fm.parameter(5.0, "N m s/rad", "of the gear's shaft, against vibration of the mesh")
    speed: float = fm.parameter(2.0, "rad/s", "angular speed of the pinion")
    run_up: float = fm.parameter(0.02, "s", "in which torque and speed rise")
    pitches: float = fm.parameter(0.7, "", "pitches that are measured after the run-up", minimum=0.0)
    t_end: float | None = fm.parameter(None, "s", "end time; none: the pitches after the run-up")
    rtol: float = fm.parameter(1e-4, "", "relative tolerance")
    atol: float = fm.parameter(1e-10, "", "absolute tolerance")


def base_radius(teeth: int, p: Parameters) -> float:
    return 0.5 * p.module * teeth * cos(radians(p.pressure_angle))


def meshing(p: Parameters) -> tuple[list[int], list[int]]:
    """Teeth of pinion and gear whose left flanks touch one after the other."""
    count = int(np.ceil(p.pitches)) + 3
    return [(1 - k) % p.pinion_teeth for k in range(count)], [(k - 2) % p.gear_teeth for k in range(count)]


def wheel(teeth: int, flanks: list[int], name: str, p: Parameters) -> tuple[fm.FlexibleBody, fm.Mesh]:
    steel = fm.Material("steel", p.youngs_modulus, p.poisson_ratio, p.density)
    divisions = fm.GearDivisions(tooth=p.tooth_elements, flank=p.flank_elements, width=p.width_elements)
    mesh = fm.spur_gear_mesh(
        teeth,
        p.module,
        p.width,
        p.bore * 0.5 * p.module * teeth,
        steel,
        backlash=p.backlash,
        pressure_angle=radians(p.pressure_angle),
        divisions=divisions,
    )
    patches = {f"flank {k}": fm.Patch(set=f"LEFT {k}", count=p.patterns) for k in flanks}
    static = fm.StaticModes(patches=patches) if p.patterns >= 0 else None
    body = fm.reduce(
        mesh,
        interfaces={"hub": fm.Interface("BORE", kind="rigid")},
        name=name,
        second_order="none",
        modes=fm.ClampedFree(at="hub", count=p.modes, static=static),
    )
    return body, mesh


def flanks_of(part, mesh: fm.Mesh, teeth: list[int], points: int) -> fm.BodySurface:
    """The left flanks of some teeth."""
    nodes = np.unique(np.concatenate([mesh.node_sets[f"LEFT {k}"] for k in teeth]))
    return fm.BodySurface(part, mesh.node_ids[nodes], points=points)


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    first, second = meshing(p)
    (pinion_body, pinion_mesh), (gear_body, gear_mesh) = (
        wheel(p.pinion_teeth, first, "pinion", p),
        wheel(p.gear_teeth, second, "gear", p),
    )
    pinion, gear = (
        system.add(body, name, high_modes=fm.QuasiStatic(above=p.quasi_static))
        for body, name in ((pinion_body, "pinion"), (gear_body, "gear"))
    )
    distance = 0.5 * p.module * (p.pinion_teeth + p.gear_teeth)
    drive = system.revolute(system.ground.marker("pinion bearing"), pinion["hub"], axis="z", name="pinion shaft")
    drive.prescribe(fm.Ramp(0.0, p.run_up, p.speed))
    bearing = system.ground.marker("gear bearing", position=(distance, 0.0, 0.0), rotation=(0.0, 0.0, half_turn(p)))
    shaft = system.revolute(bearing, gear["hub"], axis="z", angle=play(p) - 1e-6 / base_radius(p.gear_teeth, p), name="gear shaft")
    shaft.spring(damping=p.bearing_damping)
    system.torque(gear["hub"], (0.0, 0.0, fm.Step(0.0, p.run_up, 0.0, p.torque)))
    system.contact(
        flanks_of(pinion, pinion_mesh, first, p.points),
        flanks_of(gear, gear_mesh, second, 1),
        law=fm.ElasticFoundation(p.foundation, damping=10.0),
        name="mesh",
    )
    return system


def half_turn(p: Parameters) -> float:
    """Rotation of the gear with the middle of a gap on the line of centres, rad."""
    return pi + pi / p.gear_teeth


def play(p: Parameters) -> float:
    """Angle by which the gear turns from there until its flanks touch, rad."""
    return 2.0 * 0.5 * p.backlash * cos(radians(p.pressure_angle)) / base_radius(p.gear_teeth, p)


def resolve(p: Parameters) -> Parameters:
    """Fill in the end time: the run-up, half of it to settle, and the pitches."""
    if p.t_end is not None:
        return p
    return replace(p, t_end=1.5 * p.run_up + p.pitches * 2.0 * pi / p.pinion_teeth / p.speed)


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """After the run-up."""
    late = np.linspace(1.5 * p.run_up, result.t[-1], 201)
    run = result.resampled(late)
    pinion, gear = run["pinion shaft.angle"], run["gear shaft.angle"] - play(p)
    error = base_radius(p.pinion_teeth, p) * pinion + base_radius(p.gear_teeth, p) * gear
    stiffness = run["mesh.force"] / (error * p.width)
    return {
        "mesh_stiffness": float(np.mean(stiffness)),
        "mesh_stiffness_least": float(np.min(stiffness)),
        "mesh_stiffness_most": float(np.max(stiffness)),
        "transmission_error": float(np.mean(error)),
        "transmission_error_peak_to_peak": float(np.ptp(error)),
        "normal_force": float(np.mean(run["mesh.force"])),
    }
