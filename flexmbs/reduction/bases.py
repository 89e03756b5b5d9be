"""The second stage of a reduction: the modes, normal and static, and how the body yields beyond them.

The residual flexibility of a contact patch is the part of its static deflection under a unit load that the modes miss. As
an attachment mode it vibrates, at a frequency far above that of the modes. With massless boundary it has no inertia: it
balances the contact force at every instant.

Sources: R. H. MacNeal, A hybrid method of component mode synthesis, Computers & Structures 1 (1971); C. D.
Monjaraz-Tec, J. Gross and M. Krack, A massless boundary component mode synthesis method for elastodynamic contact
problems, Computers & Structures 260 (2022); F. Gehr et al. (2022), the same measured on a sphere that hits a beam.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy import linalg, sparse

from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.fem.rigid_motion import rigid_motions
from flexmbs.mesh import quadrature as gauss
from flexmbs.mesh.connectivity import outer_faces
from flexmbs.mesh.element_kinds import KINDS, shape_gradients, shape_values
from flexmbs.reduction.checked import Reduction
from flexmbs.reduction.constrained_body import fixed, straining, symmetric
from flexmbs.reduction.interface import Attachment
from flexmbs.reduction.mode_selection import Modes, aligned, compute_modes, long_axis, numbered, scaled, section_kinds
from flexmbs.reduction.options import ContactPatch, CraigBampton, FreeFree, ModeChoice, Patch, StaticModes

# A static response is dropped if the part that the modes do not represent has less than this share of its strain
# energy: static displacements stay accurate to it, and rounding (1e-12) cannot become a mode.
DEPENDENT = 1e-10
# Directions with a mass below this fraction of the largest (relative to strain energy) count as massless: beams without
# rotary inertia under torsion.
MASSLESS = 1e-14
MAX_NODES = 1500  # a larger patch needs thousands of static solutions
Faces = list[tuple[str, np.ndarray]]  # kind, (k, n) nodes


def bases(held: Reduction) -> Reduction:
    """The modes that were asked for, those of massless contact patches behind them, and the static compliance."""
    vibrating = _vibrating(held)
    massless, patches = _residual_flexibility(held, vibrating.fields)
    basis = vibrating
    if patches:  # their frequencies are those that they would have with their inertia
        omega, fields = np.concatenate([vibrating.omega, massless.omega]), np.hstack([vibrating.fields, massless.fields])
        basis = Modes(omega, fields, (*vibrating.labels, *massless.labels), vibrating.normal_limit)
    found = replace(held, vibrating=vibrating, basis=basis, massless=patches)
    return replace(found, amplitudes=_amplitudes(found), flexibility=_flexibility(held))


def _vibrating(held: Reduction) -> Modes:
    """All modes with inertia, orthogonal in mass and stiffness, with the supports of the problem.

    Normal modes and static ones: constraint modes of kept markers, attachment modes, responses to load cases, merged.
    """
    fem, T, problem, attached, choice = held.fem, held.T, held.problem, held.attached, _with_kept_patches(held)
    choice.check()
    loads = _static_loads(held, choice)
    static = choice.static or StaticModes()
    if loads.shape[1] == 0 and not static.acceleration and not static.patches and not isinstance(choice, CraigBampton):
        return compute_modes(fem, T, problem, choice)
    conditions = _kept_markers(attached, choice)
    fixed_problem = fixed(problem, (conditions @ T).toarray()) if conditions.shape[0] else problem
    normal = compute_modes(fem, T, fixed_problem, choice)
    patches = [_patch_loads(held, _of_unit_energy(fem, normal.fields), static.patches)] if static.patches else []
    loads = (T.T @ sparse.hstack([conditions.T, loads, *patches])).toarray()
    responses = problem.solve(loads)
    responses = responses[:, straining(problem, loads, responses)]
    tolerance = 0.0 if static.acceleration else getattr(choice, "frequency_tolerance", None)
    if tolerance is not None and choice.frame is not None:
        moved = T @ responses[:, : conditions.shape[0]] if conditions.shape[0] else np.zeros((fem.K.shape[0], 0))
        moved = np.hstack([rigid_motions(fem.mesh.points, fem.dofs_per_node, fem.center), moved])
        responses = np.hstack([responses, _inertia_responses(held, fixed_problem, normal, moved, tolerance)])
    return replace(_merged(fem, normal.fields, T @ responses), normal_limit=normal.normal_limit)


def _inertia_responses(held: Reduction, fixed_problem, normal: Modes, moved: np.ndarray, tolerance: float) -> np.ndarray:
    """Responses (independent dofs, k) to the inertia forces of the motions ``moved``, where the modes miss them.

    A motion b (b^T M b = 1) of frame and markers at omega loads the held body by omega^2 M b. What the modes do not
    show of the response R to it lowers omega by the part  1/2 omega^2 R^T K R  to first order; directions in which this
    is below ``tolerance`` at half the highest frequency of the modes are left out.
    """
    fem, T = held.fem, held.T
    loads = T.T @ (fem.M @ moved)
    responses = fixed_problem.solve(loads)
    if tolerance > 0.0:
        missing = T @ responses
        shown = _of_unit_energy(fem, normal.fields)
        missing = missing - shown @ (shown.T @ (fem.K @ missing))
        gain, directions = _relative_eigen(missing.T @ (fem.K @ missing), moved.T @ (fem.M @ moved))
        half = 0.5 * normal.omega.max(initial=0.0)
        directions = directions[:, 0.5 * half**2 * gain > tolerance]
        loads, responses = loads @ directions, responses @ directions
    return responses[:, straining(held.problem, loads, responses)]


def _relative_eigen(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and vectors of A x = value B x, x^T B x = 1, on the directions in which B is not zero."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(B), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(scale[:, None] * symmetric(B) * scale)
    root = scale[:, None] * (vectors[:, values > 1e-12] / np.sqrt(values[values > 1e-12]))
    gain, turned = np.linalg.eigh(symmetric(root.T @ A @ root))
    return gain, root @ turned


def _merged(fem, normal: np.ndarray, statics: np.ndarray) -> Modes:
    """Modes that span ``normal`` (ndof, n; orthogonal in stiffness) and ``statics`` (ndof, k), dependent ones left out.

    The statics lose what the normal modes show of them; the eigenvectors of their strain energy that are above
    ``DEPENDENT`` stay; the vibration of the body in this basis (Rayleigh-Ritz) gives modes orthogonal in mass and
    stiffness.
    """
    normal, statics = _of_unit_energy(fem, normal), _of_unit_energy(fem, statics)
    for _ in range(2):  # twice: the second removes the rounding of the first
        statics = statics - normal @ (normal.T @ (fem.K @ statics))
    energies, directions = np.linalg.eigh(symmetric(statics.T @ (fem.K @ statics)))
    kept = energies > DEPENDENT
    B = np.hstack([normal, statics @ (directions[:, kept] / np.sqrt(energies[kept]))])
    K, M = (symmetric(B.T @ (A @ B)) for A in (fem.K, fem.M))
    if not (np.all(np.isfinite(K)) and np.all(np.isfinite(M))):
        raise BodyError("static modes are not finite: check material and section of every element")
    if not len(K):
        return Modes(np.empty(0), B, ())
    mu, vectors = linalg.eigh(M, K)
    mu, vectors = mu[::-1], vectors[:, ::-1]
    massive = mu > MASSLESS * mu[0]
    values = 1.0 / mu[massive]
    axis = long_axis(fem)
    values, fields = aligned(fem, values, B @ (vectors[:, massive] * np.sqrt(values)), axis)
    return Modes(np.sqrt(values), scaled(fields, fem), numbered(section_kinds(fem, fields, axis)))


def _of_unit_energy(fem, fields: np.ndarray) -> np.ndarray:
    """Columns scaled to phi^T K phi = 1."""
    return fields / np.sqrt(np.einsum("ia,ia->a", fields, fem.K @ fields))


def _kept_markers(attached: Mapping[str, Attachment], choice: ModeChoice) -> sparse.csr_matrix:
    """(k, ndof) marker motions that the fixed-interface modes leave at rest."""
    size = next(iter(attached.values())).operator.shape[1] if attached else 0
    if not isinstance(choice, CraigBampton):
        return sparse.csr_matrix((0, size))
    names = [name for name in attached if name != choice.at] if choice.keep is None else _listed(choice.keep)
    if choice.at in names:
        raise BodyError(f"CraigBampton: interface '{choice.at}' holds the frame and cannot be in keep as well")
    return _operators(attached, names, "CraigBampton(keep=...)", size)


def _static_loads(held: Reduction, choice: ModeChoice) -> sparse.csr_matrix:
    """(ndof, k) unit loads at markers, the load cases at nodes, and unit loads of patches with attachment modes."""
    static, attached = choice.static or StaticModes(), held.attached
    names = _listed(static.interfaces)
    if isinstance(choice, FreeFree) and choice.attachment:
        names += [name for name in attached if name not in names]
    loads = [_operators(attached, names, "StaticModes(interfaces=...)", held.fem.ndof).T]
    loads += [_load_case(held.fem, name, forces) for name, forces in static.loads.items()]
    loads += [_unit_loads(attached[name], patch) for name, patch in held.patches.items() if patch.kind == "attachment"]
    return sparse.hstack(loads).tocsr()


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _operators(attached: Mapping[str, Attachment], names: list[str], where: str, ndof: int) -> sparse.csr_matrix:
    for name in names:
        if name not in attached:
            raise BodyError(f"{where}: no such interface '{name}'. {near_names(name, attached)}")
    rows = [sparse.csr_matrix((0, ndof))]
    rows += [attached[name].operator[: 6 if attached[name].has_rotation else 3] for name in names]
    return sparse.vstack(rows).tocsr()


def _load_case(fem, name: str, forces: Mapping[int, tuple[float, float, float]]) -> sparse.csc_matrix:
    load = np.zeros((len(fem.mesh.points), fem.dofs_per_node))
    for node, force in forces.items():
        found = np.flatnonzero(np.asarray(fem.mesh.node_ids) == node)
        if len(found) != 1:
            has = f"{fem.mesh.source or 'the mesh'} has {len(found) or 'no'} node{'s' * (len(found) > 1)} {node}"
            raise BodyError(f"load case '{name}': {has}; give the number of an existing node")
        value = np.asarray(force, dtype=float)
        if value.shape not in ((3,), (fem.dofs_per_node,)) or not np.all(np.isfinite(value)):
            raise BodyError(f"load case '{name}', node {node}: must be three finite forces (fx, fy, fz), not {force!r}")
        load[found[0], : len(value)] = value
    if not load.any():
        raise BodyError(f"load case '{name}' has no force")
    return sparse.csc_matrix(load.reshape(-1, 1))


def _patch_loads(held: Reduction, shown: np.ndarray, patches: Mapping[str, Patch]) -> sparse.csr_matrix:
    """(ndof, k) nodal loads under which pressure and friction deform the patches most.

    ``shown`` (ndof, n) are the fields that the body has, of unit energy.

    First, tractions that vary like a rigid motion (uniform, linear). Then, among all tractions t with t^T S t = 1,
    S = int N N^T dA, those that do most work on the remaining deformation: eigenvectors of the patch's compliance.
    """
    fem, T = held.fem, held.T
    found = [np.zeros((fem.K.shape[0], 0))]
    for name, patch in patches.items():
        loads, even = _traction_loads(fem, _faces(fem.mesh, name, patch), patch.tangential)
        compliance = loads.T @ (T @ held.problem.solve((T.T @ loads).toarray()))
        known = loads.T @ shown
        rest = 0.5 * (compliance + compliance.T) - known @ known.T
        work = rest @ even
        values, vectors = np.linalg.eigh(even.T @ work)
        felt = values > 1e-12 * np.trace(rest)
        work = work @ (vectors[:, felt] / np.sqrt(values[felt]))
        finer = np.linalg.eigh(rest - work @ work.T)[1][:, ::-1][:, : patch.count]
        found += [loads @ even, loads @ finer]
    return sparse.csr_matrix(np.hstack(found))


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


def _with_kept_patches(held: Reduction) -> ModeChoice:
    """The choice of modes as the patches need it: Craig and Bampton's constraint modes of all interfaces but massless ones."""
    modes, massless = held.modes, [name for name, patch in held.patches.items() if patch.kind == "massless"]
    if not massless or not isinstance(modes, CraigBampton) or modes.keep is not None:
        return modes
    return replace(modes, keep=tuple(name for name in held.interfaces if name not in (modes.at, *massless)))


