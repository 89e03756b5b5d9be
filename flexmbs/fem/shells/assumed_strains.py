"""What a shell element is made of; strains of curved ones from samples, interpolated to the integration points.

Strains straight from quadratic displacements lock in thin curved elements. Sampled at points where they are right, and
interpolated in the space that the element's own bending spans, they do not (mixed interpolation of tensorial
components: Bathe and Dvorkin, IJNME 22, 1986).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from flexmbs.fem.shells.elements import ShellGroup, SurfacePoints, surface_points
from flexmbs.mesh.element_kinds import KINDS, shape_gradients, shape_values

Functions = Callable[[np.ndarray], np.ndarray]
"""Reference points (m, 2) -> (m, components, k): k functions of covariant components."""
Samples = Sequence[Sequence[tuple[tuple[float, float], Sequence[float]]]]
"""Numbers that fix them, each a sum of weights (components,) . components over points (r, s)."""


@dataclass(frozen=True, eq=False)
class Sampling:
    """Where an element samples, and how the integration points see it; all on the reference element."""

    points: np.ndarray  # (s, 2), the integration points first
    in_plane: np.ndarray  # (g, 3, s, 3) covariant rr, ss and twice rs, of membrane strain
    shear: np.ndarray  # (g, 2, s, 2) covariant transverse shear r, s
    # (s, n + 1) shape functions at the points, and an internal one after them, zero on the sides; (s, n) of kinds whose own
    # functions have that one
    values: np.ndarray
    gradients: np.ndarray  # (s, 2, n + 1) or (s, 2, n) their derivatives along the reference coordinates
    # the mean membrane strain is that of the displacements, so that constant stress does the work that it should (patch test) in
    # shapes where the samples miss that
    balanced: bool


@dataclass(frozen=True, eq=False)
class ShellKind:
    """The formulation of one kind of shell: all strains are sampled, or transverse shear along edges is."""

    kind: str  # a name in ``element_kinds.KINDS``
    points: np.ndarray  # (g, 2), integration points; the area of each is that per reference area times ``weights`` over ``parts``
    weights: np.ndarray | float
    to_nodes: np.ndarray  # (n, g) values at the points to the nodes
    sampling: Sampling | None = None  # of all strains; None: the following, with shear along edges
    parts: float = 1.0
    # (k, 2) int, the pairs of nodes between which transverse shear is sampled
    edges: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), int))
    tied_strains: Callable[..., np.ndarray] | None = None  # (group, points) -> (ne, g, 9, k) strains of the sampled shear
    # (group, points, strains (ne, g, 9, n, 7), stiffness, weights) -> strains with those of the membrane
    membrane_strains: Callable[..., np.ndarray] | None = None

    def rule(self, group: ShellGroup) -> tuple[SurfacePoints, np.ndarray]:
        """Integration points and their areas (ne, g)."""
        points = surface_points(group, self.points)
        return points, points.area * self.weights / self.parts


def sampling(
    kind: str,
    at: np.ndarray,
    in_plane: tuple[Functions, Samples],
    shear: tuple[Functions, Samples],
    bubble: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]] | None,
    balanced: bool,
) -> Sampling:
    """The sampling of ``kind`` for integration points ``at`` (g, 2): assumed functions and the samples that fix them.

    ``bubble`` gives values (m,) and gradients (m, 2) of the internal shape function; None: there is none.
    """
    used = {point for _, samples in (in_plane, shear) for sample in samples for point, _ in sample}
    own = [tuple(point) for point in at]
    points = [*own, *sorted(used - set(own))]
    where, known = np.array(points), KINDS[kind]
    tables = [_table(functions, samples, points, at) for functions, samples in (in_plane, shear)]
    values, gradients = shape_values(known, where), shape_gradients(known, where).transpose(0, 2, 1)
    if bubble is not None:
        value, slope = bubble(where)
        values = np.column_stack([values, value])
        gradients = np.concatenate([gradients, slope[:, :, None]], axis=2)
    return Sampling(where, *tables, values, gradients, balanced)


def means(at: np.ndarray, weights: np.ndarray, components: int) -> list:
    """``Samples``: the mean of each component over the reference element, by the rule ``at``, ``weights``."""
    shares = weights / weights.sum()
    return [[(tuple(point), share * unit) for point, share in zip(at, shares, strict=True)] for unit in np.eye(components)]


def _table(functions: Functions, samples: Samples, points: list, at: np.ndarray) -> np.ndarray:
    weights = np.zeros((len(samples), len(points), len(samples[0][0][1])))
    for row, sample in zip(weights, samples, strict=True):
        for point, components in sample:
            row[points.index(point)] += components
    measured = np.einsum("jpc,pck->jk", weights, functions(np.array(points)))
    return np.einsum("gck,kj,jpd->gcpd", functions(at), np.linalg.inv(measured), weights)


@dataclass(frozen=True, eq=False)
class Sampled:
    """A sampling on the elements of a group: (ne, s, 8) covariant strains and (ne, g, 9) strains in the wall's axes."""

    table: Sampling
    turn: np.ndarray  # (ne, g, 3, 3) covariant in-plane components to 11, 22, 12 of the wall's axes
    inverse: np.ndarray  # (ne, g, 2, 2) the same of shear
    shares: np.ndarray  # (ne, g) parts of the element's area; zero unless the sampling is balanced

    def to_points(self, samples: np.ndarray) -> np.ndarray:
        """Strains (ne, g, 9, k), no drilling, of covariant ones (ne, s, 8, k)."""
        count, points, k = *self.turn.shape[:2], samples.shape[-1]
        found = np.zeros((count, points, 9, k))
        in_plane = self.table.in_plane.reshape(3 * points, -1) @ samples[:, :, :3].reshape(count, -1, k)
        shear = self.table.shear.reshape(2 * points, -1) @ samples[:, :, 6:].reshape(count, -1, k)
        stretch = self.turn @ in_plane.reshape(count, points, 3, k)
        lost = np.einsum("eg,egsk->esk", self.shares, self.turn @ samples[:, :points, :3] - stretch)
        found[:, :, :3] = stretch + lost[:, None]
        found[:, :, 3:6] = self.turn @ samples[:, :points, 3:6]
        found[:, :, 6:8] = self.inverse @ shear.reshape(count, points, 2, k)
        return found

    def to_samples(self, resultants: np.ndarray) -> np.ndarray:
        """(ne, s, 8) what does the work of ``resultants`` (ne, g, 9) on sampled strains: the transpose."""
        count, points = self.turn.shape[:2]
        found = np.zeros((count, len(self.table.points), 8))
        back = self.turn.transpose(0, 1, 3, 2)
        mean = self.shares[:, :, None] * resultants[:, :, :3].sum(axis=1, keepdims=True)
        stretched = (back @ (resultants[:, :, :3] - mean)[..., None])[..., 0]
        sheared = (self.inverse.transpose(0, 1, 3, 2) @ resultants[:, :, 6:8, None])[..., 0]
        found[:, :, :3] = np.einsum("gcsd,egc->esd", self.table.in_plane, stretched, optimize=True)
        found[:, :points, :3] += (back @ mean[..., None])[..., 0]
        found[:, :points, 3:6] = (back @ resultants[:, :, 3:6, None])[..., 0]
        found[:, :, 6:] = np.einsum("gcsd,egc->esd", self.table.shear, sheared, optimize=True)
        return found


