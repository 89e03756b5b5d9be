"""Whether the modes of a body suffice for a hit: its duration against the highest mode, and the missing flexibility.

A hit of an effective mass m at speed v lasts, by its law alone, 2 int dd / sqrt(v^2 - 2 U(d)/m) up to the depth at
which the root vanishes. Modes that are slower than it answer as springs and masses; those that are left out should be
faster, and then answer as the residual flexibility in series with the contact. What the modes miss of that makes the
peak force too large: both peaks follow from the energy, U(d) + f F(d)^2 / 2 = m v^2 / 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from flexmbs.common.errors import BodyError

PERIODS = 3.0  # of the highest mode in a hit: with massless patches the peak force is then right to about 1 %
PEAK = 0.02  # error of the peak force that gets a remark
_ROUNDING = 1e-8  # of the whole flexibility: what modes lack is a difference of static solutions, 4e-10 on slender bars
_DEEPEST = 1.0  # m
_GAUSS = 64


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
    depth = _depth(energy, force, 0.0, 0.5 * mass * speed**2)
    missing = _lack(whole, shown + massless)
    yielding = missing if np.isfinite(missing) else 0.0
    with_it = force(_depth(energy, force, massless + yielding, 0.5 * mass * speed**2))
    without = force(_depth(energy, force, massless, 0.5 * mass * speed**2))
    return HitAdvice(
        contact,
        mass,
        float(speed),
        _duration(energy, depth, mass, speed),
        force(depth),
        depth,
        highest,
        _lack(whole, shown),
        missing,
        without / with_it - 1.0,
    )


def _direction(body, contact: str, given, where: str) -> np.ndarray:
    """(3,) unit vector of the blow, in body axes: as given, or along which the modes move the marker most."""
    Phi = body.markers[contact].Phi
    if given is None:
        moving = Phi[~body.massless] / np.sqrt(np.maximum(np.diag(body.Ke)[~body.massless], 1e-300))[:, None]
        return np.linalg.svd(moving)[2][0] if moving.any() else np.array([0.0, 0.0, 1.0])
    n = np.asarray(given, dtype=float)
    length = np.linalg.norm(n) if n.shape == (3,) else np.nan
    if not (np.isfinite(length) and length > 0.0):
        raise BodyError(f"{where}: direction must be (x, y, z) other than zero, in the axes of the body, not {given!r}")
    return n / length


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
