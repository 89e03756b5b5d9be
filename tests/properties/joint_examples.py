"""An example of every registered joint: what it needs to know besides its markers."""

from functools import cache

import numpy as np

import flexmbs as fm


@cache
def closed_track() -> fm.Curve:
    """A closed space curve of about 6 m."""
    u = np.linspace(0.0, 2.0 * np.pi, 9)[:-1]
    return fm.Curve.through(np.stack([np.cos(u), np.sin(u), 0.3 * np.sin(2.0 * u)], axis=-1), closed=True)


@cache
def oval(a: float, b: float) -> fm.Curve:
    """Ellipse with half axes a, b (m), counterclockwise."""
    return fm.Curve.from_function(lambda u: (a * np.cos(u), b * np.sin(u)), (0.0, 2.0 * np.pi), closed=True)


@cache
def bowl() -> fm.Surface:
    x = np.linspace(-4.0, 4.0, 9)
    return fm.Surface.height(x, x, lambda x, y: 0.2 * np.sin(x) * np.cos(0.7 * y))


def direction(rng) -> tuple[float, ...]:
    return tuple(rng.normal(size=3))


EXAMPLES = {
    "cam_roller": lambda rng: {"curve": oval(1.5, 1.2), "radius": 0.1},
    "constant_velocity": lambda rng: {"axis": direction(rng)},
    "curve_on_curve": lambda rng: {"curve_a": oval(1.5, 1.2), "curve_b": oval(0.8, 0.7), "rolling": rng.random() < 0.5},
    "cylindrical": lambda rng: {"axis": direction(rng)},
    "fixed": lambda rng: {},
    "follow_curve": lambda rng: {"curve": closed_track()},
    "free": lambda rng: {},
    "inline": lambda rng: {"axis": direction(rng)},
    "inplane": lambda rng: {"normal": direction(rng)},
    "orientation": lambda rng: {},
    "parallel": lambda rng: {"axis": direction(rng)},
    "perpendicular": lambda rng: {"first": direction(rng), "second": direction(rng)},
    "planar": lambda rng: {"normal": direction(rng)},
    "point_on_curve": lambda rng: {"curve": closed_track()},
    "point_on_surface": lambda rng: {"surface": bowl()},
    "prismatic": lambda rng: {"axis": direction(rng)},
    "revolute": lambda rng: {"axis": direction(rng)},
    "screw": lambda rng: {"pitch": 0.4, "axis": direction(rng)},
    "spherical": lambda rng: {},
    "telescopic_shaft": lambda rng: {"first": "x", "second": (0.2, 1.0, -0.3), "axis": direction(rng)},
    "universal": lambda rng: {"first": "x", "second": (0.2, 1.0, -0.3)},
}


def geometry(kind: str, rng) -> dict:
    """Arguments of ``System.joint`` for a joint of that kind; a registered joint without an example is an error."""
    if kind not in EXAMPLES:
        raise AssertionError(f"joint '{kind}' has no example here, and the tests over all registered joints need one")
    return EXAMPLES[kind](rng)
