"""The family of trusses: axial force along a straight line between two nodes, and torsion where the section has some."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.common.errors import MeshError
from flexmbs.fem.family import Samples, as_samples, no_rotation, pair_factors
from flexmbs.fem.line_elements import TURN1, TURN2, U1, U2, LineElements, LineFamily, stress_by_block
from flexmbs.fem.rigid_motion import rotated_offset
from flexmbs.fem.section_forces import SectionForceModes
from flexmbs.fem.stress_field import StressModes, SurfaceFields, as_six, some_rows, stacked_columns
from flexmbs.mesh.coordinate_systems import across
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import Material, TrussSection

TRUSS_KINDS = ("truss2", "truss3")
# Two Gauss points integrate products of fields that are linear along the line.
GAUSS_POINTS = 0.5 + np.array([-0.5, 0.5]) / np.sqrt(3.0)
_DRAWN_CORNERS = 8


@dataclass(frozen=True, eq=False)
class TrussElements(LineElements):
    """All trusses of a mesh; a three-node one counts as two. Strains: axial (m/m) and twist (rad/m)."""

    ids: np.ndarray  # (ne,) int, the file's element numbers
    block: np.ndarray  # (ne,) int, index into ``mesh.blocks``
    start: np.ndarray  # (ne, 3), m, position of the first node
    length: np.ndarray  # (ne,), m
    direction: np.ndarray  # (ne, 3), unit vector from the first node to the second
    area: np.ndarray  # (ne,), m2
    youngs_modulus: np.ndarray  # (ne,), Pa
    line_mass: np.ndarray  # (ne,), kg/m

    def slope(self, values: np.ndarray) -> np.ndarray:
        """u' (ne, 3, n) along the line, of element values (ne, 12, n)."""
        return (values[:, U2] - values[:, U1]) / self.length[:, None, None]

    def second_order_strain(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Axial: the quadratic part u' . u' of the Green strain, as solids have it.

        Twist: that of the end sections' rotations exp(theta1), exp(theta2) about the line as it lies, to second order
        theta1 x theta2 . e / L + 2 theta' . u'_across; a rigid rotation of the whole leaves it as it is.
        """
        ua, ub, e = self.slope(a), self.slope(b), self.direction[:, :, None]
        twist_a, twist_b = ((v[:, TURN2] - v[:, TURN1]) / self.length[:, None, None] for v in (a, b))
        across_a, across_b = (u - e * np.sum(e * u, axis=1, keepdims=True) for u in (ua, ub))
        turned = np.cross(a[:, TURN1], b[:, TURN2], axis=1) + np.cross(b[:, TURN1], a[:, TURN2], axis=1)
        twist = 0.5 * np.sum(e * turned, axis=1) / self.length[:, None]
        twist += np.sum(twist_a * across_b + twist_b * across_a, axis=1)
        return np.stack([np.sum(ua * ub, axis=1), twist], axis=1)

    @property
    def ends(self) -> np.ndarray:
        """(ne, 2, 3) m."""
        return np.stack([self.start, self.start + self.length[:, None] * self.direction], axis=1)

    @property
    def axes(self) -> np.ndarray:
        """(ne, 3, 3) rows: along, and any two directions across."""
        return np.stack([self.direction, *across(self.direction)], axis=1)

    def axial_force(self, values: np.ndarray) -> np.ndarray:
        """(ne, n) N, tension positive, of element values (ne, 12, n) by first-order strain."""
        return (self.youngs_modulus * self.area)[:, None] * (self.strain[:, :1] @ values)[:, 0]


@dataclass(frozen=True, eq=False)
class Trusses(LineFamily):
    """Trusses. They turn nothing: nodal rotations have stiffness only by torsion, and no mass."""

    elements: TrussElements

    def matrices_of(self, chosen: np.ndarray) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        return _matrices(some_rows(self.elements, chosen[self.elements.block]), len(self.mesh.points))

    def inertia_samples(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> Samples:
        """Displacements are linear along a truss, to second order too."""
        e, s = self.elements, GAUSS_POINTS[:, None]
        x, first, second = (
            (1.0 - s)[..., None] * values[:, None, 0] + s[..., None] * values[:, None, 1]
            for values in (e.ends[..., None], self._at_ends(modes), self._at_ends(quadratic))
        )
        W = sparse.diags(np.repeat(0.5 * e.line_mass * e.length, 2), format="csr")
        return x.reshape(-1, 3), as_samples(first), as_samples(second), W

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
        """Round bars of the trusses' area, turned with their lines; stress along the line, of first-order strain."""
        e = self.elements
        rho = _ring(e)
        axis = e.direction[:, :, None]
        u, z = self._at_ends(modes), self._at_ends(quadratic)
        slope, slope2 = ((v[:, 1] - v[:, 0]) / e.length[:, None, None] for v in (u, z))
        turn = np.cross(axis, slope, axis=1)
        turn2 = np.cross(axis, slope2, axis=1) + pair_factors(pairs) * _turn_of_stretched(e, slope, pairs)
        bent = rotated_offset(turn[:, None, :, pairs[:, 0]], turn[:, None, :, pairs[:, 1]], rho)
        bent = pair_factors(pairs) * bent + np.cross(turn2[:, None], rho[..., None], axis=2)
        first = u[:, :, None] + np.cross(turn[:, None], rho[..., None], axis=2)[:, None]
        second = z[:, :, None] + bent[:, None]
        along = as_six(e.direction[:, :, None] * e.direction[:, None])
        stress = (e.youngs_modulus * np.sum(axis * slope, axis=1).T)[:, :, None] * along
        stress = np.repeat(stress[:, :, None], 2 * _DRAWN_CORNERS, axis=2)
        return SurfaceFields(
            points=(e.ends[:, :, None] + rho[:, None]).reshape(-1, 3),
            faces=_faces(len(e.nodes)),
            modes=as_samples(first),
            quadratic=as_samples(second),
            stress_modes=stress.reshape(len(stress), 2 * _DRAWN_CORNERS * len(e.nodes), 6),
            elements=np.repeat(e.ids, _DRAWN_CORNERS + 2),
        )

    def section_force_modes(self, fields: np.ndarray) -> SectionForceModes:
        """N and T of every truss, the same at both ends."""
        e = self.elements
        both = (e.stiffness / e.length[:, None])[:, :, None] * (e.strain @ e.local(fields))
        forces = np.zeros((both.shape[2], len(both), 2, 6))
        forces[..., 0], forces[..., 3] = both[:, 0].T[..., None], both[:, 1].T[..., None]
        return SectionForceModes(e.ids, e.ends, e.axes, forces)

    def stress_modes(self, fields: np.ndarray, at: str, with_strain: bool) -> StressModes:
        """N / A along the line, at the middle ("integration points") or at both ends."""
        e, inside = self.elements, at == "integration points"
        stress = np.zeros((fields.shape[1], len(e.ids), 6))
        stress[..., 0] = (e.axial_force(e.local(fields)) / e.area[:, None]).T
        places = e.ends.mean(axis=1, keepdims=True) if inside else e.ends
        return stress_by_block(self.mesh, e, places, inside, e.axes, stress, with_strain)

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        raise no_rotation(self.mesh.source, "a truss or spring", point)

    def _at_ends(self, fields: np.ndarray) -> np.ndarray:
        """(ne, 2, 3, n) displacements of the ends."""
        values = self.elements.local(fields)
        return np.stack([values[:, U1], values[:, U2]], axis=1)


def trusses(mesh: Mesh) -> Trusses:
    """The trusses of a mesh.

    Raises
    ------
    MeshError
        No section, or an impossible one; length zero. (Materials are checked where models are assembled.)
    """
    parts = [_block_elements(mesh, index, block) for index, block in enumerate(mesh.blocks)]
    elements = TrussElements(**stacked_columns(parts))
    return Trusses(mesh, *_matrices(elements, len(mesh.points)), elements)


def _matrices(elements: TrussElements, node_count: int) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """M, consistent for displacements linear along each line, and K."""
    line = np.kron(np.array([[2.0, 1.0], [1.0, 2.0]]) / 6.0, np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]))
    masses = (elements.line_mass * elements.length)[:, None, None] * line
    return elements.matrix(masses, node_count), elements.stiffness_matrix(node_count)


