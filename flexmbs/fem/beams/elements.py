"""Two-node straight beam elements: properties, shape functions, stiffness and mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.fem.stress_field import stacked_columns
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import BeamSection

# Six Gauss points integrate polynomials up to degree 11: products of two second-order fields (degree 5 each).
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(6)
GAUSS_POINTS, GAUSS_WEIGHTS = 0.5 * (1.0 + _POINTS), 0.5 * _WEIGHTS
ENDS = np.array([0.0, 1.0])


@dataclass(frozen=True, eq=False)
class BeamElements:
    """All beam elements of a mesh, one entry per element; local axes 1 along, 2 and 3 section y and z."""

    ids: np.ndarray  # (ne,) int, numbers of the file
    nodes: np.ndarray  # (ne, 2) int
    block: np.ndarray  # (ne,) int, index into ``mesh.blocks``
    start: np.ndarray  # (ne, 3), m, position of the first node
    length: np.ndarray  # (ne,), m
    frame: np.ndarray  # (ne, 3, 3), rows are the local axes in mesh axes
    force_stiffness: np.ndarray  # (ne, 3), N: EA, kGA_y, kGA_z (Euler-Bernoulli: the shear entries are 0 since shear strain is 0)
    moment_stiffness: np.ndarray  # (ne, 3), N m2: GJ, E Iy, E Iz
    shear_ratio: np.ndarray  # (ne, 2): 12 E Iz / (kGA_y L^2) and 12 E Iy / (kGA_z L^2); 0 for Euler-Bernoulli
    shear_center: np.ndarray  # (ne, 2), m, along y and z from the centroid, which runs through the nodes
    line_mass: np.ndarray  # (ne,), kg/m
    gyration: np.ndarray  # (ne, 2), m: sqrt(Iz / A) along y, sqrt(Iy / A) along z
    rotary_inertia: bool
    euler_bernoulli: bool

    @property
    def ends(self) -> np.ndarray:
        """(ne, 2, 3) m."""
        along = self.length[:, None] * self.frame[:, 0]
        return np.stack([self.start, self.start + along], axis=1)

    @property
    def rotary_mass(self) -> np.ndarray:
        """(ne, 3), kg m: density times polar moment, Iy, Iz; zero without rotary inertia."""
        y2, z2 = self.gyration[:, 0] ** 2, self.gyration[:, 1] ** 2
        return self.rotary_inertia * self.line_mass[:, None] * np.stack([y2 + z2, z2, y2], axis=1)

    @property
    def polar_radius_squared(self) -> np.ndarray:
        """(ne,) m2: mean square distance of the area from the shear centre, about which torsion turns it."""
        return np.sum(self.gyration**2, axis=1) + np.sum(self.shear_center**2, axis=1)

    def section_forces(self, shapes: BeamShapes) -> np.ndarray:
        """(ne, g, 3, 12) N: axial and shear forces of unit element values, in local axes.

        Where shear strain is 0 by assumption, shear is what balances the bending moments (the limit of kGA times
        strain for a growing shear stiffness), so that second-order shear strain is excluded too.
        """
        forces = shapes.force_strain * self.force_stiffness[:, None, :, None]
        pattern = np.array([-1.0, -0.5, 1.0, -0.5])
        for plane, (columns, sign, moment) in enumerate((((1, 5, 7, 11), 1.0, 2), ((2, 4, 8, 10), -1.0, 1))):
            rigid = self.shear_ratio[:, plane] == 0.0
            length = self.length[rigid, None]
            balance = 12.0 * self.moment_stiffness[rigid, moment, None] / length**2 * pattern * [1.0, sign, 1.0, sign]
            balance[:, [0, 2]] /= length
            of_plane = np.zeros((np.count_nonzero(rigid), 12))
            of_plane[:, columns] = balance
            forces[rigid, :, plane + 1] = of_plane[:, None] @ self.to_shear_center[rigid]
        return forces

    @property
    def to_shear_center(self) -> np.ndarray:
        """(ne, 12, 12): element values with the displacements across taken at the shear centre, u + theta x e."""
        y, z = self.shear_center.T
        T = np.tile(np.eye(12), (len(y), 1, 1))
        for first in (0, 6):
            T[:, first + 1, first + 3], T[:, first + 2, first + 3] = -z, y
        return T

    @property
    def to_local_values(self) -> np.ndarray:
        """(ne, 12, 12): element values in mesh axes to local axes."""
        turn = np.zeros((len(self.length), 12, 12))
        for k in range(0, 12, 3):
            turn[:, k : k + 3, k : k + 3] = self.frame
        return turn

    def local(self, fields: np.ndarray) -> np.ndarray:
        """Nodal values (ndof, n) in mesh axes to element values (ne, 12, n) in local axes."""
        count = fields.shape[1]
        nodal = fields.reshape(len(fields) // 6, 2, 3, count)[self.nodes]
        return (self.frame[:, None, None] @ nodal).reshape(len(self.nodes), 12, count)

    def gathered(self, loads: np.ndarray, node_count: int) -> np.ndarray:
        """Element loads (ne, 12, n) in local axes, summed to nodal loads (ndof, n) in mesh axes."""
        count = loads.shape[2]
        turned = self.frame.transpose(0, 2, 1)[:, None, None] @ loads.reshape(len(loads), 2, 2, 3, count)
        total = np.zeros((node_count, 2, 3, count))
        np.add.at(total, self.nodes, turned)
        return total.reshape(6 * node_count, count)


@dataclass(frozen=True, eq=False)
class BeamFields:
    """Fields at points of each element in local axes, all (ne, g, 3, n): displacement, rotation, x-derivatives."""

    u: np.ndarray
    turn: np.ndarray
    du: np.ndarray
    dturn: np.ndarray

    def pick(self, columns: np.ndarray) -> BeamFields:
        return BeamFields(*(f[..., columns] for f in (self.u, self.turn, self.du, self.dturn)))


@dataclass(frozen=True, eq=False)
class BeamShapes(BeamFields):
    """Matrices (ne, g, 3, 12) from local element values to displacement (of the centroid) and rotation, and derivatives."""

    shear_center: np.ndarray  # as in ``BeamElements``

    @property
    def force_strain(self) -> np.ndarray:
        """(ne, g, 3, 12): axial strain u', shear v' - theta_z and w' + theta_y, with v and w at the shear centre."""
        strain = self.du + at_shear_center(self.shear_center, self.dturn)
        strain[:, :, 1] -= self.turn[:, :, 2]
        strain[:, :, 2] += self.turn[:, :, 1]
        return strain


