"""Linear vibration about a steady state: rest, or rotation and translation at constant rates imposed by drivers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexmbs.analysis.evaluation.constraint_directions import null_space
from flexmbs.analysis.evaluation.driver_elimination import without_drivers
from flexmbs.analysis.evaluation.massless_motions import motions_without_inertia
from flexmbs.analysis.linear.small_motions import SmallMotions, check_constant, small_motions
from flexmbs.analysis.linear.steady_motion import check_steady, driven_motion, moving, warn_of_free_motion
from flexmbs.analysis.prepare.prepare import prepared
from flexmbs.analysis.statics.equilibrium import RESTING, Balance, Forces, equilibrium
from flexmbs.common.errors import MechanismError, MechanismWarning, SimulationError
from flexmbs.common.names_in_messages import listed
from flexmbs.common.quantities import aligned
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.tables import CONSTRAINTS
from flexmbs.core.mechanics.inertia import kinetic_energy
from flexmbs.mechanism.geometry.rotations import as_number
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model

MAX_SHOWN, MAX_NAMED, MIN_SHOWN = 30, 3, 0.05  # in print: modes, names of a mode, part of its largest motion
UNDAMPED = 1e-7  # %
FORCELESS = 1e-8  # of the largest stiffness or damping
NEUTRAL = 1e-5  # of the fastest steady motion: eigenvalues that are zero, which may be double ones


@dataclass(frozen=True)
class LinearModes:
    """Eigenvalues and modes of M q'' + D q' + K q = 0 about a steady state, within the constraints (also of rolling).

    Coordinates are joint coordinates. If a driver rotates a body, whatever it carries is therefore described in a
    rotating frame (``turning``), and the frequencies are those in the rotating frame: a whirl at frequency f in the
    stationary frame appears as f - W / 2 pi or f + W / 2 pi, W being the speed of rotation.

    Attributes
    ----------
    frequencies : (k,) Hz, |Im(eigenvalue)| / 2 pi, ascending; 0 for non-oscillating motion
    damping_ratios : (k,) -Re / |eigenvalue|
    eigenvalues : (k,) complex, 1/s, with Im >= 0
    modes : (k, free coordinates) complex, largest entry 1
    coordinate_names : names of the free coordinates
    M, D, K : (free, free) about the steady state, without constraints
    steady_state : (free,) values of the free coordinates (zero for ball joints, whose rotation is in their quaternion)
    body_shares : body -> (k,) its part of the kinetic energy of each mode
    turning : coordinate -> rad/s of each rotation at constant speed, driven or moved along; empty: stationary frame
    touching : names of the contacts that are closed
    """

    frequencies: np.ndarray
    damping_ratios: np.ndarray
    eigenvalues: np.ndarray
    modes: np.ndarray
    coordinate_names: tuple[str, ...]
    M: np.ndarray
    D: np.ndarray
    K: np.ndarray
    steady_state: np.ndarray
    body_shares: Mapping[str, np.ndarray]
    turning: Mapping[str, float]
    touching: tuple[str, ...]

    def __str__(self) -> str:
        """A table of the modes: frequency, damping, what moves, and which bodies have the energy of the motion."""
        rows = [["mode", "frequency [Hz]", "damping [%]", "moves most (largest 1)", "kinetic energy [%]"]]
        for i, mode in enumerate(self.modes[:MAX_SHOWN]):
            damping = 100.0 * self.damping_ratios[i]
            moves = [(name, float(size)) for name, size in zip(self.coordinate_names, np.abs(mode), strict=True)]
            moves = sorted((one for one in moves if one[1] >= MIN_SHOWN), key=lambda one: -one[1])
            bodies = [(name, round(100.0 * share[i])) for name, share in self.body_shares.items()]
            bodies = sorted((one for one in bodies if one[1] > 0), key=lambda one: -one[1])
            names = [", ".join(f"{name} ({number:.3g})" for name, number in group[:MAX_NAMED]) for group in (moves, bodies)]
            rows.append([str(i + 1), f"{self.frequencies[i]:.5g}", f"{damping:.3g}" if abs(damping) > UNDAMPED else "0", *names])
        lines = [f"{len(self.modes)} modes in {self.frame}", *aligned(rows, (0, 1, 2))]
        if len(self.modes) > MAX_SHOWN:
            lines.append(f"  ... and {len(self.modes) - MAX_SHOWN} more")
        if self.touching:
            lines.append(f"closed contacts: {listed(list(self.touching), 8)}")
        return "\n".join(lines)

    @property
    def frame(self) -> str:
        """The frame in which the frequencies are given, as text."""
        if not self.turning:
            return "the stationary frame"
        rates = ", ".join(f"'{name}' at {rate:.6g} rad/s" for name, rate in self.turning.items())
        return f"frames rotating with {rates}; for bodies carried by them, frequencies in the stationary frame differ"


def linearize(system: Mechanism, *, time: float = 0.0) -> LinearModes:
    """Frequencies and modes about the steady state nearest to the start values.

    Free coordinates are at rest in the steady state (relative to driven joints, which may rotate at constant speed), or
    move at the constant rates that constraints then demand of them, as a bicycle whose rear wheel is driven; their start
    rates are ignored. Frequencies of bodies that drivers rotate are those in the rotating frame
    (``LinearModes.frame``). Closed contacts act with their tangent stiffness, rigid ones as constraints; all others are
    open. If no steady state is near (a ball above its plane), the equilibrium that ``statics`` finds is used. The matrices
    are central differences of the full residual (relative error about 1e-8, with contacts 1e-6), so they include geometric
    stiffness, spin softening, gyroscopic terms and, in closed loops, the constraint forces. Modes lie in the
    null space of the constraints.

    A mechanism that moves has no steady state in absolute coordinates; it is linearised in reduced ones.

    Parameters
    ----------
    time : s, at which drivers and loads are evaluated

    Raises
    ------
    SimulationError
        No steady state was found (the accelerating coordinate and its acceleration are named), a driver accelerates,
        no degree of freedom is left, or the equations change while something moves steadily (a rotor with blades on a
        support that does not turn, a hoist): names the motions and the entry of M, D or K that changes most.
    MechanismError
        A freedom has no inertia, but a force acts in it.

    Warns
    -----
    MechanismWarning
        A free coordinate moves steadily without a driver, such as a rotor: the frequencies are those about rest, not
        about that motion. A freedom without inertia and without force (a thin rod about its axis) is left out.
    """
    model = prepared(system, as_number(time, "linearize: time (s)"))
    if np.any(model.state_coordinates):
        name = model.coordinate_names[int(np.argmax(model.state_coordinates))]
        raise MechanismError(
            f"linearize: user states, lags, controllers, compliant latches and bristles of friction, as '{name}', are not "
            "supported; remove them from the system (fm.Coulomb has no bristles)"
        )
    if system.coordinates == "absolute" and np.any(np.abs(model.v[: model.coordinate_count]) > RESTING):
        model = prepared(system, time, "reduced")
    steady = driven_motion(model, time)
    warn_of_free_motion(system, model, time)
    if np.all(model.is_driven):
        raise SimulationError("linearize: every coordinate is prescribed; no degree of freedom is left to vibrate")
    balance = _steady_state(model, time)
    forces = Forces(without_drivers(balance.model, time), time, moving=True, contacts=False)
    # contacts stay closed, and slide or stick, while the coordinates are moved
    forces.evaluator.active[:], forces.evaluator.contact_history[:] = balance.active, balance.contact_history
    forces.rows, forces.free = balance.rows, np.flatnonzero(~model.is_driven)
    forces.steady = steady
    forces.follow_drivers(forces.model.q, forces.model.reference)
    return _modes(balance, forces)


def _steady_state(model: Model, time: float) -> Balance:
    """The nearest steady state, stable or not; if there is none, the stable one that the forces lead to."""
    refused = []
    for stable in (False, True):
        try:
            return equilibrium(model, time, "linearize: no steady state near the start values", stable=stable, moving=True)
        except SimulationError as error:
            refused.append(error)
    raise refused[0]


def _modes(balance: Balance, forces: Forces) -> LinearModes:
    model, free = forces.model, forces.free
    check_steady(forces, model.q)
    turning = moving(model, forces.steady, turns=True)
    found = small_motions(forces, model.q, balance.multipliers)
    N, rates = found.natural(_with_inertia(forces, found, found.allowed()))
    P, rates_of_p = (N, rates) if np.all(found.holonomic) else found.natural(found.allowed(found.holonomic))
    values, vectors = np.linalg.eig(found.state_matrix(P, N))
    # without free rates, places and headings may still settle behind a castor; if they do not, nothing is left to compute
    if N.shape[1] == 0 and np.abs(values).max(initial=0.0) <= NEUTRAL * np.abs(forces.steady).max(initial=0.0):
        held = "; closed rigid contacts, held stops and what sticks are constraints"
        held *= len(forces.rows) > len(forces.evaluator.rows)
        raise SimulationError(f"linearize: the constraints leave no degree of freedom to vibrate{held}")
    check_constant(forces, found, P, N, np.concatenate([rates_of_p, rates]))
    order = np.lexsort((values.real, values.imag))
    order = order[values[order].imag >= 0.0]
    values, modes = values[order], (found.following @ P @ vectors[: P.shape[1], order]).T
    modes = modes / modes[np.arange(len(modes)), np.abs(modes).argmax(axis=1)][:, None]
    names = tuple(model.coordinate_names[k] for k in free)
    damping = 0.0 - values.real / np.maximum(np.abs(values), 1e-300)
    touching = tuple(np.array(model.contact_names, dtype=object)[balance.active[: len(model.contact_names)] != 0])
    shares = _body_shares(forces, modes)
    matrices = found.M, found.D, found.K
    frequencies = values.imag / (2.0 * np.pi)
    return LinearModes(frequencies, damping, values, modes, names, *matrices, model.q[free], shares, turning, touching)


def _body_shares(forces: Forces, modes: np.ndarray) -> dict[str, np.ndarray]:
    """Part of each body in the kinetic energy of each of ``modes`` (k, free), whose real and imaginary parts add up."""
    model, evaluator = forces.model, forces.evaluator
    energy, zero = np.zeros((len(model.body_names), len(modes))), np.zeros_like(model.q)
    for i, mode in enumerate(modes):
        for part in (mode.real, mode.imag):
            v = zero.copy()
            v[forces.free] = part
            evaluator.residual(model.q, v, zero, model.reference, forces.t, CONSTRAINTS)
            for b in range(1, len(energy)):
                energy[b, i] += kinetic_energy(model.tables, b, evaluator.work)
    total = np.maximum(energy.sum(axis=0), 1e-300)
    return {name: energy[b] / total for b, name in enumerate(model.body_names) if b > 0}


def _with_inertia(forces: Forces, found: SmallMotions, motions: np.ndarray) -> np.ndarray:
    """``motions`` (others, k) without those that move no mass; MechanismError if a force acts in one."""
    full = found.following @ motions
    massless = motions_without_inertia(forces.model, forces.t, forces.free, full)
    for z, sentence in massless:
        for matrix in (found.D, found.K, found.D.T, found.K.T):
            if np.abs(full.T @ matrix @ full @ z).max() > FORCELESS * np.abs(matrix).max():
                raise MechanismError(f"linearize: the mass matrix is singular: {sentence}")
        warn(f"linearize: left out, since no inertia and no force acts in this freedom: {sentence}", MechanismWarning)
    return motions @ null_space(np.array([z for z, _sentence in massless]).reshape(len(massless), motions.shape[1]))
