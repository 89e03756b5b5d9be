"""The cases that ``flexmbs verify`` computes, about a minute in all: what, its source, references and tolerances.

Then their computation, which must agree with the references.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import flexmbs as fm
from flexmbs.app.verification import problems
from flexmbs.case.cases import run_case
from flexmbs.common.errors import CaseError, FlexmbsWarning


def reference(name: str) -> Any:
    """The content of ``references/NAME.json`` (origin and accuracy of its values: ``references/README.md``)."""
    return json.loads((resources.files("flexmbs.app.verification") / "references" / f"{name}.json").read_text("utf-8"))


@dataclass(frozen=True)
class Quantity:
    """A reference value and how closely a computed value must agree with it."""

    name: str  # what it is, such as "first peak force"
    reference: ArrayLike  # a number or several
    tolerance: float  # largest deviation allowed, relative to each reference value, or to ``scale``
    unit: str = ""  # SI
    scale: float | None = None  # what deviations are divided by; 1.0 for absolute tolerances
    value: str | tuple[str, ...] = ""  # what the computation calls it, or its components; "": by the name
    at_least: bool = False  # only values below the reference deviate from it (observed orders)


@dataclass(frozen=True)
class VerificationCase:
    """A problem whose solution is known."""

    name: str  # as ``flexmbs verify NAME`` takes it
    title: str  # what is computed
    source: str  # where the problem and its reference values come from
    accuracy: str  # how accurate the reference is and why the tolerances are what they are
    quantities: tuple[Quantity, ...]
    compute: Callable[[], Any]  # returns what holds the computed values, by name: a mapping or a Result

    def values(self) -> dict[str, ArrayLike]:
        """The computed value of every quantity, by its name."""
        found = self.compute()
        keys = {quantity.name: quantity.value or quantity.name for quantity in self.quantities}
        return {name: found[key] if isinstance(key, str) else [found[part] for part in key] for name, key in keys.items()}


def _figures(case: str, **parameters: Any) -> Callable[[], Any]:
    return lambda: run_case(case, parameters).figures


_SHENG = "Sheng, Liu and Yu (2006), formulation with foreshortening; exact Lagrangian of the same ansatz, DOP853 at 1e-12"
_IVP = "Mazzia and Magherini, Test Set for IVP Solvers, release 2.4 (2008): published solution"
_LOCATED = "exact; instants of events are located"
_CONSTRAINTS = Quantity("largest constraint error", 0.0, 1e-10, "m, rad", 1.0, "constraint_error")

_TOP = reference("rigid_heavy_top")["fast"]
_LOOP = reference("rigid_n_fourbar")["1"]
_AT_5_S = reference("rigid_spatial_slider_crank")["t5"]
_ANDREWS, _SIMEON = (reference(name)["published"] for name in ("ivp_andrews", "ivp_crank"))
_MODAL = ("q1", "q2", "q3", "q4")
_FREE = np.array(reference("flexible_pendulum_free")["rows"])  # t, angle, deflection y and x of the tip
_CONTACTS = reference("flexible_pendulum_impact")["n3"]
_HERTZ = next(case for case in reference("impact_hertz_sphere")["cases"] if case["v"] == 1.0)
_ROTATING = reference("rotating_beam_frequencies")
_SPINS, _PLANES = (0, 6, 12), ("flap", "chord")  # Omega L^2 sqrt(rho A / EI)
_KANE, _EXACT = (reference("spin_up_beam")[name] for name in ("kane_n3_axial0", "geometrically exact"))
_TIP = [_KANE[f"u2_t{t}"] for t in (5, 10, 15, 20)]
# integrator, its order, and the two tolerances between which the slope is taken: neither coarse nor rounding
_METHODS = {
    "Radau IIA of order 5": (fm.Radau(max_order=5), 5, (1e-5, 1e-8)),
    "generalised-alpha": (fm.GeneralisedAlpha(), 2, (1e-3, 1e-5)),
    "BDF of order 2": (fm.BDF(max_order=2), 2, (1e-4, 1e-6)),
    "BDF of order 3": (fm.BDF(max_order=3), 3, (1e-5, 1e-7)),
    "Bogacki-Shampine 5(4)": (fm.Explicit(), 5, (1e-4, 1e-6)),
    "Dormand-Prince 8(5,3)": (fm.Explicit(), 8, (1e-8, 1e-10)),  # the pair for tight tolerances
}
_LE10_STEEL = fm.Material("steel", 210e9, 0.3, 7800.0)
_STOP = 2.0 / (0.3 * 9.81)  # s, v / (mu g); as many m, since v / 2 is 1 m/s
_FIRST = np.sqrt(2.0 / 9.81)  # s, of a fall by 1 m
_RESTITUTIONS = np.array([0.3, 0.5, 0.7])
_REST = _FIRST * (1.0 + _RESTITUTIONS) / (1.0 - _RESTITUTIONS)  # s: the flights are a geometric series


def _rotating_beam() -> dict[str, Any]:
    found = {spin: run_case("rotating_beam_frequencies", {"gamma": float(spin)}).figures for spin in _SPINS}
    return {f"first five {plane} frequencies at spin {spin}": found[spin][plane] for spin in _SPINS for plane in _PLANES}


def _spin_up_beam() -> dict[str, Any]:
    outcome = run_case("spin_up_beam", {"modes": 3, "axial_modes": 0})
    assert outcome.result is not None
    return {**outcome.figures, "at times": outcome.result.resampled([5.0, 10.0, 15.0, 20.0])["beam.tip.displacement.y"]}


def _hertz_impact() -> dict[str, float]:
    (contact,) = problems.sphere_impact(1.0, _HERTZ["t_c"]).contacts
    return {"start": contact.start, "duration": contact.duration, "peak force": contact.peak_force, "impulse": contact.impulse}


def _case(name: str, title: str, source: str, accuracy: str, compute: Callable[[], Any], *quantities: Quantity) -> VerificationCase:
    return VerificationCase(name, title, source, accuracy, quantities, compute)


VERIFICATION_CASES: tuple[VerificationCase, ...] = (
    _case(
        "simple_pendulum",
        "simple pendulum released from the horizontal, 10 s",
        "IFToMM multibody benchmark A01; closed form with Jacobi elliptic functions",
        "exact; integrated with rtol 1e-9, and errors grow linearly over four periods",
        problems.pendulum_at_end,
        Quantity("angle at 10 s", -0.2786806735699831, 1e-8, "rad", 1.0, "hinge.angle"),
        Quantity("angular velocity at 10 s", 4.343160692864617, 1e-8, "rad/s", 1.0, "hinge.angle.rate"),
        Quantity("x of the mass at 10 s", -0.275087462576117, 1e-8, "m", 1.0, "bob.mass.position.x"),
        Quantity("y of the mass at 10 s", -0.961419205099125, 1e-8, "m", 1.0, "bob.mass.position.y"),
        Quantity("largest error of the angle in 10 s", 0.0, 1e-8, "rad", 1.0, "error"),
    ),
    _case(
        "heavy_top",
        "heavy top spinning at 150 rad/s on a spherical joint, 2 s",
        "Brüls, Cardona and Arnold, Mech. Mach. Theory 48 (2012) 121; quaternion equations about the fixed point",
        "reference to 2e-10; what the tolerance of the case leaves after 300 rad is of the same size",
        _figures("heavy_top", speed="fast"),
        Quantity("position of the centre of mass at 2 s", _TOP["pos_t2"], 1e-8, "m", 1.0, "position_end"),
        Quantity("energy error", 0.0, 1e-9, "of the kinetic energy", 1.0, "energy_error"),
    ),
    _case(
        "four_bar",
        "four-bar linkage falling through its singular positions, 10 s",
        "IFToMM multibody benchmark A02; its equation with one degree of freedom, DOP853",
        "reference to 1e-12; each singular position multiplies the error that rtol 1e-9 leaves, and rounding",
        _figures("n_four_bar", loops=1),
        Quantity("position of the first point at 10 s", [_LOOP["x"], _LOOP["y"]], 1e-6, "m", 1.0, ("x", "y")),
        Quantity("velocity of the first point at 10 s", [_LOOP["vx"], _LOOP["vy"]], 1e-6, "m/s", 1.0, ("vx", "vy")),
        Quantity("energy error", 0.0, 1e-7, "of the kinetic energy", 1.0, "energy_error"),
        _CONSTRAINTS,
    ),
    _case(
        "spatial_slider_crank",
        "spatial slider-crank: revolute, spherical, universal and prismatic joint in one loop, 5 s",
        "Haug, Computer Aided Kinematics and Dynamics (1989), IFToMM library; one degree of freedom, DOP853",
        "reference to 1e-8; integrated with rtol 1e-9 over nine turns of the crank",
        _figures("spatial_slider_crank"),
        Quantity("crank angle at 5 s", _AT_5_S["theta"], 1e-8, "rad", value="theta_end"),
        Quantity("slider position at 5 s", _AT_5_S["x"], 1e-7, "m", value="x_end"),
        _CONSTRAINTS,
    ),
    _case(
        "squeezer",
        "Andrews' squeezing mechanism, three loops, 0.03 s",
        _IVP,
        "published angles are good to 2e-10 and rates to 5e-7 rad/s, 4e-10 of the crank's rate of 1140 rad/s",
        _figures("andrews_squeezer"),
        Quantity("seven angles at 0.03 s", _ANDREWS["q"], 2e-9, "rad", value="q"),
        Quantity("their rates at 0.03 s", _ANDREWS["v"], 5e-9, "rad/s", 1140.0, "v"),
        _CONSTRAINTS,
    ),
    _case(
        "flexible_slider_crank",
        "Simeon's slider-crank with an elastic rod, 0.1 s",
        f"Simeon (1996); {_IVP}",
        "the published start values violate the constraints by 1e-9 m, which is seen in the ninth digit of the"
        " position; modal coordinates are compared on the scale of the first one's swing, 0.5 mm",
        _figures("slider_crank_simeon"),
        Quantity("angle of the rod at 0.1 s", _SIMEON["phi2"], 1e-7, "rad", value="phi2"),
        Quantity("position of the slider at 0.1 s", _SIMEON["x3"], 1e-7, "m", value="x3"),
        Quantity("modal coordinates of the rod at 0.1 s", [_SIMEON[name] for name in _MODAL], 1e-5, "m", 5e-4, _MODAL),
        _CONSTRAINTS,
    ),
    _case(
        "flexible_pendulum_free",
        "flexible pendulum released from the horizontal, three bending modes and one axial mode, 2 s",
        _SHENG,
        "reference to 1e-10; integrated with rtol 1e-7",
        lambda: run_case("flexible_pendulum_impact", {"stop": False, "t_end": 2.0}).result.resampled(_FREE[:, 0]),  # type: ignore[union-attr]
        Quantity("angle every 0.25 s", _FREE[:, 1], 1e-6, "rad", 1.0, "hinge.angle"),
        Quantity("tip deflection every 0.25 s", _FREE[:, 2], 1e-6, "m", 1.0, "pendulum.tip.displacement.y"),
        Quantity("tip shortening every 0.25 s", _FREE[:, 3], 1e-6, "m", 1.0, "pendulum.tip.displacement.x"),
    ),
    _case(
        "flexible_pendulum_impact",
        "the same pendulum hits an elastic stop: four contacts",
        _SHENG,
        "reference to 1e-8 after several contacts; rtol 1e-7 leaves some 1e-8 of the first contact, and each"
        " contact multiplies the error by about 10",
        _figures("flexible_pendulum_impact", bending_modes=3),
        Quantity("number of contacts", len(_CONTACTS), 0.0, value="contact_count"),
        Quantity("time of the first contact", _CONTACTS[0]["t_start"], 1e-8, "s", value="first_contact_time"),
        Quantity("duration of the first contact", _CONTACTS[0]["duration"], 1e-6, "s", value="first_contact_duration"),
        Quantity("peak force of the first contact", _CONTACTS[0]["F_peak"], 1e-6, "N", value="first_peak_force"),
        Quantity("impulse of the first contact", _CONTACTS[0]["impulse"], 1e-6, "N s", value="first_impulse"),
        Quantity("times of all contacts", [contact["t_start"] for contact in _CONTACTS], 1e-5, "s", value="contact_starts"),
        Quantity("peak forces of all contacts", [contact["F_peak"] for contact in _CONTACTS], 1e-4, "N", value="peak_forces"),
        Quantity("energy error", 0.0, 1e-6, "of the kinetic energy", 1.0, "energy_error"),
    ),
    _case(
        "hertz_impact",
        "steel sphere of 10 mm radius on a steel half-space at 1 m/s",
        "K. L. Johnson, Contact Mechanics (1985), section 11.4; closed form",
        "exact; integrated with rtol 1e-10",
        _hertz_impact,
        Quantity("time of the contact", problems.HEIGHT / 1.0, 1e-10, "s", value="start"),
        Quantity("duration of the contact", _HERTZ["t_c"], 1e-9, "s", value="duration"),
        Quantity("peak force", _HERTZ["F_max"], 1e-9, "N"),
        Quantity("impulse", _HERTZ["impulse"], 1e-9, "N s"),
    ),
    _case(
        "rotating_beam",
        "dimensionless frequencies of a rotating cantilever, hub radius 0",
        "Wright, Smith, Thresher and Wang (1982), Yoo and Shin (1998): definition; Galerkin with 22 polynomials",
        "reference to 1e-9; twelve modes of the beam at rest stand for those of the rotating one",
        _rotating_beam,
        *(
            Quantity(f"first five {plane} frequencies at spin {spin}", _ROTATING[f"delta=0,gamma={spin}"][plane], 1e-4)
            for spin in _SPINS
            for plane in _PLANES
        ),
    ),
    # The beam of Kane, Ryan and Banerjee (1987): it would diverge without geometric stiffness.
    _case(
        "spin_up_beam",
        "slender beam spun up to 6 rad/s in 15 s",
        "Kane, Ryan and Banerjee (1987), Simo and Vu-Quoc (1987); modal equations with foreshortening (1e-9), and"
        " planar Simo-Reissner elements (1e-6 m)",
        "the modal reference has the same three modes; its extreme is flat, so its time is known to 1e-4 s;"
        " against the geometrically exact beam the second-order displacement field is 0.4 % off",
        _spin_up_beam,
        Quantity("largest tip deflection", _KANE["u2_extreme"], 1e-6, "m", value="tip_deflection_extreme"),
        Quantity("time of the largest tip deflection", _KANE["t_extreme"], 5e-4, "s", 1.0, "tip_deflection_extreme_time"),
        Quantity("tip deflection at 5, 10, 15, 20 s", _TIP, 1e-6, "m", abs(_KANE["u2_extreme"]), "at times"),
        Quantity("largest tip deflection, geometrically exact", _EXACT["u2_extreme"], 5e-3, "m", None, "tip_deflection_extreme"),
    ),
    _case(
        "nafems_fv52",
        "seven natural frequencies of a thick plate, 4 x 4 x 1 hex20",
        "NAFEMS, Selected benchmarks for natural frequency analysis (1987), FV52; the figures of the same mesh and"
        " element in code_aster V2.03.502",
        "the published figures have five digits; the two programs differ by up to 8e-4",
        lambda: {"frequencies": problems.thick_plate_frequencies()},
        Quantity("frequencies", [44.762, 110.52, 110.52, 169.08, 193.93, 206.64, 206.64], 1e-3, "Hz"),
    ),
    _case(
        "nafems_le10",
        "stress in a thick plate under pressure, 8 x 12 x 4 hex20",
        "The Standard NAFEMS Benchmarks, TNSB Rev. 3 (1990), LE10: target -5.38 MPa",
        "the target has three digits, and the stress at a corner of this mesh is 0.6 % off it",
        lambda: {"stress yy at D": problems.elliptic_plate_stress(fm.box_mesh((1.0, 1.0, 1.0), (8, 12, 4), _LE10_STEEL))},
        Quantity("stress yy at D", -5.38e6, 1e-2, "Pa"),
    ),
    _case(
        "integrator_orders",
        "observed orders of the integrators on the simple pendulum, 3 s",
        "the orders of the methods (Hairer, Nørsett and Wanner); closed form with Jacobi elliptic functions",
        "seen between two tolerances, with steps that vary: a fifth below is within that; more is no defect",
        lambda: {name: problems.observed_order(method, tolerances) for name, (method, _, tolerances) in _METHODS.items()},
        *(Quantity(name, order, 0.2, at_least=True) for name, (_, order, _) in _METHODS.items()),
    ),
    _case(
        "sliding_block",
        "block thrown at 2 m/s on level ground with a coefficient of friction of 0.3",
        "Coulomb's law: it stops after v / (mu g), at v^2 / (2 mu g)",
        _LOCATED,
        _figures("sliding_to_rolling", block_friction=0.3, speed=2.0),
        Quantity("t_stop", _STOP, 1e-9, "s"),
        Quantity("distance", _STOP, 1e-9, "m"),
    ),
    _case(
        "bouncing_ball",
        "ball that falls by 1 m on rigid ground, restitution 0.5",
        "Newton's law of impact: each flight takes half the time of the one before",
        _LOCATED,
        _figures("bouncing_ball", restitution=0.5, count=4),
        Quantity("impact_times", _FIRST * np.array([1.0, 2.0, 2.5, 2.75]), 1e-9, "s"),
        Quantity("rest_time", _REST[1], 1e-9, "s"),
    ),
    _case(
        "spring_damper",
        "mass of 1 kg on a spring of 400 N/m with a damper of 4 N s/m, 1 s",
        "closed form of the damped oscillator",
        "exact; integrated with rtol 1e-9",
        lambda: {"largest error": problems.oscillator_error()},
        Quantity("largest error", 0.0, 1e-8, "m", 0.1),
    ),
    _case(
        "study",
        "study of the bouncing ball with three restitutions, in a folder and a process of its own",
        "Newton's law of impact",
        _LOCATED,
        lambda: {"rest_time": problems.rest_times(_RESTITUTIONS.tolist())},
        Quantity("rest_time", _REST, 1e-9, "s"),
    ),
    _case(
        "files",
        "a result and a reduced body, written and read again",
        "the numbers before they are written",
        "exact: files keep every digit",
        problems.changes_in_files,
        Quantity("change of histories", 0.0, 0.0, "m, J", 1.0),
        Quantity("change of frequencies", 0.0, 0.0, "Hz", 1.0),
    ),
)


def selected_cases(patterns: Sequence[str] = ()) -> tuple[VerificationCase, ...]:
    """The cases whose names contain one of ``patterns``; without any, all. CaseError for a pattern that fits none."""
    names = [case.name for case in VERIFICATION_CASES]
    for pattern in patterns:
        if not any(pattern in name for name in names):
            raise CaseError(f"no verification case has {pattern!r} in its name; there are {', '.join(names)}")
    return tuple(case for case in VERIFICATION_CASES if not patterns or any(pattern in case.name for pattern in patterns))


@dataclass(frozen=True)
class Comparison:
    """A quantity beside its computed value."""

    quantity: Quantity
    reference: NDArray[np.float64]
    computed: NDArray[np.float64]
    worst: int  # index of the component that deviates most; a value that is not a number comes before all others
    deviation: float  # of that component, in the terms of the tolerance

    @property
    def ok(self) -> bool:
        """Whether all components agree within the tolerance; what is not a number never does."""
        return self.deviation <= self.quantity.tolerance


@dataclass(frozen=True)
class Outcome:
    """What a verification case gave."""

    case: VerificationCase
    comparisons: tuple[Comparison, ...]  # one for each quantity; none when the case failed
    error: str  # why the case could not be computed, "" when it was
    seconds: float  # wall time

    @property
    def ok(self) -> bool:
        """Whether the case was computed and every quantity agrees."""
        return not self.error and all(comparison.ok for comparison in self.comparisons)


def compare(quantity: Quantity, computed: ArrayLike) -> Comparison:
    """Compare a computed value with the reference; ValueError when their shapes differ."""
    reference, found = (np.atleast_1d(np.asarray(value, float)) for value in (quantity.reference, computed))
    if reference.shape != found.shape:
        raise ValueError(f"{quantity.name}: shape {found.shape} computed, {reference.shape} expected")
    difference = np.maximum(reference - found, 0.0) if quantity.at_least else np.abs(reference - found)
    deviations = difference / (np.abs(reference) if quantity.scale is None else quantity.scale)
    worst = int(np.argmax(np.where(np.isnan(deviations), np.inf, deviations)))
    return Comparison(quantity, reference, found, worst, float(deviations[worst]))


def run_verification(case: VerificationCase) -> Outcome:
    """Compute a case and compare. An exception makes the case fail; it does not stop the others.

    Warnings of flexmbs are left out: modal bases as small as those of the references are part of the problems.
    """
    started = time.perf_counter()
    comparisons: tuple[Comparison, ...] = ()
    error = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexmbsWarning)
        try:
            computed = case.values()
            comparisons = tuple(compare(quantity, computed[quantity.name]) for quantity in case.quantities)
        except Exception as caught:  # a defect of the installation too is a case that failed
            error = f"{type(caught).__name__}: {caught}"
    return Outcome(case, comparisons, error, time.perf_counter() - started)
