"""Advice on whether the modes of a body suffice: effective mass, static error, highest frequency; and for a hit.

A hit of an effective mass m at speed v lasts, by its law alone, 2 int dd / sqrt(v^2 - 2 U(d)/m) up to the depth at
which the root vanishes. Modes that are slower than it answer as springs and masses; those that are left out should be
faster, and then answer as the residual flexibility in series with the contact. What the modes miss of that makes the
peak force too large: both peaks follow from the energy, U(d) + f F(d)^2 / 2 = m v^2 / 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.mesh.marker_places import Place
from flexmbs.reduction.options import MOTIONS, unit_vector

ACCELERATION = "(acceleration)"  # stands for a marker in ``static_error``
ENOUGH = 0.01  # share of the strain energy under a unit load that may be missing without a remark
RIGID = 0.999  # missing share above which the modes do not represent any deformation under that load
PERIODS = 3.0  # of the highest mode in a hit: with massless patches the peak force is then right to about 1 %
PEAK = 0.02  # error of the peak force that gets a remark
_ROUNDING = 1e-8  # of the whole flexibility: what modes lack is a difference of static solutions, 4e-10 on slender bars
_DEEPEST = 1.0  # m
_GAUSS = 64


@dataclass(frozen=True)
class Advice:
    """Quality measures of a modal basis; ``print(advice)`` shows them as a table with remarks.

    Attributes
    ----------
    labels : (n,) names; frequencies : (n,) Hz
    effective_mass : (n, 6) kg and kg m2, (phi^T M r)^2 / (phi^T M phi) of each mode, for r the translations along and
        rotations about the mesh axes through the centre of mass. For a body held at its frame, all modes together have
        (nearly) ``total_mass``; modes of a body with mean axes have none
    total_mass : (6,) mass (kg) three times, moments of inertia about the centre (kg m2)
    static_error : marker -> (6,) share of the strain energy under a unit force (moment) at the marker that the modes do not
        represent; nan where the unreduced body has none (moments at a marker without rotation). "(acceleration)": under
        the inertia forces of an acceleration of the frame
    highest_frequency : Hz, of the normal modes (static modes may be above it); the response to loads that vary faster than
        about half of it is poor
    frame : marker that the frame is fixed to, or None
    places : interface -> Place: shape that its nodes lie on (with the error of the fit), and their weights
    """

    labels: tuple[str, ...]
    frequencies: np.ndarray
    effective_mass: np.ndarray
    total_mass: np.ndarray
    static_error: Mapping[str, np.ndarray]
    highest_frequency: float
    frame: str | None
    places: Mapping[str, Place] = field(default_factory=dict)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Deficiencies of the basis, with remedies; empty if there are none."""
        remarks = []
        for name, error in self.static_error.items():
            poor = self._poor(error)
            if poor:
                remarks.append(f"{self._remark(name)} Energy missing: {', '.join(poor)}.")
        return tuple(remarks)

    @property
    def missing(self) -> str:
        """The remarks in one sentence, without remedies; empty if there are none."""
        return self.missing_strain()

    def missing_strain(self, *, rigid_on_purpose: bool = False) -> str:
        """As ``missing``; ``rigid_on_purpose`` leaves out directions without any deformation.

        Example: the directions across the plane of a planar mechanism, for a body with bending modes in that plane.
        """
        most = RIGID if rigid_on_purpose else np.inf
        poor = {name: ", ".join(self._poor(error, most)) for name, error in self.static_error.items()}
        found = "; ".join(
            ("an acceleration" if name == ACCELERATION else f"a load at '{name}'") + f" ({motions})"
            for name, motions in poor.items()
            if motions
        )
        return found and (
            f"the modes miss part of the strain energy under {found}. If joints, forces or contacts act there, "
            "print(body.advice()) lists remedies."
        )

    @staticmethod
    def _poor(error: np.ndarray, most: float = np.inf) -> list[str]:
        return [f"{motion} {e:.1%}" for motion, e in zip(MOTIONS, error, strict=True) if ENOUGH < e <= most]

    def _remark(self, name: str) -> str:
        if name == ACCELERATION:
            return (
                "The modes represent only part of the strain under acceleration of the frame. Remedy: more modes, or "
                "static=StaticModes(acceleration=True)."
            )
        remedy = "FreeFree(attachment=True)" if self.frame is None else f"CraigBampton(at={self.frame!r})"
        return (
            f"The modes represent only part of the strain under a load at '{name}'. If a joint, force or contact acts "
            f"there, use {remedy} or static=StaticModes([{name!r}])."
        )

    def __str__(self) -> str:
        lines = []
        if self.frame is None:
            lines.append("mean axes: the modes have no effective mass")
            lines += [f"{label:>14} {hz:12.5g} Hz" for label, hz in zip(self.labels, self.frequencies, strict=True)]
        else:
            lines += self._mass_table()
        if self.static_error:
            lines.append("static error (share of the strain energy under a unit load that the modes miss)")
            lines.append(" " * 14 + "".join(f"{motion:>10}" for motion in MOTIONS))
            for name, error in self.static_error.items():
                cells = "".join(f"{'-' if np.isnan(e) else format(e, '.1e'):>10}" for e in error)
                lines.append(f"{name:>14}{cells}")
        lines.append(f"highest frequency of the normal modes {self.highest_frequency:.5g} Hz")
        above = np.count_nonzero(self.frequencies > (1.0 + 1e-9) * self.highest_frequency)
        if above:
            lines[-1] += f"; {above} more coordinates above it are static modes"
        lines += [f"nodes of marker {name}: {place}" for name, place in self.places.items()]
        return "\n".join([*lines, *self.remarks])

    def _mass_table(self) -> list[str]:
        lines = ["effective mass, % of the body's (rotations: % of its moments of inertia about the centre)"]
        lines.append(" " * 29 + "".join(f"{motion:>8}" for motion in MOTIONS))
        parts = 100.0 * self.effective_mass / np.where(self.total_mass > 0.0, self.total_mass, np.inf)
        for label, hz, row in zip(self.labels, self.frequencies, parts, strict=True):
            lines.append(f"{label:>14} {hz:11.5g} Hz" + "".join(f"{cell:8.2f}" for cell in row))
        lines.append(f"{'sum':>14}" + " " * 15 + "".join(f"{cell:8.2f}" for cell in parts.sum(axis=0)))
        return lines


