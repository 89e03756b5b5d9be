"""A spacecraft docks: its flexible probe is captured by the drogue of a target, which swings until it latches rigidly.

Planar, without gravity. The chaser carries an elastic probe along its x axis; its tip approaches the drogue of the
target. Where the distance along the axis of the probe vanishes, the tip is captured: it is held in the drogue with the
offset across that it has then, free to turn. A spring and damper in the drogue turn the target in line, and when the
angle between them vanishes it latches too. Both locks close by an ideal impulse of the whole mechanism, modes included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm

UNITS = {
    "latch_times": "s",
    "capture_impulse": "N s",
    "capture_angular_impulse": "N m s",
    "latch_angular_impulse": "N m s",
    "tip_deflection_max": "m",
    "energy_lost": "J",
}
PLOTS = {
    "Drogue": ("drogue.u", "drogue.v"),
    "Angle": ("drogue.angle",),
    "Deflection of the probe": ("probe.tip.displacement.y",),
    "Energy": ("energy.kinetic", "energy.elastic", "drogue.angle.restoring.work"),
}


@dataclass(frozen=True)
class Parameters:
    chaser_mass: float = fm.parameter(400.0, "kg", "mass of the chaser")
    chaser_inertia: float = fm.parameter(150.0, "kg m2", "inertia of the chaser about its centre")
    root: float = fm.parameter(0.8, "m", "root of the probe before the centre of the chaser")
    probe_length: float = fm.parameter(2.0, "m", "length of the probe")
    probe_mass: float = fm.parameter(12.0, "kg", "mass of the probe")
    bending_stiffness: float = fm.parameter(4000.0, "N m2", "EI of the probe")
    damping_ratio: float = fm.parameter(0.005, "", "of the modes of the probe", minimum=0.0)
    modes: int = fm.parameter(3, "", "modes of the probe", minimum=1)
    target_mass: float = fm.parameter(700.0, "kg", "mass of the target")
    target_inertia: float = fm.parameter(350.0, "kg m2", "inertia of the target about its centre")
    depth: float = fm.parameter(0.9, "m", "drogue before the centre of the target")
    gap: float = fm.parameter(0.05, "m", "between tip and drogue at the start", minimum=1e-9)
    offset: float = fm.parameter(0.02, "m", "of the drogue across the axis of the probe at the start")
    misalignment: float = fm.parameter(0.06, "rad", "angle of the target against the probe at the start")
    speed: float = fm.parameter(0.1, "m/s", "of approach", minimum=1e-9)
    stiffness: float = fm.parameter(60.0, "N m/rad", "that turns the captured target in line", minimum=0.0)
    damping: float = fm.parameter(5.0, "N m s/rad", "of the drogue", minimum=0.0)
    t_end: float = fm.parameter(8.0, "s", "end time")
    rtol: float = fm.parameter(1e-8, "", "relative tolerance")
    atol: float = fm.parameter(1e-10, "", "absolute tolerance")


def block(mass: float, inertia: float, size: float) -> fm.RigidBody:
    """A body drawn as a cube."""
    return fm.RigidBody(mass, inertia * np.array([0.6, 0.6, 1.0]), size=(size, size, size))


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    chaser = system.add(block(p.chaser_mass, p.chaser_inertia, 1.6 * p.root), "chaser")
    beam = fm.uniform_beam(
        length=p.probe_length,
        bending_stiffness=p.bending_stiffness,
        mass_per_length=p.probe_mass / p.probe_length,
        supports=("clamped", "free"),
        modes=p.modes,
        markers={"root": 0.0, "tip": p.probe_length},
        foreshortening=True,
        damping_ratio=p.damping_ratio,
    )
    probe = system.add(beam, "probe")
    target = system.add(block(p.target_mass, p.target_inertia, 1.6 * p.depth), "target")
    system.planar(system.ground["origin"], chaser["origin"], u=0.0, v=0.0, angle=0.0, u_rate=p.speed, name="motion")
    system.fixed(chaser.marker("mount", (p.root, 0.0, 0.0)), probe["root"], name="mount")
    # the drogue, as seen from the tip: u along the probe, v across, negative where it is still ahead
    drogue = system.planar(
        probe["tip"],
        target.marker("drogue", (-p.depth, 0.0, 0.0)),
        u=p.gap,
        v=p.offset,
        angle=p.misalignment,
        u_rate=-p.speed,
        v_rate=0.0,
        angle_rate=0.0,
        name="drogue",
    )
    captured = system.variable("captured")
    angle, rate = (system.sensor(kind, drogue, coordinate="angle") for kind in ("coordinate", "rate"))
    stiffness, damping = p.stiffness, p.damping  # numbers of their own: functions that read p itself cannot be compiled
    restoring = system.function(lambda t, angle, rate, on: -on * (stiffness * angle + damping * rate), (angle, rate, captured))
    drogue.actuate(restoring, coordinate="angle", name="restoring")
    latch = system.event(
        when=fm.Crossing(angle, 0.0, "both"), do=fm.Lock((drogue, "angle")), name="latch", repeats=False, armed=False
    )
    hold = [fm.Lock((drogue, "u")), fm.Lock((drogue, "v"))]
    if p.misalignment == 0.0:  # in line already: it latches at once
        hold.append(fm.Lock((drogue, "angle")))
    system.event(
        when=system.sensor("coordinate", drogue, coordinate="u") <= 0.0,
        do=[*hold, fm.Set(captured, 1.0), fm.Arm(latch)],
        name="capture",
        repeats=False,
    )
    return system


def latched_rows(result: fm.Result) -> list[int]:
    """Row before each lock; the next row is the one behind it."""
    times = [event.time for event in result.events if event.name in ("capture", "latch")]
    return (np.searchsorted(result.t, times, side="right") - 2).tolist()


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Impulses on the target, of its own change of momentum: force, and moment about the drogue."""
    bodies = bodies_of(p)
    place = np.stack([result[f"target.drogue.position.{axis}"] for axis in "xyz"], axis=-1)
    force, moment = fm.momenta(result, {"target": bodies["target"]}, about=place)
    rows, kinetic = latched_rows(result), result["energy.kinetic"]
    linear, angular = fm.momenta(result, bodies)
    impulses = [float(np.linalg.norm(force[row + 1] - force[row])) for row in rows]
    moments = [float(moment[row + 1, 2] - moment[row, 2]) for row in rows]
    tip = "probe.tip.displacement.y"
    return {
        "latch_times": [float(result.t[row]) for row in rows],
        "impulses": impulses,
        "impulse": impulses[0] if impulses else None,
        "angular_impulses": moments,
        "energy_lost": [float(kinetic[row] - kinetic[row + 1]) for row in rows],
        "tip_deflection_max": abs(result.extreme(tip)[1]),
        "tip_deflection_end": float(result[tip][-1]),
        "chaser_rate_end": float(result["motion.angle.rate"][-1]),
        "drift_of_momenta": [
            float(np.linalg.norm(linear - linear[0], axis=1).max()),
            float(np.abs(angular[:, 2] - angular[0, 2]).max()),
        ],
        "probe_frequencies": bodies["probe"].frequencies.tolist(),
    }


def bodies_of(p: Parameters) -> dict[str, object]:
    """The bodies by name."""
    return {name: part.body for name, part in build(p).bodies.items() if name != "ground"}
