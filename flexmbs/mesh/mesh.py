"""The mesh as every reader returns it and every later stage takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Material:
    """Isotropic linear elastic material.

    Attributes
    ----------
    youngs_modulus : float, Pa
    poisson_ratio : float
    density : float or None, kg/m3 (None: the file gave none)
    """

    name: str
    youngs_modulus: float
    poisson_ratio: float
    density: float | None = None

    @property
    def shear_modulus(self) -> float:
        """G = E / (2 (1 + nu)), Pa."""
        return self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio))


@dataclass(frozen=True)
class BeamSection:
    """Section of a beam in its local axes: x along the beam, y and z the principal axes of the section.

    ``Iz = int y^2 dA`` bends the beam in its local x-y plane, ``Iy = int z^2 dA`` in its x-z plane.
    ``outline`` is a closed polygon in (y, z), used for display and for the stress at the outer fibres.
    ``y_axis`` is the direction of local y in mesh coordinates (made perpendicular to each element).
    """

    area: float
    Iy: float
    Iz: float
    torsion_constant: float
    outline: np.ndarray  # (m, 2), m
    y_axis: np.ndarray  # (3,)
    shear_factor_y: float = 5.0 / 6.0
    shear_factor_z: float = 5.0 / 6.0


@dataclass(frozen=True)
class ElementBlock:
    """Elements of one type that share material and section.

    Attributes
    ----------
    kind : str
        "beam2", "tet4", "tet10", "hex8" or "hex20"; node order as in VTK/meshio
        ("tetra10", "hexahedron20"), whatever the file used.
    ids : (ne,) int
        Element numbers of the file.
    nodes : (ne, nodes per element) int
        Indices into ``Mesh.points`` (not the file's node numbers).
    """

    kind: str
    ids: np.ndarray
    nodes: np.ndarray
    material: Material | None = None
    section: BeamSection | None = None


@dataclass(frozen=True)
class Mesh:
    """Points, elements, named sets, materials and sections, in SI units.

    Attributes
    ----------
    points : (nn, 3) float, m
    node_ids : (nn,) int
        Node numbers of the file.
    blocks : tuple of ElementBlock
    node_sets : name -> (k,) int array of indices into ``points``
    element_sets : name -> (k,) int array of element numbers (``ElementBlock.ids``)
    source : str
        The file read, or how the mesh was made.
    warnings : tuple of str
        What the reader skipped or found suspicious, with line numbers.
    """

    points: np.ndarray
    node_ids: np.ndarray
    blocks: tuple[ElementBlock, ...]
    node_sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    element_sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    materials: Mapping[str, Material] = field(default_factory=dict)
    source: str = ""
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        elements = ", ".join(f"{len(block.nodes)} {block.kind}" for block in self.blocks)
        sets = ", ".join(f"{name} ({len(nodes)})" for name, nodes in self.node_sets.items())
        return f"Mesh({self.source}: {len(self.points)} nodes, {elements}; node sets: {sets or 'none'})"
