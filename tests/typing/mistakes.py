"""Mistakes in case scripts that a type checker must find: mypy complains about an ignored error that is none."""

from __future__ import annotations

import flexmbs as fm


def mistakes(mesh: fm.Mesh, result: fm.Result) -> None:
    steel = fm.Material("steel", "210 GPa", 0.3, 7850.0)  # type: ignore[arg-type]
    system = fm.System(gravity=(0.0, 0.0, -9.81), coordinate="reduced")  # type: ignore[call-arg]
    ball = system.add(fm.RigidBody.sphere(7850.0, 0.02), name=1)  # type: ignore[arg-type]
    system.revolute("ground", ball["origin"])  # type: ignore[arg-type]
    system.revolute(system.ground.marker("a"), ball["origin"], angel=0.3)  # type: ignore[call-arg]
    joint = system.spherical(system.ground.marker("b"), ball["origin"]).springs  # type: ignore[attr-defined]
    system.contact(fm.Sphere(ball["origin"], 0.02), mesh, law=fm.Hertz(1e9))  # type: ignore[arg-type]
    system.simulate("1 s")  # type: ignore[arg-type]
    system.simulate(1.0, rtoll=1e-6)  # type: ignore[call-arg]
    system.simulate(1.0, integrator=5)  # type: ignore[arg-type]
    fm.reduce(mesh, interfaces={"root": 3}, modes=fm.ClampedFree("root", bending=(3, 0)))  # type: ignore[dict-item]
    number: int = result["hinge.angle"]  # type: ignore[assignment]
    print(steel, joint, number, fm.Revolute)  # type: ignore[attr-defined]