def _block_elements(mesh: Mesh, index: int, block: ElementBlock) -> dict[str, np.ndarray]:
    section, material = _checked(mesh, block)
    nodes, ids = np.asarray(block.nodes), np.asarray(block.ids)
    if block.kind == "truss3":  # ends first, then the middle
        nodes, ids = nodes[:, [0, 2, 2, 1]].reshape(-1, 2), np.repeat(ids, 2)
    start, along = mesh.points[nodes[:, 0]], mesh.points[nodes[:, 1]] - mesh.points[nodes[:, 0]]
    length = np.linalg.norm(along, axis=1)
    if not np.all(length > 0.0):
        raise MeshError(f"{block.where or mesh.source or 'mesh'}: truss element {ids[np.argmin(length)]} has zero length")
    direction = along / length[:, None]
    count = len(length)
    strain = np.zeros((count, 2, 12))
    for row, first, second in ((0, U1, U2), (1, TURN1, TURN2)):
        strain[:, row, first], strain[:, row, second] = -direction / length[:, None], direction / length[:, None]
    rigidity = [material.youngs_modulus * section.area, material.shear_modulus * section.torsion_constant]
    return dict(
        nodes=nodes,
        strain=strain,
        stiffness=length[:, None] * rigidity,
        ids=ids,
        block=np.full(count, index),
        start=start,
        length=length,
        direction=direction,
        area=np.full(count, section.area),
        youngs_modulus=np.full(count, material.youngs_modulus),
        line_mass=np.full(count, material.density * section.area + section.nonstructural_mass),
    )


