"""Which second-order terms of a flexible body a model keeps, and up to which motion that holds."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexmbs.model.inertia_layout import InertiaLayout, inertia_layout
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields, assumed_amplitudes

#: All terms of a body: what is left out may be REDUCTION times what the reduction has left out, within these limits
#: (its error is that of the worst single integral, ours bounds the sum over all fields of a state).
REDUCTION, LEAST, MOST = 10.0, 1e-14, 1e-10
#: Terms that a run leaves out change no inertia integral by more than this part of its rtol (with contacts by a tenth
#: of that: the vibration after an impact, and so the next one, depends on small differences) ...
SHARE, AMPLIFIED = 1e-2, 0.1
#: ... nor by more than this; a run with an rtol of EXACT or less leaves out none.
COARSEST, EXACT = 1e-4, 1e-7

PAIR = 16  # a pair of modes costs as much as so many coefficients (measured)

_known: list[tuple[weakref.ref[FlexibleBody], tuple[float, bytes], InertiaLayout]] = []
_KEPT = 64  # layouts


def run_tolerance(rtol: float, contacts: bool = False) -> float:
    """Bound of the error of inertia integrals of a run with ``rtol``; 0: all terms."""
    return 0.0 if rtol <= EXACT else min(SHARE * rtol, COARSEST) * (AMPLIFIED if contacts else 1.0)


def body_tolerance(body: FlexibleBody, tolerance: float) -> float:
    """Bound of the error of the body's integrals: ``tolerance``, but no less than what the reduction left open.

    A body reduced with ``SecondOrder(...)`` keeps what that states.
    """
    exact = float(np.clip(REDUCTION * body.inertia.compression_error, LEAST, MOST))
    stated = str(body.options.get("second_order", "")).startswith("SecondOrder(")
    return exact if stated else max(exact, tolerance)


def assumed_weights(body: FlexibleBody, amplitudes: np.ndarray) -> np.ndarray:
    """(K,) largest value of each quadratic form within these amplitudes."""
    products = np.prod(amplitudes[np.asarray(body.pairs, dtype=np.int64).reshape(-1, 2)], axis=1)
    return products if body.forms is None else np.sqrt(np.sum((body.forms * products) ** 2, axis=1))


def layout_of(body: FlexibleBody, markers: Sequence[PointFields], tolerance: float = 0.0) -> InertiaLayout:
    """How the inertia of a body is stored, with ``tolerance`` as in :func:`body_tolerance`; kept for the next model.

    A form stays too where the ``markers`` would otherwise err by more than the tolerance, relative to the size of the
    body (rotations in rad).
    """
    tolerance = body_tolerance(body, tolerance)
    amplitudes = assumed_amplitudes(body)
    weights = assumed_weights(body, amplitudes)
    used = _used_by_markers(body, markers, weights, tolerance)
    key = (tolerance, used.tobytes())
    for owner, known, layout in _known:
        if owner() is body and known == key:
            return layout
    layout = inertia_layout(body.inertia, amplitudes, weights, tolerance, used)
    if body.forms is not None and body.cubic is None and body.forms.size > len(layout.coefficients):
        layout = min(layout, _by_pairs(body, markers, tolerance), key=lambda one: _work(one, body))
    _known.append((weakref.ref(body), key, layout))
    _known[:] = [entry for entry in _known if entry[0]() is not None][-_KEPT:]
    return layout


def _by_pairs(body: FlexibleBody, markers: Sequence[PointFields], tolerance: float) -> InertiaLayout:
    """Layout of a body with one field for each pair in place of its forms."""

    def spread(fields: np.ndarray) -> np.ndarray:
        return np.tensordot(body.forms.T, fields, 1)

    plain = replace(body, forms=None, inertia=replace(body.inertia, Z=spread(body.inertia.Z)))
    markers = [replace(fields, Zu=spread(fields.Zu), Zr=spread(fields.Zr)) for fields in markers]
    amplitudes = assumed_amplitudes(plain)
    weights = assumed_weights(plain, amplitudes)
    used = _used_by_markers(plain, markers, weights, tolerance)
    return replace(inertia_layout(plain.inertia, amplitudes, weights, tolerance, used), by_pairs=True)


def _work(layout: InertiaLayout, body: FlexibleBody) -> int:
    """Numbers that a residual multiplies with: of the fields, and of the forms."""
    of_forms = PAIR if layout.by_pairs or body.forms is None else len(layout.form_order)
    return len(layout.coefficients) + of_forms * len(body.pairs)


def _used_by_markers(body: FlexibleBody, markers: Sequence[PointFields], weights: np.ndarray, tolerance: float) -> np.ndarray:
    """(K,) forms that markers need, and cubic elasticity."""
    used = np.full(len(weights), body.cubic is not None)
    size = float(np.linalg.norm(np.ptp(body.points, axis=0)))
    for fields in markers:
        for values, scale in ((fields.Zu, size), (fields.Zr, 1.0)):
            moved = np.linalg.norm(values, axis=1) * weights
            order = np.argsort(moved)
            left_out = np.sqrt(np.cumsum(moved[order] ** 2)) <= tolerance * scale
            used[order[~left_out]] = True
    return used
