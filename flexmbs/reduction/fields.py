"""The third stage of a reduction: first- and second-order fields at nodes, mass samples, markers and surface points.

The second-order displacement says how the body shortens and shifts when it deforms by two modes together.

Second-order fields of many pairs of modes may be replaced by fewer fields with quadratic forms as their coordinates. With
amplitudes A_a of the modes (those of equal energy), w_p = A_a A_b, a state of at most that energy has
sum_p (q_a q_b / w_p)^2 <= 1. The singular value decomposition w_p Z_p = sum_r U_r sigma_r V_pr in the norm of the
body's mass then gives sum_p q_a q_b Z_p = sum_r s_r(q) Y_r, s_r = sum_p V_pr q_a q_b / w_p, Y_r = sum_p w_p V_pr Z_p,
and leaving out all sigma_r below one of them changes no state by more than that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from scipy import linalg, sparse

from flexmbs.common.errors import BodyError
from flexmbs.common.progress import stage
from flexmbs.fem.rigid_motion import turned_arm
from flexmbs.fem.solvers.factorisations import LONG
from flexmbs.fem.solvers.memory import require_memory
from flexmbs.reduction.checked import Reduction
from flexmbs.reduction.flexible_body import PointFields
from flexmbs.reduction.interface import Attachment

BLOCK = 128  # pairs whose fields are found together: processing all at once would need several times the memory


def fields(based: Reduction) -> Reduction:
    """The second-order fields that were chosen, and all fields where the body is looked at."""
    fem, modes = based.fem, based.basis.fields
    pairs = based.choice.resolve(len(based.vibrating.omega))  # massless modes have no second-order displacements
    weights = None if based.amplitudes is None else np.prod(based.amplitudes[pairs], axis=1)
    based = replace(based, pairs=pairs, weights=weights)
    if based.choice.field_tolerance is not None and weights is not None and len(pairs):
        return _fewer_fields(based)
    copies = 3  # nodal values, samples of the mass, and what the body keeps of both
    require_memory(
        8.0 * copies * len(modes) * len(pairs),
        f"second-order fields of {len(pairs)} pairs of modes",
        "Use SecondOrder(field_tolerance=...) for fewer fields, SecondOrder(pairs=...) for selected pairs, or a coarser mesh.",
    )
    Z = np.empty((len(pairs), modes.shape[0])).T
    for block in _blocks(len(pairs)):
        Z[:, block] = _quadratic(based, pairs[block])
    samples = fem.inertia_samples(modes, pairs, Z)
    stage("markers and surface", long=fem.ndof > LONG)
    surface = fem.surface(modes, pairs, Z)
    return replace(based, Z=Z, samples=samples, markers=_markers(based, Z, pairs), surface=surface)


def _fewer_fields(based: Reduction) -> Reduction:
    """Fewer fields, if half as many are enough, with an error of at most ``SecondOrder.field_tolerance``."""
    fem, modes, pairs, none = based.fem, based.basis.fields, based.pairs, np.zeros((based.basis.fields.shape[0], 0))
    nodal = fem.dofs_per_node == 3  # solids: nodal values are all, samples and surface follow from them
    x, phi, _, W = fem.inertia_samples(modes, pairs[:0], none)
    size = float(np.linalg.norm(np.ptp(fem.mesh.points, axis=0)))
    radius = np.sqrt(0.5 * np.trace(fem.inertia))  # root of int |x|^2 dm about the centre
    of_markers = 2 * len(based.attached)

    def gram(arrays: list[np.ndarray]) -> np.ndarray:
        result = (
            _mass_products(arrays[0], fem.M)
            if nodal
            else sum(_mass_products(np.ascontiguousarray(arrays[-2][..., k]), W) for k in range(3))
        )
        for u, turned in zip(arrays[1 : 1 + of_markers : 2], arrays[2 : 2 + of_markers : 2], strict=True):
            result += fem.mass * (u @ u.T + size**2 * (turned @ turned.T))
        return result

    # errors of the blocks add up as a root of squares: their right singular vectors are orthogonal
    smallest = based.choice.field_tolerance * radius / np.sqrt(np.ceil(len(pairs) / BLOCK))
    forms, arrays, error = _compressed(_arrays_of_blocks(based, nodal), based.weights, gram, smallest)
    if 2 * len(forms) > len(pairs):  # a field for each pair costs no more
        forms, arrays = None, [np.tensordot(forms.T, array, 1) for array in arrays]
    stage("markers and surface", long=fem.ndof > LONG)
    Z = arrays[0].T
    markers = {
        name: replace(marker, Zu=arrays[1 + 2 * i], Zr=arrays[2 + 2 * i])
        for i, (name, marker) in enumerate(_markers(based, none, pairs[:0]).items())
    }
    if nodal:
        samples, surface = fem.inertia_samples(modes, pairs, Z), fem.surface(modes, pairs, Z)
    else:
        samples = (x, phi, arrays[-2], W)
        surface = replace(fem.surface(modes, pairs[:0], none), quadratic=arrays[-1])
    found = replace(based, forms=forms, Z=Z, samples=samples, markers=markers, surface=surface, field_error=error / radius)
    return found if forms is None else replace(found, weights=np.ones(len(forms)))


def _arrays_of_blocks(based: Reduction, nodal: bool) -> Iterator[list[np.ndarray]]:
    """For each block of b pairs: nodal values (b, ndof), Zu, Zr of every marker; samples, surface unless ``nodal``."""
    fem, modes = based.fem, based.basis.fields
    for block in _blocks(len(based.pairs)):
        own = based.pairs[block]
        Z = _quadratic(based, own)
        arrays = [np.ascontiguousarray(Z.T)]
        for marker in _markers(based, Z, own).values():
            arrays += [marker.Zu, marker.Zr]
        if not nodal:
            arrays += [fem.inertia_samples(modes, own, Z)[2], fem.surface(modes, own, Z).quadratic]
        yield arrays


def _mass_products(fields: np.ndarray, M: sparse.csr_matrix) -> np.ndarray:
    """(k, k) int f g dm of nodal fields (k, ndof)."""
    return fields @ (M @ fields.T)


def _blocks(count: int) -> Iterator[slice]:
    """Slices of at most ``BLOCK`` pairs."""
    for first in range(0, count, BLOCK):
        stage("second-order fields", first, count)
        yield slice(first, min(first + BLOCK, count))
    stage("second-order fields", count, count)


def _compressed(blocks: Iterable[list[np.ndarray]], weights: np.ndarray, gram, smallest: float):
    """Forms (K, npairs), arrays (K, ...) and the error, from blocks of arrays in the order of the pairs.

    ``gram(arrays)`` (k, k) are inner products; at every block singular values below ``smallest`` are left out.
    """
    vectors, kept, squared_error = (
        np.zeros((0, 0)),
        [],
        0.0,
    )  # V so far, with orthonormal columns; sum_p w_p V_pr Z_p; of the largest left out each time
    for arrays in blocks:
        own = weights[len(vectors) : len(vectors) + len(arrays[0])]
        scaled = [own.reshape(-1, *[1] * (array.ndim - 1)) * array for array in arrays]
        if kept:
            scaled = [np.concatenate(both) for both in zip(kept, scaled, strict=True)]
        values, turn = np.linalg.eigh(gram(scaled))
        keep = values > smallest**2
        squared_error += float(np.max(values[~keep], initial=0.0))
        turn = turn[:, keep][:, ::-1]
        vectors = linalg.block_diag(vectors, np.eye(len(own))) @ turn
        kept = [np.tensordot(turn.T, array, 1) for array in scaled]
    return vectors.T / weights, kept, float(np.sqrt(squared_error))


def _quadratic(based: Reduction, pairs: np.ndarray) -> np.ndarray:
    """Z (ndof, npairs), 1/m per q_a q_b in metres: -1/2 H_aa for a pair (a, a), -H_ab for a < b.

    K H_ab = f_ab, f_ab = int B^T D q(a, b) dV, q the quadratic part of the strain (static modal derivatives;
    Wu and Tiso, Multibody System Dynamics 36, 2016), with the body held as for its modes. The nodes of a rigid set
    move by Z = Zu + Zr x r + 1/2 psi x (psi x r): the last term is prescribed, the rest found.
    """
    fem, T, problem = based.fem, based.T, based.problem
    loads = np.asarray(fem.second_order_loads(based.basis.fields, pairs))
    H_joined = _prescribed(based, pairs)
    if H_joined.any():
        loads = loads - fem.K @ H_joined
    found = problem.solve(T.T @ loads)
    if problem.nodal is not None and H_joined.any():  # nodes that follow may be among those that hold the body
        found -= problem.rigid_motion(problem.nodal @ H_joined)
    H = T @ found + H_joined
    return -np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0) * H


def _prescribed(based: Reduction, pairs: np.ndarray) -> np.ndarray:
    """H of the nodes on rigid sets, and of all dependent dofs, with everything else at rest."""
    fem, modes = based.fem, based.basis.fields
    H = np.zeros((modes.shape[0], len(pairs)))
    for attachment in based.attached.values():
        if attachment.rigid and attachment.name != based.at:
            H[attachment.dofs(fem.dofs_per_node)] = _turning_of_set(fem, attachment, modes, pairs)
    if fem.dependence is None:
        return H
    Z = fem.dependence.second_order(modes, pairs)
    factor = np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0)
    return fem.dependence.D @ H[fem.dependence.independent] - Z / factor


def _turning_of_set(fem, attachment: Attachment, modes: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """H of a set that rotates as a rigid body: -1/2 (psi_a x (psi_b x r) + psi_b x (psi_a x r)); no rotations."""
    psi = (attachment.operator @ modes)[3:].T
    r = fem.mesh.points[attachment.nodes] - attachment.position
    a, b = psi[pairs[:, 0], None], psi[pairs[:, 1], None]
    H = np.zeros((len(pairs), len(r), fem.dofs_per_node))
    H[:, :, :3] = -0.5 * (np.cross(a, np.cross(b, r)) + np.cross(b, np.cross(a, r)))
    return H.reshape(len(pairs), -1).T


def _markers(based: Reduction, Z: np.ndarray, pairs: np.ndarray) -> dict[str, PointFields]:
    """Fields of all markers, with second-order ones of some pairs (npairs, 2) and their nodal values Z (ndof, npairs)."""
    return {name: _marker(based, attachment, Z, pairs) for name, attachment in based.attached.items()}


def _marker(based: Reduction, attachment: Attachment, Z: np.ndarray, pairs: np.ndarray) -> PointFields:
    """Fields of one interface; exactly zero for the marker that holds the frame.

    Only contact patches move with massless modes: joints at other interfaces would be carried along without velocity,
    which costs energy.
    """
    fem, modes, position = based.fem, based.basis.fields, attachment.position
    first = attachment.operator @ modes  # without what finite rotations of node sets add
    second = attachment.operator @ Z if len(attachment.nodes) else fem.point_second_order(position, modes, pairs, Z)
    Phi, Psi, Zu, Zr = first[:3].T, first[3:].T, second[:3].T, second[3:].T
    if attachment.name == based.at:
        _check_held(attachment, Phi, Psi, Zu, Zr, np.linalg.norm(np.ptp(fem.mesh.points, axis=0)))
        Phi, Psi, Zu, Zr = (np.zeros_like(field) for field in (Phi, Psi, Zu, Zr))
    elif attachment.has_rotation:
        moved, turned = _of_finite_rotation(fem, attachment, Psi, modes, pairs)
        Zu, Zr = Zu + moved, Zr + turned
    if attachment.name not in based.massless:
        Phi[len(based.vibrating.omega) :] = Psi[len(based.vibrating.omega) :] = 0.0
    return PointFields(position.copy(), *(np.ascontiguousarray(f) for f in (Phi, Psi, Zu, Zr)), attachment.has_rotation)


def _check_held(attachment: Attachment, Phi, Psi, Zu, Zr, size: float) -> None:
    """The conditions must hold to rounding of the solution (1e-9 leaves room for the condition number of K)."""
    worst = max(np.abs(f * s).max(initial=0.0) for f, s in ((Phi, 1.0), (Psi, size), (Zu, size), (Zr, size**2)))
    scale = 1.0 + np.abs(Zu).max(initial=0.0) * size
    if not worst <= 1e-6 * scale:
        raise BodyError(
            f"interface '{attachment.name}' holds the frame, but its marker moves by {worst:.2g} of the largest "
            "displacement: the stiffness matrix is too ill-conditioned (check sections and element sizes)"
        )


def _of_finite_rotation(
    fem, attachment: Attachment, Psi: np.ndarray, modes: np.ndarray, pairs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(npairs, 3) each: contribution of finite rotation to the marker's second-order displacement and rotation."""
    if attachment.fit is not None:
        moved, turned = attachment.fit.second_order(modes.reshape(-1, fem.dofs_per_node, modes.shape[1]), pairs)
        return moved[0].T, turned[0].T
    a, b = pairs.T
    moved = turned_arm(Psi[a], Psi[b], attachment.arm, (a == b)[:, None])
    return moved, np.zeros_like(moved)
