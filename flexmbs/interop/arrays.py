"""A flexible body from plain arrays, without a mesh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError, BodyWarning
from flexmbs.common.user_warnings import warn
from flexmbs.interop.moments import InertiaMoments, fields_with_moments
from flexmbs.reduction.body_checks import checked_body
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields, SurfaceFields


def body_from_arrays(
    *,
    points: np.ndarray,
    modes: np.ndarray,
    K: np.ndarray,
    M: np.ndarray | None = None,
    moments: InertiaMoments | None = None,
    D: np.ndarray | None = None,
    rotations: np.ndarray | None = None,
    pairs: np.ndarray | None = None,
    quadratic: np.ndarray | None = None,
    quadratic_rotations: np.ndarray | None = None,
    cubic: np.ndarray | None = None,
    node_ids: Sequence[int] | None = None,
    markers: Mapping[str, int] | None = None,
    labels: Sequence[str] | None = None,
    attached_at: str | None = None,
    faces: np.ndarray | None = None,
    name: str = "body",
    source: str = "",
    warnings: Sequence[str] = (),
) -> FlexibleBody:
    """A flexible body from nodes, mode shapes, stiffness and mass.

    Parameters
    ----------
    points : (nn, 3) m, in the body frame
    modes : (n, nn, 3) displacements (m per unit of the modal coordinate)
    K : (n, n) modal stiffness, or (3 nn, 3 nn) of the nodes in the order x1 y1 z1 x2 ... (dense or sparse)
    M : (nn,) nodal masses, (nn, nn) scalar consistent mass int N_i N_j dm (kg), or (3 nn, 3 nn) made of it
    moments : InertiaMoments, the inertia integrals themselves; either these or M
    D : modal damping (n, n), default none
    rotations : (n, nn, 3) rad per unit; without them a marker on a node carries forces and spherical joints only
    pairs, quadratic, quadratic_rotations : (p, 2), (p, nn, 3) second-order fields Z as in ``FlexibleBody``
    cubic : (p, n) J/m3, strain energy sum_pa cubic_pa q_a(p) q_b(p) q_a in addition to 1/2 q K q
    node_ids : nn numbers, default 1 to nn
    markers : name -> node number; default: one for each node, named by its number
    labels : n names of the modes
    attached_at : marker that the body frame is fixed to, None for a floating frame
    faces : (k,) int, displayed surface: rows of ``points`` in VTK format [count, i, j, k, ...]; default none

    Raises
    ------
    BodyError : inconsistent shapes, a marker on a node that does not exist, a mass that is not positive.

    Warns
    -----
    BodyWarning : each of ``warnings``, and inertia integrals that contradict each other slightly.
    """
    where = f"{source}: body '{name}'" if source else f"body '{name}'"
    points = _array(points, (-1, 3), f"{where}: points")
    nn = len(points)
    modes = _array(modes, (-1, nn, 3), f"{where}: modes")
    n = len(modes)
    rotations = None if rotations is None else _array(rotations, (n, nn, 3), f"{where}: rotations")
    pairs = np.zeros((0, 2), dtype=np.int64) if pairs is None else _pairs(pairs, n, where)
    p = len(pairs)
    quadratic = np.zeros((p, nn, 3)) if quadratic is None else _array(quadratic, (p, nn, 3), f"{where}: quadratic")
    if quadratic_rotations is None and rotations is not None:
        quadratic_rotations = np.zeros((p, nn, 3))
    ids = np.arange(1, nn + 1) if node_ids is None else _whole(node_ids, f"{where}: node_ids")
    if ids.shape != (nn,) or len(np.unique(ids)) != nn:
        raise BodyError(f"{where}: node_ids must be {nn} different numbers, one for each point")
    if (M is None) == (moments is None):
        raise BodyError(f"{where}: give the mass either as M (nodal or scalar mass) or as moments (integrals)")
    if moments is None:
        moments = moments_of_nodes(points, modes, quadratic, M, where)
    inertia, notes = fields_with_moments(moments, where)
    if len(inertia.P) != n or len(inertia.Z) != p:
        raise BodyError(f"{where}: moments are for {len(inertia.P)} modes and {len(inertia.Z)} pairs; expected {n} and {p}")
    Ke = _modal(K, modes, f"{where}: K")
    De = np.zeros((n, n)) if D is None else _modal(D, modes, f"{where}: D")
    Me = np.einsum("aks,bks->ab", inertia.P, inertia.P)
    drawn = np.zeros(0, dtype=np.int64) if faces is None else _whole(faces, f"{where}: faces").ravel()
    squared = np.divide(np.diag(Ke), np.diag(Me), out=np.zeros(n), where=np.diag(Me) > 0.0)
    notes = [*warnings, *notes]
    warn(notes, BodyWarning, where=f"body '{name}'")
    body = FlexibleBody(
        name=name,
        mass=float(moments.mass),
        frequencies=np.sqrt(np.maximum(squared, 0.0)) / (2.0 * np.pi),
        mode_labels=_labels(labels, n, where),
        Me=Me,
        Ke=Ke,
        De=De,
        pairs=pairs,
        inertia=inertia,
        points=points,
        node_ids=ids,
        modes=modes,
        rotations=rotations,
        quadratic=quadratic,
        quadratic_rotations=quadratic_rotations,
        markers=_markers(markers, points, ids, modes, rotations, quadratic, quadratic_rotations, where),
        surface=SurfaceFields(points, drawn, modes, quadratic, np.zeros((n, nn, 6))),
        attached_at=attached_at,
        source=source,
        warnings=tuple(notes),
        cubic=None if cubic is None else _array(cubic, (p, n), f"{where}: cubic"),
    )
    return checked_body(body, where)


def moments_of_nodes(points: np.ndarray, modes: np.ndarray, quadratic: np.ndarray, M, where: str) -> InertiaMoments:
    """Inertia integrals from nodal values and a mass: (nn,), (nn, nn) or (3 nn, 3 nn) as in ``body_from_arrays``."""
    W = _scalar_mass(M, len(points), where)
    Wx = W @ points
    ones = W @ np.ones(len(points))

    def with_positions(fields: np.ndarray) -> np.ndarray:
        return np.einsum("aik,il->akl", fields, Wx)

    weighted = np.stack([W @ mode for mode in modes]) if len(modes) else np.zeros((0, len(points), 3))
    return InertiaMoments(
        mass=float(ones.sum()),
        first=ones @ points,
        second=points.T @ Wx,
        mode_first=np.einsum("i,aik->ak", ones, modes),
        mode_position=with_positions(modes),
        mode_mode=np.einsum("aik,bil->abkl", modes, weighted, optimize=True),
        pair_first=np.einsum("i,pik->pk", ones, quadratic),
        pair_position=with_positions(quadratic),
    )


def _scalar_mass(M, nn: int, where: str):
    """(nn, nn) matrix that multiplies nodal values, sparse or dense."""
    M = M.tocsr() if sparse.issparse(M) else _numbers(M, f"{where}: M")
    if M.shape == (nn,):
        return sparse.diags_array(M)
    if M.shape == (nn, nn):
        return M
    if M.shape != (3 * nn, 3 * nn):
        raise BodyError(f"{where}: M must be ({nn},), ({nn}, {nn}) or ({3 * nn}, {3 * nn}), not {M.shape}")
    scalar = M[::3, ::3]
    rest = M - sparse.kron(sparse.csr_matrix(scalar), sparse.eye(3))
    if abs(rest).max() > 1e-9 * abs(M).max():
        raise BodyError(
            f"{where}: M couples the directions x, y, z, or differs between them; inertia integrals need a "
            "scalar mass matrix: give nodal masses, or the integrals as moments"
        )
    return scalar


def _modal(A, modes: np.ndarray, where: str) -> np.ndarray:
    n, nn = modes.shape[:2]
    A = A if sparse.issparse(A) else _numbers(A, where)
    if A.shape == (3 * nn, 3 * nn) and 3 * nn != n:
        flat = modes.reshape(n, -1)
        A = flat @ (A @ flat.T)
    elif sparse.issparse(A):
        A = A.toarray()
    A = _array(A, (n, n), where)
    return 0.5 * (A + A.T)


def _array(values, shape: tuple[int, ...], where: str) -> np.ndarray:
    values = np.array(_numbers(values, where))
    fits = values.ndim == len(shape) and all(want in (-1, got) for want, got in zip(shape, values.shape, strict=True))
    if not fits:
        expected = ", ".join("any" if want == -1 else str(want) for want in shape)
        raise BodyError(f"{where}: expected an array of shape ({expected}), got {values.shape}")
    if not np.all(np.isfinite(values)):
        raise BodyError(f"{where}: contains values that are not finite numbers")
    return values


def _numbers(values, where: str) -> np.ndarray:
    values = np.asarray(values)
    if values.dtype.kind not in "biuf":
        raise BodyError(f"{where}: expected numbers, got {values.dtype}")
    return values.astype(float, copy=False)


def _whole(values, where: str) -> np.ndarray:
    """Whole numbers, also if given as floats."""
    values = np.asarray(values)
    if values.size == 0:
        return values.astype(np.int64)
    whole = values.dtype.kind in "iu" or values.dtype.kind == "f" and np.all(np.isfinite(values) & (values % 1 == 0))
    if not whole or np.abs(values).max() >= 2**53:
        raise BodyError(f"{where}: expected whole numbers, got {values.dtype} such as {values.ravel()[0]}")
    return values.astype(np.int64)


def _pairs(pairs, n: int, where: str) -> np.ndarray:
    pairs = _whole(pairs, f"{where}: pairs")
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
        raise BodyError(f"{where}: pairs: expected an array of shape (any, 2), got {pairs.shape}")
    pairs = pairs.reshape(-1, 2)
    if pairs.size and (pairs.min() < 0 or pairs.max() >= n or np.any(pairs[:, 0] > pairs[:, 1])):
        raise BodyError(f"{where}: pairs must be (a, b) with 0 <= a <= b <= {n - 1}")
    return pairs


def _labels(labels: Sequence[str] | None, n: int, where: str) -> tuple[str, ...]:
    if labels is None:
        return tuple(f"mode {number}" for number in range(1, n + 1))
    if len(labels) != n:
        raise BodyError(f"{where}: {len(labels)} labels for {n} modes")
    return tuple(str(label) for label in labels)


def _markers(markers, points, ids, modes, rotations, quadratic, quadratic_rotations, where) -> dict[str, PointFields]:
    row = {int(number): index for index, number in enumerate(ids)}
    markers = {str(number): number for number in row} if markers is None else markers
    made = {}
    for name, number in markers.items():
        if int(number) not in row:
            raise BodyError(f"{where}: marker '{name}': node {number} does not exist")
        i = row[int(number)]
        none = np.zeros((len(modes), 3)), np.zeros((len(quadratic), 3))
        Psi, Zr = none if rotations is None else (rotations[:, i], quadratic_rotations[:, i])
        held = not modes[:, i].any() and not quadratic[:, i].any()
        made[name] = PointFields(
            points[i].copy(),
            modes[:, i].copy(),
            Psi.copy(),
            quadratic[:, i].copy(),
            Zr.copy(),
            has_rotation=bool(rotations is not None or held),
        )
    return made