def at_shear_center(center: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """theta x e across the beam for turns (ne, g, 3, n) and shear centres e (ne, 2): what twist adds there."""
    across = np.zeros_like(turn)
    across[:, :, 1] = -center[:, None, 1, None] * turn[:, :, 0]
    across[:, :, 2] = center[:, None, 0, None] * turn[:, :, 0]
    return across


def beam_elements(mesh: Mesh, euler_bernoulli: bool, rotary_inertia: bool) -> BeamElements:
    """Collect the properties of all beam elements of ``mesh``; MeshError for missing or impossible ones."""
    parts = [_block_elements(mesh, k, block, euler_bernoulli) for k, block in enumerate(mesh.blocks)]
    joined = stacked_columns(parts)
    return BeamElements(**joined, rotary_inertia=rotary_inertia, euler_bernoulli=euler_bernoulli)


def _block_elements(mesh: Mesh, index: int, block: ElementBlock, euler_bernoulli: bool) -> dict[str, np.ndarray]:
    section, material = checked_section(mesh, block), block.material
    start, end = mesh.points[block.nodes[:, 0]], mesh.points[block.nodes[:, 1]]
    length = np.linalg.norm(end - start, axis=1)
    if not np.all(length > 0.0):
        raise MeshError(f"{mesh.source or 'mesh'}: beam element {block.ids[np.argmin(length)]} has zero length")
    count = len(length)
    EA = material.youngs_modulus * section.area
    GA = material.shear_modulus * section.area
    EI = material.youngs_modulus * np.array([section.Iz, section.Iy])
    shear = np.array([section.shear_factor_y, section.shear_factor_z]) * GA
    if euler_bernoulli:
        shear_ratio, shear = np.zeros((count, 2)), np.zeros(2)
    else:
        shear_ratio = 12.0 * EI / (shear * length[:, None] ** 2)
        shear = np.where(np.isinf(shear), 0.0, shear)  # rigid in shear: no strain there, so no stiffness is needed
    GJ = material.shear_modulus * section.torsion_constant
    return dict(
        ids=np.asarray(block.ids),
        nodes=np.asarray(block.nodes),
        block=np.full(count, index),
        start=start,
        length=length,
        frame=beam_frames((end - start) / length[:, None], block, mesh.source),
        force_stiffness=np.tile([EA, *shear], (count, 1)),
        moment_stiffness=np.tile([GJ, EI[1], EI[0]], (count, 1)),
        shear_ratio=shear_ratio,
        shear_center=np.tile(np.asarray(section.shear_center, float), (count, 1)),
        line_mass=np.full(count, material.density * section.area + section.nonstructural_mass),
        gyration=np.tile(np.sqrt([section.Iz / section.area, section.Iy / section.area]), (count, 1)),
    )


def checked_section(mesh: Mesh, block: ElementBlock) -> BeamSection:
    """The section of a block of beams; MeshError when there is none or one of its integrals is not positive."""
    section, where = block.section, f"{mesh.source or 'mesh'}: beam elements {block.ids[:3].tolist()}..."
    if section is None:
        raise MeshError(f"{where} have no section; give area (m2), moments of area (m4) and the direction of local y")
    for name in ("area", "Iy", "Iz", "torsion_constant", "shear_factor_y", "shear_factor_z"):
        if not getattr(section, name) > 0.0:
            raise MeshError(f"{where}: section {name} is {getattr(section, name)}, not above 0")
    return section


def beam_frames(e1: np.ndarray, block: ElementBlock, source: str) -> np.ndarray:
    """(ne, 3, 3), rows are the local axes of the elements of ``block`` with directions e1 (ne, 3)."""
    wish = np.broadcast_to(np.asarray(block.section.y_axis, dtype=float), e1.shape)
    if block.y_axes is not None:
        wish = np.where(np.isnan(block.y_axes), wish, block.y_axes)
    e2 = wish - np.sum(e1 * wish, axis=1, keepdims=True) * e1
    size = np.linalg.norm(e2, axis=1)
    # below 1e-6 the direction left after making y perpendicular to the beam is rounding noise of the mesh file
    if not np.all(size > 1e-6 * np.linalg.norm(wish, axis=1)):
        worst = np.argmin(size)
        raise MeshError(
            f"{source or 'mesh'}: section y axis {wish[worst].tolist()} is parallel to beam element"
            f" {block.ids[worst]}; it needs a component perpendicular to the beam"
        )
    e2 /= size[:, None]
    e3 = np.cross(e1, e2)
    cos, sin = np.cos(block.section.principal_angle), np.sin(block.section.principal_angle)
    return np.stack([e1, cos * e2 + sin * e3, cos * e3 - sin * e2], axis=1)


def beam_shapes(elements: BeamElements, s: np.ndarray) -> BeamShapes:
    """Shape functions at s (g,) in 0..1 along each element.

    Bending uses the exact shapes of the homogeneous Timoshenko beam (Przemieniecki, Theory of Matrix Structural
    Analysis, 1968, section 11), which become Hermite cubics for shear_ratio 0; axial and torsion are linear. Bending
    is that of the line of shear centres.
    """
    ne, g, L = len(elements.length), len(s), elements.length[:, None]
    u, turn, du, dturn = (np.zeros((ne, g, 3, 12)) for _ in range(4))
    for values, slopes, row in ((u, du, 0), (turn, dturn, 0)):
        first = 0 if values is u else 3
        values[:, :, row, first], values[:, :, row, first + 6] = 1.0 - s, s
        slopes[:, :, row, first], slopes[:, :, row, first + 6] = -1.0 / L, 1.0 / L
    # plane x-y: v and theta_z; plane x-z: w and -theta_y obey the same equations
    for plane, (shift, rotation, sign) in enumerate(((1, 5, 1.0), (2, 4, -1.0))):
        v, dv, t, dt = _bending_shapes(elements.shear_ratio[:, plane, None], L, s)
        turn_row = rotation - 3
        for k, (column, scale) in enumerate(((shift, 1.0), (rotation, sign), (shift + 6, 1.0), (rotation + 6, sign))):
            u[:, :, shift, column], du[:, :, shift, column] = scale * v[k], scale * dv[k]
            turn[:, :, turn_row, column], dturn[:, :, turn_row, column] = sign * scale * t[k], sign * scale * dt[k]
    center = elements.shear_center
    if center.any():
        u, turn, du, dturn = (values @ elements.to_shear_center[:, None] for values in (u, turn, du, dturn))
        u, du = u - at_shear_center(center, turn), du - at_shear_center(center, dturn)
    return BeamShapes(u, turn, du, dturn, center)


def _bending_shapes(phi: np.ndarray, L: np.ndarray, s: np.ndarray) -> tuple[list, list, list, list]:
    """Deflection, slope, rotation and curvature (each 4 arrays (ne, g)) for v1, theta1, v2, theta2."""
    m = 1.0 / (1.0 + phi)
    v = [
        m * (1 - 3 * s**2 + 2 * s**3 + phi * (1 - s)),
        m * L * (s - 2 * s**2 + s**3 + 0.5 * phi * (s - s**2)),
        m * (3 * s**2 - 2 * s**3 + phi * s),
        m * L * (s**3 - s**2 - 0.5 * phi * (s - s**2)),
    ]
    dv = [
        m / L * (6 * s**2 - 6 * s - phi),
        m * (1 - 4 * s + 3 * s**2 + 0.5 * phi * (1 - 2 * s)),
        m / L * (6 * s - 6 * s**2 + phi),
        m * (3 * s**2 - 2 * s - 0.5 * phi * (1 - 2 * s)),
    ]
    t = [
        m / L * (6 * s**2 - 6 * s),
        m * (1 - 4 * s + 3 * s**2 + phi * (1 - s)),
        m / L * (6 * s - 6 * s**2),
        m * (3 * s**2 - 2 * s + phi * s),
    ]
    dt = [m / L**2 * (12 * s - 6), m / L * (6 * s - 4 - phi), m / L**2 * (6 - 12 * s), m / L * (6 * s - 2 + phi)]
    return v, dv, t, dt


def beam_matrices(elements: BeamElements) -> tuple[np.ndarray, np.ndarray]:
    """Mass and stiffness (ne, 12, 12) of each element in mesh axes."""
    shapes = beam_shapes(elements, GAUSS_POINTS)
    weight = elements.length[:, None] * GAUSS_WEIGHTS
    K = _quadratic_form(shapes.force_strain, weight, elements.force_stiffness)
    K += _quadratic_form(shapes.dturn, weight, elements.moment_stiffness)
    M = _quadratic_form(shapes.u, weight, np.repeat(elements.line_mass[:, None], 3, axis=1))
    M += _quadratic_form(shapes.turn, weight, elements.rotary_mass)
    to_local = elements.to_local_values
    to_mesh = to_local.transpose(0, 2, 1)
    return to_mesh @ M @ to_local, to_mesh @ K @ to_local


def _quadratic_form(B: np.ndarray, weight: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    scaled = B * (weight[:, :, None] * diagonal[:, None, :])[..., None]
    return np.einsum("egik,egil->ekl", B, scaled, optimize=True)