def sampled(table: Sampling, points: SurfacePoints, weights: np.ndarray) -> Sampled:
    """``table`` on elements with their geometry ``points`` and areas ``weights`` at the integration points."""
    i, turn = points.inverse, np.empty((*points.inverse.shape[:2], 3, 3))
    for column, (p, q) in enumerate(((0, 0), (1, 1))):
        turn[..., 0, column] = i[..., 0, p] * i[..., 0, q]
        turn[..., 1, column] = i[..., 1, p] * i[..., 1, q]
        turn[..., 2, column] = 2.0 * i[..., 0, p] * i[..., 1, q]
    turn[..., 0, 2] = i[..., 0, 0] * i[..., 0, 1]
    turn[..., 1, 2] = i[..., 1, 0] * i[..., 1, 1]
    turn[..., 2, 2] = i[..., 0, 0] * i[..., 1, 1] + i[..., 0, 1] * i[..., 1, 0]
    return Sampled(table, turn, i, table.balanced * weights / weights.sum(axis=1, keepdims=True))


def sampled_strains(
    group: ShellGroup, table: Sampling, points: SurfacePoints, stiffness: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, Sampled]:
    """Strains (ne, g, 9, n, 7) at the integration points, and how they come from the samples.

    The internal function, where there is one, adds two rotations, which follow from the nodes.
    """
    view, kind, nodes = sampled(table, points, weights), KINDS[group.kind], group.nodes.shape[1]
    samples = covariant_strains(group, table)
    found = view.to_points(samples.reshape(*samples.shape[:3], -1)).reshape(*weights.shape, 9, -1, 7)
    axes = surface_points(group, kind.reference_nodes.mean(axis=0)[None]).frame[:, 0, :2]
    internal = np.einsum("egsmk,eak->egsma", found[:, :, :, nodes:, 3:6], axes)
    internal = internal.reshape(*weights.shape, 9, -1)
    found = np.ascontiguousarray(found[:, :, :, :nodes])
    found[:, :, 8] = np.einsum("gc,ecni->egni", points.values, drilling(group, kind.reference_nodes))
    if not (group.wall.bends and internal.shape[-1]):
        return found, view
    return without_internal(found, internal, stiffness, weights), view


