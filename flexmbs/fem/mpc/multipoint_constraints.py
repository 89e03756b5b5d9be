"""Multipoint constraints of a mesh (couplings, equations, ties), and the conditions that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from flexmbs.common.errors import MeshError
from flexmbs.fem.mpc.couplings import average_rows, idle_spin_rows, name_of, rigid_rows
from flexmbs.fem.mpc.dependence import Dependence, JoinedRows, component_direction, describe, nodal_axes, resolved
from flexmbs.fem.mpc.ties import tied_rows
from flexmbs.mesh.connectivity import with_nodes
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import Coupling, ElementBlock, Equation, Mesh


def equation_rows(mesh: Mesh, equations: Sequence[Equation], axes: dict[int, np.ndarray]) -> JoinedRows:
    """Sum of coefficients times components = 0, linear in large motion too; the first component follows if it can.

    Equations are MPC of Nastran, *EQUATION of Abaqus, CE of Ansys. MeshError for one whose constant is not zero, or that has
    no coefficients.
    """
    rows, columns, values, preferred = [], [], [], np.full(len(equations), -1)
    for i, equation in enumerate(equations):
        if equation.constant != 0.0:
            raise MeshError(
                f"{name_of(mesh, equation)}: the constant of the equation is {equation.constant:g}; prescribed"
                " displacements are not supported in a body: set it to zero, or remove the equation"
            )
        terms = np.flatnonzero(equation.coefficients)
        if not len(terms):
            raise MeshError(f"{name_of(mesh, equation)}: all coefficients of the equation are zero; remove it")
        for term in terms:
            node, component = int(equation.nodes[term]), int(equation.dofs[term])
            if node in axes:
                first = 0 if component <= 3 else 3
                own, direction = 6 * node + first + np.arange(3), component_direction(axes, node, component)
                columns += own.tolist()
                values += (equation.coefficients[term] * direction).tolist()
                rows += [i] * 3
                continue
            if term == terms[0]:
                preferred[i] = 6 * node + component - 1
            rows.append(i)
            columns.append(6 * node + component - 1)
            values.append(float(equation.coefficients[term]))
    matrix = sparse.csr_matrix((values, (rows, columns)), shape=(len(equations), 6 * len(mesh.points)))
    matrix.eliminate_zeros()
    names = np.array([name_of(mesh, equation) for equation in equations], dtype=object)
    return JoinedRows(matrix, preferred, names.reshape(len(equations)))


def idle_equations(equations: JoinedRows, rows: Sequence[JoinedRows], stiff: np.ndarray, node_ids: np.ndarray) -> list[str]:
    """Warnings for equations that bind nothing: one of their components is held by no element and used nowhere else.

    Such a component (the rotation of a node that only solids have) takes the value that the equation asks for, and
    nothing feels it. At nodes without any element that is meant: the equation says how the node moves along.

    ``equations`` of ``equation_rows``; ``rows`` all conditions, these among them; ``stiff`` (ndof,) bool, components that
    have stiffness or mass; ``node_ids`` (nn,) of the file.
    """
    on_elements = np.repeat(stiff.reshape(-1, 6).any(axis=1), 6)
    uses = sum(np.bincount(part.matrix.indices, minlength=len(stiff)) for part in rows)
    idle = ~stiff & on_elements & (uses == 1)
    warnings = []
    for i, name in enumerate(equations.names):
        dofs = equations.matrix.indices[equations.matrix.indptr[i] : equations.matrix.indptr[i + 1]]
        found = dofs[idle[dofs]]
        if len(found):
            reason = "nodes of solids, trusses and shear panels have no rotation" if found[0] % 6 > 2 else "no element holds it"
            warnings.append(
                f"{name}: the equation has no effect, because {describe(found[0], node_ids)} is free to follow it"
                f" ({reason}); use displacements, or couple the rotation rigidly."
            )
    return warnings


def couplings_of_kind(mesh: Mesh, kind: str) -> list[Coupling]:
    """Couplings of ``kind`` ("rigid", "average") that join something."""
    return [c for c in mesh.couplings if c.kind == kind and len(c.nodes) and len(c.dofs)]


def is_joined(mesh: Mesh) -> bool:
    """Whether anything but elements stiffens the body, moves mass or binds nodes, or could once nodes are held.

    An averaging coupling does so only where its reference node carries something, or is supported in the file. A rigid
    one does where its nodes are on elements, and where its reference node is and can turn; nodes that follow a node of
    a solid and carry nothing leave it as it is, unless the file or a node set may hold them.
    """
    if mesh.point_masses or mesh.equations or mesh.ties:
        return True
    on_elements = element_nodes(mesh)
    averages, rigid = couplings_of_kind(mesh, "average"), couplings_of_kind(mesh, "rigid")
    averaged = marked(mesh, *(c.nodes for c in averages))
    means = marked(mesh, *(c.reference for c in averages if c.reference >= 0))
    held = marked(mesh, *(condition.nodes for condition in mesh.boundary_conditions))
    reachable = held | marked(mesh, *mesh.node_sets.values())  # --fix and interfaces come after the model is made
    turn_or_held = families(mesh) != {"solid"} or any(reachable[c.nodes].any() for c in rigid)
    for c in rigid:
        if on_elements[c.nodes].any() or means[c.reference] or c.reference >= 0 and on_elements[c.reference] and turn_or_held:
            return True
    return bool((means & (on_elements | averaged | held)).any())


def without_idle_links(mesh: Mesh, held: np.ndarray | Sequence[int] = ()) -> Mesh:
    """The mesh without rigid couplings whose nodes carry nothing and follow a node of a solid.

    Their rotation would be free. Couplings with a node of ``held`` (indices) are kept: they are supports.
    """
    on_elements, uses = element_nodes(mesh), np.zeros(len(mesh.points), int)
    turning = marked(mesh, *(block.nodes for block in mesh.blocks if KINDS[block.kind].dimension != 3))
    for coupling in mesh.couplings:
        uses[coupling.nodes] += 1
        if coupling.reference >= 0:
            uses[coupling.reference] += 1
    for equation in mesh.equations:
        uses[equation.nodes] += 2
    uses[[point.node for point in mesh.point_masses]] += 2
    bare = ~on_elements & (uses == 1)
    bare[np.asarray(held, int)] = False

    def idle(coupling: Coupling) -> bool:
        at = coupling.reference
        alone = at >= 0 and on_elements[at] and not turning[at] and uses[at] == 1
        return coupling.kind == "rigid" and alone and len(coupling.nodes) > 0 and bool(bare[coupling.nodes].all())

    kept = tuple(coupling for coupling in mesh.couplings if not idle(coupling))
    return mesh if len(kept) == len(mesh.couplings) else replace(mesh, couplings=kept)


def marked(mesh: Mesh, *nodes: np.ndarray | int) -> np.ndarray:
    """(nn,) bool, these nodes."""
    found = np.zeros(len(mesh.points), bool)
    for own in nodes:
        found[own] = True
    return found


def element_nodes(mesh: Mesh) -> np.ndarray:
    """(nn,) bool, nodes of elements of the body."""
    return marked(mesh, *(block.nodes for block in mesh.blocks))


def with_joined_nodes(mesh: Mesh) -> Mesh:
    """The mesh with the nodes of its elements, couplings, equations and masses, and no others."""
    mesh = _with_references(mesh)
    couplings = [*couplings_of_kind(mesh, "rigid"), *couplings_of_kind(mesh, "average")]
    used = element_nodes(mesh) | marked(mesh, *(c.reference for c in couplings), *(point.node for point in mesh.point_masses))
    used |= marked(mesh, *(joint.nodes for joint in (*couplings, *mesh.equations)))
    return mesh if used.all() else with_nodes(mesh, used)


def _with_references(mesh: Mesh) -> Mesh:
    """Restore reference nodes that were removed from a mesh, with node numbers after all others."""
    lost = [c for c in mesh.couplings if c.reference < 0 and c.point is not None]
    if not lost:
        return mesh
    numbers = {id(coupling): len(mesh.points) + i for i, coupling in enumerate(lost)}
    return replace(
        mesh,
        points=np.vstack([mesh.points, *(np.asarray(c.point, float)[None] for c in lost)]),
        node_ids=np.concatenate([mesh.node_ids, np.max(mesh.node_ids) + 1 + np.arange(len(lost))]),
        couplings=tuple(replace(c, reference=numbers.get(id(c), c.reference)) for c in mesh.couplings),
    )


def dependence_of(mesh: Mesh, stiff: np.ndarray) -> tuple[Dependence, list[str]]:
    """How the components of a mixed mesh depend on each other.

    ``stiff`` (ndof,) bool, components that have stiffness or mass.

    Returns Dependence; warnings.
    """
    axes = nodal_axes(mesh)
    rigid, averages = couplings_of_kind(mesh, "rigid"), couplings_of_kind(mesh, "average")
    turning = stiff.reshape(-1, 6)[:, 3:].any(axis=1)
    turning[[c.reference for c in rigid]] = True
    bare = ~stiff.reshape(-1, 6).any(axis=1)  # nodes that only move along turn along
    following = marked(mesh, *(joint.nodes for joint in (*rigid, *averages, *mesh.equations)))
    carrying = ~bare | following | marked(mesh, *(c.reference for c in rigid))
    rows = rigid_rows(mesh, rigid, turning | bare, axes)
    rows += [average_rows(mesh, c, turning, axes, bool(carrying[c.reference])) for c in averages]
    equations = equation_rows(mesh, mesh.equations, axes)
    tied, warnings = tied_rows(mesh, turning)
    rows += [equations, *tied]
    bound = following | marked(mesh, *(c.reference for c in averages))
    rows += idle_spin_rows(mesh, rigid, stiff.reshape(-1, 6), turning & ~bare, bound)
    warnings += idle_equations(equations, rows, stiff, mesh.node_ids)
    used = element_nodes(mesh)
    size = float(np.linalg.norm(np.ptp(mesh.points[used], axis=0))) or 1.0
    return resolved(rows, stiff, mesh.node_ids, size), warnings


def families(mesh: Mesh) -> set[str]:
    """Families of elements in the mesh, by ``family_of``."""
    return {family_of(block) for block in mesh.blocks if len(block.nodes)}


def family_of(block: ElementBlock) -> str:
    """The family of a block: "solid", "shell", "shear panel", "beam", "truss" or "spring"."""
    if getattr(block.section, "behaviour", "") == "shear":
        return "shear panel"
    return {3: "solid", 2: "shell"}.get(KINDS[block.kind].dimension) or block.kind.rstrip("123")
