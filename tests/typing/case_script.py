"""A case script as users write it; ``mypy --strict`` must find nothing in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_type

import numpy as np

import flexmbs as fm


@dataclass(frozen=True)
class Parameters:
    length: float = fm.parameter(1.0, "m", "length of the bar", minimum=0.1, maximum=10.0)
    modes: int = fm.parameter(3, "", "bending modes in the plane")
    t_end: float = fm.parameter(0.5, "s", "end time")


def build(p: Parameters) -> fm.System:
    steel = fm.Material("steel", 210e9, 0.3, 7850.0)
    mesh: fm.Mesh = fm.box_mesh((p.length, 0.02, 0.01), (20, 2, 1), steel)
    body = fm.reduce(
        mesh,
        interfaces={"root": "ROOT", "tip": fm.Interface(set="TIP")},
        modes=fm.ClampedFree(at="root", bending=(p.modes, 0)),
        damping=fm.Rayleigh(alpha=0.0, beta=1e-5),
    )
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    bar = system.add(body, name="bar")
    hinge = system.revolute(system.ground.marker("hinge"), bar["root"], axis="z", angle=0.3, name="hinge")
    hinge.spring(stiffness=10.0, damping=0.1)
    ball = system.add(fm.RigidBody.sphere(7850.0, 0.02), name="ball")
    system.fixed(bar["tip"], ball["origin"])
    law = fm.Hertz.from_materials(0.02, steel, steel)
    wall = fm.Plane(system.ground.marker("wall", position=(0.0, -1.5, 0.0)), normal=(0.0, 1.0, 0.0))
    system.contact(fm.Sphere(ball["origin"], 0.02), wall, law=law, name="wall")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    angle = assert_type(result["hinge.angle"], np.ndarray)
    time, deflection = assert_type(result.extreme("bar.tip.displacement.y"), tuple[float, float])
    return {"angle_end": float(angle[-1]), "deflection": deflection, "time": time, "contacts": len(result.contacts)}


def run() -> float:
    system = build(Parameters())
    result = system.simulate(0.5, rtol=1e-6, integrator=fm.Radau(), max_step=0.01)
    assert_type(result, fm.Result)
    found = assert_type(system.linearize(), fm.LinearModes)
    return float(found.frequencies[0]) + float(result.t[-1])
