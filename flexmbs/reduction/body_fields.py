"""First- and second-order fields of a body at nodes, mass samples, markers and surface points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from flexmbs.common.progress import stage
from flexmbs.fem.solvers.factor_base import LONG
from flexmbs.fem.solvers.memory import require_memory
from flexmbs.fem.surface_fields import SurfaceFields
from flexmbs.reduction.compression import compressed
from flexmbs.reduction.constrained_body import ConstrainedProblem
from flexmbs.reduction.flexible_body import PointFields
from flexmbs.reduction.interface import Attachment
from flexmbs.reduction.marker_fields import marker_fields
from flexmbs.reduction.options import SecondOrder
from flexmbs.reduction.second_order_fields import BLOCK, pair_blocks, quadratic_block, quadratic_fields


@dataclass(frozen=True)
class BodyFields:
    """Fields of the modes and k second-order fields: one for each pair, or for each of ``forms``.

    Attributes
    ----------
    pairs, forms : as of ``FlexibleBody``
    Z : (ndof, k) nodal second-order fields
    samples : as of ``FEModel.inertia_samples``
    weights : (k,) factors of the second-order fields at the amplitudes of the choice, or None without amplitudes
    error : part left out by the forms, relative to the body's radius of gyration
    """

    pairs: np.ndarray
    forms: np.ndarray | None
    Z: np.ndarray
    samples: tuple[np.ndarray, np.ndarray, np.ndarray, sparse.csr_matrix]
    markers: dict[str, PointFields]
    surface: SurfaceFields
    weights: np.ndarray | None
    error: float = 0.0


@dataclass(frozen=True)
class HeldBody:
    """Input for second-order fields: the model, its supports, and its modes (ndof, n)."""

    fem: object
    T: sparse.csr_matrix
    problem: ConstrainedProblem
    attached: Mapping[str, Attachment]
    at: str | None
    modes: np.ndarray

    @property
    def following(self) -> list[Attachment]:
        return [a for a in self.attached.values() if a.rigid and a.name != self.at]

    def markers(self, Z: np.ndarray, pairs: np.ndarray) -> dict[str, PointFields]:
        return {name: marker_fields(self.fem, a, self.modes, Z, pairs, held=name == self.at) for name, a in self.attached.items()}


def body_fields(held: HeldBody, choice: SecondOrder, amplitudes: np.ndarray | None) -> BodyFields:
    """Second-order fields selected by ``choice``; amplitudes (n,) of the modes from ``SecondOrder.deflection``."""
    pairs = choice.resolve(held.modes.shape[1])
    weights = None if amplitudes is None else np.prod(amplitudes[pairs], axis=1)
    if choice.field_tolerance is not None and weights is not None and len(pairs):
        return _fewer_fields(held, pairs, weights, choice.field_tolerance)
    fem, modes = held.fem, held.modes
    copies = 3  # nodal values, samples of the mass, and what the body keeps of both
    require_memory(
        8.0 * copies * len(modes) * len(pairs),
        f"second-order fields of {len(pairs)} pairs of modes",
        "Use SecondOrder(field_tolerance=...) for fewer fields, SecondOrder(pairs=...) for selected pairs, or a coarser mesh.",
    )
    Z = quadratic_fields(fem, held.T, held.problem, held.following, modes, pairs)
    samples = fem.inertia_samples(modes, pairs, Z)
    stage("markers and surface", long=fem.ndof > LONG)
    surface = fem.surface(modes, pairs, Z)
    return BodyFields(pairs, None, Z, samples, held.markers(Z, pairs), surface, weights)


def _fewer_fields(held: HeldBody, pairs: np.ndarray, weights: np.ndarray, tolerance: float) -> BodyFields:
    fem, modes, none = held.fem, held.modes, np.zeros((held.modes.shape[0], 0))
    nodal = fem.dofs_per_node == 3  # solids: nodal values are all, samples and surface follow from them
    x, phi, _, W = fem.inertia_samples(modes, pairs[:0], none)
    size = float(np.linalg.norm(np.ptp(fem.mesh.points, axis=0)))
    radius = np.sqrt(0.5 * np.trace(fem.inertia))  # root of int |x|^2 dm about the centre
    markers = 2 * len(held.attached)

    def gram(arrays: list[np.ndarray]) -> np.ndarray:
        result = (
            _mass_products(arrays[0], fem.M)
            if nodal
            else sum(_mass_products(np.ascontiguousarray(arrays[-2][..., k]), W) for k in range(3))
        )
        for u, turned in zip(arrays[1 : 1 + markers : 2], arrays[2 : 2 + markers : 2], strict=True):
            result += fem.mass * (u @ u.T + size**2 * (turned @ turned.T))
        return result

    # errors of the blocks add up as a root of squares: their right singular vectors are orthogonal
    smallest = tolerance * radius / np.sqrt(np.ceil(len(pairs) / BLOCK))
    forms, arrays, error = compressed(_blocks(held, pairs, nodal), weights, gram, smallest)
    if 2 * len(forms) > len(pairs):  # a field for each pair costs no more
        forms, arrays = None, [np.tensordot(forms.T, array, 1) for array in arrays]
    stage("markers and surface", long=fem.ndof > LONG)
    Z = arrays[0].T
    at_markers = {
        name: replace(marker, Zu=arrays[1 + 2 * i], Zr=arrays[2 + 2 * i])
        for i, (name, marker) in enumerate(held.markers(none, pairs[:0]).items())
    }
    if nodal:
        samples, surface = fem.inertia_samples(modes, pairs, Z), fem.surface(modes, pairs, Z)
    else:
        samples = (x, phi, arrays[-2], W)
        surface = replace(fem.surface(modes, pairs[:0], none), quadratic=arrays[-1])
    at_amplitudes = weights if forms is None else np.ones(len(forms))
    return BodyFields(pairs, forms, Z, samples, at_markers, surface, at_amplitudes, error / radius)


def _blocks(held: HeldBody, pairs: np.ndarray, nodal: bool) -> Iterator[list[np.ndarray]]:
    """For each block of b pairs: nodal values (b, ndof), Zu, Zr of every marker; samples, surface unless ``nodal``."""
    fem, modes = held.fem, held.modes
    for block in pair_blocks(len(pairs)):
        own = pairs[block]
        Z = quadratic_block(fem, held.T, held.problem, held.following, modes, own)
        arrays = [np.ascontiguousarray(Z.T)]
        for marker in held.markers(Z, own).values():
            arrays += [marker.Zu, marker.Zr]
        if not nodal:
            arrays += [fem.inertia_samples(modes, own, Z)[2], fem.surface(modes, own, Z).quadratic]
        yield arrays


def _mass_products(fields: np.ndarray, M: sparse.csr_matrix) -> np.ndarray:
    """(k, k) int f g dm of nodal fields (k, ndof)."""
    return fields @ (M @ fields.T)
