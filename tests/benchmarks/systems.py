"""The benchmark systems in flexmbs, and the numbers that both codes share."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin

import numpy as np

import flexmbs as fm

# Flexible pendulum: bar 1 m long, 20 mm in the swing plane, 30 mm across; hex20, released horizontally at rest.
SIZE, DIVISIONS = (1.0, 0.02, 0.03), (20, 1, 1)
MATERIAL = fm.Material("bar", 7e9, 0.3, 2700.0)
MODES, BETA = 8, 2e-4  # clamped-free modes, stiffness-proportional damping (s)
# Stop of the pendulum: two spheres of equal radius (m), Hertz stiffness (N/m^1.5).
STOP, STOP_RADIUS, STIFFNESS = (-0.04, -1.0, 0.0), 0.02, 1e9
# Chain of rigid links, released horizontally at rest.
LINK_SIZE, LINK_DENSITY = (1.0, 0.1, 0.1), 1000.0


def centred_bar() -> fm.Mesh:
    """The bar with the middle of its hinge face at the origin."""
    mesh = fm.box_mesh(SIZE, DIVISIONS, MATERIAL)
    return replace(mesh, points=mesh.points - np.array([0.0, 0.5 * SIZE[1], 0.5 * SIZE[2]]))


def bar(second_order="full") -> fm.FlexibleBody:
    return fm.reduce(
        centred_bar(),
        interfaces={"hinge": fm.Interface(set="ROOT", kind="rigid"), "tip": "TIP"},
        modes=fm.ClampedFree(at="hinge", count=MODES),
        second_order=second_order,
        damping=fm.Rayleigh(0.0, BETA),
    )


def pendulum(body: fm.FlexibleBody, gravity: float = 9.81, tip_force: float = 0.0, stop: bool = False) -> fm.System:
    system = fm.System(gravity=(0.0, -gravity, 0.0))
    rod = system.add(body, name="rod")
    system.revolute(system.ground.marker("hinge"), rod["hinge"], axis="z", name="hinge")
    if tip_force:
        system.force(rod["tip"], (0.0, tip_force, 0.0), name="pull")
    if stop:
        fixed = fm.Sphere(system.ground.marker("stop", position=STOP), STOP_RADIUS)
        system.contact(fm.Sphere(rod["tip"], STOP_RADIUS), fixed, law=fm.Hertz(STIFFNESS), name="stop")
    return system


def joint_angle(number: int) -> float:
    """Inclination of a joint axis from z towards y, rad: every second axis is turned."""
    return pi / 4 if number % 2 else 0.0


def rigid_chain(links: int) -> fm.System:
    """Links along +x, joint i about (0, sin, cos) of :func:`joint_angle`."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    link = fm.RigidBody.box(LINK_DENSITY, LINK_SIZE, center=(0.5 * LINK_SIZE[0], 0.0, 0.0))
    before = system.ground.marker("start")
    for i in range(links):
        part = system.add(link, name="rod" if i == links - 1 else f"link {i + 1}")
        axis = (0.0, sin(joint_angle(i)), cos(joint_angle(i)))
        system.revolute(before, part["origin"], axis=axis, name=f"joint {i + 1}")
        before = part.marker("tip", position=(LINK_SIZE[0], 0.0, 0.0))
    return system


def flexible_chain(links: int) -> fm.System:
    """Steel strips of 1 m x 40 mm x 10 mm with 4 modes each, joined by parallel hinges, released horizontally."""
    steel = fm.Material("steel", 210e9, 0.3, 7850.0)
    mesh = fm.box_mesh((1.0, 0.01, 0.04), (10, 1, 1), steel)
    body = fm.reduce(mesh, interfaces={"near": "ROOT", "far": "TIP"}, modes=fm.ClampedFree(at="near", count=4))
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    before = system.ground.marker("start")
    for i in range(links):
        part = system.add(body, name=f"strip {i + 1}")
        system.revolute(before, part["near"], axis="z", name=f"hinge {i + 1}")
        before = part["far"]
    return system
