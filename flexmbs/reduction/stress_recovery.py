"""Stress of a flexible body over many states: extremes of a number derived from it, without all states in memory.

Points are taken some hundred at a time and states some hundred at a time, so that what is computed stays in the
processor's cache; all sums over modes are matrix products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from flexmbs.common.progress import stage
from flexmbs.fem.stress_field import principal, von_mises

POINTS, STATES = 512, 256  # at a time: 1 MB for each array of them
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
    search = _SEARCHES.get(quantity) or _component_search(COMPONENTS.index(quantity))
    states = np.zeros(modes.shape[1], dtype=np.int64)
    for part in _parts(modes.shape[1], POINTS):
        stage("stress", part.start, modes.shape[1])
        states[part] = search(modes[:, part], q)
    values = np.concatenate(
        [quantity_of(np.einsum("pa,apc->pc", q[states[part]], modes[:, part]), quantity) for part in _parts(modes.shape[1], POINTS)]
        or [np.zeros(0)]
    )
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


@dataclass
class _Largest:
    """Largest value so far and its state, of each point."""

    value: np.ndarray
    state: np.ndarray

    @staticmethod
    def none(count: int) -> _Largest:
        return _Largest(np.full(count, -np.inf), np.zeros(count, dtype=np.int64))

    def take(self, values: np.ndarray, first: int) -> None:
        """``values`` (points, states) of states from ``first`` on."""
        best = values.argmax(axis=1)
        found = values[np.arange(len(best)), best]
        better = found > self.value
        self.value[better] = found[better]
        self.state[better] = first + best[better]


def _von_mises_search(modes: np.ndarray, q: np.ndarray) -> np.ndarray:
    deviators, largest = _by_component(modes, _DEVIATOR), _Largest.none(modes.shape[1])
    for some in _parts(len(q), STATES):
        largest.take(_squares(deviators, q[some].T), some.start)
    return largest.state


def _component_search(component: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def search(modes: np.ndarray, q: np.ndarray) -> np.ndarray:
        own, largest = np.ascontiguousarray(modes[:, :, component].T), _Largest.none(modes.shape[1])
        for some in _parts(len(q), STATES):
            largest.take(np.abs(own @ q[some].T), some.start)
        return largest.state

    return search


def _principal_search(sign: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Of the largest principal stress of ``sign`` times the stress.

    With mean stress p and von Mises stress s it lies between p + s/3 and p + 2 s/3 (it is p + 2/3 s cos a, 0 <= a <= 60
    degrees): only states whose upper bound is above the largest lower bound are looked at.
    """

    def search(modes: np.ndarray, q: np.ndarray) -> np.ndarray:
        mean = np.full((1, 6), 0.0)
        mean[0, :3] = sign / 3.0
        parts, sixes = _by_component(modes, np.vstack([_DEVIATOR, mean])), _by_component(modes, sign * np.eye(6))
        largest = _Largest.none(modes.shape[1])
        for some in _parts(len(q), STATES):
            states = q[some].T
            size, middle = np.sqrt(_squares(parts[:5], states)), parts[5] @ states
            _take_candidates(largest, sixes, states, some.start, size, middle + size / 3.0, middle + size / 1.5, _first)
        return largest.state

    return search


def _shear_search(modes: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The largest shear stress lies between s/2 and s/sqrt(3), s being the von Mises stress."""
    deviators, sixes = _by_component(modes, _DEVIATOR), _by_component(modes, np.eye(6))
    largest = _Largest.none(modes.shape[1])
    for some in _parts(len(q), STATES):
        states = q[some].T
        size = np.sqrt(_squares(deviators, states))
        _take_candidates(largest, sixes, states, some.start, size, size / 2.0, size / 3.0**0.5, _shear)
    return largest.state


def _take_candidates(largest, sixes, states, first, size, lower, upper, value) -> None:
    """Evaluate ``value`` where the upper bound is above all that is known, and keep the largest."""
    known = np.maximum(largest.value, lower.max(axis=1))
    slack = 1e-12 * size.max(initial=0.0)
    points, columns = np.nonzero(upper >= known[:, None] - slack)
    stress = np.stack([np.einsum("pn,np->p", six[points], states[:, columns]) for six in sixes], axis=1)
    values = np.full(size.shape, -np.inf)
    values[points, columns] = value(stress, size[points, columns])
    largest.take(values, first)


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


def _shear(stress: np.ndarray, size: np.ndarray) -> np.ndarray:
    _, angle = _angle(stress, size)
    return size / 3.0 * (np.cos(angle) - np.cos(angle + 2.0 * np.pi / 3.0))


_SEARCHES = {
    "von_mises": _von_mises_search,
    "max_principal": _principal_search(1.0),
    "min_principal": _principal_search(-1.0),
    "max_shear": _shear_search,
}
