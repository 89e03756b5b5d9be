"""A mass strikes the free end of a fixed rod: de Saint-Venant's waves; and a rod hits a rigid wall.

S. P. Timoshenko and J. N. Goodier, Theory of Elasticity (1970), art. 152. Stress in E v/c, time in L/c (v speed of the
mass, c wave speed): it jumps by 2 whenever the wave returns, at tau = 2, 4, ..., and decays in between. A finite number
of modes smears these fronts over L/modes and lets the force oscillate there: what is between two fronts is fitted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

import flexmbs as fm

PATCHES = ("plain", "attachment", "massless")
IN_FILES = {"E": "youngs_modulus", "rho": "density", "A": "area", "L": "length", "v": "speed", "N": "modes"}
UNITS = {"contact_duration": "s", "force": "N", "impulse": "N s", "max_shortening": "m", "c": "m/s"}
PLOTS = {"Contact force": ("hit.force",), "End of the rod": ("rod.tip.displacement.x",)}
NAMES = {1.0: "1", 0.5: "1/2", 0.25: "1/4", 1.0 / 6.0: "1/6"}  # of the rod's part of the mass, in the reference
ELEMENTS = 6  # for each mode
# Perfect contact is a law this many times stiffer than the rod between two nodes of the highest mode: with a massless
# patch it brings no high frequency.
STIFF = {"plain": 2.0, "attachment": 2.0, "massless": 1000.0}
DEGREE = 3  # of the force between two fronts
SKIP, BEFORE = 4.0, 2.0  # over the number of modes: behind a front and before the next one, not fitted
PASSES, SHORTEST = 8, 0.3  # to find the end of the contact, and the part of an interval that is fitted at least


@dataclass(frozen=True)
class Parameters:
    alpha: float = fm.parameter(1.0, "", "mass of the rod over the striking mass", minimum=0.05, maximum=20.0)
    alphas: tuple | None = fm.parameter(None, "", "of the table; none: that of the run, or 1, 1/2, 1/4, 1/6 with a file")
    length: float = fm.parameter(1.0, "m", "length of the rod")
    area: float = fm.parameter(1e-4, "m2", "area of its section")
    youngs_modulus: float = fm.parameter(210e9, "Pa", "Young's modulus")
    density: float = fm.parameter(7850.0, "kg/m3", "density")
    speed: float = fm.parameter(1.0, "m/s", "speed of the mass, and of the rod that hits a wall", minimum=1e-9)
    modes: int = fm.parameter(40, "", "number of axial modes", minimum=4)
    patch: str = fm.parameter("massless", "", f"how the end of the rod yields: {', '.join(PATCHES)}")
    wall: bool = fm.parameter(True, "", "figures of the free rod that hits a rigid wall as well")
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float | None = fm.parameter(None, "s", "end time; none: after the contact")
    rtol: float = fm.parameter(1e-6, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters; fill in what follows from others."""
    p = fm.with_parameter_file(p, IN_FILES)
    if p.patch not in PATCHES:
        raise fm.CaseError(f"patch = {p.patch!r} must be one of {', '.join(PATCHES)}")
    if p.alphas is None:
        p = replace(p, alphas=(p.alpha,) if p.parameters is None else tuple(NAMES))
    return p if p.t_end is not None else replace(p, t_end=end_of(p))


def wave_speed(p: Parameters) -> float:
    return sqrt(p.youngs_modulus / p.density)


def end_of(p: Parameters) -> float:
    """After the contact, s: it lasts about a half period of the mass on the rod as a spring, and a passage more."""
    return (3.6 + 3.2 / sqrt(p.alpha)) * p.length / wave_speed(p)


def rod_of(p: Parameters, modes: fm.ClampedFree | fm.FreeFree) -> fm.FlexibleBody:
    side = sqrt(p.area)
    steel = fm.Material("rod", p.youngs_modulus, 0.3, p.density)
    return fm.reduce(
        fm.line_mesh(p.length, ELEMENTS * p.modes, fm.rectangle(side, side), steel),
        interfaces={"root": "ROOT", "tip": "TIP"},
        modes=modes,
        contact_patches={"tip": fm.ContactPatch(p.patch, directions=("x",))},
        second_order="none",
    )


def law_of(p: Parameters) -> fm.PowerLaw:
    return fm.PowerLaw(STIFF[p.patch] * p.modes * p.youngs_modulus * p.area / p.length, 1.0)


def build(p: Parameters) -> fm.System:
    mass = p.density * p.area * p.length / p.alpha
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    rod = system.add(rod_of(p, fm.ClampedFree(at="root", axial=p.modes)), name="rod")
    system.fixed(system.ground.marker("root"), rod["root"], name="root")
    striker = system.add(fm.RigidBody(mass, (mass * p.area,) * 3), name="mass")
    start = system.ground.marker("start", position=(p.length, 0.0, 0.0))
    system.prismatic(start, striker["origin"], axis="x", rate=-p.speed, name="guide")
    system.contact(fm.Point(striker["origin"]), fm.Plane(rod["tip"], normal=(1.0, 0.0, 0.0)), law=law_of(p), name="hit")
    return system