def advice(body: Any) -> Advice:
    """Advice on the modes of a FlexibleBody, from the data of the body alone."""
    X, P = body.inertia.X, body.inertia.P
    root = np.sqrt(body.mass)
    centred = X.copy()
    centred[:, 0] = 0.0  # w_0 is constant: column 0 carries the centre of mass
    momentum = np.hstack([root * P[:, :, 0], np.cross(centred[None], P, axis=1).sum(axis=2)])
    # The modes of one body are orthogonal in mass, but for what the inertia fields leave out.
    modal = np.diag(body.Me)[:, None]
    effective = np.divide(momentum**2, modal, out=np.zeros_like(momentum), where=modal > 0.0)
    second = centred @ centred.T
    inertia = np.trace(second) - np.diag(second)
    static = {}
    if body.flexibility is not None:
        motions = {name: np.hstack([marker.Phi, marker.Psi]) for name, marker in body.markers.items()}
        motions[ACCELERATION] = momentum
        static = {
            name: _static_error(body.Ke, motion, F)
            for (name, motion), F in zip(motions.items(), body.flexibility, strict=True)
            if np.any(F)
        }
    return Advice(
        labels=body.mode_labels,
        frequencies=body.frequencies,
        effective_mass=effective,
        total_mass=np.concatenate([np.full(3, body.mass), inertia]),
        static_error=static,
        highest_frequency=float(body.options.get("normal_modes_to_hz", np.max(body.frequencies, initial=0.0))),
        frame=body.attached_at,
        places=body.places,
    )


def _static_error(Ke: np.ndarray, motion: np.ndarray, flexibility: np.ndarray) -> np.ndarray:
    """(6,) from the generalised forces ``motion`` (n, 6) of unit loads."""
    full = np.diag(flexibility)
    shown = np.einsum("ai,ai->i", motion, np.linalg.solve(Ke, motion)) if len(Ke) else np.zeros(6)
    loaded = full > 1e-12 * np.repeat([full[:3].max(), full[3:].max()], 3)
    missing = np.maximum(1.0 - shown / np.where(loaded, full, 1.0), 0.0)  # below zero it is rounding
    return np.where(loaded, missing, np.nan)


