"""A steel sphere hits a beam: force, later contacts and restitution against modes and kind of contact patch.

Exact Euler-Bernoulli modes; Hertz contact; no gravity. After S. P. Timoshenko, Zur Frage nach der Wirkung eines Stosses
auf einen Balken, Z. Math. Phys. 62 (1913). With plain modes the peak force depends on their number (its error falls
with the third power); a massless patch adds the static flexibility of the modes left out: few modes are enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, sqrt

import numpy as np

import flexmbs as fm

SUPPORTS = {
    "clamped": ("clamped", "clamped"),
    "simply_supported": ("pinned", "pinned"),
    "cantilever": ("clamped", "free"),
    "free": ("free", "free"),
}
SAME = {"simply supported": "simply_supported", "pinned": "simply_supported", "supported": "simply_supported"}
PATCHES = ("plain", "attachment", "massless")
IN_FILES = {
    "support": "support",
    "E": "youngs_modulus",
    "nu": "poisson_ratio",
    "rho": "density",
    "L": "length",
    "b": "width",
    "h": "height",
    "R": "radius",
    "v0": "speed",
    "xi0": "position",
    "t_end": "t_end",
    "E_s": "sphere_modulus",
    "nu_s": "sphere_poisson_ratio",
    "rho_s": "sphere_density",
    "m": "sphere_mass",
    "k": "stiffness",
    "N": "modes",
}
UNUSED = ("beam_mass", "omega", "v_sphere_end")  # what follows from the others, and what the run computes
UNITS = {
    "peak_forces": "N",
    "contact_starts": "s",
    "contact_ends": "s",
    "F_peak": "N",
    "contact_total_duration": "s",
    "t_last_separation": "s",
    "v_sphere_end": "m/s",
    "total_impulse": "N s",
    "sphere_mass": "kg",
    "beam_mass": "kg",
    "residual_flexibility": "m/N",
    "static_flexibility": "m/N",
    "K_hertz": "N/m^1.5",
}
PLOTS = {"Contact force": ("hit.force",), "Gap": ("hit.gap",), "Beam at the contact": ("beam.hit.displacement.y",)}


@dataclass(frozen=True)
class Parameters:
    support: str | None = fm.parameter(
        None, "", f"{', '.join(SUPPORTS)}; none: clamped, or simply_supported for a file of parameters without it"
    )
    patch: str = fm.parameter("massless", "", f"how the beam yields at the contact: {', '.join(PATCHES)}")
    modes: int = fm.parameter(20, "", "number of bending modes, the lowest", minimum=1)
    symmetric: bool | None = fm.parameter(
        None, "", "only the symmetric modes 1, 3, 5 ...; none: for a file of parameters without a support"
    )
    length: float = fm.parameter(0.3, "m", "length of the beam")
    width: float = fm.parameter(0.02, "m", "width of the beam")
    height: float = fm.parameter(0.005, "m", "height of the beam, along the blow")
    youngs_modulus: float = fm.parameter(210e9, "Pa", "Young's modulus of the beam")
    poisson_ratio: float = fm.parameter(0.3, "", "Poisson's ratio of the beam")
    density: float = fm.parameter(7850.0, "kg/m3", "density of the beam")
    radius: float = fm.parameter(0.01, "m", "radius of the sphere")
    sphere_modulus: float | None = fm.parameter(None, "Pa", "Young's modulus of the sphere; none: as the beam")
    sphere_poisson_ratio: float | None = fm.parameter(None, "", "Poisson's ratio of the sphere; none: as the beam")
    sphere_density: float | None = fm.parameter(None, "kg/m3", "density of the sphere; none: as the beam")
    sphere_mass: float | None = fm.parameter(None, "kg", "mass of the sphere; none: from its density")
    stiffness: float | None = fm.parameter(None, "N/m^1.5", "K of F = K d^1.5; none: Hertz, from the materials")
    speed: float = fm.parameter(0.5, "m/s", "speed of the sphere", minimum=1e-9)
    position: float = fm.parameter(0.5, "", "where it hits, as a part of the length", minimum=0.0, maximum=1.0)
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float = fm.parameter(0.004, "s", "end time")
    rtol: float = fm.parameter(1e-8, "", "relative tolerance")
    atol: float = fm.parameter(1e-13, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters; fill in what follows from others."""
    given = p.support, p.symmetric
    p = fm.with_parameter_file(p, IN_FILES, UNUSED)
    from_timoshenko = p.parameters is not None and p.support is None
    if given[0] is not None:
        p = replace(p, support=given[0])
    support = p.support or ("simply_supported" if from_timoshenko else "clamped")
    support = SAME.get(support, support)
    if support not in SUPPORTS:
        raise fm.CaseError(f"support = {support!r} must be one of {', '.join(SUPPORTS)}")
    if p.patch not in PATCHES:
        raise fm.CaseError(f"patch = {p.patch!r} must be one of {', '.join(PATCHES)}")
    symmetric = given[1] if given[1] is not None else from_timoshenko and p.position == 0.5
    p = replace(p, support=support, symmetric=symmetric)
    for name, own in (("modulus", "youngs_modulus"), ("poisson_ratio", "poisson_ratio"), ("density", "density")):
        if getattr(p, f"sphere_{name}") is None:
            p = replace(p, **{f"sphere_{name}": getattr(p, own)})
    if p.sphere_mass is None:
        p = replace(p, sphere_mass=p.sphere_density * 4.0 / 3.0 * pi * p.radius**3)
    if p.stiffness is None:
        compliance = (1.0 - p.poisson_ratio**2) / p.youngs_modulus
        compliance += (1.0 - p.sphere_poisson_ratio**2) / p.sphere_modulus
        p = replace(p, stiffness=4.0 / 3.0 / compliance * sqrt(p.radius))
    return p


