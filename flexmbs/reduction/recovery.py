"""Displacement and stress of a flexible body from its modal coordinates: in one state, or extremes over many.

Points are taken some hundred at a time and states some hundred at a time, so that what is computed stays in the
processor's cache, without all states in memory; all sums over modes are matrix products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from flexmbs.common.progress import stage
from flexmbs.fem.stress_field import principal, von_mises
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields

POINTS, STATES = 512, 256  # at a time: 1 MB for each array of them
ALIKE = 256  # points of about the same stress that are taken together where the largest of all is sought
COMPONENTS = ("xx", "yy", "zz", "yz", "xz", "xy")
#: Numbers of which :func:`extremes` finds the extreme over the states, and what is extreme.
QUANTITIES = {
    "von_mises": "the largest",
    "max_principal": "the largest",
    "min_principal": "the smallest",
    "max_shear": "the largest",
    **dict.fromkeys(COMPONENTS, "the largest in magnitude"),
}
# Five numbers, linear in xx, yy, zz, yz, xz, xy, whose squares add up to the square of the von Mises stress.
_DEVIATOR = np.array(
    [
        [0.75**0.5, -(0.75**0.5), 0.0, 0.0, 0.0, 0.0],
        [0.5, 0.5, -1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 3.0**0.5, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 3.0**0.5, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 3.0**0.5],
    ]
)


def superpose(
    body: FlexibleBody, modes: np.ndarray, quadratic: np.ndarray, q: np.ndarray, rate: np.ndarray | None = None
) -> np.ndarray:
    """sum_a q_a modes_a + sum_r s_r(q) quadratic_r of fields (n, ...), (forms, ...); q (..., n). With its ``rate``: the rate."""
    linear = np.tensordot(q if rate is None else rate, modes, axes=(-1, 0))
    if len(body.pairs) == 0:
        return linear
    return linear + np.tensordot(body.quadratic_coordinates(q, rate), quadratic, axes=(-1, 0))


def marker_displacement(body: FlexibleBody, fields: PointFields, q: np.ndarray) -> np.ndarray:
    """Displacement (..., 3) of a marker in the body frame, m; q (..., n)."""
    return superpose(body, fields.Phi, fields.Zu, q)


def marker_velocity(body: FlexibleBody, fields: PointFields, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Velocity (..., 3) of a marker relative to the body frame, body axes, m/s; q and its rates v (..., n)."""
    return superpose(body, fields.Phi, fields.Zu, q, v)


def surface_displacement(body: FlexibleBody, q: np.ndarray) -> np.ndarray:
    """(np, 3) displacement of the surface points in the body frame, m; q (n,)."""
    return superpose(body, body.surface.modes, body.surface.quadratic, q)


def surface_stress(body: FlexibleBody, q: np.ndarray) -> np.ndarray:
    """(..., np, 6) stress xx, yy, zz, yz, xz, xy at the surface points, Pa; linear in q (..., n).

    The second-order displacements H_ab are those that keep the quadratic part of the strain in equilibrium; what
    stress they leave is of second order and not recovered.
    """
    return np.tensordot(q, body.surface_stress_modes, axes=(-1, 0))


def von_mises_at(body: FlexibleBody, q: np.ndarray) -> np.ndarray:
    """(k, np) von Mises stress, Pa, at the surface points in many states q (k, n)."""
    modes = body.surface_stress_modes
    return von_mises_into(np.empty((len(q), modes.shape[1])), modes, q)


