"""Thirty different models on which the choice of ``integrator="auto"`` is judged: name -> (system, end time in s)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from planar_four_bar import four_bar  # noqa: E402
from smooth_motions import double_pendulum  # noqa: E402
from systems import flexible_chain, pendulum, rigid_chain  # noqa: E402
from work_precision_systems import eight_modes, free_body, heavy_top  # noqa: E402

import flexmbs as fm  # noqa: E402

MESHES = Path(__file__).resolve().parents[2] / "meshes"


def case(name: str, **parameters) -> fm.System:
    module = fm.load_case(name).module
    chosen = replace(module.Parameters(), **parameters)
    return module.build(module.resolve(chosen) if hasattr(module, "resolve") else chosen)


def slider(mass: float = 1.0, **start: float) -> tuple[fm.System, fm.Joint]:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    block = system.add(fm.RigidBody(mass, (0.01, 0.01, 0.01)), name="block")
    return system, system.prismatic(system.ground["origin"], block["origin"], axis="x", name="slide", **start)


def oscillator(stiffness: float, damping: float) -> fm.System:
    """A mass of 1 kg on a spring, which moves a second one of 1 kg on a spring of 1 N/m."""
    system, slide = slider(displacement=0.1)
    slide.spring(stiffness=stiffness, damping=damping)
    second = system.add(fm.RigidBody(1.0, (0.01, 0.01, 0.01)), name="second")
    soft = system.prismatic(system.bodies["block"]["origin"], second["origin"], axis="x", displacement=0.1, name="soft")
    soft.spring(stiffness=1.0)
    return system


def sliding_block(transition: float) -> fm.System:
    system, slide = slider(2.0, rate=1.0)
    slide.friction(0.3, normal_force=20.0, transition=transition)
    return system


def stopped_ball(stiffness: float, damping: float) -> fm.System:
    """A mass that falls 10 mm onto an elastic stop with damping, where it stays."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = system.add(fm.RigidBody.sphere(7850.0, 0.02), name="ball")
    slide = system.prismatic(system.ground["origin"], ball["origin"], axis="z", displacement=0.01, name="slide")
    slide.limit(lower=0.0, stiffness=stiffness, damping=damping)
    return system


def bouncing_ball() -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = system.add(fm.RigidBody.sphere(7850.0, 0.02), name="ball")
    system.prismatic(system.ground["origin"], ball["origin"], axis="z", displacement=0.1, name="slide")
    plane = fm.Plane(system.ground["origin"], normal=(0.0, 0.0, 1.0))
    system.contact(fm.Sphere(ball["origin"], 0.02), plane, law=fm.Hertz(1e9), name="bounce")
    return system


@cache
def steel_strip(count: int, damping) -> fm.FlexibleBody:
    return fm.reduce(
        fm.read_mesh(MESHES / "pendulum_hex20.inp"),
        interfaces={"hinge": fm.Interface(set="ROOT", kind="rigid"), "tip": "TIP"},
        modes=fm.ClampedFree(at="hinge", count=count),
        damping=damping,
    )


def swinging_strip(count: int, damping=None) -> fm.System:
    return pendulum(steel_strip(count, damping))


def blade() -> fm.System:
    """The strip on a hub that is driven up to 20 rad/s."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    rod = system.add(steel_strip(6, None), name="rod")
    hub = system.revolute(system.ground.marker("hub"), rod["hinge"], axis="z", name="hub")
    hub.prescribe(lambda t: 10.0 * t * t, lambda t: 20.0 * t, lambda t: 20.0)
    return system


def cantilever() -> fm.System:
    """The strip clamped at its root, with a force at its tip that is there from the start."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    rod = system.add(steel_strip(8, None), name="rod")
    system.fixed(system.ground.marker("wall"), rod["hinge"], name="wall")
    system.force(rod["tip"], (0.0, 1.0, 0.0), name="pull")
    return system


def bushing() -> fm.System:
    """A block on a rubber bushing: stiff and strongly damped along one axis, soft along the others."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    block = system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), name="block")
    system.bushing(
        system.ground["origin"],
        block["origin"],
        name="rubber",
        stiffness=np.diag([1e7, 1e4, 1e4, 1e3, 1e3, 1e3]),
        damping=np.diag([1e4, 10.0, 10.0, 0.1, 0.1, 0.1]),
    )
    return system


def row_of_four_bars(count: int) -> fm.System:
    return case("n_four_bar", loops=count)


MODELS: dict[str, tuple[Callable[[], fm.System], float]] = {
    "rigid double pendulum": (double_pendulum, 3.0),
    "double pendulum, absolute": (partial(double_pendulum, "absolute"), 1.0),
    "chain of 10 rigid links": (partial(rigid_chain, 10), 2.0),
    "chain of 50 rigid links": (partial(rigid_chain, 50), 0.5),
    "heavy top, fast": (heavy_top, 1.0),
    "free body": (free_body, 10.0),
    "two masses, w 1 and 10": (partial(oscillator, 100.0, 0.0), 20.0),
    "two masses, w 1 and 1000": (partial(oscillator, 1e6, 0.0), 2.0),
    "two masses, one damped hard": (partial(oscillator, 1e6, 1e4), 20.0),
    "four-bar": (four_bar, 1.0),
    "four-bar, driven": (partial(four_bar, speed=10.0), 1.0),
    "Andrews' squeezer": (partial(case, "andrews_squeezer"), 0.03),
    "row of 10 four-bars": (partial(row_of_four_bars, 10), 1.0),
    "car axis": (partial(case, "car_axis"), 3.0),
    "strip, 4 modes": (partial(swinging_strip, 4), 0.5),
    "strip, 8 modes": (partial(swinging_strip, 8), 0.5),
    "strip, 16 modes": (partial(swinging_strip, 16), 0.3),
    "strip, 24 modes": (partial(swinging_strip, 24), 0.2),
    "strip, 50 modes": (partial(swinging_strip, 50), 0.02),
    "strip, 24 modes, 1 % damping": (partial(swinging_strip, 24, 0.01), 0.5),
    "strip, 8 modes, stiffness damping": (lambda: pendulum(eight_modes()), 1.0),
    "blade that is driven, 6 modes": (blade, 1.0),
    "cantilever, 8 modes": (cantilever, 0.5),
    "three flexible links": (partial(flexible_chain, 3), 0.3),
    "flexible slider-crank": (partial(case, "flexible_slider_crank"), 0.1),
    "flexible four-bar": (partial(case, "flexible_four_bar"), 0.1),
    "flexible pendulum with impact": (lambda: pendulum(eight_modes(), stop=True), 0.6),
    "bouncing ball": (bouncing_ball, 1.0),
    "block sliding to rest": (partial(sliding_block, 1e-6), 1.0),
    "ball on a damped stop": (partial(stopped_ball, 1e8, 1e6), 0.5),
    "block on a bushing": (bushing, 1.0),
}
