"""A uniform beam from formulas: exact bending modes in one plane, and the residual flexibility of contact patches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.interop.arrays import body_from_arrays
from flexmbs.interop.beam_statics import GAUSS, SUPPORTS, BeamModes, BeamStatics, beam_modes
from flexmbs.interop.moments import InertiaMoments, all_pairs
from flexmbs.reduction.contact_patches import ContactPatch
from flexmbs.reduction.damping import doubt_ratios
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.inertia_basis import inertia_fields

AXES = {"y": 1, "z": 2}
# a residual below this part of the whole flexibility is rounding of the modes' own
_DEPENDENT = 1e-10


def uniform_beam(
    *,
    length: float,
    bending_stiffness: float,
    mass_per_length: float,
    supports: tuple[str, str],
    modes: int | Sequence[int],
    markers: Mapping[str, float] | None = None,
    contact_patches: Mapping[str, ContactPatch | str] | None = None,
    direction: str = "y",
    nodes: int = 101,
    foreshortening: bool = False,
    damping_ratio: float = 0.0,
    name: str = "beam",
) -> FlexibleBody:
    """A uniform Euler-Bernoulli beam along x that bends in one plane, with its exact modes: small deflections.

    Rotary inertia, shear and axial strain are left out.

    Parameters
    ----------
    length : m; bending_stiffness : EI, N m2; mass_per_length : kg/m
    supports : of the left (x = 0) and right end: "clamped", "pinned" or "free". The marker "supports" at x = 0 holds
        the frame and does not move with the modes: fix it (pinned and free: hinge it) to what carries the beam. A free
        beam has none; its frame follows its mean motion.
    modes : the number of modes, the lowest; or their numbers, from 1 (bending modes in ascending order)
    markers : name -> x, m, in addition to "left" and "right"
    contact_patches : marker name -> ContactPatch, or its kind: "plain", "attachment" or "massless"
    direction : "y" or "z", in which the beam bends
    nodes : points of the axis for display
    foreshortening : with the second-order displacement along x of an inextensible beam; its right end must be free, its
        left end held, and it has no contact patches
    damping_ratio : of each mode

    Raises
    ------
    BodyError : a number that is not positive, an unknown support or direction, a marker beside the beam.
    """
    where = f"uniform beam '{name}'"
    _check(where, length, bending_stiffness, mass_per_length, supports, direction)
    chosen = np.arange(1, int(modes) + 1) if np.ndim(modes) == 0 else np.asarray(modes, dtype=np.int64)
    if len(chosen) and (chosen.min() < 1 or len(np.unique(chosen)) < len(chosen)):
        raise BodyError(f"{where}: modes must be a number, or different numbers from 1, not {modes!r}")
    places = {"left": 0.0, "right": float(length), **{key: float(x) for key, x in (markers or {}).items()}}
    outside = {key: x for key, x in places.items() if not 0.0 <= x <= length}
    if outside:
        raise BodyError(f"{where}: marker positions {outside} m are not on the beam, which is {length} m long")
    if "supports" in places and any(support != "free" for support in supports):
        raise BodyError(f"{where}: 'supports' is the marker that holds it; give the marker at {places['supports']} m another name")
    found = beam_modes(length, supports, int(chosen.max(initial=0)))
    shapes = BeamModes(length, found.k[chosen - 1], found.coefficients[chosen - 1])
    x = np.unique(np.concatenate([np.linspace(0.0, length, nodes), list(places.values())]))
    statics = BeamStatics.of(x, bending_stiffness, mass_per_length, supports)
    patches = _patches(where, contact_patches, places)
    fields = _Fields.of(shapes, statics, bending_stiffness, mass_per_length)
    for key, kind in patches.items():
        fields = fields.with_patch(key, int(np.searchsorted(x, places[key])), kind)
    doubt_ratios(damping_ratio)
    body = _body(fields, places, AXES[direction], supports, name, damping_ratio)
    if not foreshortening:
        return body
    if supports[0] == "free" or supports[1] != "free" or patches:
        raise BodyError(f"{where}: foreshortening needs a held left end, a free right end, and no contact patches")
    return _foreshortened(body, shapes, x, mass_per_length, AXES[direction])


def _foreshortened(body: FlexibleBody, shapes: BeamModes, x: np.ndarray, mass_per_length: float, axis: int) -> FlexibleBody:
    """The beam, held at x = 0, with u_x = -1/2 sum_ab q_a q_b H_ab(x), H_ab the integral of phi_a' phi_b' from x = 0."""
    # T. R. Kane, R. R. Ryan and A. K. Banerjee, Journal of Guidance, Control, and Dynamics 10 (1987) 139
    n, pairs, (xg, dx) = len(shapes.k), all_pairs(len(shapes.k)), shapes.gauss_points()
    places = np.unique(np.concatenate([[0.0], xg, x]))
    fields, at = _fields(shapes, pairs, places), np.searchsorted(places, xg)
    points, modes, second = np.zeros((len(xg), 3)), np.zeros((n, len(xg), 3)), np.zeros((len(pairs), len(xg), 3))
    points[:, 0], modes[:, :, axis], second[:, :, 0] = xg, shapes.at(xg), fields[:, at]
    inertia = inertia_fields((points, modes, second, sparse.diags_array(mass_per_length * dx).tocsr()), _TOLERANCE)
    quadratic = np.zeros((len(pairs), len(body.points), 3))
    quadratic[:, : len(x), 0] = fields[:, np.searchsorted(places, x)]
    still = np.zeros((len(pairs), 3))
    along = {key: int(np.searchsorted(x, marker.position[0])) for key, marker in body.markers.items() if key != "supports"}
    return replace(
        body,
        pairs=pairs,
        inertia=inertia,
        quadratic=quadratic,
        markers={k: replace(m, Zu=quadratic[:, along[k]] if k in along else still, Zr=still) for k, m in body.markers.items()},
        quadratic_rotations=np.zeros_like(quadratic),
        surface=replace(body.surface, quadratic=quadratic),
        Me=np.einsum("aks,bks->ab", inertia.P, inertia.P),
    )


def _check(where: str, length, bending_stiffness, mass_per_length, supports, direction) -> None:
    sizes = {"length (m)": length, "bending_stiffness (N m2)": bending_stiffness, "mass_per_length": mass_per_length}
    for what, value in sizes.items():
        if not (np.isfinite(value) and value > 0.0):
            raise BodyError(f"{where}: {what} = {value!r} must be a positive finite number")
    if len(supports) != 2 or any(support not in SUPPORTS for support in supports):
        raise BodyError(f"{where}: supports must be two of {', '.join(map(repr, SUPPORTS))}, not {supports!r}")
    if direction not in AXES:
        raise BodyError(f"{where}: direction must be 'y' or 'z', not {direction!r}")


def _patches(where: str, given, places: Mapping[str, float]) -> dict[str, str]:
    """Marker -> kind; a beam yields across its axis only, so the directions of a patch do not matter."""
    result = {}
    for key, patch in (given or {}).items():
        patch = ContactPatch(patch) if isinstance(patch, str) else patch
        if not isinstance(patch, ContactPatch):
            raise BodyError(f"{where}: contact patch '{key}': must be a ContactPatch, not {patch!r}")
        patch.check(f"{where}: contact patch '{key}'")
        if key not in places:
            raise BodyError(f"{where}: contact patch '{key}' is not a marker; markers: {', '.join(places)}")
        result[key] = patch.kind
    return result


class _Fields:
    """Displacements, slopes (n, nn), stiffness (n, n), integrals of mass, labels, omega (n,) rad/s of the modes so far."""

    def __init__(self, statics: BeamStatics, w, slope, K, first, position, M, labels, massless, omega) -> None:
        self.statics, self.w, self.slope, self.K = statics, w, slope, K
        self.first, self.position, self.M = first, position, M
        self.labels, self.massless, self.omega = labels, massless, omega  # without mass: what omega would be with it

    @classmethod
    def of(cls, shapes: BeamModes, statics: BeamStatics, EI: float, mass_per_length: float) -> _Fields:
        first, position, square = (mass_per_length * value for value in shapes.moments())
        w, slope = shapes.at(statics.x), shapes.at(statics.x, 1)
        for end in statics.held:  # exactly zero, not to rounding
            w[:, end] = 0.0
        stiffness = EI / mass_per_length * shapes.k**4 * square
        labels = tuple(f"bending {i + 1}" for i in range(len(shapes.k)))
        still = np.zeros(len(shapes.k), dtype=bool)
        return cls(
            statics, w, slope, np.diag(stiffness), first, position, np.diag(square), labels, still, np.sqrt(stiffness / square)
        )

    def with_patch(self, name: str, node: int, kind: str) -> _Fields:
        """One more mode: what the others miss of the deflection under a unit force at a node."""
        whole, turn = self.statics.deflection(node)
        shown = np.linalg.solve(self.K, self.w[:, node]) if len(self.w) else np.zeros(0)
        rest, slope = whole - shown @ self.w, turn - shown @ self.slope
        if kind == "plain" or not rest[node] > _DEPENDENT * whole[node]:
            return self
        stiffness = 1.0 / rest[node]
        rest, slope = rest * stiffness, slope * stiffness
        first, position, square = self.statics.moments(rest, slope)
        massless = kind == "massless"
        inertia = np.zeros(3) if massless else np.array([first, position, square])
        n = len(self.w)
        K, M = np.pad(self.K, (0, 1)), np.pad(self.M, (0, 1))
        K[n, n], M[n, n] = stiffness, inertia[2]
        return _Fields(
            self.statics,
            np.vstack([self.w, rest]),
            np.vstack([self.slope, slope]),
            K,
            np.append(self.first, inertia[0]),
            np.append(self.position, inertia[1]),
            M,
            (*self.labels, f"{name} ({kind})"),
            np.append(self.massless, massless),
            np.append(self.omega, np.sqrt(stiffness / square)),
        )


def _body(
    fields: _Fields, places: Mapping[str, float], axis: int, supports: tuple[str, str], name: str, damping_ratio: float
) -> FlexibleBody:
    statics, n, nn = fields.statics, len(fields.w), len(fields.statics.x)
    held = any(support != "free" for support in supports)
    points, modes, rotations = np.zeros((nn + held, 3)), np.zeros((n, nn + held, 3)), np.zeros((n, nn + held, 3))
    points[:nn, 0], modes[:, :nn, axis] = statics.x, fields.w
    turned, sign = (2, 1.0) if axis == 1 else (1, -1.0)
    rotations[:, :nn, turned] = sign * fields.slope
    numbers = {key: 1 + int(np.searchsorted(statics.x, x)) for key, x in places.items()}
    if held:
        numbers["supports"] = nn + 1
    mass, length = statics.mass, statics.x[-1]
    mode_first, mode_position = np.zeros((n, 3)), np.zeros((n, 3, 3))
    mode_first[:, axis], mode_position[:, axis, 0] = fields.first, fields.position
    mode_mode = np.zeros((n, n, 3, 3))
    mode_mode[:, :, axis, axis] = fields.M
    second = np.zeros((3, 3))
    second[0, 0] = mass * length**2 / 3.0
    moments = InertiaMoments(mass, np.array([0.5 * mass * length, 0.0, 0.0]), second, mode_first, mode_position, mode_mode)
    lines = np.column_stack([np.full(nn - 1, 2), np.arange(nn - 1), np.arange(1, nn)])
    body = body_from_arrays(
        points=points,
        modes=modes,
        rotations=rotations,
        K=fields.K,
        moments=moments,
        markers=numbers,
        D=2.0 * damping_ratio * np.diag(np.diag(fields.K) / fields.omega) if len(fields.omega) else None,
        labels=fields.labels,
        attached_at="supports" if held else None,
        faces=lines,
        name=name,
    )
    P = body.inertia.P.copy()
    P[fields.massless] = 0.0  # not to rounding
    Me = np.einsum("aks,bks->ab", P, P)
    flexibility = np.zeros((len(body.markers) + 1, 6, 6))
    for i, key in enumerate(body.markers):
        if key in places:
            node = numbers[key] - 1
            flexibility[i, axis, axis] = statics.deflection(node)[0][node]
    frequencies = fields.omega / (2.0 * np.pi)
    return replace(body, inertia=replace(body.inertia, P=P), Me=Me, flexibility=flexibility, frequencies=frequencies)


_TOLERANCE = 1e-14  # of inertia integrals


def _fields(shapes: BeamModes, pairs: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(p, len(places)) m: -H_ab / 2 of the pairs of equal modes, -H_ab of the others; ``places`` ascending from 0."""
    h, (nodes, weights) = np.diff(places), GAUSS
    x = (places[:-1, None] + 0.5 * h[:, None] * (nodes + 1.0)).ravel()
    slopes = shapes.at(x, 1)
    a, b = pairs.T
    products = (slopes[a] * slopes[b]).reshape(len(pairs), len(h), len(nodes))
    steps = np.einsum("pig,g,i->pi", products, weights, 0.5 * h)
    H = np.concatenate([np.zeros((len(pairs), 1)), np.cumsum(steps, axis=1)], axis=1)
    return np.where(a == b, -0.5, -1.0)[:, None] * H
