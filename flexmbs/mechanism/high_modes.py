"""Modes of a body above a frequency: damped, or condensed so that they follow their load without inertia of their own.

These modes are the eigenvectors y of Ke y = w^2 Me y in the space of a body's own modal coordinates. Bodies with
``ClampedFree`` and ``FreeFree`` modes have them as coordinates; static modes of interfaces mix them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from flexmbs.common.errors import BodyError
from flexmbs.reduction.body_layout import mapped, with_field_for_each_pair
from flexmbs.reduction.constrained_body import symmetric
from flexmbs.reduction.flexible_body import FlexibleBody

DIAGONAL = 1e-6  # off-diagonal terms up to this fraction of the diagonal are treated as rounding


@dataclass(frozen=True)
class QuasiStatic:
    """Modes above a frequency take the static deflection under their load (``System.add``).

    Their equation keeps stiffness and all loads, including the inertia of the body's other motion, but not their own
    velocity and acceleration: static flexibility is kept, high frequencies disappear. The error is of order
    (w / w_high)^2 for motions of frequency w (docs/high_modes.md).

    Attributes
    ----------
    above : Hz, of the eigenvectors of the body's own modal stiffness and mass
    """

    above: float

    def __post_init__(self) -> None:
        _check_positive("QuasiStatic: above (Hz)", self.above)


@dataclass(frozen=True)
class DampedModes:
    """Modes above a frequency get a damping ratio, in addition to the damping of the body (``System.add``).

    Attributes
    ----------
    above : Hz, of the eigenvectors of the body's own modal stiffness and mass
    ratio : fraction of critical damping
    """

    above: float
    ratio: float = 1.0

    def __post_init__(self) -> None:
        _check_positive("DampedModes: above (Hz)", self.above)
        _check_positive("DampedModes: ratio", self.ratio)


def _check_positive(what: str, value: float) -> None:
    if not isinstance(value, int | float | np.number) or not (np.isfinite(value) and value > 0.0):
        raise BodyError(f"{what} = {value!r} must be a positive finite number")


def eigenvectors(body: FlexibleBody) -> tuple[np.ndarray, np.ndarray]:
    """(k,) w in rad/s, ascending, and (n, k) columns y with y Me y = 1; BodyError when Me is not definite.

    Of the modes with inertia: massless contact patches are left out.
    """
    moving = ~body.massless
    part, vectors = np.ix_(moving, moving), np.zeros((body.mode_count, int(moving.sum())))
    try:
        squares, vectors[moving] = linalg.eigh(symmetric(body.Ke)[part], symmetric(body.Me)[part])
    except linalg.LinAlgError as error:
        raise BodyError(f"body '{body.name}': frequencies need mass on all modal coordinates ({error})") from error
    return np.sqrt(np.maximum(squares, 0.0)), vectors


def with_damped_modes(body: FlexibleBody, choice: DampedModes) -> FlexibleBody:
    """The same body with De + sum 2 ratio w (Me y)(Me y)^T over the eigenvectors above ``choice.above``."""
    omega, vectors = eigenvectors(body)
    high = omega > 2.0 * np.pi * choice.above
    moved = body.Me @ vectors[:, high]
    return replace(body, De=body.De + (moved * (2.0 * choice.ratio * omega[high])) @ moved.T)


def in_eigenvectors(body: FlexibleBody) -> tuple[FlexibleBody, np.ndarray]:
    """The same body with eigenvectors as its modal coordinates, and T (n, n): q of ``body`` is T times the new ones.

    A body whose coordinates already are its eigenvectors is returned unchanged, with the identity matrix. Massless
    contact patches stay as they are: they are orthogonal in stiffness to all others.
    """
    if _is_diagonal(body.Ke) and _is_diagonal(body.Me):
        return body, np.eye(body.mode_count)
    omega, vectors = eigenvectors(body)
    still, turn = body.massless, np.eye(body.mode_count)
    frequencies = body.frequencies.copy()
    turn[:, ~still] = vectors / _sizes(body, vectors)
    frequencies[~still] = omega / (2.0 * np.pi)
    result = recombined(body, turn, frequencies)
    labels = np.where(still, np.array(body.mode_labels, dtype=object), np.array(result.mode_labels, dtype=object))
    return replace(result, mode_labels=tuple(labels)), turn


def _is_diagonal(matrix: np.ndarray) -> bool:
    size = np.sqrt(np.abs(np.diag(matrix)))
    return bool(np.all(np.abs(matrix - np.diag(np.diag(matrix))) <= DIAGONAL * np.outer(size, size)))


def _sizes(body: FlexibleBody, vectors: np.ndarray) -> np.ndarray:
    """(n,) largest displacement of each vector (m); for pure rotations, the largest rotation (rad)."""
    moved = np.linalg.norm(np.tensordot(vectors.T, body.modes, 1), axis=2).max(axis=1, initial=0.0)
    if body.rotations is None:
        return np.where(moved > 0.0, moved, 1.0)
    turned = np.linalg.norm(np.tensordot(vectors.T, body.rotations, 1), axis=2).max(axis=1, initial=0.0)
    extent = float(np.linalg.norm(np.ptp(body.points, axis=0)))
    sizes = np.where(moved < 1e-9 * extent * turned, turned, moved)
    return np.where(sizes > 0.0, sizes, 1.0)


def coordinate_frequencies(body: FlexibleBody) -> np.ndarray:
    """(n,) Hz of each modal coordinate alone; infinite where it carries no mass."""
    mass, stiffness = np.diag(body.Me), np.maximum(np.diag(body.Ke), 0.0)
    squares = np.divide(stiffness, mass, out=np.full(len(mass), np.inf), where=mass > 0.0)
    return np.sqrt(squares) / (2.0 * np.pi)


def recombined(body: FlexibleBody, turn: np.ndarray, frequencies: np.ndarray) -> FlexibleBody:
    """The same body with modal coordinates y, q = ``turn`` y (n, n), that diagonalise Ke and Me (Hz: (n,)).

    Second-order fields stay as they are; the quadratic forms that multiply them are written in y. A body with one
    field for each pair gets one for each pair of the new coordinates.
    """
    pairs, forms = _turned_forms(body, turn)
    result = replace(
        mapped(body, "n", lambda fields: np.tensordot(turn.T, fields, 1)),
        frequencies=frequencies,
        mode_labels=tuple(f"eigenmode {i + 1}" for i in range(body.mode_count)),
        Me=np.diag(np.diag(turn.T @ body.Me @ turn)),
        Ke=np.diag(np.diag(turn.T @ body.Ke @ turn)),
        De=turn.T @ body.De @ turn,
        pairs=pairs,
        forms=forms,
        cubic=None if body.cubic is None else body.cubic @ turn,
    )
    return with_field_for_each_pair(result) if body.forms is None and len(pairs) else result


def _turned_forms(body: FlexibleBody, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """All pairs (c, d) of the new coordinates, and the forms (K, pairs) of the second-order fields in them."""
    if len(body.pairs) == 0:
        return body.pairs, None
    old = np.eye(len(body.pairs)) if body.forms is None else body.forms
    c, d = np.triu_indices(body.mode_count)
    a, b = np.asarray(body.pairs).T
    # q_a q_b = sum over c <= d of (T_ac T_bd + T_ad T_bc) y_c y_d, of c = d the half of it
    products = turn[a][:, c] * turn[b][:, d] + turn[a][:, d] * turn[b][:, c]
    products[:, c == d] *= 0.5
    return np.column_stack([c, d]), old @ products
