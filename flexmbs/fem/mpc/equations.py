"""Equations between displacement components (MPC, *EQUATION, CE) as conditions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from flexmbs.common.errors import MeshError
from flexmbs.fem.mpc.condition_rows import JoinedRows, component_direction
from flexmbs.fem.mpc.dependent_components import describe
from flexmbs.fem.mpc.rigid_couplings import name_of
from flexmbs.mesh.couplings import Equation
from flexmbs.mesh.mesh import Mesh


def equation_rows(mesh: Mesh, equations: Sequence[Equation], axes: dict[int, np.ndarray]) -> JoinedRows:
    """sum of coefficients times components = 0, linear in large motion too; the first component follows if it can.

    MeshError for an equation whose constant is not zero, and for one without coefficients.
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

    Parameters
    ----------
    equations : of ``equation_rows``
    rows : all conditions, these among them
    stiff : (ndof,) bool, components that have stiffness or mass
    node_ids : (nn,) of the file
    """
    on_elements = np.repeat(stiff.reshape(-1, 6).any(axis=1), 6)
    uses = sum(np.bincount(part.matrix.indices, minlength=len(stiff)) for part in rows)
    idle = ~stiff & on_elements & (uses == 1)
    warnings = []
    for i, name in enumerate(equations.names):
        dofs = equations.matrix.indices[equations.matrix.indptr[i] : equations.matrix.indptr[i + 1]]
        found = dofs[idle[dofs]]
        if len(found):
            reason = "nodes of solids and trusses have no rotation" if found[0] % 6 > 2 else "no element holds it"
            warnings.append(
                f"{name}: the equation has no effect, because {describe(found[0], node_ids)} is free to follow it"
                f" ({reason}); use displacements, or couple the rotation rigidly."
            )
    return warnings
