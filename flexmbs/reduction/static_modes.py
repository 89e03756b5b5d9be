"""Static modes in addition to normal ones: constraint and attachment modes, responses to load cases, merging."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy import linalg, sparse

from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.fem.rigid_motion import rigid_motions
from flexmbs.reduction.constrained_body import ConstrainedProblem, symmetric
from flexmbs.reduction.eigenmodes import fixed, straining
from flexmbs.reduction.interface import Attachment
from flexmbs.reduction.mode_names import aligned, long_axis, numbered, section_kinds
from flexmbs.reduction.mode_selection import Modes, compute_modes, scaled
from flexmbs.reduction.options import CraigBampton, FreeFree, ModeChoice, Patch, StaticModes
from flexmbs.reduction.patch_loads import patch_loads

# A static response is dropped if the part that the modes do not represent has less than this share of its strain
# energy: static displacements stay accurate to it, and rounding (1e-12) cannot become a mode.
DEPENDENT = 1e-10
# Directions with a mass below this fraction of the largest (relative to strain energy) count as massless: beams without
# rotary inertia under torsion.
MASSLESS = 1e-14


def basis(
    fem,
    T: sparse.csr_matrix,
    problem: ConstrainedProblem,
    attached: Mapping[str, Attachment],
    choice: ModeChoice,
    patch_loads: sparse.csc_matrix,
) -> Modes:
    """All modes selected by ``choice``, orthogonal in mass and stiffness, with the supports of ``problem``.

    ``patch_loads`` (ndof, k): of contact patches whose responses are modes (reduction.contact_patches).
    """
    choice.check()
    loads = sparse.hstack([_static_loads(fem, attached, choice), patch_loads]).tocsr()
    accelerated = choice.static is not None and choice.static.acceleration
    patches = {} if choice.static is None else choice.static.patches
    if loads.shape[1] == 0 and not accelerated and not patches and not isinstance(choice, CraigBampton):
        return compute_modes(fem, T, problem, choice)
    conditions = _kept_markers(attached, choice)
    held = fixed(problem, (conditions @ T).toarray()) if conditions.shape[0] else problem
    normal = compute_modes(fem, T, held, choice)
    loads = sparse.hstack([conditions.T, loads, *_patch_loads(fem, T, problem, normal, patches)])
    loads = (T.T @ loads).toarray()
    responses = problem.solve(loads)
    responses = responses[:, straining(problem, loads, responses)]
    tolerance = 0.0 if accelerated else getattr(choice, "frequency_tolerance", None)
    if tolerance is not None and choice.frame is not None:
        moved = T @ responses[:, : conditions.shape[0]] if conditions.shape[0] else np.zeros((fem.K.shape[0], 0))
        moved = np.hstack([rigid_motions(fem.mesh.points, fem.dofs_per_node, fem.center), moved])
        responses = np.hstack([responses, _inertia_responses(fem, T, problem, held, normal, moved, tolerance)])
    return replace(merged(fem, normal.fields, T @ responses), normal_limit=normal.normal_limit)


def _patch_loads(fem, T, problem, normal: Modes, patches: Mapping[str, Patch]) -> list[sparse.csr_matrix]:
    shown = _of_unit_energy(fem, normal.fields)
    return [sparse.csr_matrix(patch_loads(fem, T, problem, shown, patches))] if patches else []


def _inertia_responses(fem, T, problem, held, normal: Modes, moved: np.ndarray, tolerance: float) -> np.ndarray:
    """Responses (independent dofs, k) to the inertia forces of the motions ``moved``, where the modes miss them.

    A motion b (b^T M b = 1) of frame and markers at omega loads the held body by omega^2 M b. What the modes do not
    show of the response R to it lowers omega by the part  1/2 omega^2 R^T K R  to first order; directions in which this
    is below ``tolerance`` at half the highest frequency of the modes are left out.
    """
    loads = T.T @ (fem.M @ moved)
    responses = held.solve(loads)
    if tolerance > 0.0:
        missing = T @ responses
        shown = _of_unit_energy(fem, normal.fields)
        missing = missing - shown @ (shown.T @ (fem.K @ missing))
        gain, directions = _relative_eigen(missing.T @ (fem.K @ missing), moved.T @ (fem.M @ moved))
        half = 0.5 * normal.omega.max(initial=0.0)
        directions = directions[:, 0.5 * half**2 * gain > tolerance]
        loads, responses = loads @ directions, responses @ directions
    return responses[:, straining(problem, loads, responses)]


def _relative_eigen(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and vectors of A x = value B x, x^T B x = 1, on the directions in which B is not zero."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(B), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(scale[:, None] * symmetric(B) * scale)
    root = scale[:, None] * (vectors[:, values > 1e-12] / np.sqrt(values[values > 1e-12]))
    gain, turned = np.linalg.eigh(symmetric(root.T @ A @ root))
    return gain, root @ turned


def merged(fem, normal: np.ndarray, statics: np.ndarray) -> Modes:
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


def _static_loads(fem, attached: Mapping[str, Attachment], choice: ModeChoice) -> sparse.csr_matrix:
    """(ndof, k) unit loads at markers and the load cases at nodes."""
    static = choice.static or StaticModes()
    names = _listed(static.interfaces)
    if isinstance(choice, FreeFree) and choice.attachment:
        names += [name for name in attached if name not in names]
    ndof = fem.K.shape[0]
    cases = [_load_case(fem, name, forces) for name, forces in static.loads.items()]
    return sparse.hstack([_operators(attached, names, "StaticModes(interfaces=...)", ndof).T, *cases]).tocsr()


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
