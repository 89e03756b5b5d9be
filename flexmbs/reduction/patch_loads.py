"""Load patterns on a patch of the surface: those under which pressure and friction deform the body most."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import linalg, sparse

from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.fem.rigid_motion import rigid_motions
from flexmbs.mesh import quadrature as gauss
from flexmbs.mesh.connectivity import outer_faces
from flexmbs.mesh.element_kinds import KINDS, shape_gradients, shape_values
from flexmbs.reduction.constrained_body import ConstrainedProblem
from flexmbs.reduction.options import Patch

MAX_NODES = 1500  # a larger patch needs thousands of static solutions

Faces = list[tuple[str, np.ndarray]]  # kind, (k, n) nodes


def patch_loads(
    fem, T: sparse.csr_matrix, problem: ConstrainedProblem, shown: np.ndarray, patches: Mapping[str, Patch]
) -> np.ndarray:
    """(ndof, k) nodal loads of the patterns of all patches, given the fields ``shown`` (ndof, n) of unit energy.

    First, tractions that vary like a rigid motion (uniform, linear). Then, among all tractions t with t^T S t = 1,
    S = int N N^T dA, those that do most work on the remaining deformation: eigenvectors of the patch's compliance.
    """
    found = [np.zeros((fem.K.shape[0], 0))]
    for name, patch in patches.items():
        loads, even = _traction_loads(fem, _faces(fem.mesh, name, patch), patch.tangential)
        compliance = loads.T @ (T @ problem.solve((T.T @ loads).toarray()))
        known = loads.T @ shown
        rest = 0.5 * (compliance + compliance.T) - known @ known.T
        work = rest @ even
        values, vectors = np.linalg.eigh(even.T @ work)
        felt = values > 1e-12 * np.trace(rest)
        work = work @ (vectors[:, felt] / np.sqrt(values[felt]))
        finer = np.linalg.eigh(rest - work @ work.T)[1][:, ::-1][:, : patch.count]
        found += [loads @ even, loads @ finer]
    return np.hstack(found)


def _faces(mesh, name: str, patch: Patch) -> Faces:
    """Outer faces of the patch: those with all nodes in its set, or with their centre within its radius."""
    where = f"patch '{name}'"
    patch.check(where)
    inside = np.zeros(len(mesh.points), dtype=bool)
    if patch.set is not None:
        if patch.set not in mesh.node_sets:
            raise BodyError(f"{where}: there is no node set '{patch.set}'. {near_names(patch.set, mesh.node_sets)}")
        inside[mesh.node_sets[patch.set]] = True
    faces = []
    for kind, nodes, _ in outer_faces(mesh):
        if patch.set is not None:
            chosen = inside[nodes].all(axis=1)
        else:
            middle = mesh.points[nodes].mean(axis=1)
            chosen = np.linalg.norm(middle - np.asarray(patch.point, dtype=float), axis=1) <= patch.radius
        if chosen.any():
            faces.append((kind, nodes[chosen]))
    if not faces:
        what = f"no outer face has all its nodes in set '{patch.set}'" if patch.set else "no outer face is within it"
        raise BodyError(f"{where}: {what}; a patch must be part of the surface of solids or shells")
    count = len(np.unique(np.concatenate([nodes.ravel() for _, nodes in faces])))
    if count > MAX_NODES:
        raise BodyError(f"{where} has {count} nodes; at most {MAX_NODES} are allowed: choose a smaller part")
    return faces


def _traction_loads(fem, faces: Faces, tangential: bool) -> tuple[sparse.csr_matrix, np.ndarray]:
    """(ndof, m) nodal forces of tractions that are orthonormal in int t . t dA, and the even tractions among them.

    Pressures only, or tractions in all directions. Even (m, k): tractions that vary like a rigid motion.
    """
    nodes, local = np.unique(np.concatenate([rows.ravel() for _, rows in faces]), return_inverse=True)
    S, normals = np.zeros((len(nodes), len(nodes))), np.zeros((len(nodes), 3))
    start = 0
    for kind, rows in faces:
        own = local[start : start + rows.size].reshape(rows.shape)
        start += rows.size
        matrices, areas = _face_integrals(kind, fem.mesh.points[rows])
        np.add.at(S, (own[:, :, None], own[:, None, :]), matrices)
        np.add.at(normals, own, np.repeat(areas[:, None], rows.shape[1], axis=1))
    root = linalg.cholesky(S, lower=True)  # nodal tractions t have the components root^T t
    rigid = rigid_motions(fem.mesh.points[nodes], 3, fem.mesh.points[nodes].mean(axis=0)).reshape(len(nodes), 3, 6)
    if tangential:
        forces = np.einsum("im,kl->ikml", root, np.eye(3)).reshape(3 * len(nodes), -1)
        even = np.einsum("im,ika->mka", root, rigid).reshape(-1, 6)
    else:
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        pressures = linalg.solve_triangular(root.T, np.eye(len(nodes)))  # nodal values: S = root root^T
        forces = np.einsum("ij,jk,jm->ikm", S, normals, pressures).reshape(3 * len(nodes), -1)
        even = root.T @ np.einsum("ik,ika->ia", normals, rigid)
    dofs = (fem.dofs_per_node * nodes[:, None] + np.arange(3)).ravel()
    rows, columns = np.repeat(dofs, forces.shape[1]), np.tile(np.arange(forces.shape[1]), len(dofs))
    loads = sparse.csr_matrix((forces.ravel(), (rows, columns)), shape=(fem.K.shape[0], forces.shape[1]))
    basis, sizes, _ = np.linalg.svd(even / np.linalg.norm(rigid, axis=(0, 1)), full_matrices=False)
    return loads, basis[:, sizes > 1e-6 * sizes[0]]


def _face_integrals(kind: str, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int N N^T dA (k, n, n) and the area vectors (k, 3) of faces with nodes ``corners`` (k, n, 3)."""
    xi, weights = gauss.simplex(4, 2) if kind.startswith("tri") else gauss.cube(3, 2)
    values, gradients = shape_values(KINDS[kind], xi), shape_gradients(KINDS[kind], xi)
    tangents = np.einsum("gna,fnk->fgak", gradients, corners)
    normal = np.cross(tangents[:, :, 0], tangents[:, :, 1])
    area = weights * np.linalg.norm(normal, axis=2)
    return np.einsum("fg,gi,gj->fij", area, values, values), np.einsum("g,fgk->fk", weights, normal)
