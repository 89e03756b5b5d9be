"""A turning beam, hinged at one end, hits a linear spring with its free tip.

Parameters of code_aster V5.02.032. Exact Euler-Bernoulli modes of the hinged beam, small turning, no gravity: the
linear problem, whose solution is exact between onset and end of a contact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import flexmbs as fm

PATCHES = ("plain", "attachment", "massless")
IN_FILES = {
    "E": "youngs_modulus",
    "rho": "density",
    "c": "side",
    "L": "length",
    "x_gauge": "gauge",
    "omega0": "spin",
    "k": "stiffnesses",
    "N": "modes",
    "t_end": "t_end",
}
UNITS = {"peak_forces": "N", "contact_duration": "s", "contact_starts": "s", "contact_ends": "s"}
PLOTS = {"Spring": ("spring.force",), "Tip": ("spring.gap",), "Angle": ("pin.angle",)}
# The linear problem: turning and deflection so small that their squares do not count.
REDUCTION = 1e-3
APART = 1e-4  # of the length: two sections whose relative rotation is the strain at the gauge


@dataclass(frozen=True)
class Parameters:
    length: float = fm.parameter(0.783, "m", "length of the beam")
    side: float = fm.parameter(0.014, "m", "side of its square section")
    youngs_modulus: float = fm.parameter(67e9, "Pa", "Young's modulus")
    density: float = fm.parameter(2400.0, "kg/m3", "density")
    spin: float = fm.parameter(-3.8, "rad/s", "angular velocity at the start, towards the spring")
    stiffness: float = fm.parameter(18000.0, "N/m", "stiffness of the spring of the run")
    stiffnesses: tuple | None = fm.parameter(None, "N/m", "stiffnesses of the table; none: that of the run")
    gauge: float = fm.parameter(0.462, "m", "distance of the strain gauge from the hinge")
    modes: int = fm.parameter(10, "", "number of elastic bending modes, the lowest", minimum=1)
    patch: str = fm.parameter("plain", "", f"how the tip yields: {', '.join(PATCHES)}")
    linear: bool = fm.parameter(True, "", "the linear problem; no: with the finite turning of the beam")
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float = fm.parameter(0.03, "s", "end time")
    rtol: float = fm.parameter(1e-8, "", "relative tolerance")
    atol: float = fm.parameter(1e-14, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters."""
    p = fm.with_parameter_file(p, IN_FILES, ("nu",))
    if p.patch not in PATCHES:
        raise fm.CaseError(f"patch = {p.patch!r} must be one of {', '.join(PATCHES)}")
    if p.stiffnesses is None:
        return replace(p, stiffnesses=(p.stiffness,))
    return p if p.stiffness in p.stiffnesses else replace(p, stiffness=p.stiffnesses[0])


def scale(p: Parameters) -> float:
    """By what speed and results are divided in the run."""
    return REDUCTION if p.linear else 1.0


def beam_of(p: Parameters) -> fm.FlexibleBody:
    apart = APART * p.length
    return fm.uniform_beam(
        length=p.length,
        bending_stiffness=p.youngs_modulus * p.side**4 / 12.0,
        mass_per_length=p.density * p.side**2,
        supports=("pinned", "free"),
        modes=p.modes,
        contact_patches={"right": fm.ContactPatch(p.patch)},
        markers={"before gauge": p.gauge - apart, "behind gauge": p.gauge + apart},
    )


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    beam = system.add(beam_of(p), name="beam")
    system.revolute(system.ground.marker("pin"), beam["supports"], axis="z", rate=p.spin * scale(p), name="pin")
    rest = system.ground.marker("rest", position=(p.length, 0.0, 0.0))
    facing = fm.Plane(rest, normal=(0.0, 1.0 if p.spin < 0.0 else -1.0, 0.0))
    system.contact(fm.Point(beam["right"]), facing, fm.PowerLaw(p.stiffness), name="spring")
    return system


def contacts_of(result: fm.Result, p: Parameters) -> list[dict[str, float]]:
    part = scale(p)
    return [
        {"t0": c.start, "t1": c.end, "F_peak": c.peak_force / part, "t_peak": c.peak_time, "impulse": c.impulse / part}
        for c in result.contacts
        if c.end == c.end
    ]


def strain(result: fm.Result, p: Parameters) -> np.ndarray:
    """Strain of the surface at the gauge at every step; positive on the side of the spring."""
    body = beam_of(p)
    q = np.column_stack([result[f"beam.{label}"] for label in body.mode_labels])
    turns = [body.markers[name].Psi[:, 2] for name in ("before gauge", "behind gauge")]
    curvature = q @ (turns[1] - turns[0]) / (2.0 * APART * p.length)
    return np.sign(-p.spin) * 0.5 * p.side * curvature / scale(p)


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    own = contacts_of(result, p)
    found = {
        "peak_forces": [c["F_peak"] for c in own],
        "contact_duration": own[0]["t1"] - own[0]["t0"] if own else None,
        "contact_starts": [c["t0"] for c in own],
        "contact_ends": [c["t1"] for c in own],
        "freqs_pinned_free_Hz": [float(hz) for hz in beam_of(p).frequencies[:8]],
        "energy_error": fm.energy_error(result),
    }
    for k in p.stiffnesses or ():
        at = replace(p, stiffness=k)
        one = result if k == p.stiffness else build(at).simulate(p.t_end, rtol=p.rtol, atol=p.atol, progress=False)
        found[f"k={k:g},N={p.modes}"] = contacts_of(one, at)
        values = strain(one, at)
        found[f"k={k:g},strain_minmax(x={p.gauge:g})"] = [float(values.min()), float(values.max())]
    return found
