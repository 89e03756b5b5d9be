"""A uniform beam from formulas: exact bending modes in one plane, and the residual flexibility of contact patches.

Its static deflection under a force is exact at the nodes of cubic elements. What the supports leave free is carried by
inertia: the load of a free beam is balanced by the inertia force of the rigid acceleration that it causes, and the
deflection has no momentum (P. Tong, T. H. H. Pian and L. L. Bucciarelli, Computers & Structures 1, 1971, for the
exactness at nodes).

Its bending vibration is exact, with any supports at its ends:
w(x) = A cos kx + B sin kx + C exp(-kx) + D exp(-k (L - x)),  k^4 = mass per length omega^2 / EI: written with decaying
exponentials, so that no mode number is too high for double precision (R. D. Blevins, Formulas for Natural Frequency and
Mode Shape, 1979, chapter 8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.optimize import brentq

from flexmbs.common.errors import BodyError
from flexmbs.interop.arrays import body_from_arrays
from flexmbs.interop.moments import InertiaMoments, all_pairs
from flexmbs.reduction.damping import doubt_ratios
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.inertia import inertia_fields
from flexmbs.reduction.options import ContactPatch

_AXES = {"y": 1, "z": 2}
_SUPPORTS = {"clamped": (0, 1), "pinned": (0, 2), "free": (2, 3)}  # derivatives of w that vanish at the end
_STEP = np.pi / 16.0
_GAUSS = np.polynomial.legendre.leggauss(12)  # points from -1 to 1, and weights
# a residual below this part of the whole flexibility is rounding of the modes' own
_DEPENDENT = 1e-10
_TOLERANCE = 1e-14  # of inertia integrals


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
    sizes = {"length (m)": length, "bending_stiffness (N m2)": bending_stiffness, "mass_per_length": mass_per_length}
    for what, value in sizes.items():
        if not (np.isfinite(value) and value > 0.0):
            raise BodyError(f"{where}: {what} = {value!r} must be a positive finite number")
    if len(supports) != 2 or any(support not in _SUPPORTS for support in supports):
        raise BodyError(f"{where}: supports must be two of {', '.join(map(repr, _SUPPORTS))}, not {supports!r}")
    if direction not in _AXES:
        raise BodyError(f"{where}: direction must be 'y' or 'z', not {direction!r}")
    chosen = np.arange(1, int(modes) + 1) if np.ndim(modes) == 0 else np.asarray(modes, dtype=np.int64)
    if len(chosen) and (chosen.min() < 1 or len(np.unique(chosen)) < len(chosen)):
        raise BodyError(f"{where}: modes must be a number, or different numbers from 1, not {modes!r}")
    places = {"left": 0.0, "right": float(length), **{key: float(x) for key, x in (markers or {}).items()}}
    if outside := {key: x for key, x in places.items() if not 0.0 <= x <= length}:
        raise BodyError(f"{where}: marker positions {outside} m are not on the beam, which is {length} m long")
    held = any(support != "free" for support in supports)
    if held and "supports" in places:
        raise BodyError(f"{where}: 'supports' is the marker that holds it; give the marker at {places['supports']} m another name")
    found = _beam_modes(length, supports, int(chosen.max(initial=0)))
    shapes = _BeamModes(length, found.k[chosen - 1], found.coefficients[chosen - 1])
    x = np.unique(np.concatenate([np.linspace(0.0, length, nodes), list(places.values())]))
    statics = _BeamStatics(x, bending_stiffness, mass_per_length, supports)
    patches = _patches(where, contact_patches, places)
    all_modes = _bending_modes(shapes, statics, bending_stiffness, mass_per_length)
    for key, kind in patches.items():
        all_modes = all_modes.with_patch(key, kind, statics, int(np.searchsorted(x, places[key])))
    doubt_ratios(damping_ratio)
    body = _body(all_modes, statics, places, _AXES[direction], held, name, damping_ratio)
    if not foreshortening:
        return body
    if supports[0] == "free" or supports[1] != "free" or patches:
        raise BodyError(f"{where}: foreshortening needs a held left end, a free right end, and no contact patches")
    return _foreshortened(body, shapes, x, mass_per_length, _AXES[direction])


def _foreshortened(body: FlexibleBody, shapes: _BeamModes, x: np.ndarray, mass_per_length: float, axis: int) -> FlexibleBody:
    """The beam, held at x = 0, with u_x = -1/2 sum_ab q_a q_b H_ab(x), H_ab the integral of phi_a' phi_b' from x = 0."""
    # T. R. Kane, R. R. Ryan and A. K. Banerjee, Journal of Guidance, Control, and Dynamics 10 (1987) 139
    n, pairs, (xg, dx) = len(shapes.k), all_pairs(len(shapes.k)), shapes.gauss_points()
    places = np.unique(np.concatenate([[0.0], xg, x]))
    fields, at = _shortening(shapes, pairs, places), np.searchsorted(places, xg)
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


@dataclass(frozen=True)
class _Modes:
    """The modes so far: arrays over them. Patches move by 1 where they are pushed, bending modes by 1 at most."""

    labels: np.ndarray
    w: np.ndarray  # (n, nn) displacements
    slope: np.ndarray  # (n, nn)
    stiffness: np.ndarray
    first: np.ndarray  # integrals over the mass of w, w x and w^2: of massless ones, what they would have
    position: np.ndarray
    square: np.ndarray
    massless: np.ndarray

    def with_patch(self, name: str, kind: str, statics: _BeamStatics, node: int) -> _Modes:
        """One more mode: what the others miss of the deflection under a unit force at a node."""
        whole, turn = statics.deflection(node)
        shown = self.w[:, node] / self.stiffness
        rest, slope = whole - shown @ self.w, turn - shown @ self.slope
        if kind == "plain" or not rest[node] > _DEPENDENT * whole[node]:
            return self
        stiffness = 1.0 / rest[node]
        rest, slope = rest * stiffness, slope * stiffness
        added = (f"{name} ({kind})", rest, slope, stiffness, *statics.moments(rest, slope), kind == "massless")
        return _Modes(*(np.concatenate([old, [new]]) for old, new in zip(vars(self).values(), added, strict=True)))


def _bending_modes(shapes: _BeamModes, statics: _BeamStatics, EI: float, mass_per_length: float) -> _Modes:
    first, position, square = (mass_per_length * value for value in shapes.moments())
    w, slope = shapes.at(statics.x), shapes.at(statics.x, 1)
    w[:, statics.held] = 0.0  # exactly zero, not to rounding
    labels = np.array([f"bending {i + 1}" for i in range(len(w))], dtype=str)
    stiffness = EI / mass_per_length * shapes.k**4 * square
    return _Modes(labels, w, slope, stiffness, first, position, square, np.zeros(len(w), dtype=bool))


def _body(
    found: _Modes, statics: _BeamStatics, places: Mapping[str, float], axis: int, held: bool, name: str, damping_ratio: float
) -> FlexibleBody:
    n, nn = found.w.shape
    points, modes, rotations = np.zeros((nn + held, 3)), np.zeros((n, nn + held, 3)), np.zeros((n, nn + held, 3))
    points[:nn, 0], modes[:, :nn, axis] = statics.x, found.w
    turned, sign = (2, 1.0) if axis == 1 else (1, -1.0)
    rotations[:, :nn, turned] = sign * found.slope
    numbers = {key: 1 + int(np.searchsorted(statics.x, x)) for key, x in places.items()}
    if held:
        numbers["supports"] = nn + 1
    mass, length, inert = statics.mass, statics.x[-1], np.where(found.massless, 0.0, 1.0)
    mode_first, mode_position = np.zeros((n, 3)), np.zeros((n, 3, 3))
    mode_first[:, axis], mode_position[:, axis, 0] = inert * found.first, inert * found.position
    mode_mode = np.zeros((n, n, 3, 3))
    mode_mode[:, :, axis, axis] = np.diag(inert * found.square)
    second = np.diag([mass * length**2 / 3.0, 0.0, 0.0])
    omega = np.sqrt(found.stiffness / found.square)
    body = body_from_arrays(
        points=points,
        modes=modes,
        rotations=rotations,
        K=np.diag(found.stiffness),
        moments=InertiaMoments(mass, np.array([0.5 * mass * length, 0.0, 0.0]), second, mode_first, mode_position, mode_mode),
        markers=numbers,
        D=2.0 * damping_ratio * np.diag(found.stiffness / omega),
        labels=found.labels.tolist(),
        attached_at="supports" if held else None,
        faces=np.column_stack([np.full(nn - 1, 2), np.arange(nn - 1), np.arange(1, nn)]),
        name=name,
    )
    P = body.inertia.P.copy()
    P[found.massless] = 0.0  # not to rounding
    Me = np.einsum("aks,bks->ab", P, P)
    flexibility = np.zeros((len(body.markers) + 1, 6, 6))
    for i, key in enumerate(body.markers):
        if key in places:
            node = numbers[key] - 1
            flexibility[i, axis, axis] = statics.deflection(node)[0][node]
    inertia, frequencies = replace(body.inertia, P=P), omega / (2.0 * np.pi)
    return replace(body, inertia=inertia, Me=Me, flexibility=flexibility, frequencies=frequencies)


def _shortening(shapes: _BeamModes, pairs: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(p, len(places)) m: -H_ab / 2 of the pairs of equal modes, -H_ab of the others; ``places`` ascending from 0."""
    h, (nodes, weights) = np.diff(places), _GAUSS
    x = (places[:-1, None] + 0.5 * h[:, None] * (nodes + 1.0)).ravel()
    slopes = shapes.at(x, 1)
    a, b = pairs.T
    products = (slopes[a] * slopes[b]).reshape(len(pairs), len(h), len(nodes))
    steps = np.einsum("pig,g,i->pi", products, weights, 0.5 * h)
    H = np.concatenate([np.zeros((len(pairs), 1)), np.cumsum(steps, axis=1)], axis=1)
    return np.where(a == b, -0.5, -1.0)[:, None] * H


