"""A train of cars runs over a closed spline track.

Every car follows the track; neighbours are connected by rigid drawbars. World axes: z up. Without friction, energy is
conserved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm

# a circuit with three hills: x, y, height of its points (m); the last car starts on the highest
TRACK = np.array(
    [
        (0, 0, 15),
        (14, 2, 9),
        (26, 8, 1),
        (36, 18, 7),
        (32, 32, 11),
        (18, 38, 4),
        (4, 34, 1),
        (-8, 38, 8),
        (-22, 34, 10),
        (-32, 22, 3),
        (-30, 8, 2),
        (-16, 0, 11),
    ],
    dtype=float,
)


@dataclass(frozen=True)
class Parameters:
    cars: int = fm.parameter(5, "", "number of cars", minimum=1, maximum=200)
    mass: float = fm.parameter(600.0, "kg", "mass of a car")
    length: float = fm.parameter(2.0, "m", "length of a car")
    drawbar: float = fm.parameter(2.5, "m", "distance of neighbouring cars")
    height: float = fm.parameter(1.0, "", "factor on the heights of the track")
    speed: float = fm.parameter(2.0, "m/s", "speed of the last car at the start, on the highest point")
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -z")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(15.0, "s", "end time")
    rtol: float = fm.parameter(1e-8, "", "relative tolerance")
    atol: float = fm.parameter(1e-8, "", "absolute tolerance")


def track(p: Parameters) -> fm.Curve:
    return fm.Curve.through(TRACK * [1.0, 1.0, p.height], closed=True)


def drawn_track(curve: fm.Curve, half: float) -> fm.SurfaceMesh:
    """A ribbon along the track, ``half`` (m) to either side; drawn only."""
    s = np.linspace(0.0, curve.length, 401)
    side = curve.frame(s)[:, :, 1]
    points = np.concatenate([curve.position(s) + half * side, curve.position(s) - half * side])
    i, n = np.arange(len(s) - 1), len(s)
    return fm.SurfaceMesh(points, np.column_stack([np.full(len(i), 4), i, i + n, i + n + 1, i + 1]).ravel())


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, -p.g), coordinates=p.coordinates)
    curve = track(p)
    size = np.array([p.length, 0.5 * p.length, 0.4 * p.length])
    shape = fm.RigidBody.box(1.0, size, (0.0, 0.0, 0.5 * size[2]))
    body = fm.RigidBody(p.mass, p.mass / 12.0 * (size @ size - size**2), surface=shape.surface)
    rail = system.ground.marker("track")
    scenery = system.add(fm.RigidBody(1.0, np.ones(3), surface=drawn_track(curve, 0.3 * p.length)), name="track bed")
    system.fixed(rail, scenery["origin"], name="foundation")
    ahead = None
    for i in range(p.cars):
        car = system.add(body, name=f"car {i + 1}")
        joint = system.follow_curve(rail, car["origin"], curve, name=f"wheels {i + 1}")
        joint.start["s"], joint.start_rate["s"] = (p.cars - 1 - i) * p.drawbar, p.speed
        if ahead is not None:
            system.rod(ahead["origin"], car["origin"], p.drawbar, name=f"drawbar {i}")
        ahead = car
    # the last car stands where it is said, the drawbars place the others
    joint.given.add("s")
    joint.given_rates.add("s")
    return system


PLOTS = {
    "Speed of the first car": ("wheels 1.s.rate",),
    "Height of the first car": ("car 1.position.z",),
    "Energy": ("energy.kinetic", "energy.gravity", "energy.total"),
}


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """load_max, load_min: force of the track on the first car along its own z axis, in units of its weight."""
    force = np.stack([result[f"wheels 1.reaction.force.{axis}"] for axis in "xyz"], axis=1)
    load = np.einsum("tk,tk->t", force, result.rotation("car 1")[:, :, 2]) / (p.mass * p.g)
    return {
        "s_end": result["wheels 1.s"][-1],
        "speed_end": result["wheels 1.s.rate"][-1],
        "speed_max": result["wheels 1.s.rate"].max(),
        "load_max": load.max(),
        "load_min": load.min(),
        "energy_error": fm.energy_error(result),
        "constraint_error": result["constraint_error"].max(),
    }
