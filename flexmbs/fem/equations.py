"""Equations between displacement components (MPC, *EQUATION, CE) as conditions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from flexmbs.errors import MeshError
from flexmbs.fem.joined_rows import JoinedRows
from flexmbs.fem.nodal_axes import component_direction
from flexmbs.fem.rigid_followers import name_of
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
                f"{name_of(mesh, equation)}: the constant of the equation is {equation.constant:g}; a body has no"
                " prescribed displacement: set it to zero, or remove the equation"
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
