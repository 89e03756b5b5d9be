"""The first stage of a reduction: what was asked is checked, assembled, attached and held.

:class:`Reduction` is what the stages hand on: each returns it with more known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.fem.assemble import assemble
from flexmbs.fem.fe_model import FEModel
from flexmbs.fem.mpc.multipoint_constraints import without_idle_links
from flexmbs.fem.rigid_motion import rigid_motions
from flexmbs.fem.stress_field import SurfaceFields
from flexmbs.fem.supports import check_free_motion, mechanism, restricted
from flexmbs.mesh.check_mesh import check_mesh
from flexmbs.mesh.connectivity import hinged_parts, unconnected
from flexmbs.mesh.mesh import Mesh
from flexmbs.reduction.constrained_body import ConstrainedProblem, determinate_dofs
from flexmbs.reduction.damping import DampingChoice
from flexmbs.reduction.flexible_body import FlexibleBody, InertiaFields, PointFields
from flexmbs.reduction.interface import Attachment, Interface, attach_all, refuse_overlap
from flexmbs.reduction.mode_selection import Modes
from flexmbs.reduction.options import ContactPatch, CraigBampton, ModeChoice, SecondOrder, second_order_choice

_SOFT = 1e-3  # relative to the typical stiffness of a displacement: softer nodes are not used to pin the body
_SPREAD = 1e-6  # ratio of singular values below which pins lie almost on a line and do not hold the body

_NOT_YET: Any = None  # until the stage under whose name a field stands has run


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Reduction:
    """A mesh on its way to a flexible body: what was asked, and what each stage has found.

    Fields stand under the stage that fills them and are None before it; a stage reads those above its own only.
    """

    # asked, as of ``reduce``
    mesh: Mesh
    interfaces: Mapping[str, str | Interface]
    modes: ModeChoice
    contact_patches: Mapping[str, ContactPatch] | None = None
    name: str | None = None
    beam_theory: str = "timoshenko"
    rotary_inertia: bool = True
    hex8: str = "incompatible"
    hex20: str = "file"
    second_order: str | SecondOrder = "full"
    damping: DampingChoice = None
    stress: str = "surface"
    trust_units: bool = False
    # checked
    fem: FEModel = _NOT_YET  # assembled here, unless ``reduce_model`` gives it
    remarks: tuple[str, ...] = ()  # of ``check_mesh``
    attached: Mapping[str, Attachment] = _NOT_YET  # interfaces on the model
    patches: Mapping[str, ContactPatch] = _NOT_YET
    choice: SecondOrder = _NOT_YET  # of second-order fields
    T: sparse.csr_matrix = _NOT_YET  # (ndof, free) from independent dofs to nodal ones
    problem: ConstrainedProblem = _NOT_YET  # on the independent dofs, as the body is held
    # bases
    vibrating: Modes = _NOT_YET  # modes with inertia
    basis: Modes = _NOT_YET  # these, and massless ones behind them
    massless: tuple[str, ...] = ()  # the patch of each massless mode
    amplitudes: np.ndarray | None = None  # (n,) modal coordinates up to which tolerances hold; None: no deflection, or no modes
    flexibility: np.ndarray = _NOT_YET  # this and all below: as of ``FlexibleBody``, where nothing else is said
    # fields
    pairs: np.ndarray = _NOT_YET
    forms: np.ndarray | None = None  # None also afterwards: a field for each pair
    Z: np.ndarray = _NOT_YET  # (ndof, K) nodal second-order fields, one for each of the pairs or of the forms
    samples: tuple[np.ndarray, np.ndarray, np.ndarray, sparse.csr_matrix] = _NOT_YET  # as of ``FEModel.inertia_samples``
    weights: np.ndarray | None = None  # (K,) factors of the second-order fields at the amplitudes; None: there are none
    field_error: float = 0.0  # part left out by the forms, relative to the body's radius of gyration
    markers: Mapping[str, PointFields] = _NOT_YET
    surface: SurfaceFields = _NOT_YET
    # inertia
    inertia: InertiaFields = _NOT_YET
    Me: np.ndarray = _NOT_YET
    Ke: np.ndarray = _NOT_YET
    De: np.ndarray = _NOT_YET
    # body
    body: FlexibleBody = _NOT_YET

    @property
    def at(self) -> str | None:
        """The interface that holds the frame; None: mean axes."""
        return self.modes.frame


def checked(asked: Reduction) -> Reduction:
    """The choices that were asked for are possible; the mesh is assembled, with its interfaces, and held."""
    if asked.fem is None:
        asked = _assembled(asked)
    if asked.stress not in ("surface", "nodes"):
        raise BodyError(f"stress must be 'surface' or 'nodes', not {asked.stress!r}")
    _check_frame(asked.modes, asked.interfaces)
    patches = _checked_patches(asked)
    choice = second_order_choice(asked.second_order)
    attached = attach_all(asked.fem, asked.interfaces)
    T, problem = hold(asked.fem, attached, asked.at)
    return replace(asked, patches=patches, choice=choice, attached=attached, T=T, problem=problem)


def _assembled(asked: Reduction) -> Reduction:
    mesh, elements = asked.mesh, {"hex8": asked.hex8, "hex20": asked.hex20}
    remarks = check_mesh(mesh, trust_units=asked.trust_units, **elements)
    refuse_overlap(mesh, asked.interfaces)
    joined = without_idle_links(mesh)
    joined = replace(joined, warnings=tuple(dict.fromkeys((*joined.warnings, *remarks))))
    fem = assemble(joined, beam_theory=asked.beam_theory, rotary_inertia=asked.rotary_inertia, **elements)
    return replace(asked, fem=fem, remarks=remarks)


def _check_frame(modes: ModeChoice, interfaces: Mapping[str, object]) -> None:
    if not isinstance(modes, ModeChoice) or isinstance(modes, type):
        raise BodyError(
            f"modes must be ClampedFree(at=..., count=...), CraigBampton(at=..., count=...) or FreeFree(count=...), not {modes!r}"
        )
    if modes.frame is not None and modes.frame not in interfaces:
        known = ", ".join(interfaces) or "none"
        raise BodyError(f"{type(modes).__name__}(at={modes.frame!r}): no such interface; there are: {known}")


def _checked_patches(asked: Reduction) -> dict[str, ContactPatch]:
    """The contact patches, after checking them and their names against the interfaces."""
    found = dict(asked.contact_patches or {})
    for name, patch in found.items():
        where = f"contact patch '{name}'"
        if not isinstance(patch, ContactPatch):
            raise BodyError(f"{where}: must be a ContactPatch, not {patch!r}")
        patch.check(where)
        if name not in asked.interfaces:
            raise BodyError(f"{where}: no such interface. {near_names(name, asked.interfaces)}")
        if name == asked.at:
            raise BodyError(f"{where}: the interface holds the frame of the body, so it does not yield")
        if patch.kind == "massless" and isinstance(asked.modes, CraigBampton) and name in (asked.modes.keep or ()):
            raise BodyError(f"{where}: a massless patch has no inertia, so its interface cannot be in keep as well")
    return found


def hold(fem, attached: Mapping[str, Attachment], at: str | None) -> tuple[sparse.csr_matrix, ConstrainedProblem]:
    """Transformation T (ndof, n) from independent dofs to nodal ones, and the problem on the independent dofs.

    Rigid sets become one marker each; a marker or mean axes remove the rigid motion.

    ``at`` names the interface whose marker is held; None means mean axes, int Phi dm = 0, int x cross Phi dm = 0.
    """
    loose = unconnected(fem.mesh) or mechanism(fem)
    if loose:
        raise BodyError(f"{loose}.")
    held = attached[at] if at is not None else None
    clamped = held is not None and _is_clamped(fem, held)
    if held is not None and not held.has_rotation:
        raise BodyError(
            f"the body cannot be clamped at interface '{at}': its {len(held.nodes)} node(s) of a solid lie at one "
            "point or on one line and determine no rotation; use a set of nodes that spans an area"
        )
    rigid = [a for a in attached.values() if a.rigid and a is not held]
    dofs, T = _transformation(fem, rigid, [held] if clamped else [])
    R_nodes = rigid_motions(fem.mesh.points, fem.dofs_per_node, fem.center)
    check_free_motion(fem, R_nodes)
    K, M = restricted(fem.K, T), restricted(fem.M, T)
    n = K.shape[0]
    if clamped:
        none = np.zeros((0, n))
        problem = ConstrainedProblem(K, M, none, none.T, np.empty(0, dtype=np.int64))
    else:
        # in independent dofs: the motions of kept nodes, then of the markers of the rigid sets
        R = np.vstack([R_nodes[dofs], *(rigid_motions(a.position[None], 6, fem.center) for a in rigid)])
        conditions = _mean_axes(fem, R_nodes) if held is None else held.operator.toarray()
        C = (T.T @ conditions.T).T
        candidates = _far_dofs(fem, rigid, K, R, dofs)
        problem = ConstrainedProblem(K, M, C, R, determinate_dofs(R, candidates), conditions)
    hinged = hinged_parts(fem.mesh)  # parts of the mesh that can turn freely, which only an interface may hold
    return T, replace(problem, loose=hinged[0]) if hinged else problem


def _is_clamped(fem, held: Attachment) -> bool:
    """Whether clamping the marker means clamping dofs directly: those of a rigid set, or of a node with rotations."""
    if held.rigid:
        return True
    if fem.dofs_per_node == 3 or len(held.nodes) != 1:
        return False
    return fem.dependence is None or bool(np.all(np.isin(held.dofs(6), fem.dependence.independent)))


def _mean_axes(fem, R: np.ndarray) -> np.ndarray:
    """C = R^T M: no momentum in the vibration.

    A straight beam without rotary inertia has no inertia about its axis; there the mean rotation is held instead.
    """
    C = (fem.M @ R).T
    moments, axes = np.linalg.eigh(C[3:] @ R[:, 3:])
    without_inertia = axes.T[moments < 1e-10 * moments.max()]
    if len(without_inertia) and not fem.turning_nodes.any():
        raise BodyError(
            "all mass of the body lies on a line, and no node has a rotation about it (trusses, springs, point masses"
            " alone); a flexible body needs solids, shells or beams, or masses with inertia"
        )
    for axis in without_inertia:
        twist = np.zeros((len(fem.mesh.points), fem.dofs_per_node))
        twist[fem.turning_nodes, 3:] = axis * moments.max() / fem.turning_nodes.sum()
        C[3:] += np.outer(axis, twist.ravel())
    return C


def _transformation(fem, rigid: list[Attachment], clamped: list[Attachment]) -> tuple[np.ndarray, sparse.csr_matrix]:
    """Nodal dofs that stay independent, and T: from these, and six of every rigid set, to nodal values, u = T x."""
    d, own = fem.dofs_per_node, np.arange(fem.ndof) if fem.dependence is None else fem.dependence.independent
    count, column = len(own), np.full(fem.ndof, -1)  # of each component that moves by itself
    column[own] = np.arange(count)
    kept = np.setdiff1d(np.arange(count), np.concatenate([[], *(column[a.dofs(d)] for a in (*clamped, *rigid))]))
    if len(kept) == 0 and not rigid:
        raise BodyError("every node of the body is clamped: no modes are possible")
    parts = [sparse.csr_matrix((np.ones(len(kept)), (kept, np.arange(len(kept)))), shape=(count, len(kept)))]
    for attachment in rigid:
        columns = column[attachment.dofs(d)]
        block = sparse.lil_matrix((count, 6))
        block[columns[columns >= 0]] = rigid_motions(fem.mesh.points[attachment.nodes], d, attachment.position)[columns >= 0]
        parts.append(block.tocsr())
    T = sparse.hstack(parts).tocsr()
    return own[kept], T if fem.dependence is None else (fem.dependence.D @ T).tocsr()


def _far_dofs(fem, rigid: list[Attachment], K: sparse.csr_matrix, R: np.ndarray, dofs: np.ndarray) -> np.ndarray:
    """Candidate dofs for pinning: a rigid set's marker, a beam's node, or three far nodes of a solid not in a line.

    Of mixed bodies the displacements that are not soft, where they determine the motion.
    """
    if rigid:
        return np.arange(K.shape[0] - 6, K.shape[0])
    if fem.dependence is not None:
        stiffness = K.diagonal()
        moving = (dofs % 6 < 3) & (stiffness > 0.0)
        typical = np.median(stiffness[moving]) if moving.any() else 0.0
        firm = np.flatnonzero(moving & (stiffness >= _SOFT * typical))
        spread = np.linalg.svd(R[firm] / np.abs(R).max(axis=0), compute_uv=False) if len(firm) > 5 else np.zeros(6)
        return firm if spread[-1] > _SPREAD * spread[0] else np.flatnonzero(stiffness > 0.0)
    x = fem.mesh.points
    first = np.argmax(np.linalg.norm(x - fem.center, axis=1))
    if fem.dofs_per_node == 6:
        return 6 * first + np.arange(6)
    second = np.argmax(np.linalg.norm(x - x[first], axis=1))
    axis = (x[second] - x[first]) / np.linalg.norm(x[second] - x[first])
    third = np.argmax(np.linalg.norm(np.cross(x - x[first], axis), axis=1))
    return (3 * np.array([[first], [second], [third]]) + np.arange(3)).ravel()