def built_wall(p: Parameters) -> fm.System:
    """A free rod that moves along its axis hits a wall with its tip."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    rod = system.add(rod_of(p, fm.FreeFree(axial=p.modes)), name="rod")
    frame = system.ground.marker("frame")
    system.prismatic(frame, rod["root"], axis="x", rate=p.speed, name="guide")
    wall = fm.Plane(system.ground.marker("wall", position=(p.length, 0.0, 0.0)), normal=(-1.0, 0.0, 0.0))
    system.contact(fm.Point(rod["tip"]), wall, law=law_of(p), name="hit")
    return system


class Force:
    """Contact force of a run in E A v/c over tau = t c/L: mean values, and polynomials between the fronts."""

    def __init__(self, result: fm.Result, p: Parameters) -> None:
        self.tau = result.t * wave_speed(p) / p.length
        unit = p.youngs_modulus * p.area * p.speed / wave_speed(p)
        force = np.maximum(result["hit.force"], 0.0) / unit
        self.impulse = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(self.tau) * (force[1:] + force[:-1]))])
        self.window = 2.0 / p.modes

    def fit(self, first: float, last: float, degree: int = DEGREE) -> np.polynomial.Polynomial:
        """The force from ``first`` to ``last``, from its impulse, in which its oscillations are small."""
        x = np.linspace(first, last, 400)
        return np.polynomial.Polynomial.fit(x, np.interp(x, self.tau, self.impulse), degree + 1).deriv()

    def between_fronts(self) -> tuple[list[tuple[float, np.polynomial.Polynomial]], float]:
        """Each front in contact with the force behind it; the end of the contact, where that vanishes."""
        fitted = []
        for front in np.arange(0.0, self.tau[-1] - 2.0, 2.0):
            first = front + 0.5 * SKIP * self.window
            last = front + 2.0 - 0.5 * BEFORE * self.window
            behind, end = self.fit(first, last), np.inf
            for _ in range(PASSES):  # behind the end of a contact is nothing to be fitted
                root = first_root(behind, first, last + 0.5 * self.window)
                if root is None:
                    break
                end = root
                behind = self.fit(first, max(end - 0.5 * self.window, first + SHORTEST))
            fitted.append((float(front), behind))
            root = first_root(behind, first, front + 2.0 + self.window)
            if np.isfinite(end):
                return fitted, end if root is None else root
        return fitted, float(self.tau[-1])


def first_root(force: np.polynomial.Polynomial, first: float, last: float) -> float | None:
    """Where a force first vanishes between two times."""
    roots = [float(root.real) for root in force.roots() if abs(root.imag) < 1e-9]
    return min((root for root in roots if first < root < last), default=None)


def of_mass(result: fm.Result, p: Parameters) -> dict[str, float]:
    """Largest stress behind a front, when that is, and the end of the contact."""
    fitted, end = Force(result, p).between_fronts()
    peak, at = max((float(behind(front)), front) for front, behind in fitted)
    return {"max_stress_over_E_v_over_c": peak, "at_tau": at, "contact_end_tau": end}


def of_wall(p: Parameters) -> dict[str, float]:
    """Force and duration of the free rod on the wall, from the impulse and the momentum that it leaves."""
    c = wave_speed(p)
    result = built_wall(p).simulate(2.6 * p.length / c, rtol=p.rtol, atol=p.atol, progress=False)
    mass, force = p.density * p.area * p.length, Force(result, p)
    level = force.fit(0.5 * SKIP * force.window, 2.0 - 0.5 * SKIP * force.window, 0)(1.0)
    impulse = sum(contact.impulse for contact in result.contacts if contact.end == contact.end)
    value = float(level) * p.youngs_modulus * p.area * p.speed / c
    return {
        "c": c,
        "contact_duration": impulse / value,
        "force": value,
        "impulse": impulse,
        "restitution": impulse / (mass * p.speed) - 1.0,
        "max_shortening": float(np.max(result["rod.root.position.x"] - result["rod.tip.position.x"])) + p.length,
    }


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    own = of_mass(result, p)
    unit = p.youngs_modulus * p.area * p.speed / wave_speed(p)
    cases = {}
    for alpha in p.alphas or ():
        at = replace(p, alpha=alpha)
        at = replace(at, t_end=end_of(at))
        same = alpha == p.alpha
        one = result if same else build(at).simulate(at.t_end, rtol=p.rtol, atol=p.atol, progress=False)
        cases[next((name for value, name in NAMES.items() if abs(value - alpha) < 1e-3), f"{alpha:g}")] = of_mass(one, at)
    return {
        "contact_end": own["contact_end_tau"],
        "peak_stress": own["max_stress_over_E_v_over_c"],
        "peak_stress_of_modes": max(contact.peak_force for contact in result.contacts) / unit,
        "touches": len(result.contacts),
        "mass_M_striking_free_end_of_fixed_rod": {"cases": cases},
        "energy_error": fm.energy_error(result),
        **(of_wall(p) if p.wall else {}),
    }