def _checked(mesh: Mesh, block: ElementBlock) -> tuple[TrussSection, Material]:
    where = f"{block.where or mesh.source or 'mesh'}: truss elements {block.ids[:3].tolist()}..."
    section, material = block.section, block.material
    if not isinstance(section, TrussSection):
        raise MeshError(f"{where} have no section; give a TrussSection with an area (m2)")
    if not section.area > 0.0 or section.torsion_constant < 0.0 or section.nonstructural_mass < 0.0:
        raise MeshError(
            f"{where} have area = {section.area:g} m2, torsion_constant = {section.torsion_constant:g} m4,"
            f" nonstructural_mass = {section.nonstructural_mass:g} kg/m; the area must be positive and the others"
            " must not be negative"
        )
    return section, material


def _turn_of_stretched(elements: TrussElements, slope: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(ne, 3, npairs): second-order rotation of a line, e x u' - (e . u') (e x u'), its bilinear quadratic part."""
    axis = elements.direction[:, :, None]
    a, b = slope[..., pairs[:, 0]], slope[..., pairs[:, 1]]
    along_a, along_b = (np.sum(axis * v, axis=1, keepdims=True) for v in (a, b))
    return -(along_a * np.cross(axis, b, axis=1) + along_b * np.cross(axis, a, axis=1))


def _ring(elements: TrussElements) -> np.ndarray:
    """(ne, corners, 3) m: a polygon of the section's area around the line."""
    y, z = across(elements.direction)
    angle = 2.0 * np.pi * np.arange(_DRAWN_CORNERS) / _DRAWN_CORNERS
    radius = np.sqrt(elements.area / (0.5 * _DRAWN_CORNERS * np.sin(2.0 * np.pi / _DRAWN_CORNERS)))
    return radius[:, None, None] * (np.cos(angle)[:, None] * y[:, None] + np.sin(angle)[:, None] * z[:, None])


def _faces(count: int) -> np.ndarray:
    """VTK faces of closed prisms with consecutive points: first end, second end."""
    k = _DRAWN_CORNERS
    i = np.arange(k)
    j = np.roll(i, -1)
    one = [np.column_stack([i, j, k + j, k + i]), i[::-1], k + i]
    faces = []
    for number in range(count):
        base = 2 * k * number
        faces.append(np.column_stack([np.full(k, 4), base + one[0]]).ravel())
        faces += [np.concatenate([[k], base + ring]) for ring in one[1:]]
    return np.concatenate(faces)
