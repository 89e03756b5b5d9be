"""The bodies and mechanisms of engineers_bodies.py in flexmbs: meshes of the package, quantities in SI units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import flexmbs as fm

# Engine of docs/engine.md
RADIUS, PISTON_MASS, SPEED = 0.040, 0.4, 3000 * 2 * np.pi / 60  # m, kg, rad/s
PENDULUM_SETS = {"hinge": "ROOT", "tip": "TIP"}
ROD_SETS = {"big": "big end", "small": "small end"}


def pendulum_mesh() -> fm.Mesh:
    """meshes/pendulum_hex20.inp: steel, 1 m x 4 mm (in the swing plane) x 20 mm, 60 x 1 x 1 elements."""
    return fm.read_mesh(fm.find_mesh("pendulum_hex20.inp"))


def small_bar() -> fm.Mesh:
    """A bar of the same size with few elements."""
    steel = fm.Material("steel", 210e9, 0.3, 7850.0)
    mesh = fm.box_mesh((1.0, 0.004, 0.02), (6, 1, 1), steel)
    return replace(mesh, points=mesh.points - np.array([0.0, 0.002, 0.01]))


def pendulum_body(mesh: fm.Mesh, modes: int, damping=None, second_order="full") -> fm.FlexibleBody:
    return fm.reduce(
        mesh,
        interfaces={"hinge": fm.Interface(set="ROOT", kind="rigid"), "tip": "TIP"},
        modes=fm.ClampedFree(at="hinge", count=modes),
        second_order=second_order,
        damping=damping,
    )


def rod_mesh() -> fm.Mesh:
    """meshes/gmsh_conrod.msh in steel."""
    mesh = fm.read_mesh(fm.find_mesh("gmsh_conrod.msh"), units="mm-t-s")
    return fm.with_material(mesh, youngs_modulus=210e9, poisson_ratio=0.3, density=7850)


def rod_body(mesh: fm.Mesh, modes: int, damping=None) -> fm.FlexibleBody:
    """``modes`` normal modes and 6 static modes of the small end, as on the page."""
    basis = fm.CraigBampton(at="big", count=modes, frequency_tolerance=None)
    return fm.reduce(mesh, interfaces=dict(ROD_SETS), modes=basis, damping=damping)


def engine(body: fm.FlexibleBody) -> fm.System:
    """The slider-crank of docs/engine.md at constant speed, with a marker in the middle of the shank."""
    length = float(np.linalg.norm(body.markers["small"].position - body.markers["big"].position))
    system = fm.System(gravity=(0, 0, 0))
    crank = system.add(fm.RigidBody.box(7850, (0.12, 0.04, 0.02)), name="crank")
    rod = system.add(body, name="rod")
    rod.marker("middle", node=int(body.node_ids[middle_node(body)]))
    piston = system.add(fm.RigidBody(PISTON_MASS, 2e-4 * np.ones(3)), name="piston")
    drive = system.revolute(system.ground.marker("shaft"), crank["origin"], axis="z", name="drive")
    drive.prescribe(lambda t: SPEED * t, lambda t: SPEED, lambda t: 0.0)
    system.revolute(crank.marker("pin", (RADIUS, 0, 0)), rod["big"], axis="z", angle=0, name="crank pin")
    bed = system.ground.marker("bed")
    system.prismatic(bed, piston["origin"], axis="x", displacement=RADIUS + length, name="cylinder")
    system.revolute(rod["small"], piston["origin"], axis="z", angle=0, name="piston pin")
    return system


def middle_node(body: fm.FlexibleBody) -> int:
    """Row of the node nearest to the middle between the bores."""
    middle = 0.5 * (body.markers["big"].position + body.markers["small"].position)
    return int(np.argmin(np.linalg.norm(body.points - middle, axis=1)))


def sliding_block(coefficient: float = 0.3, rate: float = 1.0) -> tuple[fm.System, float]:
    """A block of 1 kg that friction brings to rest (1 m/s, transition 1e-6 m/s), and where it ends (m; closed form)."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    block = system.add(fm.RigidBody.point(1.0), name="block")
    slide = system.prismatic(system.ground["origin"], block["origin"], axis="x", rate=rate, name="slide")
    slide.friction(coefficient, normal_force=9.81, transition=1e-6)
    return system, rate**2 / (2.0 * coefficient * 9.81)


def ball_on_stop() -> fm.System:
    """A ball of 1 kg put onto a damped stop of a vertical guide: 1e8 N/m, 1e6 N s/m."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    ball = system.add(fm.RigidBody.point(1.0), name="ball")
    guide = system.prismatic(system.ground["origin"], ball["origin"], axis="y", name="guide")
    guide.limit(lower=0.0, stiffness=1e8, damping=1e6)
    return system


def ball_on_floor() -> fm.System:
    """The same ball, as a sphere in a damped contact with a plane: 1e8 N/m, force times 1 + 1e6 s/m x rate."""
    system, radius = fm.System(gravity=(0.0, -9.81, 0.0)), 0.05
    ball = system.add(fm.RigidBody(1.0, 1e-3 * np.ones(3)), name="ball")
    guide = system.ground["origin"]
    system.prismatic(guide, ball["origin"], axis="y", displacement=radius, name="guide")
    floor = fm.Plane(system.ground.marker("floor"), (0.0, 1.0, 0.0))
    system.contact(fm.Sphere(ball["origin"], radius), floor, law=fm.HuntCrossley(1e8, 1.0, 1e6), name="floor")
    return system
