"""The family of shear panels: flat quadrilaterals whose edges carry shear flow alone (CSHEAR of Nastran, SHELL28 of Ansys).

The flows q_i along the four edges are in equilibrium, so that one number Q, their geometric mean, states them all
(S. J. Garvey, The quadrilateral 'shear' panel, Aircraft Engineering 23, 1951). Each acts with half of q_i L_i at either end of
its edge. As four points can only hold each other along the lines between them, these nodal forces are Q Omega x with force
densities Omega (4, 4), symmetric and with zero sums of rows. What Q does work on is then

    Gamma = 1/2 (x + u)^T Omega (x + u) - 1/2 x^T Omega x = x^T Omega u + 1/2 u^T Omega u,

which no motion of the panel as a rigid body changes, and  Q = Gamma / Z,  Z = A / (G t) (1 + 2 / (1 + nu) mean cot^2(alpha))
with the angle alpha between the lines from edge to edge. That is exact for parallelograms and Garvey's formula for trapezoids
(within 0.2 % of a fine mesh of membranes where the width falls from 0.9 to 0.4 over a height of 0.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from flexmbs.common.errors import MeshError
from flexmbs.fem.family import Family, Samples, as_samples, by_node, no_rotation
from flexmbs.fem.line_elements import stress_by_block
from flexmbs.fem.sparsity_pattern import NodePattern
from flexmbs.fem.stress_field import StressModes, SurfaceFields, some_rows, stacked_columns, vtk_faces
from flexmbs.mesh.element_kinds import KINDS, shape_gradients
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import Material
from flexmbs.mesh.quadrature import cube, surface_samples
from flexmbs.mesh.shell_geometry import check_surface, check_thickness, nodal_thickness, surface_offset

_PAIRS = np.array([(i, j) for i in range(4) for j in range(i)])
_SIGNS = np.array([-1.0, 1.0, -1.0, 1.0])  # of positive shear on the edges 1-2, 2-3, 3-4, 4-1, along them
_FLAT = 1e-3  # of the size: warp below it is none


@dataclass(frozen=True, eq=False)
class PanelElements:
    """All shear panels of a mesh."""

    ids: np.ndarray  # (ne,) int, numbers of the file
    block: np.ndarray  # (ne,) int, index into ``mesh.blocks``
    nodes: np.ndarray  # (ne, 4) int
    densities: np.ndarray  # (ne, 4, 4) m/m, Omega
    forces: np.ndarray  # (ne, 4, 3) m, Omega x
    stiffness: np.ndarray  # (ne,) N/m3, 1 / Z
    stress: np.ndarray  # (ne, 6) 1/m: of Q = 1 N/m, in ``axes``
    axes: np.ndarray  # (ne, 3, 3) rows: along edges 1-2 and 3-4, across, normal
    mass: np.ndarray  # (ne, 4, 4) kg, int N_i N_j dm

    def flow(self, fields: np.ndarray) -> np.ndarray:
        """(ne, n) N/m, Q of nodal fields (3 nn, n)."""
        return self.stiffness[:, None] * np.einsum("eik,eikn->en", self.forces, by_node(fields, 3)[self.nodes])


@dataclass(frozen=True, eq=False)
class ShearPanels(Family):
    """Shear panels; their nodes have no rotations, and nothing holds them across the panel."""

    elements: PanelElements
    scalar_mass: sparse.csr_matrix
    components: ClassVar[int] = 3
    moves_rigidly: ClassVar[bool] = False

    def matrices_of(self, chosen: np.ndarray) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        scalar_mass, K = _matrices(some_rows(self.elements, chosen[self.elements.block]), len(self.mesh.points))
        return sparse.kron(scalar_mass, sparse.eye(3), format="csr"), K

    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        e, nodal = self.elements, by_node(fields, 3)[self.elements.nodes]
        q = np.einsum("eikp,eij,ejkp->ep", nodal[..., pairs[:, 0]], e.densities, nodal[..., pairs[:, 1]], optimize=True)
        total = np.zeros((len(self.mesh.points), 3, len(pairs)))
        np.add.at(total, e.nodes, e.forces[..., None] * (e.stiffness[:, None] * q)[:, None, None])
        return total.reshape(3 * len(total), len(pairs))

    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        scaled = self.elements.flow(displacement[:, None])[:, :, None] * self.elements.densities
        return sparse.kron(NodePattern(len(self.mesh.points), [self.elements.nodes]).summed(scaled), sparse.eye(3), format="csr")

    def inertia_samples(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> Samples:
        first, second = (as_samples(by_node(fields, 3)) for fields in (modes, quadratic))
        return self.mesh.points, first, second, self.scalar_mass

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
        nodes = self.elements.nodes.ravel()
        first, second = (as_samples(by_node(fields, 3)[nodes]) for fields in (modes, quadratic))
        stress = self.stress_modes(modes, "element nodes", False).stress
        faces = vtk_faces(np.arange(len(nodes)).reshape(-1, 4))
        return SurfaceFields(self.mesh.points[nodes], faces, first, second, stress, self.elements.ids)

    def stress_modes(self, fields: np.ndarray, at: str, with_strain: bool) -> StressModes:
        """The same everywhere in a panel: at its middle ("integration points") or at its nodes."""
        e, inside = self.elements, at == "integration points"
        places = self.mesh.points[e.nodes]
        places = places.mean(axis=1, keepdims=True) if inside else places
        return stress_by_block(self.mesh, e, places, inside, e.axes, e.flow(fields).T[..., None] * e.stress, with_strain)

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        raise no_rotation(self.mesh.source, "a shear panel", point)


def shear_panels(mesh: Mesh) -> ShearPanels:
    """The shear panels of a mesh.

    Raises
    ------
    MeshError
        Other elements than quadrilaterals with four nodes; no isotropic material or thickness; corners that do not go round.
    """
    parts = [_block_elements(mesh, index, block) for index, block in enumerate(mesh.blocks)]
    elements = PanelElements(**stacked_columns(parts))
    scalar_mass, K = _matrices(elements, len(mesh.points))
    return ShearPanels(mesh, sparse.kron(scalar_mass, sparse.eye(3), format="csr"), K, elements, scalar_mass)


def _matrices(elements: PanelElements, node_count: int) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Scalar mass (nn, nn), kg, and stiffness (3 nn, 3 nn), N/m."""
    pattern, g = NodePattern(node_count, [elements.nodes]), elements.forces
    K = elements.stiffness[:, None, None, None, None] * g[:, :, :, None, None] * g[:, None, None]
    return pattern.summed(elements.mass), pattern.summed(K)


