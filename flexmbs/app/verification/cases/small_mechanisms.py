"""Friction, rigid impacts, springs, a study of three runs, and files: closed forms of small mechanisms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import flexmbs as fm
from flexmbs.app.verification.verification_case import Quantity, VerificationCase
from flexmbs.case.cases import run_case

G, MU, SPEED = 9.81, 0.3, 2.0  # m/s2, coefficient of friction, m/s
FIRST, RESTITUTION = np.sqrt(2.0 / G), 0.5  # s, of a fall by 1 m
STIFFNESS, DAMPING, MASS, START = 400.0, 4.0, 1.0, 0.1  # N/m, N s/m, kg, m
_RATE = DAMPING / (2.0 * MASS)
_FREQUENCY = np.sqrt(STIFFNESS / MASS - _RATE**2)


def rest_time(restitution: float) -> float:
    """S, when a ball that falls by 1 m has come to rest: the flights are a geometric series."""
    return FIRST * (1.0 + restitution) / (1.0 - restitution)


def oscillator() -> fm.Result:
    """One second of the mass "mass" on "guide", released at ``START`` from its spring."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    mass, wall = system.add(fm.RigidBody.point(MASS), name="mass"), system.ground.marker("wall", position=(-1.0, 0.0, 0.0))
    system.prismatic(system.ground["origin"], mass["origin"], axis="x", displacement=START, name="guide")
    system.spring_damper(wall, mass["origin"], STIFFNESS, DAMPING, length=1.0)
    return system.simulate(1.0, rtol=1e-9, atol=1e-12)


def _figures(case: str, names: tuple[str, str], **parameters: float) -> dict[str, Any]:
    figures = run_case(case, parameters).figures
    return {name: figures[name] for name in names}


def _oscillator_error() -> float:
    result = oscillator()
    wave = np.cos(_FREQUENCY * result.t) + _RATE / _FREQUENCY * np.sin(_FREQUENCY * result.t)
    return float(np.abs(result["guide.displacement"] - START * np.exp(-_RATE * result.t) * wave).max())


def _study() -> list[float]:
    with TemporaryDirectory() as folder:
        study = fm.Study("bouncing_ball", {"restitution": [0.3, 0.5, 0.7]}, "grid", folder=folder, keep="figures")
        study.run(workers=1, progress=False)
        return [float(time) for time in study.table(["rest_time"])["rest_time"]]


def _files() -> Mapping[str, Any]:
    result = oscillator()
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    body = fm.reduce(mesh, interfaces={"end": "ROOT"}, modes=fm.ClampedFree("end", count=2))
    with TemporaryDirectory() as folder:
        result.save(folder)
        fm.save_body(body, Path(folder) / "body.h5")
        again, read = fm.load(folder), fm.load_body(Path(folder) / "body.h5")
        names = ("guide.displacement", "guide.displacement.rate", "energy.total")
        changes = [np.abs(again[name] - result[name]).max() for name in names]
    return {"change of histories": max(changes), "change of frequencies": np.abs(read.frequencies - body.frequencies).max()}


SLIDING_BLOCK = VerificationCase(
    "sliding_block",
    "block on rough level ground, thrown at 2 m/s with a coefficient of friction of 0.3",
    "Coulomb's law: it stops after v / (mu g), at v^2 / (2 mu g)",
    "exact; the instant of sticking is located",
    (Quantity("t_stop", SPEED / (MU * G), 1e-9, "s"), Quantity("distance", SPEED**2 / (2.0 * MU * G), 1e-9, "m")),
    lambda: _figures("sliding_to_rolling", ("t_stop", "distance"), block_friction=MU, speed=SPEED),
)
BOUNCING_BALL = VerificationCase(
    "bouncing_ball",
    "ball that falls by 1 m on rigid ground, restitution 0.5",
    "Newton's law of impact: each flight takes half the time of the one before, and infinitely many of them end",
    "exact; the instants of impacts are located",
    (
        Quantity("impact_times", FIRST * (1.0 + 2.0 * np.cumsum([0.0, *RESTITUTION ** np.arange(1, 6)])), 1e-9, "s"),
        Quantity("rest_time", rest_time(RESTITUTION), 1e-9, "s"),
    ),
    lambda: _figures("bouncing_ball", ("impact_times", "rest_time"), restitution=RESTITUTION, count=6),
)
SPRING_DAMPER = VerificationCase(
    "spring_damper",
    "mass of 1 kg on a spring of 400 N/m with a damper of 4 N s/m, 1 s",
    "closed form of the damped oscillator",
    "exact; integrated with rtol 1e-9",
    (Quantity("largest error of the displacement", 0.0, 1e-8, "m", scale=START),),
    lambda: {"largest error of the displacement": _oscillator_error()},
)
STUDY = VerificationCase(
    "study",
    "study of the bouncing ball with three restitutions, in a folder and a process of its own",
    "Newton's law of impact",
    "exact; the instants of impacts are located",
    (Quantity("time of rest", [rest_time(restitution) for restitution in (0.3, 0.5, 0.7)], 1e-9, "s"),),
    lambda: {"time of rest": _study()},
)
FILES = VerificationCase(
    "files",
    "a result and a reduced body, written and read again",
    "the same numbers before they are written",
    "exact: files keep every digit",
    tuple(Quantity(f"change of {what}", 0.0, 0.0, unit, 1.0) for what, unit in (("histories", "m, m/s, J"), ("frequencies", "Hz"))),
    _files,
)