def _unit_loads(attachment: Attachment, patch: ContactPatch) -> sparse.csc_matrix:
    """(ndof, k) nodal forces of unit loads on the marker."""
    where = f"contact patch '{attachment.name}'"
    loads = patch.loads(where)
    if not attachment.has_rotation and np.any(loads[3:]):
        raise BodyError(f"{where}: its nodes determine no rotation, so it takes no moment; leave out 'rot ...'")
    return sparse.csc_matrix(attachment.operator.T @ sparse.csc_matrix(loads))


def _residual_flexibility(held: Reduction, modes: np.ndarray) -> tuple[Modes, tuple[str, ...]]:
    """What ``modes`` (ndof, n) miss of the responses to unit loads on the massless patches; of which patch each mode is.

    Fields are orthogonal in stiffness to all modes and each other, and scaled to 1 m (1 rad) at their own patch along its
    load. Frequencies: what they would vibrate at with their inertia.
    """
    fem, T = held.fem, held.T
    fields, labels, stiffness, patches = [], [], [], []
    modal = np.einsum("ia,ia->a", modes, fem.K @ modes)
    for name, patch in held.patches.items():
        if patch.kind != "massless":
            continue
        loads = _unit_loads(held.attached[name], patch)
        responses = T @ held.problem.solve((T.T @ loads).toarray())
        for direction, load, response in zip(patch.names, loads.toarray().T, responses.T, strict=True):
            whole, rest = float(load @ response), response
            for _ in range(2):  # twice: the second removes the rounding of the first
                rest = rest - modes @ ((modes.T @ (fem.K @ rest)) / modal)
                for other, k in zip(fields, stiffness, strict=True):
                    rest = rest - other * (other @ (fem.K @ rest) / k)
            energy = float(rest @ (fem.K @ rest))
            if not energy > DEPENDENT * whole:  # a smaller residual is rounding of the modes' own flexibility
                continue
            rest = rest / float(load @ rest)
            fields.append(rest)
            labels.append(f"{name} {direction} (massless)")
            stiffness.append(float(rest @ (fem.K @ rest)))
            patches.append(name)
    columns = np.column_stack(fields) if fields else np.zeros((fem.K.shape[0], 0))
    mass = np.einsum("ia,ia->a", columns, fem.M @ columns)
    return Modes(np.sqrt(np.array(stiffness) / mass), columns, tuple(labels)), tuple(patches)