def beam_of(p: Parameters) -> fm.FlexibleBody:
    numbers = range(1, 2 * p.modes, 2) if p.symmetric else p.modes
    return fm.uniform_beam(
        length=p.length,
        bending_stiffness=p.youngs_modulus * p.width * p.height**3 / 12.0,
        mass_per_length=p.density * p.width * p.height,
        supports=SUPPORTS[p.support],
        modes=numbers,
        markers={"hit": p.position * p.length},
        contact_patches={"hit": fm.ContactPatch(p.patch)},
    )


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    beam = system.add(beam_of(p), name="beam")
    if p.support != "free":
        system.fixed(system.ground.marker("supports"), beam["supports"], name="supports")
    inertia = 0.4 * p.sphere_mass * p.radius**2
    surface = fm.RigidBody.sphere(p.sphere_density, p.radius).surface
    ball = system.add(fm.RigidBody(p.sphere_mass, (inertia, inertia, inertia), surface=surface), name="sphere")
    start = system.ground.marker("start", position=(p.position * p.length, p.radius, 0.0))
    system.prismatic(start, ball["origin"], axis="y", rate=-p.speed, name="guide")
    system.contact(fm.Sphere(ball["origin"], p.radius), fm.Plane(beam["hit"]), law=fm.Hertz(p.stiffness), name="hit")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    ended = [contact for contact in result.contacts if contact.end == contact.end]
    end = -float(result["guide.displacement.rate"][-1])
    contacts = [
        {"t0": c.start, "t1": c.end, "duration": c.duration, "F_peak": c.peak_force, "t_peak": c.peak_time, "impulse": c.impulse}
        for c in ended
    ]
    body = beam_of(p)
    flexibility = body.flexibility[list(body.markers).index("hit"), 1, 1]
    elastic = ~body.massless
    run = {
        "N": p.modes,
        "static_residual": p.patch == "massless",
        "residual_flexibility": float(sum(1.0 / np.diag(body.Ke)[body.massless])),
        "contacts": contacts,
        "n_contacts": len(result.contacts),
        "F_peak": max((c.peak_force for c in result.contacts), default=0.0),
        "contact_total_duration": sum(c.duration for c in ended),
        "t_last_separation": ended[-1].end if ended else None,
        "v_sphere_end": end,
        "restitution": -end / p.speed,
        "total_impulse": sum(c.impulse for c in ended),
        "energy_in_beam_fraction": 1.0 - (end / p.speed) ** 2,
        "omega_first": float(2.0 * np.pi * body.frequencies[elastic][0]),
        "omega_last": float(2.0 * np.pi * body.frequencies[elastic][-1]),
        "still_in_contact": len(ended) < len(result.contacts),
    }
    return {
        "peak_forces": [c.peak_force for c in result.contacts],
        "contact_starts": [c.start for c in result.contacts],
        "contact_ends": [c.end for c in ended],
        **{name: value for name, value in run.items() if name not in ("N", "static_residual")},
        "static_flexibility": float(flexibility),
        "K_hertz": p.stiffness,
        "sphere_mass": p.sphere_mass,
        "beam_mass": body.mass,
        "first_frequencies_Hz": [float(hz) for hz in body.frequencies[elastic][:5]],
        "runs": [run],
        "energy_error": fm.energy_error(result),
        **({f"N_odd_modes={p.modes}": contacts} if p.symmetric else {}),
    }
