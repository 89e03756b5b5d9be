"""A flexible body from plain arrays, without a mesh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError, BodyWarning
from flexmbs.common.user_warnings import warn
from flexmbs.interop.moments import InertiaMoments, fields_with_moments
from flexmbs.reduction.body_layout import LAYOUT, BodyCheck, checked_body
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
    pairs = np.zeros((0, 2), int) if pairs is None or not np.size(pairs) else pairs
    given = {"points": points, "modes": modes, "pairs": pairs}
    optional = {"rotations": rotations, "quadratic": quadratic, "quadratic_rotations": quadratic_rotations}
    optional |= {"cubic": cubic, "node_ids": node_ids, "faces": None if faces is None else np.ravel(faces)}
    found = _checked_arrays(given | {key: value for key, value in optional.items() if value is not None}, where)
    points, modes, rotations, pairs = found["points"], found["modes"], found.get("rotations"), found["pairs"]
    nn, n, p = len(points), len(modes), len(pairs)
    quadratic = found.get("quadratic", np.zeros((p, nn, 3)))
    quadratic_rotations = found.get("quadratic_rotations", None if rotations is None else np.zeros((p, nn, 3)))
    ids = found.get("node_ids", np.arange(1, nn + 1))
    if len(np.unique(ids)) != nn:
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
    squared = np.divide(np.diag(Ke), np.diag(Me), out=np.zeros(n), where=np.diag(Me) > 0.0)
    notes = [*warnings, *notes]
    warn(notes, BodyWarning, where=f"body '{name}'")
    labels = [f"mode {k}" for k in range(1, n + 1)] if labels is None else labels
    if isinstance(labels, str) or len(labels) != n:
        raise BodyError(f"{where}: labels must be {n} names, one for each mode, not {labels!r}")
    body = FlexibleBody(
        name=name,
        mass=float(moments.mass),
        frequencies=np.sqrt(np.maximum(squared, 0.0)) / (2.0 * np.pi),
        mode_labels=tuple(map(str, labels)),
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
        surface=SurfaceFields(points, found.get("faces", np.zeros(0, np.int64)), modes, quadratic, np.zeros((n, nn, 6))),
        attached_at=attached_at,
        source=source,
        warnings=tuple(notes),
        cubic=found.get("cubic"),
    )
    return checked_body(body, where)


def _as_array(values: object, where: str) -> np.ndarray:
    """A copy of an array, or lists as one."""
    try:
        return np.array(values)
    except ValueError:
        raise BodyError(f"{where}: the rows of the list differ in length; expected an array of numbers") from None


def _checked_arrays(given: Mapping[str, object], where: str) -> dict[str, np.ndarray]:
    """Some arrays of a body with one second-order field for each pair, also lists: float64 or int64, of shapes that agree."""
    check, found = BodyCheck(where), {}
    for key, values in given.items():
        array, kind = _as_array(values, f"{where}: {key}"), {**LAYOUT[SurfaceFields], **LAYOUT[FlexibleBody]}[key]
        if kind.whole and array.dtype.kind == "f" and np.all((array == np.trunc(array)) & (np.abs(array) < 2**53)):
            array = array.astype(np.int64)
        found[key] = check.array(array, replace(kind, shape=kind.shape.replace("K", "p")), key)
    return found


def moments_of_nodes(points: np.ndarray, modes: np.ndarray, quadratic: np.ndarray, M, where: str) -> InertiaMoments:
    """Inertia integrals from nodal values and a mass: (nn,), (nn, nn) or (3 nn, 3 nn) as in ``body_from_arrays``."""
    W = _scalar_mass(M, len(points), where)
    Wx = W @ points
    ones = W @ np.ones(len(points))
    weighted = np.stack([W @ mode for mode in modes]) if len(modes) else np.zeros((0, len(points), 3))
    return InertiaMoments(
        mass=float(ones.sum()),
        first=ones @ points,
        second=points.T @ Wx,
        mode_first=np.einsum("i,aik->ak", ones, modes),
        mode_position=np.einsum("aik,il->akl", modes, Wx),
        mode_mode=np.einsum("aik,bil->abkl", modes, weighted, optimize=True),
        pair_first=np.einsum("i,pik->pk", ones, quadratic),
        pair_position=np.einsum("pik,il->pkl", quadratic, Wx),
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
    if A.shape != (n, n) or not np.all(np.isfinite(A)):
        raise BodyError(f"{where}: expected finite numbers of shape ({n}, {n}) or ({3 * nn}, {3 * nn}), got an array of {A.shape}")
    return 0.5 * (A + A.T)


def _numbers(values, where: str) -> np.ndarray:
    values = _as_array(values, where)
    if values.dtype.kind not in "iuf":
        raise BodyError(f"{where}: expected numbers, got {values.dtype}")
    return values.astype(float, copy=False)


def _markers(markers, points, ids, modes, rotations, quadratic, quadratic_rotations, where) -> dict[str, PointFields]:
    row = {int(number): index for index, number in enumerate(ids)}
    markers = {str(number): number for number in row} if markers is None else markers
    if not isinstance(markers, Mapping):
        raise BodyError(f"{where}: markers are given as {{name: number of a node}}, not as {type(markers).__name__}")
    if missing := [f"'{name}': node {number}" for name, number in markers.items() if number not in row]:
        raise BodyError(f"{where}: marker {missing[0]} does not exist")
    turns, turns2 = (np.zeros_like(modes), np.zeros_like(quadratic)) if rotations is None else (rotations, quadratic_rotations)
    made = {}
    for name, number in markers.items():
        i = row[number]
        shapes = [fields[:, i].copy() for fields in (modes, turns, quadratic, turns2)]
        held = not modes[:, i].any() and not quadratic[:, i].any()
        made[name] = PointFields(points[i].copy(), *shapes, has_rotation=bool(rotations is not None or held))
    return made
