"""Stiffness and mass matrices written by other FE tools, for a given mesh."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.interop.text_blocks import as_floats, as_int, read_lines
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.unit_systems import unit_system


@dataclass(frozen=True, eq=False)
class NodalMatrices:
    """Matrices of the free displacements of a mesh.

    Attributes
    ----------
    dofs : (k,) int, 3 * node + direction with ``node`` the row in ``mesh.points``; the dofs in the file
    K, M : (k, k) csr, symmetric, N/m and kg
    """

    dofs: np.ndarray
    K: sparse.csr_matrix
    M: sparse.csr_matrix

    def full(self, node_count: int) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        """K and M of all 3 * node_count displacements; constrained ones have empty rows."""
        count = len(self.dofs)
        place = sparse.csr_matrix((np.ones(count), (self.dofs, np.arange(count))), (3 * node_count, count))
        return (place @ self.K @ place.T).tocsr(), (place @ self.M @ place.T).tocsr()


def read_calculix_matrices(prefix: str | Path, mesh: Mesh) -> NodalMatrices:
    """Read the output of CalculiX for ``*FREQUENCY, SOLVER=MATRIXSTORAGE``: prefix.sti, prefix.mas, prefix.dof.

    The .dof file lists node and direction of every row; the others list the upper triangle as row, column, value. Their
    units are those with which the mesh was read (``read_mesh(path, units)``; default: SI).
    """
    dof_file, sti, mas = (Path(f"{prefix}.{ending}") for ending in ("dof", "sti", "mas"))
    dofs = _calculix_dofs(dof_file, mesh)
    size, units = len(dofs), _units_of(mesh)
    K, M = _triangle(sti, size), _triangle(mas, size)
    return NodalMatrices(dofs, units["stiffness"] * K, units["mass"] * M)


def read_abaqus_matrix(path: str | Path, mesh: Mesh, quantity: str | None = None) -> sparse.csr_matrix:
    """A matrix (3 nn, 3 nn) of ``*MATRIX GENERATE`` in the format MATRIX INPUT (.mtx): node, dof, node, dof, value.

    For symmetric matrices, either triangle or both may be listed. The result is in SI: N/m or kg.

    Parameters
    ----------
    mesh : read with the units of the matrix (``read_mesh(path, units)``; default: SI)
    quantity : "stiffness" or "mass"; None: from the file name, as Abaqus writes it (job_STIF2.mtx, job_MASS2.mtx). It
        matters only if the units are not SI.

    Raises
    ------
    BodyError : a line or node is invalid, or it is unknown whether the matrix is a stiffness or a mass.
    """
    units = _units_of(mesh)
    if quantity is None:
        named = [what for word, what in (("_STIF", "stiffness"), ("_MASS", "mass")) if word in Path(path).name.upper()]
        if len(named) != 1 and any(unit != 1.0 for unit in units.values()):
            raise BodyError(
                f"{path}: the mesh was read in {mesh.units}; state the quantity for the conversion: quantity='stiffness' or 'mass'"
            )
        quantity = named[0] if len(named) == 1 else "mass"
    if quantity not in units:
        raise BodyError(f"{path}: quantity must be 'stiffness' or 'mass', not {quantity!r}")
    rows = _table(Path(path), 5, "node, dof, node, dof, value", skip="*")
    first = _dofs(rows[:, 0], rows[:, 1], mesh, path)
    second = _dofs(rows[:, 2], rows[:, 3], mesh, path)
    return units[quantity] * _symmetric(first, second, rows[:, 4], 3 * len(mesh.points), str(path))


def _units_of(mesh: Mesh) -> dict[str, float]:
    """The units of stiffness and mass, in N/m and kg."""
    if not mesh.units:
        return {"stiffness": 1.0, "mass": 1.0}
    system = unit_system(mesh.units)
    return {"stiffness": system.mass / system.time**2, "mass": system.mass}


def _calculix_dofs(path: Path, mesh: Mesh) -> np.ndarray:
    nodes, directions = [], []
    for line, text in enumerate(read_lines(path, "CalculiX's list of degrees of freedom"), start=1):
        if text.strip():
            node, point, direction = text.strip().partition(".")
            if not point:
                raise BodyError(f"{path}:{line}: '{text.strip()[:40]}'; expected NODE.DIRECTION, for example 12.3")
            nodes.append(as_int(node, f"{path}:{line}"))
            directions.append(as_int(direction, f"{path}:{line}"))
    if not nodes:
        raise BodyError(f"{path}: is empty; expected lines of NODE.DIRECTION")
    dofs = _dofs(np.array(nodes), np.array(directions), mesh, path)
    if len(np.unique(dofs)) != len(dofs):
        raise BodyError(f"{path}: a degree of freedom is listed twice")
    return dofs


def _dofs(nodes: np.ndarray, directions: np.ndarray, mesh: Mesh, path) -> np.ndarray:
    order = np.argsort(mesh.node_ids)
    ids = np.asarray(mesh.node_ids)[order]
    index = np.minimum(np.searchsorted(ids, nodes), len(ids) - 1)
    if len(absent := np.flatnonzero(ids[index] != nodes)):
        raise BodyError(f"{path}: node {int(nodes[absent[0]])} is not in the mesh; use the mesh from which the matrix was made")
    if len(wrong := np.flatnonzero((directions < 1) | (directions > 3))):
        raise BodyError(
            f"{path}: node {int(nodes[wrong[0]])} has degree of freedom {int(directions[wrong[0]])}; only matrices of "
            "solids (1 to 3) are supported"
        )
    return 3 * order[index] + directions.astype(np.int64) - 1


def _triangle(path: Path, size: int) -> sparse.csr_matrix:
    rows = _table(path, 3, "row, column, value")
    if not len(rows):
        raise BodyError(f"{path}: is empty; expected lines of row, column, value")
    indices = rows[:, :2]
    if len(wrong := indices[(indices < 1) | (indices > size) | (indices != np.trunc(indices))]):
        raise BodyError(f"{path}: there is no row {wrong[0]:g}; the .dof file lists rows 1 to {size}")
    first, second = indices.astype(np.int64).T - 1
    return _symmetric(first, second, rows[:, 2], size, str(path))


def _symmetric(first, second, values, size: int, where: str) -> sparse.csr_matrix:
    upper, lower = first <= second, first >= second
    one = sparse.csr_matrix((values, (first, second)), (size, size))
    if not np.all(upper) and not np.all(lower):
        if abs(one - one.T).max() > 1e-9 * abs(one).max():
            raise BodyError(f"{where}: the matrix is not symmetric")
        return (0.5 * (one + one.T)).tocsr()
    return (one + one.T - sparse.diags(one.diagonal())).tocsr()


def _table(path: Path, columns: int, what: str, skip: str = "\0") -> np.ndarray:
    """(lines, columns) numbers of the lines that do not begin with ``skip``; errors give the line."""
    lines = enumerate(read_lines(path, f"lines of {what}"), start=1)
    kept = [(k, text.replace(",", " ")) for k, text in lines if text.strip() and not text.lstrip().startswith(skip)]
    words = " ".join(text for _k, text in kept).replace("D", "E").split()
    if len(words) != columns * len(kept):
        line, count = next((k, len(text.split())) for k, text in kept if len(text.split()) != columns)
        raise BodyError(f"{path}:{line}: {count} numbers; expected {what}")
    return as_floats(words, lambda i: f"{path}:{kept[i // columns][0]}").reshape(-1, columns)
