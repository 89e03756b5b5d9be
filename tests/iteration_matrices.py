"""Iteration matrices of BDF for a stiff mechanism with a closed loop, as text books state them, and their conditioning.

Mechanism: a four-bar linkage whose rocker bearing slides in a guide and is held there by a bushing of 1e8 N/m.
Equations, with unknowns q, v, multipliers lam and mu, and the step parameter beta = h / alpha_0 (BDF: y' = alpha_0 / h
(y - ...); order 2 with equal steps: beta = 2 h / 3):

I3   M v' + f(q, v) - G^T lam = 0, q' = v, g(q) = 0.  Orlandea, Chace, Calahan, J. Eng. Ind. 99 (1977) 773.
SI2  q' = v - G^T mu, and G v = 0 besides.  Gear, Gupta, Leimkuhler, J. Comput. Appl. Math. 12-13 (1985) 77.
SI1  as SI2 with lam = Lam', mu = Mu': columns divided by beta.  Gear, SIAM J. Sci. Stat. Comput. 9 (1988) 39; as an
     option of ADAMS: Negrut, Dyer, ADAMS/Solver Primer, MSC.Software (2004).

Condition of index-m equations grows as h^-m: Petzold, Lotstedt, SIAM J. Sci. Stat. Comput. 7 (1986) 720; what scaling
does about it: Bottasso, Dopico, Trainelli, Multibody Syst. Dyn. 19 (2008) 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from planar_four_bar import COUPLER, CRANK, FRAME, ROCKER, bar, rocker_angle

import flexmbs as fm
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.prepare.prepare import ready

STIFFNESS = (1e8, 1e6)  # N/m, N m/rad
ANGLE, RATE = 0.9, 30.0  # of the crank, rad and rad/s
BDF2 = 2.0 / 3.0  # beta / h


def stiff_four_bar() -> fm.System:
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    lengths = {"crank": CRANK, "coupler": COUPLER, "rocker": ROCKER}
    crank, coupler, rocker = (system.add(bar(length), name=name) for name, length in lengths.items())
    bearing = system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), name="bearing")
    seat = system.ground.marker("seat", position=(FRAME, 0.0, 0.0))
    system.revolute(system.ground.marker("A"), crank["origin"], angle=ANGLE, rate=RATE, name="A")
    system.revolute(crank.marker("end", position=(CRANK, 0.0, 0.0)), coupler["origin"], name="B")
    system.prismatic(seat, bearing["origin"], axis="x", name="guide")
    system.bushing(seat, bearing["origin"], STIFFNESS, name="mount")
    small = 1e-5  # rad; the bearing starts at rest
    turned = rocker_angle(ANGLE + small) - rocker_angle(ANGLE - small)
    rate = RATE * turned / (2.0 * small)
    system.revolute(bearing["origin"], rocker["origin"], angle=rocker_angle(ANGLE), rate=rate, name="D")
    coupler.marker("end", position=(COUPLER, 0.0, 0.0))
    system.revolute(coupler["end"], rocker.marker("end", position=(ROCKER, 0.0, 0.0)), name="C")
    return system


@dataclass(frozen=True)
class Linear:
    """Derivatives of the equations of motion and of the constraints at one state, and the state.

    M, D, K (n, n): of M a + f - G^T lam by a, v, q; G (c, n): of g by q; W (c, n): of G v by q.
    """

    M: np.ndarray
    D: np.ndarray
    K: np.ndarray
    G: np.ndarray
    W: np.ndarray
    v: np.ndarray
    a: np.ndarray
    multipliers: np.ndarray


def linear_at_start(system: fm.System) -> Linear:
    """Matrices of a system of hinges and slides at its assembled start, with consistent accelerations."""
    from flexmbs.core.equations.tangent import consistent_accelerations
    from flexmbs.core.layout.state import make_scratch, make_state
    from flexmbs.core.methods.method_table import METHODS

    model = ready(system)
    tables, evaluator, method = model.tables, Evaluator(model), METHODS["radau"]
    state = make_state(tables, len(model.balls), method.history_rows)
    state.q[:], state.v[:] = model.q, model.v
    assert consistent_accelerations(tables, state, make_scratch(tables, method), evaluator.work, 3)
    multiplier = tables.coordinates["multiplier"][tables.free] != 0
    own, rows = tables.free[~multiplier], tables.free[multiplier]
    within, across = np.ix_(~multiplier, ~multiplier), np.ix_(multiplier, ~multiplier)
    chosen = np.isin(evaluator.rows, rows)

    def rates(k: int, move: float) -> np.ndarray:
        q = state.q.copy()
        q[k] += move
        return evaluator.openings(q, state.v, state.reference, 0.0)[1][chosen]

    step = 1e-5
    W = np.column_stack([(rates(k, step) - rates(k, -step)) / (2.0 * step) for k in own])
    return Linear(
        state.mass[within],
        state.damping[within],
        state.stiffness[within],
        state.mass[across],
        W,
        state.v[own],
        state.a[own],
        state.a[rows],
    )


def index_3(x: Linear, beta: float) -> np.ndarray:
    """I3 in the unknowns q, v, lam."""
    n, c = len(x.M), len(x.G)
    one, corner = np.eye(n), np.zeros((c, c))
    dynamics = [x.K, x.M / beta + x.D, -x.G.T]
    return np.block([dynamics, [one / beta, -one, np.zeros((n, c))], [x.G, np.zeros((c, n)), corner]])


def stabilised_index_2(x: Linear, beta: float) -> np.ndarray:
    """SI2 in the unknowns q, v, mu, lam (at mu = 0, where it stays)."""
    n, c = len(x.M), len(x.G)
    one, side, corner = np.eye(n), np.zeros((n, c)), np.zeros((c, c))
    dynamics = [x.K, x.M / beta + x.D, side, -x.G.T]
    return np.block([dynamics, [one / beta, -one, x.G.T, side], [x.G, side.T, corner, corner], [x.W, x.G, corner, corner]])


def stabilised_index_1(x: Linear, beta: float) -> np.ndarray:
    """SI1 in the unknowns q, v, Mu, Lam."""
    matrix = stabilised_index_2(x, beta)
    matrix[:, 2 * len(x.M) :] /= beta
    return matrix


def in_accelerations(x: Linear, beta: float) -> np.ndarray:
    """What flexmbs factorises, unknowns a and lam: I3 with its constraints divided by beta^2, SI2 and SI1 by beta."""
    corner = np.zeros((len(x.G), len(x.G)))
    return np.block([[x.M + beta * x.D + beta**2 * x.K, -x.G.T], [x.G, corner]])


FORMULATIONS = {"I3": index_3, "SI2": stabilised_index_2, "SI1": stabilised_index_1}


def equilibrated(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(R A C, r, c): largest entry of every row and column about 1, r and c powers of two (Ruiz, RAL-TR-2001-034)."""
    scaled, r, c = matrix.copy(), np.ones(len(matrix)), np.ones(len(matrix))
    for _ in range(100):
        rows = 2.0 ** -np.round(0.5 * np.log2(np.abs(scaled).max(axis=1)))
        columns = 2.0 ** -np.round(0.5 * np.log2(np.abs(scaled).max(axis=0)))
        if np.all(rows == 1.0) and np.all(columns == 1.0):
            break
        scaled, r, c = rows[:, None] * scaled * columns, r * rows, c * columns
    return scaled, r, c


