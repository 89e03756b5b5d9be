"""Trusses: axial force along a straight line between two nodes, and torsion about it where the section has some."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.fem.lines.line_elements import TURN1, TURN2, U1, U2, LineElements
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import Material, TrussSection

TRUSS_KINDS = ("truss2", "truss3")


@dataclass(frozen=True, eq=False)
class TrussElements(LineElements):
    """All trusses of a mesh; a three-node one counts as two. Strains: axial (m/m) and twist (rad/m).

    Attributes
    ----------
    ids : (ne,) int, the file's element numbers
    block : (ne,) int, index into ``mesh.blocks``
    start : (ne, 3), m, position of the first node
    length : (ne,), m
    direction : (ne, 3), unit vector from the first node to the second
    area : (ne,), m2
    youngs_modulus : (ne,), Pa
    line_mass : (ne,), kg/m
    """

    ids: np.ndarray
    block: np.ndarray
    start: np.ndarray
    length: np.ndarray
    direction: np.ndarray
    area: np.ndarray
    youngs_modulus: np.ndarray
    line_mass: np.ndarray

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

    def axial_force(self, values: np.ndarray) -> np.ndarray:
        """(ne, n) N, tension positive, of element values (ne, 12, n) by first-order strain."""
        return (self.youngs_modulus * self.area)[:, None] * (self.strain[:, :1] @ values)[:, 0]


def truss_elements(mesh: Mesh) -> TrussElements:
    """All trusses of ``mesh``; MeshError for missing material, density or section, and for length zero."""
    parts = [
        _block_elements(mesh, index, block)
        for index, block in enumerate(mesh.blocks)
        if block.kind in TRUSS_KINDS and len(block.nodes)
    ]
    if not parts:
        raise MeshError(f"{mesh.source or 'mesh'}: there are no trusses to assemble")
    return TrussElements(**{key: np.concatenate([part[key] for part in parts]) for key in parts[0]})


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
    if not isinstance(material, Material):
        name = "no material" if material is None else f"material {material.name}, which is not isotropic"
        raise MeshError(f"{where} have {name}; give Young's modulus (Pa), Poisson's ratio and density (kg/m3)")
    if not (material.youngs_modulus > 0.0 and material.density is not None and material.density >= 0.0):
        raise MeshError(
            f"{where}: material {material.name} has Young's modulus {material.youngs_modulus} Pa and density "
            f"{material.density} kg/m3; the first must be positive, the second not negative"
        )
    return section, material