class Law(Protocol):
    """What of a contact law is used: see ``ContactLaw``."""

    history: tuple[str, ...]
    is_rigid: bool

    def parameters(self) -> tuple[float, ...]: ...


@dataclass(frozen=True)
class HitAdvice:
    """What the modes of a body resolve of a hit at a marker (``FlexibleBody.advice(contact=...)``).

    Attributes
    ----------
    contact : marker; mass : kg, effective mass of the hit; speed : m/s
    duration, force, depth : s, N, m: estimates from the law alone, as if the body were rigid
    highest_frequency : Hz, of the modes with inertia that move the marker along the blow
    residual_flexibility : m/N, what these modes lack of the body's static flexibility there; nan if that is unknown,
        0 below 1e-8 of the whole, where rounding hides it
    missing_flexibility : m/N, the part of it that no massless patch adds
    peak_error : how much too large the peak force becomes for that, relative
    """

    contact: str
    mass: float
    speed: float
    duration: float
    force: float
    depth: float
    highest_frequency: float
    residual_flexibility: float
    missing_flexibility: float
    peak_error: float

    @property
    def periods(self) -> float:
        """Of the highest mode, in the hit."""
        return self.duration * self.highest_frequency

    @property
    def needed_frequency(self) -> float:
        """Hz: modes up to it are needed."""
        return PERIODS / self.duration

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the modes lack for this hit, with remedies; empty if they suffice."""
        found = []
        if self.periods < PERIODS:
            found.append(
                f"A hit of about {self.duration:.2g} s at '{self.contact}' contains {self.periods:.2g} periods of the "
                f"highest mode that moves there ({self.highest_frequency:.4g} Hz), so its waves are not resolved: take "
                f"modes up to {self.needed_frequency:.3g} Hz (max_frequency=...)."
            )
        if np.isnan(self.missing_flexibility):
            found.append(f"How much flexibility the modes miss at '{self.contact}' is unknown: reduce its mesh instead.")
        elif self.peak_error > PEAK:
            found.append(
                f"The modes miss {self.missing_flexibility:.2g} m/N at '{self.contact}', which makes the peak force "
                f"about {self.peak_error:.0%} too large: use"
                f" contact_patches={{{self.contact!r}: ContactPatch('massless')}}."
            )
        return tuple(found)

    def __str__(self) -> str:
        lines = [
            f"hit at '{self.contact}': {self.mass:.4g} kg at {self.speed:.4g} m/s; on a rigid body about"
            f" {self.duration:.3g} s, {self.force:.4g} N, {self.depth:.3g} m deep",
            f"{self.periods:.3g} periods of the highest mode there ({self.highest_frequency:.5g} Hz; {PERIODS:g} needed)",
            f"flexibility that these modes lack there {self.residual_flexibility:.3g} m/N, without a massless patch"
            f" {self.missing_flexibility:.3g} m/N: peak force {self.peak_error:+.1%}",
        ]
        return "\n".join([*lines, *self.remarks])


def hit_advice(body, contact: str, *, speed: float | None, law: Law | None, mass: float | None, direction) -> HitAdvice:
    """Advice for a hit at marker ``contact`` of ``body``; see ``FlexibleBody.advice``."""
    where = f"advice on a hit at '{contact}' of body '{body.name}'"
    if contact not in body.markers:
        raise BodyError(f"{where}: there is no such marker; markers: {', '.join(body.markers)}")
    if speed is None or law is None:
        raise BodyError(f"{where}: give speed= (m/s) and law= (a contact law), and mass= of what hits (kg)")
    if law.is_rigid:
        raise BodyError(f"{where}: a rigid impact takes no time, with any number of modes; give a law with stiffness")
    for what, value in (("speed (m/s)", speed), ("mass (kg)", mass)):
        if value is not None and not (np.isfinite(value) and value > 0.0):
            raise BodyError(f"{where}: {what} = {value!r} must be a positive finite number")
    n = _direction(body, contact, direction, where)
    whole, shown, massless, highest = _flexibility(body, contact, n)
    mass = _rigid_mass(body, contact, n) if mass is None else float(mass)
    force, energy = _functions(law, speed, mass)
    available, missing = 0.5 * mass * speed**2, _lack(whole, shown + massless)
    yielding = missing if np.isfinite(missing) else 0.0
    depth, with_it, without = (_depth(energy, force, f, available) for f in (0.0, massless + yielding, massless))
    duration, error = _duration(energy, depth, mass, speed), force(without) / force(with_it) - 1.0
    lacking = _lack(whole, shown)
    return HitAdvice(contact, mass, float(speed), duration, force(depth), depth, highest, lacking, missing, error)


def _direction(body, contact: str, given, where: str) -> np.ndarray:
    """(3,) unit vector of the blow, in body axes: as given, or along which the modes move the marker most."""
    Phi = body.markers[contact].Phi
    if given is None:
        moving = Phi[~body.massless] / np.sqrt(np.maximum(np.diag(body.Ke)[~body.massless], 1e-300))[:, None]
        return np.linalg.svd(moving)[2][0] if moving.any() else np.array([0.0, 0.0, 1.0])
    n = unit_vector(given)
    if n is None:
        raise BodyError(f"{where}: direction must be (x, y, z) other than zero, in the axes of the body, not {given!r}")
    return n


def _flexibility(body, contact: str, n: np.ndarray) -> tuple[float, float, float, float]:
    """Static flexibility along n (m/N): all of it (nan: unknown), of modes with inertia, without; highest frequency."""
    reach = body.markers[contact].Phi @ n
    still = body.massless
    shown, massless = (
        float(reach[part] @ np.linalg.solve(body.Ke[np.ix_(part, part)], reach[part])) if part.any() else 0.0
        for part in (~still, still)
    )
    whole = np.nan
    if body.flexibility is not None:
        whole = float(n @ body.flexibility[list(body.markers).index(contact)][:3, :3] @ n)
    limit = (1.0 + 1e-9) * float(body.options.get("normal_modes_to_hz", np.inf))
    moving = ~still & (np.abs(reach) > 1e-6 * np.abs(reach).max(initial=0.0)) & (body.frequencies <= limit)
    return whole, shown, massless, float(body.frequencies[moving].max(initial=0.0))


def _lack(whole: float, shown: float) -> float:
    """What is shown less than the whole (nan: unknown); 0 where rounding hides it."""
    return 0.0 if whole - shown <= _ROUNDING * whole else whole - shown


def _rigid_mass(body, contact: str, n: np.ndarray) -> float:
    """Effective mass of the free rigid body along n at the marker, kg."""
    turning = np.cross(body.markers[contact].position - body.center, n)
    mobility = 1.0 / body.mass + float(turning @ np.linalg.pinv(body.central_inertia) @ turning)
    return 1.0 / mobility


def _functions(law: Law, speed: float, mass: float):
    """Force (N) and energy (J) of a law at rest as functions of the depth (m)."""
    parameters, given = np.array(law.parameters()), ()
    if law.history:
        history = np.zeros(len(law.history))
        law.begin(parameters, history, speed, mass)
        given = (history,)
    return (
        lambda depth: float(law.force(parameters, *given, depth, 0.0)),
        lambda depth: float(law.energy(parameters, *given, depth)),
    )


def _depth(energy, force, flexibility: float, available: float) -> float:
    """Depth at which contact and flexibility have taken up the energy, by bisection of its logarithm."""
    low, high = 1e-15, _DEEPEST
    for _ in range(120):
        depth = np.sqrt(low * high)
        if energy(depth) + 0.5 * flexibility * force(depth) ** 2 < available:
            low = depth
        else:
            high = depth
    return high


def _duration(energy, deepest: float, mass: float, speed: float) -> float:
    """2 int dd / sqrt(v^2 - 2 U/m) with d = deepest (1 - u^2), whose integrand is smooth; by Gauss' rule."""
    nodes, weights = np.polynomial.legendre.leggauss(_GAUSS)
    u = 0.5 * (nodes + 1.0)
    rates = np.array([speed**2 - 2.0 * energy(deepest * (1.0 - x * x)) / mass for x in u])
    return float(2.0 * deepest * np.sum(weights * u / np.sqrt(np.maximum(rates, 1e-300))))