def von_mises_into(found: np.ndarray, modes: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Write the von Mises stress (k, points), Pa, of states q (k, n) into ``found``; stress modes (n, points, 6)."""
    for part in _parts(modes.shape[1], POINTS):
        deviators = _by_component(modes[:, part], _DEVIATOR)
        stage("stress", part.start, modes.shape[1])
        for some in _parts(len(q), STATES):
            np.sqrt(_squares(deviators, q[some].T).T, out=found[some, part])
    return found


def extremes(modes: np.ndarray, q: np.ndarray, quantity: str) -> tuple[np.ndarray, np.ndarray]:
    """Extreme value (points,), Pa, of a quantity over the states q (k, n), and the state (points,) where it occurs.

    modes (n, points, 6), Pa per unit q; quantities and what is extreme: :data:`QUANTITIES`.
    """
    measure = _MEASURES.get(quantity) or _component(COMPONENTS.index(quantity))
    values, states = np.zeros(modes.shape[1]), np.zeros(modes.shape[1], dtype=np.int64)
    for part in _parts(modes.shape[1], POINTS):
        stage("stress", part.start, modes.shape[1])
        own = modes[:, part]
        states[part] = _states_of_largest(measure(own), own.shape[1], q)
        values[part] = quantity_of(np.einsum("pa,apc->pc", q[states[part]], own), quantity)
    return values, states


def quantity_of(stress: np.ndarray, quantity: str) -> np.ndarray:
    """One of :data:`QUANTITIES` (...,), Pa, of stress (..., 6)."""
    if quantity == "von_mises":
        return von_mises(stress)
    if quantity in COMPONENTS:
        return stress[..., COMPONENTS.index(quantity)]
    values = principal(stress)
    first, last = values[..., 0], values[..., 2]
    return {"max_principal": first, "min_principal": last, "max_shear": 0.5 * (first - last)}[quantity]


def _parts(count: int, size: int) -> Iterator[slice]:
    for first in range(0, count, size):
        yield slice(first, min(first + size, count))


def peak_von_mises(body: FlexibleBody, q: np.ndarray) -> tuple[float, int, int]:
    """Largest von Mises stress, Pa, at the surface over many states q (k, n): its value, state and surface point.

    It is a norm of q, so sum_a |q_a| (largest stress of mode a among some points) bounds it there: groups of points are
    taken in the order of their bounds, and of each only the states whose bound is above what was found.
    """
    modes = body.surface_stress_modes
    groups = _groups(von_mises(modes))
    unit = np.array([von_mises(modes[:, points]).max(axis=1) for points in groups]).reshape(len(groups), len(modes))
    bounds = np.abs(q) @ unit.T
    best = (-1.0, 0, 0)
    for done, group in enumerate(np.argsort(-bounds.max(axis=0, initial=0.0), kind="stable")):
        stage("largest stress", done, len(groups))
        best = _largest_of_group(modes, q, groups[group], bounds[:, group], best)
    return best


def _groups(unit: np.ndarray) -> list[np.ndarray]:
    """Surface points, highly stressed ones together; ``unit`` (n, points): their stress in each mode."""
    scale = unit.max(axis=1, initial=0.0)
    level = (unit / np.where(scale > 0.0, scale, 1.0)[:, None]).max(axis=0, initial=0.0)
    order = np.argsort(-level, kind="stable")
    return [order[first : first + ALIKE] for first in range(0, len(order), ALIKE)]


def _largest_of_group(
    modes: np.ndarray, q: np.ndarray, points: np.ndarray, bounds: np.ndarray, best: tuple[float, int, int]
) -> tuple[float, int, int]:
    """``best``, or what is larger at these points."""
    order = np.flatnonzero(bounds > best[0])
    order = order[np.argsort(-bounds[order], kind="stable")]
    for first in range(0, len(order), STATES):
        states = order[first : first + STATES]
        if bounds[states[0]] <= best[0]:
            break
        values, at = extremes(modes[:, points], q[states], "von_mises")
        point = int(np.argmax(values))
        if values[point] > best[0]:
            best = (float(values[point]), int(states[at[point]]), int(points[point]))
    return best


#: (points, s) what is to be largest, of states (n, s); where it cannot exceed what is known of a point, (points,), -inf.
_Measure = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _states_of_largest(measure: _Measure, points: int, q: np.ndarray) -> np.ndarray:
    """(points,) the state of q (k, n) in which each point has the largest measure."""
    known, states, rows = np.full(points, -np.inf), np.zeros(points, dtype=np.int64), np.arange(points)
    for some in _parts(len(q), STATES):
        values = measure(q[some].T, known)
        best = values.argmax(axis=1)
        found = values[rows, best]
        better = found > known
        known[better] = found[better]
        states[better] = some.start + best[better]
    return states


def _by_component(modes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(rows, points, n): linear combinations ``rows`` (rows, 6) of the components of stress modes (n, points, 6)."""
    return np.ascontiguousarray(np.moveaxis(modes @ rows.T, (2, 1, 0), (0, 1, 2)))


def _squares(parts: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(points, states): sums of the squares of the components ``parts`` (5, points, n) in the states q (n, states)."""
    total = parts[0] @ q
    total *= total
    for part in parts[1:]:
        more = part @ q
        more *= more
        total += more
    return total


def _von_mises(modes: np.ndarray) -> _Measure:
    deviators = _by_component(modes, _DEVIATOR)
    return lambda states, _: _squares(deviators, states)


def _component(component: int) -> Callable[[np.ndarray], _Measure]:
    def of_modes(modes: np.ndarray) -> _Measure:
        own = np.ascontiguousarray(modes[:, :, component].T)
        return lambda states, _: np.abs(own @ states)

    return of_modes


def _principal(sign: float) -> Callable[[np.ndarray], _Measure]:
    """The largest principal stress of ``sign`` times the stress.

    With mean stress p and von Mises stress s it lies between p + s/3 and p + 2 s/3 (it is p + 2/3 s cos a, 0 <= a <= 60
    degrees): only states whose upper bound is above the largest lower bound are looked at.
    """
    mean = np.array([[sign / 3.0, sign / 3.0, sign / 3.0, 0.0, 0.0, 0.0]])

    def of_modes(modes: np.ndarray) -> _Measure:
        parts, sixes = _by_component(modes, np.vstack([_DEVIATOR, mean])), _by_component(modes, sign * np.eye(6))

        def measure(states: np.ndarray, known: np.ndarray) -> np.ndarray:
            size, middle = np.sqrt(_squares(parts[:5], states)), parts[5] @ states
            return _of_candidates(known, sixes, states, size, middle + size / 3.0, middle + size / 1.5, _first)

        return measure

    return of_modes


def _shear(modes: np.ndarray) -> _Measure:
    """The largest shear stress lies between s/2 and s/sqrt(3), s being the von Mises stress."""
    deviators, sixes = _by_component(modes, _DEVIATOR), _by_component(modes, np.eye(6))

    def measure(states: np.ndarray, known: np.ndarray) -> np.ndarray:
        size = np.sqrt(_squares(deviators, states))
        return _of_candidates(known, sixes, states, size, size / 2.0, size / 3.0**0.5, _half_difference)

    return measure


def _of_candidates(
    known: np.ndarray,
    sixes: np.ndarray,
    states: np.ndarray,
    size: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    value: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> np.ndarray:
    """``value`` where the upper bound is above all that is known, elsewhere -inf."""
    known = np.maximum(known, lower.max(axis=1))
    slack = 1e-12 * size.max(initial=0.0)
    points, columns = np.nonzero(upper >= known[:, None] - slack)
    stress = np.stack([np.einsum("pn,np->p", six[points], states[:, columns]) for six in sixes], axis=1)
    values = np.full(size.shape, -np.inf)
    values[points, columns] = value(stress, size[points, columns])
    return values


def _angle(stress: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean stress, and the angle of Lode in [0, pi/3], of stress (m, 6) with von Mises stress (m,)."""
    xx, yy, zz, yz, xz, xy = stress.T
    mean = (xx + yy + zz) / 3.0
    a, b, c = xx - mean, yy - mean, zz - mean
    third = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)
    cosine = 13.5 * np.divide(third, size**3, out=np.zeros_like(third), where=size > 0.0)
    return mean, np.arccos(np.clip(cosine, -1.0, 1.0)) / 3.0


def _first(stress: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Largest principal stress, to about 1e-8 of the stress: enough to choose a state by."""
    mean, angle = _angle(stress, size)
    return mean + size / 1.5 * np.cos(angle)


def _half_difference(stress: np.ndarray, size: np.ndarray) -> np.ndarray:
    _, angle = _angle(stress, size)
    return size / 3.0 * (np.cos(angle) - np.cos(angle + 2.0 * np.pi / 3.0))


_MEASURES = {"von_mises": _von_mises, "max_principal": _principal(1.0), "min_principal": _principal(-1.0), "max_shear": _shear}