class _BeamStatics:
    """x (nn,) m; K, M (2 nn, 2 nn) of displacement and slope of each node in turn; rigid (2 nn, r) motions left free.

    ``shift``, ``turn`` (2 nn,): by 1 m, and about x = 0. ``fixed``: components that are held, ``pinned`` those that are held
    in addition to prevent rigid motion.
    """

    def __init__(self, x: np.ndarray, EI: float, mass_per_length: float, supports: tuple[str, str]) -> None:
        self.x, self.K, self.M = x, np.zeros((2 * len(x), 2 * len(x))), np.zeros((2 * len(x), 2 * len(x)))
        for i, h in enumerate(np.diff(x)):
            part, s = slice(2 * i, 2 * i + 4), np.array([1.0, h, 1.0, h])  # slopes are of h times the length
            self.K[part, part] += EI / h**3 * (s[:, None] * _BENDING * s)
            self.M[part, part] += mass_per_length * h / 420.0 * (s[:, None] * _INERTIA * s)
        last = 2 * (len(x) - 1)
        self.fixed = [first + k for first, s in zip((0, last), supports, strict=True) for k in _SUPPORTS[s] if k < 2]
        self.shift, self.turn = motions = np.zeros((2, 2 * len(x)))
        self.shift[0::2], self.turn[0::2], self.turn[1::2] = 1.0, x, 1.0
        # combinations of the two motions that the supports allow
        _, sizes, turned = np.linalg.svd(motions.T[self.fixed] if self.fixed else np.zeros((1, 2)))
        rank = int(np.count_nonzero(sizes > 1e-12))
        self.pinned = [k for k in (0, last, 1, last + 1) if k not in self.fixed][: 2 - rank]
        self.rigid = motions.T @ turned[rank:].T

    @property
    def held(self) -> list[int]:
        """Nodes that do not move."""
        return [k // 2 for k in self.fixed if k % 2 == 0]

    @property
    def mass(self) -> float:
        """kg"""
        return float(self.shift @ self.M @ self.shift)

    def deflection(self, node: int) -> tuple[np.ndarray, np.ndarray]:
        """(nn,) displacement (m) and slope of the nodes under a unit force at one of them."""
        load = np.zeros(len(self.K))
        load[2 * node] = 1.0
        R = self.rigid
        carried = R @ np.linalg.solve(R.T @ self.M @ R, R.T) if R.shape[1] else np.zeros((len(load), len(load)))
        load = load - self.M @ (carried @ load)
        free = np.setdiff1d(np.arange(len(load)), (*self.fixed, *self.pinned))
        u = np.zeros(len(load))
        u[free] = np.linalg.solve(self.K[np.ix_(free, free)], load[free])
        u = u - carried @ (self.M @ u)
        return u[0::2], u[1::2]

    def moments(self, w: np.ndarray, slope: np.ndarray) -> tuple[float, float, float]:
        """Integrals over the mass of w, w x and w^2."""
        u = np.column_stack([w, slope]).ravel()
        Mu = self.M @ u
        return float(self.shift @ Mu), float(self.turn @ Mu), float(u @ Mu)


_BENDING = np.array([[12.0, 6.0, -12.0, 6.0], [6.0, 4.0, -6.0, 2.0], [-12.0, -6.0, 12.0, -6.0], [6.0, 2.0, -6.0, 4.0]])
_INERTIA = np.array([[156.0, 22.0, 54.0, -13.0], [22.0, 4.0, 13.0, -3.0], [54.0, 13.0, 156.0, -22.0], [-13.0, -3.0, -22.0, 4.0]])


@dataclass(frozen=True)
class _BeamModes:
    """length in m; k (n,) 1/m, ascending; coefficients (n, 4) of the four functions, largest displacement 1."""

    length: float
    k: np.ndarray
    coefficients: np.ndarray

    def at(self, x: np.ndarray, derivative: int = 0) -> np.ndarray:
        """(n, len(x)) derivatives of the modes."""
        each = zip(self.k, self.coefficients, strict=True)
        return np.array([_functions(k, self.length, x, derivative) @ c for k, c in each]).reshape(-1, len(x))

    def gauss_points(self) -> tuple[np.ndarray, np.ndarray]:
        """Points and weights that integrate products of four modes over the length: on panels of less than half a wave."""
        panels = max(8, int(np.ceil(2.0 * self.length * self.k.max(initial=0.0) / np.pi)))
        h = self.length / panels
        x = (h * (np.arange(panels)[:, None] + 0.5 * (_GAUSS[0] + 1.0))).ravel()
        return x, np.tile(0.5 * h * _GAUSS[1], panels)

    def moments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(n,) integrals over x of w, w x and w^2."""
        x, dx = self.gauss_points()
        w = self.at(x)
        return w @ dx, w @ (x * dx), w**2 @ dx


def _beam_modes(length: float, supports: tuple[str, str], count: int) -> _BeamModes:
    """The lowest ``count`` elastic modes."""

    def determinant(root: float) -> float:
        return float(np.linalg.det(_conditions(root, supports)))

    roots: list[float] = []
    left = 0.5 * _STEP
    value = determinant(left)
    while len(roots) < count:
        right = left + _STEP
        next_value = determinant(right)
        if value * next_value <= 0.0:
            roots.append(brentq(determinant, left, right, xtol=1e-14, rtol=1e-15))
        left, value = right, next_value
    k = np.array(roots) / length
    shapes = [np.linalg.svd(_conditions(root, supports))[2][3] for root in roots]
    sizes = np.array([_largest(n, length, shape) for n, shape in zip(k, shapes, strict=True)])
    return _BeamModes(length, k, np.array(shapes).reshape(-1, 4) / sizes[:, None])


def _functions(k: float, length: float, x: np.ndarray, derivative: int) -> np.ndarray:
    """(len(x), 4) derivatives of the four functions."""
    s, kx = k**derivative, k * np.asarray(x)
    turn = 0.5 * np.pi * derivative
    columns = (np.cos(kx + turn), np.sin(kx + turn), (-1.0) ** derivative * np.exp(-kx), np.exp(kx - k * length))
    return s * np.column_stack(columns)


def _largest(k: float, length: float, shape: np.ndarray) -> float:
    """Largest displacement: of a parabola through the largest of many points and its neighbours."""
    points = np.linspace(0.0, length, int(20.0 * k * length) + 101)
    w = np.abs(_functions(k, length, points, 0) @ shape)
    at = int(w.argmax())
    if at in (0, len(w) - 1):
        return float(w[at])
    before, largest, after = w[at - 1 : at + 2]
    return float(largest + 0.125 * (after - before) ** 2 / (2.0 * largest - before - after))


def _conditions(root: float, supports: tuple[str, str]) -> np.ndarray:
    """(4, 4): what vanishes at the ends, for k L = root, with lengths in 1 / k."""
    ends = zip((0.0, root), supports, strict=True)
    return np.array([_functions(1.0, root, np.array([end]), order)[0] for end, support in ends for order in _SUPPORTS[support]])
