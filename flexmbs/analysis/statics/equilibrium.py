"""Static equilibrium by Newton's method on the forces, within the motions that the constraints allow.

With G the constraint matrix and N its null space, the multipliers are the least-squares solution of G^T lam = r, and
the step follows from N^T K N z = -N^T r, K = d(r - G^T lam)/dq; after every step the loops are closed again. To find a
stable equilibrium, negative stiffnesses change sign, so that every step is a descent direction (Nocedal and Wright,
Numerical Optimization (2006), 3.4), and the step is halved while it overshoots the minimum.

What rigid contacts, stops and joints with friction hold at a position (rest_modes) are further rows of G. A step ends
where the first open contact closes; what has just been let go opens along the accelerations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from flexmbs.analysis.assembly.close_loops import followed
from flexmbs.analysis.evaluation.constraint_directions import dense, null_space
from flexmbs.analysis.evaluation.derivatives import derivatives
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.evaluation.quaternion_folding import folded
from flexmbs.analysis.statics.rest_modes import RestModes
from flexmbs.common.errors import MechanismError, SimulationError
from flexmbs.core.contact.gap import gap_at
from flexmbs.core.equations.residual import residual
from flexmbs.core.layout.tables import BALL, POSITION_LEVEL, ROTATION, VELOCITY_LEVEL
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.stepping.rigid.slots import CLOSED
from flexmbs.model.compiled_model import Model
from flexmbs.model.mechanism_size import size_in_pose

ITERATIONS = 200
LARGEST_STEP = 0.4  # rad, or relative to the size of the mechanism
SETTLED = 1e-11  # last step relative to the largest one
BALANCED = 1e-9  # unbalanced force relative to the acting forces
NEUTRAL = 1e-10  # stiffness relative to the largest one; below, the equilibrium is neutral
ROUNDING = 1e-14  # of positions relative to the size of the mechanism
FRICTION_ROUNDS = 30
RESTING = 1e-9  # m/s or rad/s
TOUCHES = 1e-12  # m or rad: what rigid contacts and stops that hold may be off
UNHELD = 1e-6  # m/s2 or rad/s2: largest acceleration in a steady state


@dataclass(frozen=True)
class Balance:
    """An equilibrium: the model in that position, its multipliers with their numbers, flags and history of contacts."""

    model: Model
    multipliers: np.ndarray
    rows: np.ndarray
    active: np.ndarray
    contact_history: np.ndarray


class Forces:
    """Residual of a model at rest (``moving``: its drivers move).

    Attributes
    ----------
    rows : multipliers that act: of all constraints, and of what rigid contacts, stops and joints with friction hold
    steady : rates at which ``at_rest`` is at rest; those that drivers prescribe act in any case
    """

    def __init__(self, model: Model, t: float, moving: bool, contacts: bool):
        self.model, self.t, self.moving, self.contacts = model, t, moving, contacts
        self.evaluator = Evaluator(model)
        self.min_depth = 0.0  # m, penetration above which a contact is closed
        self.rows = self.evaluator.rows
        driven = model.tables.coordinates["signal"] >= 0
        self.steady = np.where(driven & moving, model.v, 0.0)  # if accelerations are prescribed, rates are as they start
        self.compliant = np.flatnonzero(model.tables.contacts["rigid"] == 0)
        n = model.coordinate_count
        # user states keep their start values
        self.free = np.flatnonzero(~driven[:n] & ~model.state_coordinates[:n])

    def residual(self, q, v, a, reference) -> np.ndarray:
        """(coordinates and multipliers,) residual for rates ``v`` and accelerations ``a`` (with the multipliers)."""
        e, tables = self.evaluator, self.model.tables
        q, v, a = q.copy(), v + self.model.resting_rates + self.steady, a.copy()
        evaluate_signals(tables, float(self.t), e.work.signal)
        impose_drivers(tables, e.work.signal, q, *((v, a) if self.moving else (v.copy(), a.copy())))
        if self.contacts:
            self._touch(q, v, reference)
        residual(tables, e.active, e.contact_history, q, v, a, reference, e.work, e.out)
        return e.out.copy()

    def _touch(self, q, v, reference) -> None:
        e = self.evaluator
        for c in self.compliant:
            gap = gap_at(self.model.tables, int(c), q, v, np.zeros_like(q), reference, e.work)[0]
            e.active[c] = int(gap < -self.min_depth)

    def at_rest(self, q, reference, multipliers) -> np.ndarray:
        a = np.zeros_like(q)
        a[self.rows] = multipliers
        return self.residual(q, np.zeros_like(q), a, reference)

    def follow_drivers(self, q, reference) -> None:
        """Set ``steady`` of the free coordinates to the least rates with which the constraints let the drivers move.

        Of several solutions, wheels alone turn, which change no constraint, or suspensions would stretch; otherwise
        nothing turns that need not, least of all what changes the constraints, as the heading of a vehicle.
        """
        self.steady[self.free] = 0.0
        self.at_rest(q, reference, np.zeros(len(self.rows)))
        rates = self.evaluator.work.constraint[self.rows, VELOCITY_LEVEL].copy()
        demanded = float(np.abs(rates).max(initial=0.0))
        if demanded <= RESTING:
            return
        G, slides = self.constraint_matrix(q, reference), ~turning_coordinates(self.model)[self.free]
        least = -np.linalg.lstsq(G, rates, rcond=1e-10)[0]
        spins = slides.copy()
        for k in np.flatnonzero(~slides & (np.abs(least) > 1e-9 * np.abs(least).max(initial=0.0))):
            turned = q.copy()
            turned[self.free[k]] += 0.5
            spins[k] = np.abs(self.constraint_matrix(turned, reference) - G).max() <= 1e-9 * np.abs(G).max()
        for moved in (spins, slides, spins & ~slides):
            found = -np.linalg.lstsq(G * moved, rates, rcond=1e-10)[0]
            least = found if np.abs(G @ found + rates).max() <= 1e-9 * demanded else least
        self.steady[self.free] = least

    def constraint_matrix(self, q, reference) -> np.ndarray:
        """(rows, free) G of the multipliers that act."""
        G = dense(self.evaluator.constraint_matrix(q, reference, self.t))[:, self.free]
        held = self.rows[len(G) :]
        if len(held) == 0:
            return G
        zero = np.zeros_like(q)
        base = self.residual(q, zero, zero, reference)[held]
        columns = [self.residual(q, zero, unit, reference)[held] - base for unit in np.eye(len(q))[self.free]]
        return np.concatenate([G, np.array(columns).reshape(len(self.free), len(held)).T])

    def multipliers(self, q, reference, G: np.ndarray, near: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Multipliers that balance the forces on the free coordinates as well as they can, and what they leave.

        Of those that share a load in no definite way the ones nearest to ``near`` (rows,), or to zero.
        """
        found = np.zeros(len(self.rows))
        left = self.at_rest(q, reference, found)[self.free]
        if len(G) == 0:
            return found, left
        pull = -G.T  # a contact that slides pulls by its friction too
        for k in range(len(self.evaluator.rows), len(self.rows)):
            pull[:, k] = self.at_rest(q, reference, np.eye(len(self.rows))[k])[self.free] - left
        if near is not None:
            found, left = near, self.at_rest(q, reference, near)[self.free]
        for _ in range(FRICTION_ROUNDS):
            change = -np.linalg.lstsq(pull, left, rcond=1e-10)[0]
            found = found + change
            left = self.at_rest(q, reference, found)[self.free]
            # friction that depends on the reaction of a joint is no linear function of the multipliers
            if np.abs(change).max() <= 1e-14 * np.abs(found).max() or not len(self.model.tables.joint_frictions):
                break
        return found, left

    def derivatives(self, order: int, q, reference, multipliers) -> np.ndarray:
        """(free + 2 rows, free) derivative in q, v or a (``order``): residual, and what the rows demand of v."""

        def moved(change: np.ndarray) -> np.ndarray:
            state = [q.copy(), np.zeros_like(q), np.zeros_like(q)]
            state[2][self.rows] = multipliers
            state[order][self.free] += change
            found = self.residual(*state, reference)
            return np.concatenate([found[self.free], found[self.rows], self.evaluator.work.constraint[self.rows, VELOCITY_LEVEL]])

        return derivatives(moved, len(self.free), (1e-5, 1e-4, 1.0)[order])


