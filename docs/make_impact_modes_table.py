"""Measure how many modes an impact needs: the tables of docs/impact_modes.md.

python docs/make_impact_modes_table.py [rod beam plate solid]

A steel ball hits a rod, a beam, a plate and a block, each with plain modes, attachment modes and a massless patch.
Errors are differences from the run with a massless patch and the most modes.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

import flexmbs as fm

STEEL = fm.Material("steel", 210e9, 0.3, 7850.0)
KINDS = ("plain", "attachment", "massless")


@dataclass(frozen=True)
class Target:
    """What is hit: a mesh with an interface "hit", and how it is reduced; ``normal`` points to the ball."""

    title: str
    mesh: Callable[[], fm.Mesh]
    interfaces: dict[str, object]
    modes: Callable[[int], object]
    numbers: tuple[int, ...]
    limit: int
    normal: tuple[float, float, float]
    radius: float  # m, of the ball
    speed: float  # m/s
    options: dict[str, object]


def with_sets(mesh: fm.Mesh, **places: Callable[[np.ndarray], np.ndarray]) -> fm.Mesh:
    """The mesh with node sets chosen by their positions (x, y, z)."""
    sets = {name: np.flatnonzero(chosen(mesh.points.T)) for name, chosen in places.items()}
    return replace(mesh, node_sets={**mesh.node_sets, **sets})


def beam() -> fm.Mesh:
    mesh = fm.line_mesh(0.3, 200, fm.rectangle(0.005, 0.02), STEEL)
    return with_sets(mesh, ENDS=lambda p: (p[0] == p[0].min()) | (p[0] == p[0].max()), HIT=lambda p: abs(p[0] - 0.15) < 1e-9)


def plate() -> fm.Mesh:
    """Shells: 200 mm square, 4 mm thick."""
    n, side = 40, 0.2
    s, t = np.meshgrid(np.linspace(0.0, side, n + 1), np.linspace(0.0, side, n + 1), indexing="ij")
    points = np.column_stack([s.ravel(), t.ravel(), np.zeros(s.size)])
    grid = np.arange(s.size).reshape(s.shape)
    cells = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=-1).reshape(-1, 4)
    block = fm.ElementBlock("quad4", np.arange(len(cells)) + 1, cells, STEEL, fm.ShellSection(0.004))
    mesh = fm.Mesh(points, np.arange(len(points)) + 1, (block,), source="plate")

    def edge(p):  # noqa: E306
        return (np.minimum(p[0], p[1]) < 1e-9) | (np.maximum(p[0], p[1]) > side - 1e-9)

    return with_sets(mesh, EDGE=edge, HIT=lambda p: np.hypot(p[0] - 0.5 * side, p[1] - 0.5 * side) < 1e-9)


def block() -> fm.Mesh:
    """Hexahedra of second order: 120 x 40 x 40 mm, held at one end; hit in the middle of the upper face."""
    mesh = fm.box_mesh((0.12, 0.04, 0.04), (18, 8, 8), STEEL, "hex20")
    return with_sets(mesh, HIT=lambda p: (p[2] > 0.04 - 1e-9) & (np.hypot(p[0] - 0.06, p[1] - 0.02) < 0.0055))


TARGETS = {
    "rod": Target(
        "Rod along its axis: 0.3 m x 10 mm x 10 mm, fixed at one end; a ball of 20 mm at 1 m/s hits the other",
        lambda: fm.line_mesh(0.3, 300, fm.rectangle(0.01, 0.01), STEEL),
        {"held": "ROOT", "hit": "TIP"},
        lambda n: fm.ClampedFree(at="held", axial=n),
        (1, 2, 5, 10, 20),
        40,
        (1.0, 0.0, 0.0),
        0.01,
        1.0,
        {"second_order": "none"},
    ),
    "beam": Target(
        "Beam: 0.3 m x 20 mm x 5 mm, clamped at both ends; a ball of 20 mm at 0.5 m/s hits the middle",
        beam,
        {"held": fm.Interface(set="ENDS", kind="rigid"), "hit": "HIT"},
        lambda n: fm.ClampedFree(at="held", bending=(n, 0)),
        (2, 5, 10, 20, 30),
        50,
        (0.0, 1.0, 0.0),
        0.01,
        0.5,
        {"beam_theory": "euler-bernoulli", "rotary_inertia": False, "second_order": "none"},
    ),
    "plate": Target(
        "Plate of shells: 0.2 m x 0.2 m x 4 mm, clamped at its edges; a ball of 20 mm at 0.5 m/s hits the middle",
        plate,
        {"held": fm.Interface(set="EDGE", kind="rigid"), "hit": "HIT"},
        lambda n: fm.ClampedFree(at="held", count=n),
        (5, 10, 20, 50, 100),
        200,
        (0.0, 0.0, 1.0),
        0.01,
        0.5,
        {"second_order": "none"},
    ),
    "solid": Target(
        "Block of solids: 120 mm x 40 mm x 40 mm, held at one end; a ball of 20 mm at 0.5 m/s hits the upper face",
        block,
        {"held": fm.Interface(set="ROOT", kind="rigid"), "hit": "HIT"},
        lambda n: fm.ClampedFree(at="held", count=n),
        (5, 10, 20, 50, 100),
        150,
        (0.0, 0.0, 1.0),
        0.01,
        0.5,
        {"second_order": "none"},
    ),
}


def body_of(target: Target, mesh: fm.Mesh, modes: int, kind: str) -> fm.FlexibleBody:
    along = "xyz"[int(np.argmax(target.normal))]
    return fm.reduce(
        mesh,
        interfaces=target.interfaces,
        modes=target.modes(modes),
        name=target.title.split(":")[0],
        contact_patches={"hit": fm.ContactPatch(kind, directions=(along,))},
        **target.options,
    )


def law_of(target: Target) -> fm.Hertz:
    return fm.Hertz.from_materials(target.radius, STEEL, STEEL)


def struck(target: Target, body: fm.FlexibleBody) -> fm.ContactRecord:
    """The first contact of the ball with the body, and the steps of the run up to its end."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    part = system.add(body, name="target")
    system.fixed(system.ground.marker("held", position=body.markers["held"].position), part["held"])
    ball = system.add(fm.RigidBody.sphere(STEEL.density, target.radius), name="ball")
    n = np.array(target.normal)
    start = system.ground.marker("start", position=body.markers["hit"].position + target.radius * n)
    axis = "xyz"[int(np.argmax(n))]
    system.prismatic(start, ball["origin"], axis=axis, rate=-target.speed, name="guide")
    face = fm.Plane(part["hit"], normal=target.normal)
    system.contact(fm.Sphere(ball["origin"], target.radius), face, law_of(target), name="hit")
    t_end = 2.5 * body_duration(target, body)
    while True:
        result = system.simulate(t_end, rtol=1e-7, atol=1e-13, progress=False)
        if result.contacts and np.isfinite(result.contacts[0].end):
            return result.contacts[0]
        t_end *= 2.0


