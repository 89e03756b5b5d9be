"""The family of springs, dashpots and bushings: their elongation and rotation as functions of the motion of their nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.common.errors import MeshError
from flexmbs.fem.family import Samples, as_samples, by_node, no_rotation
from flexmbs.fem.line_elements import TURN1, TURN2, U1, U2, LineElements, LineFamily
from flexmbs.fem.rigid_motion import rigid_motions, skew
from flexmbs.fem.section_forces import SpringForces
from flexmbs.fem.stress_field import stacked_columns
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import SpringSection

SPRING_KINDS = ("spring1", "spring2")
FIXED, AXIAL, BUSHING = range(3)
_SAME_PLACE = 1e-10  # of the mesh's size: nodes nearer than this are at one place
_ALONG = 1e-9  # sine of the angle below which a component acts along the line between the nodes


@dataclass(frozen=True, eq=False)
class SpringElements(LineElements):
    """All springs of a mesh. Strains: three displacements (m) and three rotations (rad) of end 2 against end 1.

    Springs along their line use the first alone. A spring to ground has its one node twice, the second without part
    in the strains.
    """

    damping: np.ndarray  # (ne, 6), N s/m and N m s/rad, as ``stiffness``
    # (ne,) int, what happens to second order: AXIAL, the line turns with its ends; BUSHING, the axes turn with the mean of both
    # rotations; FIXED, directions do not turn (to ground, or between different components)
    law: np.ndarray
    # direction, length: (ne, 3), (ne,) m, of AXIAL springs
    direction: np.ndarray
    length: np.ndarray
    arms: np.ndarray  # (ne, 2, 3), m, of BUSHING springs: from the nodes to the place between them where they act
    axes: np.ndarray  # (ne, 3, 3), columns are the directions of the first three strains in mesh axes
    mass: np.ndarray  # (ne,), kg, half of it at each node
    names: tuple[str, ...]  # file, line, type and number of each
    grounded: np.ndarray  # (ne,) bool

    def second_order_strain(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        q = np.zeros((len(self.nodes), 6, a.shape[2]))
        line, bushing = self.law == AXIAL, self.law == BUSHING
        e, L = self.direction[line, :, None], self.length[line, None]
        across = []
        for v in (a[line], b[line]):
            apart = v[:, U2] - v[:, U1]
            across.append(apart - e * np.sum(e * apart, axis=1, keepdims=True))
        # the length of the line to second order: e . du + |du across|^2 / 2 L
        q[line, 0] = np.sum(across[0] * across[1], axis=1) / L
        to_axes = self.axes[bushing].transpose(0, 2, 1)
        moved, turned = _bushing_strain(a[bushing], b[bushing], self.arms[bushing])
        q[bushing, :3], q[bushing, 3:] = to_axes @ moved, to_axes @ turned
        return q

    def resisting_rotation(self, points: np.ndarray) -> tuple[str, ...]:
        """Names of springs between nodes that a small rigid-body motion of both strains: they restrain the body."""
        names = []
        for row in np.flatnonzero(~self.grounded & (self.law == FIXED)):
            ends = points[self.nodes[row]]
            motions = rigid_motions(ends, 6, ends.mean(axis=0))
            felt = self.strain[row] @ motions
            acts = (self.stiffness[row] != 0.0) | (self.damping[row] != 0.0)
            if np.abs(felt[acts]).max(initial=0.0) > _ALONG * max(1.0, np.ptp(ends, axis=0).max()):
                names.append(self.names[row])
        return tuple(names)


def _bushing_strain(a: np.ndarray, b: np.ndarray, arms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q(a, b) (ne, 3, k) of displacements and rotations between the ends of rigid arms, seen in their mean rotation.

    With exp(theta) of each end, and d = u2 + theta2 x r2 - u1 - theta1 x r1: displacement to second order
    d + 1/2 theta2 x (theta2 x r2) - 1/2 theta1 x (theta1 x r1) - 1/2 (theta1 + theta2) x d, rotation
    theta2 - theta1 - 1/2 theta1 x theta2.
    """
    r1, r2 = arms[:, 0, :, None], arms[:, 1, :, None]

    def gap(v: np.ndarray) -> np.ndarray:
        return v[:, U2] + np.cross(v[:, TURN2], r2, axis=1) - v[:, U1] - np.cross(v[:, TURN1], r1, axis=1)

    def half(v: np.ndarray, w: np.ndarray) -> np.ndarray:
        mean = 0.5 * (v[:, TURN1] + v[:, TURN2])
        ends = np.cross(v[:, TURN2], np.cross(w[:, TURN2], r2, axis=1), axis=1)
        ends -= np.cross(v[:, TURN1], np.cross(w[:, TURN1], r1, axis=1), axis=1)
        return 0.5 * ends - np.cross(mean, gap(w), axis=1)

    turned = -0.5 * (np.cross(a[:, TURN1], b[:, TURN2], axis=1) + np.cross(b[:, TURN1], a[:, TURN2], axis=1))
    return half(a, b) + half(b, a), turned


