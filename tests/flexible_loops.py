"""Closed loops of rigid and flexible links, stated without start values, aligned or with one joint out of line."""

from functools import cache

import numpy as np

import flexmbs as fm
from flexmbs import line_mesh, rectangle

STEEL = fm.Material("steel", 210e9, 0.3, 7850.0)
CRANK, ROD = 0.045, 0.15  # m
HEIGHT, WIDTH = 0.016, 0.012  # m, of the rod across its length: in the plane x y, and along z
SECTION = rectangle(HEIGHT, WIDTH)
OUT_OF_LINE = "joints are misaligned"


@cache
def beam(length: float, theory: str = "euler-bernoulli") -> fm.FlexibleBody:
    """A bar of steel along x with the interfaces "in" and "out" at its ends (exact static modes of beam theory)."""
    mesh = line_mesh(length, 4, SECTION, STEEL)
    modes = fm.CraigBampton(at="in", count=2)
    return fm.reduce(mesh, interfaces={"in": "ROOT", "out": "TIP"}, modes=modes, beam_theory=theory)


def link(system: fm.System, name: str, length: float, flexible: bool):
    """A link along its x axis with the markers "in" and "out" at its ends."""
    if flexible:
        return system.add(beam(length), name)
    part = system.add(fm.RigidBody.box(7850.0, (length, HEIGHT, WIDTH), center=(0.5 * length, 0.0, 0.0)), name)
    part.marker("in")
    part.marker("out", position=(length, 0.0, 0.0))
    return part


def slider_crank(body, angle=0.0, offset=0.0, tilt=(0.0, 0.0, 0.0), ends=("in", "out"), speed=0.0) -> fm.System:
    """Crank driven, ``body`` from its pin to a piston; the pin is ``offset`` (m) along z, turned by ``tilt`` (rad)."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    crank = system.add(fm.RigidBody.box(7850.0, (0.05, 0.02, 0.02)), "crank")
    shaft = system.revolute(system.ground.marker("shaft"), crank["origin"], name="shaft")
    shaft.prescribe(fm.Polynomial([angle, speed]))
    rod = system.add(body, "rod") if isinstance(body, fm.FlexibleBody) else link(system, "rod", ROD, False)
    pin = crank.marker("pin", position=(CRANK, 0.0, offset), rotation=tilt)
    system.revolute(pin, rod[ends[0]], name="pin")
    piston = system.add(fm.RigidBody.box(7850.0, (0.03, 0.03, 0.03)), "piston")
    system.revolute(rod[ends[1]], piston["origin"], name="wrist")
    system.prismatic(system.ground.marker("liner"), piston["origin"], axis="x", name="liner")
    return system


def piston_place(angle: float, rod: float = ROD) -> float:
    """m, along x, of the piston of an aligned slider-crank in front of its crank."""
    return float(CRANK * np.cos(angle) + np.sqrt(rod**2 - (CRANK * np.sin(angle)) ** 2))


def random_loop(seed: int, offset: float = 0.0, tilt: float = 0.0, driven: bool = True) -> fm.System:
    """A four-bar or slider-crank in a random plane, its crank driven to a random angle; its links rigid or flexible.

    Marker "out" of the coupler is ``offset`` (m) out of the plane and its axis ``tilt`` (rad) off the normal.
    """
    chance = np.random.default_rng(seed)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    place, turn = chance.normal(size=3), chance.normal(size=3)
    kinds, frame = kinds_of(seed), fm.rotation(turn).matrix
    crank, coupler, rocker, base = 0.1, 0.3, 0.25, float(chance.uniform(0.28, 0.36))  # the crank turns fully
    ground = system.ground.marker("A", position=place, rotation=turn)
    first, second = link(system, "crank", crank, kinds[0]), link(system, "coupler", coupler, kinds[1])
    angle = float(chance.uniform(-np.pi, np.pi))
    shaft = system.revolute(ground, first["in"], name="A")
    if driven:
        shaft.prescribe(angle)
    system.revolute(first["out"], second["in"], name="B")
    axis = float(chance.uniform(0.0, 2.0 * np.pi))
    rotation = tilt * np.array([np.cos(axis), np.sin(axis), 0.0])
    if kinds[1]:
        out = second.marker("end", on="out", rotation=rotation)
    else:
        out = second.marker("end", position=(coupler, 0.0, 0.0), rotation=rotation)
    if seed % 2:
        third = link(system, "rocker", rocker, kinds[2])
        pivot = system.ground.marker("D", position=place + frame @ [base, 0.0, offset], rotation=turn)
        system.revolute(pivot, third["in"], name="D")
        system.revolute(out, third["out"], name="C")
    else:
        third = system.add(fm.RigidBody.box(7850.0, (0.03, 0.03, 0.03)), "piston")
        rail = system.ground.marker("rail", position=place + frame @ [0.0, 0.0, offset], rotation=turn)
        system.revolute(out, third["origin"], name="C")
        system.prismatic(rail, third["origin"], axis="x", name="D")
    return system


def spatial_loop(seed: int, flexible: bool) -> fm.System:
    """Crank, coupler with a ball and a universal joint, rocker about another axis, in random places (RSUR)."""
    chance = np.random.default_rng([seed, 2])
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    angle = float(chance.uniform(-np.pi, np.pi))
    first, second = link(system, "crank", 0.1, False), link(system, "coupler", 0.3, flexible)
    third = link(system, "rocker", 0.25, False)
    turn = 0.4 * chance.normal(size=3)
    system.revolute(system.ground.marker("A"), first["in"], name="A").prescribe(angle)
    system.spherical(first["out"], second["in"], name="B")
    pivot = system.ground.marker("D", position=(0.3, 0.0, 0.03 * chance.normal()), rotation=turn)
    system.revolute(pivot, third["in"], name="D")
    system.universal(second["out"], third["out"], name="C", first="y", second="z")
    return system


def kinds_of(seed: int) -> tuple[bool, bool, bool]:
    """Which of crank, coupler and rocker are flexible."""
    return tuple(bool(x) for x in np.random.default_rng([seed, 1]).random(3) < 0.4)
