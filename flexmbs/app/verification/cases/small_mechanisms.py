"""Closed forms of small mechanisms: friction, rigid impacts, a spring with a damper, a study of three runs, files."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import flexmbs as fm
from flexmbs.app.verification.verification_case import Quantity, VerificationCase
from flexmbs.case.cases import run_case

STOP = 2.0 / (0.3 * 9.81)  # s, v / (mu g); as many m, since v / 2 is 1 m/s
FIRST = np.sqrt(2.0 / 9.81)  # s, of a fall by 1 m
RESTITUTIONS = np.array([0.3, 0.5, 0.7])
REST = FIRST * (1.0 + RESTITUTIONS) / (1.0 - RESTITUTIONS)  # s: the flights are a geometric series
EXACT = "exact; instants of events are located"


def oscillator() -> fm.Result:
    """One second of 1 kg on "guide", released 0.1 m from the rest of its spring of 400 N/m with a damper of 4 N s/m."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    mass, wall = system.add(fm.RigidBody(1.0), name="mass"), system.ground.marker("wall", position=(-1.0, 0.0, 0.0))
    system.prismatic(system.ground["origin"], mass["origin"], axis="x", displacement=0.1, name="guide")
    system.spring_damper(wall, mass["origin"], 400.0, 4.0, length=1.0)
    return system.simulate(1.0, rtol=1e-9, atol=1e-12)


def _oscillator() -> dict[str, Any]:
    result, frequency = oscillator(), np.sqrt(400.0 - 2.0**2)
    wave = np.cos(frequency * result.t) + 2.0 / frequency * np.sin(frequency * result.t)
    return {"largest error": np.abs(result["guide.displacement"] - 0.1 * np.exp(-2.0 * result.t) * wave).max()}


def _figures(case: str, *names: str, **parameters: float) -> dict[str, Any]:
    figures = run_case(case, parameters).figures
    return {name: figures[name] for name in names}


def _study() -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        study = fm.Study("bouncing_ball", {"restitution": RESTITUTIONS.tolist()}, "grid", folder=folder, keep="figures")
        study.run(workers=1, progress=False)
        records = {index: record for index, _, record in study.rows() if record is not None}
        return {"rest_time": np.array([records[index].figures["rest_time"] for index in range(len(study))])}


def _files() -> dict[str, Any]:
    body = fm.reduce(
        fm.read_mesh(fm.find_mesh("pendulum_beam.inp")), interfaces={"end": "ROOT"}, modes=fm.ClampedFree("end", count=2)
    )
    result = oscillator()
    with TemporaryDirectory() as folder:
        result.save(folder)
        fm.save_body(body, Path(folder) / "body.h5")
        again, read = fm.load(folder), fm.load_body(Path(folder) / "body.h5")
        return {
            "change of histories": max(np.abs(again[name] - result[name]).max() for name in ("guide.displacement", "energy.total")),
            "change of frequencies": np.abs(read.frequencies - body.frequencies).max(),
        }


SLIDING_BLOCK = VerificationCase(
    "sliding_block",
    "block thrown at 2 m/s on level ground with a coefficient of friction of 0.3",
    "Coulomb's law: it stops after v / (mu g), at v^2 / (2 mu g)",
    EXACT,
    (Quantity("t_stop", STOP, 1e-9, "s"), Quantity("distance", STOP, 1e-9, "m")),
    lambda: _figures("sliding_to_rolling", "t_stop", "distance", block_friction=0.3, speed=2.0),
)
BOUNCING_BALL = VerificationCase(
    "bouncing_ball",
    "ball that falls by 1 m on rigid ground, restitution 0.5",
    "Newton's law of impact: each flight takes half the time of the one before",
    EXACT,
    (Quantity("impact_times", FIRST * np.array([1.0, 2.0, 2.5, 2.75]), 1e-9, "s"), Quantity("rest_time", REST[1], 1e-9, "s")),
    lambda: _figures("bouncing_ball", "impact_times", "rest_time", restitution=0.5, count=4),
)
SPRING_DAMPER = VerificationCase(
    "spring_damper",
    "mass of 1 kg on a spring of 400 N/m with a damper of 4 N s/m, 1 s",
    "closed form of the damped oscillator",
    "exact; integrated with rtol 1e-9",
    (Quantity("largest error", 0.0, 1e-8, "m", scale=0.1),),
    _oscillator,
)
STUDY = VerificationCase(
    "study",
    "study of the bouncing ball with three restitutions, in a folder and a process of its own",
    "Newton's law of impact",
    EXACT,
    (Quantity("rest_time", REST, 1e-9, "s"),),
    _study,
)
FILES = VerificationCase(
    "files",
    "a result and a reduced body, written and read again",
    "the numbers before they are written",
    "exact: files keep every digit",
    (Quantity("change of histories", 0.0, 0.0, "m, J", 1.0), Quantity("change of frequencies", 0.0, 0.0, "Hz", 1.0)),
    _files,
)