def covariant_strains(group: ShellGroup, table: Sampling) -> np.ndarray:
    """(ne, s, 8, n + 1, 7): g_a . u,b, then g_a . r,b + d,a . u,b, then g_a . r + d . u,a, at the sampling points."""
    nodes = group.nodes.shape[1]
    own, values, gradients = table.gradients[:, :, :nodes], table.values, table.gradients
    tangents = np.einsum("san,enk->esak", own, group.middle)
    slopes = np.einsum("san,enk->esak", own, group.normals)
    directors = np.einsum("sn,enk->esk", values[:, :nodes], group.normals)
    strains = np.zeros((len(group.nodes), len(values), 8, values.shape[1], 7))
    for row, (a, b) in enumerate(((0, 0), (1, 1), (0, 1))):
        along = gradients[:, b, :, None]
        stretched, turned = tangents[:, :, a, None] * along, slopes[:, :, a, None] * along
        if a != b:
            along = gradients[:, a, :, None]
            stretched += tangents[:, :, b, None] * along
            turned += slopes[:, :, b, None] * along
        strains[:, :, row, :, :3] = strains[:, :, 3 + row, :, 3:6] = stretched
        strains[:, :, 3 + row, :, :3] = turned
    for a in range(2):
        strains[:, :, 6 + a, :, :3] = directors[:, :, None] * gradients[:, a, :, None]
        strains[:, :, 6 + a, :, 3:6] = tangents[:, :, a, None] * values[:, :, None]
    return strains


def without_internal(strains: np.ndarray, internal: np.ndarray, stiffness: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``strains`` (ne, g, 9, n, 7) with internal modes (ne, g, 9, m) at the values that the nodes make them take."""
    flat = strains.reshape(*strains.shape[:3], -1)
    stress = (stiffness * weights[..., None, None]) @ internal
    own = np.einsum("egsa,egsb->eab", internal, stress)
    mixed = np.einsum("egsa,egsi->eai", stress, flat, optimize=True)
    follows = np.linalg.solve(own, mixed)
    return (flat - internal @ follows[:, None]).reshape(strains.shape)


def drilling(group: ShellGroup, at: np.ndarray) -> np.ndarray:
    """(ne, m, n, 7): rotation about the normal less that of the surface, at reference points (m, 2).

    Hughes and Brezzi, CMAME 72 (1989).
    """
    points = surface_points(group, at)
    e, dN = points.frame, points.gradients
    strains = np.zeros((*dN.shape[:2], dN.shape[3], 7))
    spin = e[:, :, 1, None] * dN[:, :, 0, :, None] - e[:, :, 0, None] * dN[:, :, 1, :, None]
    strains[..., :3] = -0.5 * spin
    strains[..., 6] = shape_values(KINDS[group.kind], at)
    return strains