@dataclass(frozen=True, eq=False)
class Springs(LineFamily):
    """Springs, whose masses sit at their nodes.

    A bushing between nodes that are apart acts in the middle, on rigid arms from both nodes (as the CBUSH of Nastran
    does), so that rotation of the whole strains nothing.
    """

    elements: SpringElements

    @property
    def damping(self) -> sparse.csr_matrix | None:
        if not self.elements.damping.any():
            return None
        return self.elements.stiffness_matrix(len(self.mesh.points), self.elements.damping)

    @property
    def restraining(self) -> tuple[str, ...]:
        """Springs and dashpots to ground, and those between two nodes that a small rigid motion strains."""
        e = self.elements
        holding = e.grounded & (e.stiffness.any(axis=1) | e.damping.any(axis=1))
        to_ground = tuple(name for name, held in zip(e.names, holding, strict=True) if held)
        return to_ground + e.resisting_rotation(self.mesh.points)

    def spring_forces(self, displacement: np.ndarray) -> SpringForces:
        e, ids = self.elements, [np.asarray(block.ids) for block in self.mesh.blocks]
        return SpringForces(np.concatenate(ids), e.names, e.stiffness * (e.strain @ e.local(displacement))[..., 0])

    def inertia_samples(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> Samples:
        """Half of each mass at each of its nodes."""
        heavy = self.elements.mass > 0.0
        nodes = self.elements.nodes[heavy].ravel()
        W = sparse.diags(np.repeat(0.5 * self.elements.mass[heavy], 2), format="csr", shape=2 * (len(nodes),))
        first, second = (as_samples(by_node(f, 6)[nodes, :3]) for f in (modes, quadratic))
        return self.mesh.points[nodes], first, second, W

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        raise no_rotation(self.mesh.source, "a truss or spring", point)


def springs(mesh: Mesh) -> Springs:
    """The springs of a mesh.

    Raises
    ------
    MeshError
        A spring without section, negative constants, a spring along its line without one.
    """
    size = np.ptp(mesh.points, axis=0).max()
    parts = [_block_elements(mesh, size, block) for block in mesh.blocks]
    names = tuple(name for part in parts for name in part.pop("names"))
    elements = SpringElements(**stacked_columns(parts), names=names)
    halves = np.tile([0.5, 0.5, 0.5, 0.0, 0.0, 0.0], 2)
    M = elements.matrix(elements.mass[:, None, None] * np.diag(halves), len(mesh.points))
    return Springs(mesh, M, elements.stiffness_matrix(len(mesh.points)), elements)


def _block_elements(mesh: Mesh, size: float, block: ElementBlock) -> dict:
    names = [f"{block.where or mesh.source or 'mesh'}: {block.type_name or block.kind} element {i}" for i in block.ids]
    count, grounded = len(names), block.kind == "spring1"
    section = _checked_section(block, names[0])
    nodes = np.repeat(block.nodes, 2, axis=1) if grounded else np.asarray(block.nodes)
    axes = np.eye(3) if section.axes is None else np.asarray(section.axes, float)
    line = mesh.points[nodes[:, 1]] - mesh.points[nodes[:, 0]]
    length = np.linalg.norm(line, axis=1)
    apart = length > _SAME_PLACE * size
    if section.axial and not apart.all():
        where = "has one node only" if grounded else "connects coincident nodes"
        raise MeshError(f"{names[np.argmin(apart)]} acts along its line but {where}; give it a direction (axes)")
    law = _laws(section, axes, line, length, apart, grounded)
    direction = np.where((law == AXIAL)[:, None], line / np.where(apart, length, 1.0)[:, None], 0.0)
    arms = 0.5 * np.stack([line, -line], axis=1) * ((law == BUSHING) & apart)[:, None, None]
    strain = np.zeros((count, 6, 12))
    strain[law == FIXED] = _fixed_strain(section, axes, grounded)
    strain[law == BUSHING] = _arm_strain(axes, arms[law == BUSHING])
    strain[law == AXIAL, 0, U1], strain[law == AXIAL, 0, U2] = -direction[law == AXIAL], direction[law == AXIAL]
    return dict(
        names=names,
        nodes=nodes,
        strain=strain,
        stiffness=_constants(section, section.stiffness, law),
        damping=_constants(section, section.damping, law),
        law=law,
        direction=direction,
        length=np.where(apart, length, 1.0),
        arms=arms,
        axes=np.broadcast_to(axes, (count, 3, 3)),
        mass=np.full(count, float(section.mass)),
        grounded=np.full(count, grounded),
    )


def _checked_section(block: ElementBlock, name: str) -> SpringSection:
    section = block.section
    if not isinstance(section, SpringSection):
        raise MeshError(f"{name} has no stiffness; give a SpringSection (N/m, N m/rad)")
    for what in ("stiffness", "damping", "mass"):
        values = np.ravel(np.asarray(getattr(section, what), float))
        if not (np.isfinite(values).all() and values.min() >= 0.0):
            raise MeshError(f"{name} has {what} {values.tolist()}; it must not be negative")
    return section


def _laws(section: SpringSection, axes, line, length, apart, grounded: bool) -> np.ndarray:
    """(ne,) of each spring; one between like components that resists no rigid motion turns with the body."""
    law = np.full(len(line), FIXED)
    if section.axial:
        law[:] = AXIAL
    elif section.first_dof is None:
        law[:] = FIXED if grounded else BUSHING
    elif not grounded and section.first_dof == (section.second_dof or section.first_dof):
        law[~apart | (section.first_dof > 3)] = BUSHING
        if section.first_dof <= 3:
            aligned = np.linalg.norm(np.cross(line, axes[:, section.first_dof - 1]), axis=1) <= _ALONG * length
            law[apart & aligned] = AXIAL
    return law


def _fixed_strain(section: SpringSection, axes: np.ndarray, grounded: bool) -> np.ndarray:
    """(6, 12) of springs whose directions do not turn."""
    strain = np.zeros((6, 12))
    if section.first_dof is None:
        strain[:3, U1], strain[3:, TURN1] = axes.T, axes.T
        return strain
    first, second = section.first_dof - 1, (section.second_dof or section.first_dof) - 1
    strain[0, 3 * (first // 3) : 3 * (first // 3) + 3] = axes[:, first % 3]
    if not grounded:
        place = 6 + 3 * (second // 3)
        strain[0, place : place + 3] = -axes[:, second % 3]
    return strain


def _arm_strain(axes: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """(ne, 6, 12) of bushings with arms (ne, 2, 3): end 2 against end 1, in the spring's axes."""
    strain = np.zeros((len(arms), 6, 12))
    for moved, turned, arm, sign in ((U1, TURN1, 0, -1.0), (U2, TURN2, 1, 1.0)):
        strain[:, :3, moved], strain[:, 3:, turned] = sign * axes.T, sign * axes.T
        strain[:, :3, turned] = -sign * axes.T @ skew(arms[:, arm])
    return strain


def _constants(section: SpringSection, values: np.ndarray, law: np.ndarray) -> np.ndarray:
    """(ne, 6): all six, or the value of an axial or scalar spring at the position of its strain."""
    values = np.asarray(values, float)
    if section.first_dof is None and not section.axial:
        return np.tile(values, (len(law), 1))
    place = np.where(law == BUSHING, (section.first_dof or 1) - 1, 0)
    found = np.zeros((len(law), 6))
    found[np.arange(len(law)), place] = values[0]
    return found