def _amplitudes(found: Reduction) -> np.ndarray | None:
    """(n,) at which each mode has the energy of the first one deflected by ``SecondOrder.deflection`` of the body's size."""
    fem, basis, deflection = found.fem, found.basis, found.choice.deflection
    if deflection is None or len(basis.omega) == 0:
        return None
    size = float(np.linalg.norm(np.ptp(fem.mesh.points, axis=0)))
    modal = np.einsum("ia,ia->a", basis.fields, fem.M @ basis.fields)
    root = basis.omega * np.sqrt(modal)
    return deflection * size * root[0] / root


def _flexibility(held: Reduction) -> np.ndarray:
    """(markers + 1, 6, 6) static compliance at each marker, and under acceleration; zero at the held one."""
    fem, T, at = held.fem, held.T, held.at
    result = np.zeros((len(held.attached) + 1, 6, 6))
    inertia = fem.M @ rigid_motions(fem.mesh.points, fem.dofs_per_node, fem.center)
    loads = [None if name == at else (a.operator @ T).toarray().T for name, a in held.attached.items()]
    loads.append(None if at is None else T.T @ inertia)  # mean axes: no load is left of a rigid acceleration
    for F, load in zip(result, loads, strict=True):
        if load is not None:
            F[:] = symmetric(load.T @ held.problem.solve(load))
    return result