def _block_elements(mesh: Mesh, index: int, block: ElementBlock) -> dict[str, np.ndarray]:
    where, material = f"{block.where or mesh.source or 'mesh'}: shear panels {block.ids[:3].tolist()}...", block.material
    if block.kind != "quad4":
        raise MeshError(f"{where} are {block.kind} elements; a shear panel has four corners: use shells or membranes for others")
    if block.section.layers or not isinstance(material, Material):
        raise MeshError(f"{where} have layers or a material that is not isotropic; give one isotropic material and a thickness")
    if surface_offset(block).any():
        raise MeshError(f"{where} have an offset; shear panels lie on their nodes: set it to zero")
    check_thickness(block, where)
    check_surface(mesh, block)
    x, thickness = mesh.points[block.nodes], nodal_thickness(block)
    axes, area, cot, squared = _plane(x)
    densities = _densities(x, axes)
    G, nu, t = material.shear_modulus, material.poisson_ratio, thickness.mean(axis=1)
    _, areas, shapes = surface_samples(block.kind, x)
    per_area = material.density * thickness @ shapes.T + block.section.nonstructural_mass
    stress = np.zeros((len(x), 6))
    stress[:, 0], stress[:, 5] = 2.0 * cot / t, 1.0 / t
    return dict(
        ids=np.asarray(block.ids),
        block=np.full(len(x), index),
        nodes=np.asarray(block.nodes),
        densities=densities,
        forces=densities @ x,
        stiffness=G * t / (area * (1.0 + 2.0 * squared / (1.0 + nu))),
        stress=stress,
        axes=axes,
        mass=np.einsum("em,mi,mj->eij", areas * per_area, shapes, shapes),
    )


def _plane(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of panels with corners x (ne, 4, 3): axes (ne, 3, 3), area (ne,), m2, cot(alpha) at the middle and its mean square."""
    normal = np.cross(x[:, 2] - x[:, 0], x[:, 3] - x[:, 1])
    size = np.linalg.norm(normal, axis=1)
    normal = normal / size[:, None]
    along = x[:, 1] + x[:, 2] - x[:, 0] - x[:, 3]
    e1 = along - np.sum(along * normal, axis=1)[:, None] * normal
    e1 /= np.linalg.norm(e1, axis=1)[:, None]
    axes = np.stack([e1, np.cross(normal, e1), normal], axis=1)
    gradients = shape_gradients(KINDS["quad4"], np.vstack([[0.0, 0.0], cube(2, 2)[0]]))
    lines = np.einsum("mir,eik,eak->mera", gradients, x, axes[:, :2])
    area = lines[..., 0, 0] * lines[..., 1, 1] - lines[..., 0, 1] * lines[..., 1, 0]
    cot = np.sum(lines[..., 0, :] * lines[..., 1, :], axis=-1) / area
    return axes, 0.5 * size, cot[0], np.mean(cot[1:] ** 2, axis=0)


def _densities(x: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Omega (ne, 4, 4) of convex panels with corners x (ne, 4, 3)."""
    arms = np.einsum("eik,eak->eia", x - x.mean(axis=1, keepdims=True), axes[:, :2])
    edges = _SIGNS[:, None] * (np.roll(arms, -1, axis=1) - arms)
    moments = arms[..., 0] * edges[..., 1] - arms[..., 1] * edges[..., 0]
    size = np.abs(arms).max(axis=(1, 2))[:, None]
    balance = np.stack([edges[..., 0] / size, edges[..., 1] / size, moments / size**2], axis=1)
    flows = np.linalg.svd(balance)[2][:, 3]  # what leaves no resultant
    flows = np.abs(flows) / np.exp(np.log(np.abs(flows)).mean(axis=1, keepdims=True))  # all have one sign
    along = 0.5 * flows[..., None] * edges
    forces = (along + np.roll(along, 1, axis=1)) @ axes[:, :2]
    lines = np.zeros((len(x), 4, 3, len(_PAIRS)))
    for k, (i, j) in enumerate(_PAIRS):
        lines[:, i, :, k], lines[:, j, :, k] = x[:, i] - x[:, j], x[:, j] - x[:, i]
    inverse = np.linalg.pinv(lines.reshape(len(x), 12, -1), rcond=_FLAT)
    w = (inverse @ forces.reshape(len(x), 12, 1))[..., 0]
    omega = np.zeros((len(x), 4, 4))
    for k, (i, j) in enumerate(_PAIRS):
        omega[:, i, j] = omega[:, j, i] = -w[:, k]
    omega[:, range(4), range(4)] = -omega.sum(axis=2)
    return omega
