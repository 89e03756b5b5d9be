"""Problems with impact and friction whose events are known, for impact_work_precision.py.

Each has a system, the end of its run, the exact times of its events, and how these are read from a motion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import atan, cos, pi, sin

import numpy as np
from scipy.optimize import brentq

import flexmbs as fm

GRAVITY = 9.81
# ball on a moving table: amplitude (m), angular frequency (rad/s), restitution, height (m)
AMPLITUDE, FREQUENCY, RESTITUTION, HEIGHT = 0.01, 30.0, 0.8, 0.1
HITS = 2
# double pendulum at a stop: lengths (m), masses (kg), restitution; times by DOP853 at 1e-13 in two formulations, which
# agree to 5e-14 s
LENGTHS, MASSES, PENDULUM_RESTITUTION = (0.6, 0.5), (1.2, 0.8), 0.5
PENDULUM_TIMES = (
    0.4272573193814818,
    0.44259820697941976,
    0.4518350011082483,
    1.2728286899739145,
    1.3091645705615675,
    1.3576553023796487,
)
JUMP = 0.45  # rad/s, of a hinge within a step: an impact


@dataclass(frozen=True)
class Problem:
    """A problem; ``times``: of its events, ``read``: event times found from t and the columns of a motion."""

    title: str
    build: Callable[[], fm.System]
    t_end: float
    times: np.ndarray
    columns: tuple[str, ...]
    read: Callable[..., np.ndarray]
    steps: tuple[float, ...]
    atol: float = 1e-9  # times rtol / 1e-6

    def error(self, t: np.ndarray, *columns: np.ndarray) -> float:
        """Largest distance of an exact event from the nearest one that was found, s."""
        found = self.read(t, *columns)
        if not len(found):
            return np.inf
        return float(np.abs(self.times[:, None] - found[None, :]).min(axis=1).max())


def rises(t: np.ndarray, *rates: np.ndarray, least: float) -> np.ndarray:
    """Times at which any of the rates changes by more than ``least`` between two rows (of a step: its middle)."""
    jumps = np.max([np.abs(np.diff(rate)) for rate in rates], axis=0) > least
    return 0.5 * (t[1:] + t[:-1])[jumps]


def reversals(t: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Times at which a rate goes through zero, by straight lines."""
    at = np.flatnonzero(rate[:-1] * rate[1:] <= 0.0)
    change = rate[at] - rate[at + 1]
    return t[at] + (t[at + 1] - t[at]) * np.where(change != 0.0, rate[at] / np.where(change == 0.0, 1.0, change), 0.0)


def moving_table() -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    ball = system.add(fm.RigidBody.sphere(1000.0, 0.01), name="ball")
    table = system.add(fm.RigidBody.box(1000.0, (0.2, 0.2, 0.01)), name="table")
    drive = system.prismatic(system.ground["origin"], table["origin"], axis="z", name="drive")
    drive.prescribe(fm.Harmonic(AMPLITUDE, FREQUENCY / (2.0 * pi), 0.0))
    system.prismatic(system.ground["origin"], ball["origin"], axis="z", displacement=HEIGHT, name="fall")
    law = fm.Rigid(restitution=RESTITUTION)
    system.contact(fm.Point(ball["origin"]), fm.Plane(table["origin"], (0, 0, 1)), law=law, name="hit")
    return system


def table_times(count: int = HITS) -> np.ndarray:
    """Times of the first hits: free flight between them, their ends by Brent's method."""
    t, z, v, found = 0.0, HEIGHT, 0.0, []
    for _ in range(count):

        def gap(s, t=t, z=z, v=v):
            return z + v * s - 0.5 * GRAVITY * s * s - AMPLITUDE * sin(FREQUENCY * (t + s))

        grid = np.linspace(1e-6, 0.6, 20000)
        values = np.array([gap(s) for s in grid])
        first = int(np.flatnonzero(values <= 0.0)[0])
        s = brentq(gap, grid[first - 1], grid[first], xtol=1e-15, rtol=1e-14)
        table = AMPLITUDE * FREQUENCY * cos(FREQUENCY * (t + s))
        t, z, v = t + s, z + v * s - 0.5 * GRAVITY * s * s, v - GRAVITY * s
        v = table - RESTITUTION * (v - table)
        found.append(t)
    return np.array(found)


def oscillator() -> fm.System:
    """m = k = mu g = 1: the friction oscillator of Siconos' examples."""
    system = fm.System(gravity=(0.0, 0.0, -10.0))
    block = system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), name="block")
    base = block["origin"]
    motion = system.planar(system.ground["origin"], base, normal="y", v=12.0, v_rate=6.0, name="motion")
    motion.prescribe(0.0, coordinate="angle")
    motion.spring(1.0, coordinate="v")
    plane = fm.Plane(system.ground["origin"], (0, 0, 1))
    system.contact(fm.Point(base), plane, law=fm.Rigid(friction=0.1), name="surface")
    return system


def double_pendulum() -> fm.System:
    """x of the markers points down, y to the right; the wall is at the left, through the hinge."""
    system = fm.System(gravity=(GRAVITY, 0.0, 0.0))
    links = [
        system.add(fm.RigidBody(m, (1e-4, m * L * L / 12.0, m * L * L / 12.0), center=(0.5 * L, 0.0, 0.0)), f"link{k}")
        for k, (L, m) in enumerate(zip(LENGTHS, MASSES, strict=True))
    ]
    tips = [link.marker("tip", position=(L, 0.0, 0.0)) for link, L in zip(links, LENGTHS, strict=True)]
    system.revolute(system.ground["origin"], links[0]["origin"], axis="z", angle=0.25 * pi, name="hinge0")
    system.revolute(tips[0], links[1]["origin"], axis="z", name="hinge1")
    wall, law = fm.Plane(system.ground["origin"], (0.0, 1.0, 0.0)), fm.Rigid(restitution=PENDULUM_RESTITUTION)
    for name, tip in zip(("elbow", "tip"), tips, strict=True):
        system.contact(fm.Point(tip), wall, law=law, name=name)
    return system


PROBLEMS = {
    "table": Problem(
        f"ball on a moving table, first {HITS} hits",
        moving_table,
        0.4,
        table_times(),
        ("fall.displacement.rate",),
        lambda t, v: rises(t, v, least=0.3),
        (1e-2, 1e-3, 1e-4, 1e-5),
    ),
    "oscillator": Problem(
        "friction oscillator, seven reversals",
        oscillator,
        20.0,
        atan(6.0 / 13.0) + pi * np.arange(7),
        ("motion.v.rate",),
        reversals,
        (1e-1, 1e-2, 1e-3, 1e-4),
    ),
    "pendulum": Problem(
        "double pendulum at a rigid stop, six impacts",
        double_pendulum,
        1.4,
        np.array(PENDULUM_TIMES),
        ("hinge0.angle.rate", "hinge1.angle.rate"),
        lambda t, v, w: rises(t, v, w, least=JUMP),
        (1e-2, 1e-3, 1e-4, 1e-5),
    ),
}