def equilibrium(model: Model, t: float, what: str, *, stable: bool = True, moving: bool = False) -> Balance:
    """The equilibrium nearest to the start values of ``model``; ``stable``: the one to which its forces lead.

    Contacts act where bodies overlap. ``what`` begins the error message.

    Raises
    ------
    SimulationError
        No equilibrium was found; names the worst equation, or the unsupported coordinate and its acceleration.
    """
    if len(model.tables.groups):
        raise MechanismError(f"{what}: contacts of a group act in simulate only; state them with contact_all(..., grouped=False)")
    return _Search(model, t, what, stable, moving).run()


class _BlockedError(Exception):
    """A step goes into a rigid contact or stop that has just been let go."""


class _Search:
    def __init__(self, model: Model, t: float, what: str, stable: bool, moving: bool):
        self.what, self.stable, self.moving, self.t = what, stable, moving, t
        self.forces = Forces(model, t, moving, contacts=True)
        self.still = replace(model, v=model.resting_rates)
        self.modes = RestModes(model, t, moving, what)
        self.free = self.forces.free
        self.limit = self._limits(model)
        self.scale = 0.0

    def _limits(self, model: Model) -> np.ndarray:
        """(free,) largest change of a coordinate in one step."""
        evaluator = self.forces.evaluator
        evaluator.residual(model.q, 0.0 * model.q, 0.0 * model.q, model.reference, self.t)
        length = size_in_pose(model.tables, evaluator.work.frame)
        self.forces.min_depth = ROUNDING * length
        return LARGEST_STEP * np.where(turning_coordinates(model), 1.0, length)[self.free]

    def run(self) -> Balance:
        model, before = self._closed(self.still), np.inf
        for _ in range(ITERATIONS):
            model = self._held(self._decided(model))
            unbalanced, multipliers, motions = self._unbalanced(model)
            if len(self.free) == 0 or motions.shape[1] == 0:
                return self._found(model, multipliers)
            push = motions.T @ unbalanced
            stiffness = self.forces.derivatives(0, model.q, model.reference, multipliers)[: len(self.free)]
            K = motions.T @ stiffness @ motions
            part = self._direction(K, push)
            direction = motions @ part
            largest = float(np.abs(direction / self.limit).max())
            if not np.isfinite(largest):
                break
            # near convergence, rounding limits the decrease of the steps
            small = np.abs(unbalanced).max() <= BALANCED * self.scale and largest < 1e-6
            if largest < SETTLED or small and largest > 0.5 * before:
                if not self.stable:
                    self._check_held(model, motions, push + K @ part)
                return self._found(model, multipliers)
            before = largest
            model = self._moved(model, direction / max(1.0, largest), unbalanced, stiffness)
        return self._refuse(model)

    def _unbalanced(self, model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Forces on the free coordinates not balanced by the multipliers, the multipliers, and the allowed motions."""
        forces = self.forces
        G = forces.constraint_matrix(model.q, model.reference)
        if self.moving:
            forces.follow_drivers(model.q, model.reference)
        raw = forces.at_rest(model.q, model.reference, np.zeros(len(forces.rows)))[self.free]
        multipliers, left = forces.multipliers(model.q, model.reference, G)
        self.scale = max(self.scale, float(np.abs(raw).max(initial=0.0)), float(np.abs(raw - left).max(initial=0.0)))
        return left, multipliers, null_space(G)

    def _direction(self, K: np.ndarray, push: np.ndarray) -> np.ndarray:
        if not self.stable:
            return -np.linalg.lstsq(K, push, rcond=1e-12)[0]
        values, vectors = np.linalg.eigh(0.5 * (K + K.T))
        # a stiffness that would move the mechanism by 1e10 times its size is rounding
        floor = NEUTRAL * max(float(np.abs(values).max()), self.scale / float(self.limit.max()), 1e-300)
        if values[0] > floor:
            return -np.linalg.solve(K, push)
        along = vectors.T @ push
        # without stiffness: a long step along a force, no step without one
        soft = np.abs(values) <= floor
        still = soft & (np.abs(along) <= BALANCED * self.scale)
        step = np.where(still, 0.0, along / np.where(soft, max(floor, 1e-300), np.abs(values)))
        return -vectors @ step

    def _moved(self, model: Model, step: np.ndarray, unbalanced: np.ndarray, stiffness: np.ndarray) -> Model:
        """Take a step, halved while the loops do not close or the force along it has reversed and grown.

        A step into a contact that has just opened is replaced by one along the accelerations, by which it has opened.
        """
        slope, moved, blocked = abs(float(unbalanced @ step)), model, False
        for _ in range(20):
            try:
                moved, part = self._until_touching(model, step)
            except _BlockedError:
                step, blocked = 0.5 * step if blocked else self._opening(unbalanced, stiffness), True
                slope = abs(float(unbalanced @ step))
                continue
            except MechanismError:
                step = 0.5 * step
                continue
            if part < 1.0:
                return moved
            if not self.stable or float(self._unbalanced(moved)[0] @ step) <= 0.9 * slope + 1e-9 * self.scale:
                return moved
            step = 0.5 * step
        return moved

    def _opening(self, unbalanced: np.ndarray, stiffness: np.ndarray) -> np.ndarray:
        """Newton's step along the accelerations, by which what has just been let go opens."""
        along = self.modes.state.a[self.free]
        along = along / max(float(np.abs(along / self.limit).max()), 1e-300)
        stiff = float(along @ stiffness @ along)
        return along * (min(1.0, abs(float(unbalanced @ along)) / stiff) if stiff > 0.0 else 1.0)

    def _until_touching(self, model: Model, step: np.ndarray) -> tuple[Model, float]:
        """``model`` moved by the part of a step at whose end the first rigid contact or stop closes, and that part."""

        def moved(part: float) -> Model:
            q = model.q.copy()
            q[self.free] += part * step
            return self._held(self._closed(replace(model, q=q)))

        def gap(part: float) -> float:
            there = moved(part)
            return float(self.modes.gaps(there.q, there.reference)[ahead].min(initial=np.inf))

        end = moved(1.0)
        if not self.modes.acts:
            return end, 1.0
        before, after = self.modes.gaps(model.q, model.reference), self.modes.gaps(end.q, end.reference)
        ahead = (before > CLOSED) & (after < 0.0)
        if np.any((before <= CLOSED) & (after < -CLOSED)):
            raise _BlockedError
        if not np.any(ahead):
            return end, 1.0
        part = float(brentq(gap, 0.0, 1.0, xtol=1e-16))
        return moved(part), part

    def _decided(self, model: Model) -> Model:
        """Modes of rigid contacts, stops and joints with friction at the position of ``model``."""
        if self.modes.acts:
            e, zero = self.forces.evaluator, np.zeros_like(model.q)
            self.forces.residual(model.q, zero, zero, model.reference)  # flags of compliant contacts
            self.modes.decide(model.q, model.reference, e.active)
            e.active[:], e.contact_history[:] = self.modes.state.active, self.modes.state.contact_history
            self.forces.rows = np.concatenate([e.rows, self.modes.rows])
        return model

    def _held(self, model: Model) -> Model:
        """``model`` moved, by the least change, to where what is held is held exactly."""
        e, held = self.forces.evaluator, self.modes.rows
        zero = np.zeros_like(model.q)
        for _ in range(20 if len(held) else 0):
            self.forces.residual(model.q, zero, zero, model.reference)
            off = e.work.constraint[held, POSITION_LEVEL]
            if np.abs(off).max() <= TOUCHES:
                break
            G = self.forces.constraint_matrix(model.q, model.reference)
            target = np.concatenate([np.zeros(len(G) - len(held)), -off])
            q = model.q.copy()
            q[self.free] += self.limit * np.linalg.lstsq(G * self.limit, target, rcond=1e-10)[0]
            model = self._closed(replace(model, q=q))
        return model

    def _closed(self, model: Model) -> Model:
        """Close the loops at rest, with rotation vectors of ball joints folded into their quaternions."""
        q = model.q.copy()
        reference = folded(model, q, model.reference)
        return followed(replace(model, q=q, reference=reference), self.t, rates=False)

    def _found(self, model: Model, multipliers: np.ndarray) -> Balance:
        e = self.forces.evaluator
        if self.moving and self.modes.stick():
            e.active[:], self.forces.rows = self.modes.state.active, np.concatenate([e.rows, self.modes.rows])
            multipliers = self._unbalanced(model)[1]
        if len(self.modes.rows):  # of redundant contacts and joints with friction: forces inside their cones
            near = self.modes.state.a[self.forces.rows]
            G = self.forces.constraint_matrix(model.q, model.reference)
            multipliers = self.forces.multipliers(model.q, model.reference, G, near)[0]
        self.forces.at_rest(model.q, model.reference, multipliers)  # the contacts that touch here
        return Balance(model, multipliers, self.forces.rows, e.active.copy(), e.contact_history.copy())

    def _check_held(self, model: Model, motions: np.ndarray, left: np.ndarray) -> None:
        """SimulationError if forces ``left`` along ``motions`` remain that no deflection balances."""
        M = self.forces.evaluator.mass_matrix(model.q, model.reference, self.t)[np.ix_(self.free, self.free)]
        inverse = motions @ np.linalg.pinv(motions.T @ M @ motions, rcond=1e-14)
        a = -inverse @ left
        rounding = 1e-12 * self.scale * np.linalg.norm(inverse @ motions.T, axis=1)
        excess = np.abs(a) - rounding
        worst = int(np.argmax(excess))
        if excess[worst] > UNHELD:
            k = self.free[worst]
            unit = "rad/s2" if turning_coordinates(model)[k] else "m/s2"
            raise SimulationError(
                f"{self.what}: '{model.coordinate_names[k]}' accelerates by {a[worst]:.6g} {unit} and no deflection "
                "balances the force on it. Support it (joint, spring, contact below it), or remove the load"
            )

    def _refuse(self, model: Model):
        unbalanced = self._unbalanced(model)[0]
        worst = int(np.argmax(np.abs(unbalanced)))
        raise SimulationError(
            f"{self.what} after {ITERATIONS} steps; worst equation: "
            f"'{model.coordinate_names[self.free[worst]]}', unbalanced by {abs(unbalanced[worst]):.6g} (N or N m). "
            "Check for unsupported bodies, or start closer to the equilibrium"
        )


def turning_coordinates(model: Model) -> np.ndarray:
    """(coordinates,) bool: coordinates in rad; all others, including modal ones, are in m."""
    turns = np.zeros(model.coordinate_count, dtype=bool)
    for axis in model.tables.axes:
        if axis["kind"] == BALL or axis["kind"] == ROTATION and axis["factor"] != 0.0:
            turns[axis["coordinate"] : axis["coordinate"] + (3 if axis["kind"] == BALL else 1)] = True
    return turns