def as_flexmbs_equilibrates(x: Linear, matrix: np.ndarray) -> np.ndarray:
    """S A S with the scale that the integrator takes from the mass matrix with its constraints, once per tangent."""
    from flexmbs.core.linalg.matrix import equilibrate

    scale = np.zeros(len(matrix))
    equilibrate(in_accelerations(x, 0.0), 0, scale)
    return scale[:, None] * matrix * scale


def condition_numbers(matrix: np.ndarray) -> tuple[float, float, float]:
    """Condition in the 2-norm, raw and equilibrated, and the least that any scaling of rows and columns gives.

    The inverse comes from the equilibrated matrix, whose condition double precision resolves.  The least (in the
    maximum norm) is the spectral radius of |A| |A^-1|: Bauer, Numer. Math. 5 (1963) 73.
    """
    scaled, r, c = equilibrated(matrix)
    inverse = np.linalg.inv(scaled)
    raw = np.linalg.norm(matrix, 2) * np.linalg.norm(c[:, None] * inverse * r, 2)
    least = np.abs(np.linalg.eigvals(np.abs(scaled) @ np.abs(inverse))).max()
    return float(raw), float(np.linalg.cond(scaled)), float(least)


ACCELERATION_LEVEL = "constraints on accelerations"
EPSILON = 1e-16


def newton_steps(x: Linear, beta: float) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Per formulation: matrix, the correction of a step from a constant prediction, rounding of the right-hand side.

    Rounding is that of the constraints alone: ``EPSILON`` times the size of what is added up in them.
    """
    n, c = len(x.M), len(x.G)
    place = np.ones(c)  # m and rad: coordinates are of size 1
    rate = np.abs(x.G) @ np.abs(x.v)
    acceleration = np.abs(x.G) @ np.abs(x.a) + np.abs(x.W) @ np.abs(x.v)
    free, moved = np.zeros(c), [beta * x.v, beta * x.a]
    plain, doubled = [np.zeros(2 * n), place], [np.zeros(2 * n), place, rate]
    return {
        "I3": (index_3(x, beta), np.concatenate([*moved, x.multipliers]), np.concatenate(plain)),
        "SI2": (stabilised_index_2(x, beta), np.concatenate([*moved, free, x.multipliers]), np.concatenate(doubled)),
        "SI1": (stabilised_index_1(x, beta), np.concatenate([*moved, free, beta * x.multipliers]), np.concatenate(doubled)),
        ACCELERATION_LEVEL: (
            in_accelerations(x, beta),
            np.concatenate([x.a, x.multipliers]),
            np.concatenate([np.zeros(n), acceleration]),
        ),
    }


def rounding_errors(x: Linear, beta: float, draws: int = 20) -> dict[str, tuple[float, float]]:
    """Median relative error of velocities and of multipliers that the rounding of constraints leaves, per formulation.

    Right-hand sides are formed from the correction in extended precision, the solution is in double precision with the
    equilibrated matrix; signs of the rounding errors are drawn.
    """
    n, c, chance = len(x.M), len(x.G), np.random.default_rng(1)
    found = {}
    for name, (matrix, exact, rounding) in newton_steps(x, beta).items():
        scaled, rows, columns = equilibrated(matrix)
        right = matrix.astype(np.longdouble) @ exact.astype(np.longdouble)
        errors = []
        for _ in range(draws):
            noise = EPSILON * rounding * chance.uniform(-1.0, 1.0, len(rounding))
            error = columns * np.linalg.solve(scaled, rows * (right + noise).astype(float)) - exact
            velocity = beta * error[:n] if name == ACCELERATION_LEVEL else error[n : 2 * n]
            multiplier = error[-c:] / beta if name == "SI1" else error[-c:]
            errors.append([np.linalg.norm(velocity), np.linalg.norm(multiplier)])
        size = np.array([np.linalg.norm(x.v), np.linalg.norm(x.multipliers)])
        found[name] = tuple(np.median(errors, axis=0) / size)
    return found