def body_duration(target: Target, body: fm.FlexibleBody) -> float:
    """Estimate of the duration of the hit, s."""
    mass = STEEL.density * 4.0 / 3.0 * np.pi * target.radius**3
    return body.advice(contact="hit", mass=mass, speed=target.speed, law=law_of(target)).duration


def table(target: Target) -> None:
    mesh = target.mesh()
    limit = struck(target, body_of(target, mesh, target.limit, "massless"))
    print(f"### {target.title}\n")
    print(f"With {target.limit} modes and a massless patch: {limit.peak_force:.6g} N, {1e6 * limit.duration:.5g} us.\n")
    print("| modes | periods in the hit | " + " | ".join(f"{kind}: peak, duration" for kind in KINDS) + " |")
    print("|---|---|" + "---|" * len(KINDS))
    for number in target.numbers:
        cells = []
        for kind in KINDS:
            body = body_of(target, mesh, number, kind)
            hit = struck(target, body)
            errors = hit.peak_force / limit.peak_force - 1.0, hit.duration / limit.duration - 1.0
            cells.append(", ".join(f"{100.0 * error:+.2g} %" for error in errors))
            if kind == "plain":
                mass = STEEL.density * 4.0 / 3.0 * np.pi * target.radius**3
                given = body.advice(contact="hit", mass=mass, speed=target.speed, law=law_of(target))
        print(f"| {number} | {given.periods:.2g} | " + " | ".join(cells) + " |", flush=True)
    print()


if __name__ == "__main__":
    warnings.simplefilter("ignore", fm.FlexmbsWarning)
    for name in sys.argv[1:] or TARGETS:
        table(TARGETS[name])
