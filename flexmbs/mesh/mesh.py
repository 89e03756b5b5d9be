"""The mesh as every reader returns it and every later stage takes it, in SI units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.lazy_import import load
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.couplings import BoundaryCondition, Coupling, Equation, PointMass, Tie
from flexmbs.mesh.properties import AnyMaterial, AnySection


@dataclass(frozen=True)
class ElementBlock:
    """Elements of one kind that share material and section.

    Attributes
    ----------
    kind : str
        A name in ``element_kinds.KINDS`` ("beam2", "tri3", "quad8", "tet10", "wedge6", ...); node order as in
        VTK/meshio, whatever the file used.
    ids : (ne,) int, element numbers of the file
    nodes : (ne, nodes per element) int, indices into ``Mesh.points`` (not the file's node numbers)
    material : None when the file gives none, and for layered shells and springs
    section : None for solids, and when the file gives none
    type_name : str, the element type as the file calls it ("C3D10", "CQUAD4", "SOLID186")
    property_name : str, what the file calls the property or section ("PSHELL 3", "*SOLID SECTION, ELSET=ROD", "MAT 1")
    y_axes : (ne, 3) float or None, beams: direction of local y of each element, in place of ``section.y_axis``
    offsets : (ne, nodes per element, 3) float or None, m, beams: from the nodes to the line of the element, mesh axes
    thickness : (ne, nodes per element) float or None, m
        Shells: at the nodes of each element, in place of ``section.thickness``.
    shell_offsets : (ne,) float or None, m, shells: of each element, in place of ``section.offset``
    material_axes : (ne, 3, 3) float or None
        Columns are the material's directions 1, 2, 3 in mesh coordinates; shells project the first on their surface.
        None: the mesh's axes for solids, the usual projection of mesh x for shells.
    where : str, file and line of the card that gives material and section, or of the first element
    """

    kind: str
    ids: np.ndarray
    nodes: np.ndarray
    material: AnyMaterial | None = None
    section: AnySection | None = None
    type_name: str = ""
    property_name: str = ""
    y_axes: np.ndarray | None = None
    offsets: np.ndarray | None = None
    thickness: np.ndarray | None = None
    shell_offsets: np.ndarray | None = None
    material_axes: np.ndarray | None = None
    where: str = ""


@dataclass(frozen=True)
class UnsupportedElements:
    """Elements that are not structural, kept with their names.

    Attributes
    ----------
    type_name : str
        As the file calls them; for groups of faces and edges of other elements the kind ("tri3", "quad8", "line2").
    role : str
        Why they are no part of a body: "geometry" (faces, edges and points that only name a place), "plane",
        "axisymmetric", "fluid", "thermal", "contact", "connector", "mass" (its masses are in ``point_masses``),
        "unknown" (a type that flexmbs does not know), "collapsed" (its nodes repeat so that nothing is left of it).
    ids : (ne,) int
    nodes : (ne, n) int, indices into ``Mesh.points``; -1 where an element has fewer nodes
    """

    type_name: str
    role: str
    ids: np.ndarray
    nodes: np.ndarray
    where: str = ""


@dataclass(frozen=True)
class MeshSurface:
    """Faces of elements, by their nodes: kind of face ("tri3", "quad8", "line2" for edges) -> (k, n) node indices."""

    faces: Mapping[str, np.ndarray]

    @property
    def size(self) -> int:
        """Number of faces."""
        return sum(len(rows) for rows in self.faces.values())

    @property
    def nodes(self) -> np.ndarray:
        """(k,) indices into ``Mesh.points``, each once, rising."""
        return np.unique(np.concatenate([rows.ravel() for rows in self.faces.values()] or [np.empty(0, int)]))


@dataclass(frozen=True)
class SkippedCard:
    """What a reader left out.

    Attributes
    ----------
    card : str, what was left out, as the file calls it ("*CONTACT PAIR", "PLOTEL", "$Periodic")
    lines : tuple of int, the first lines where it stands, at most ten (0 in binary files); ``count`` says how often
    analysis : bool, True: loads, steps and output requests, of which a body has none; False: an omission
    """

    card: str
    file: str
    lines: tuple[int, ...]
    count: int
    analysis: bool = False
    why: str = ""

    def __str__(self) -> str:
        lines = ", ".join(map(str, self.lines)) + (", ..." if self.count > len(self.lines) else "")
        place = f"{'line' if self.count == 1 else 'lines'} {lines}" if any(self.lines) else ""
        inside = "; ".join(part for part in (place, self.why) if part)
        return f"{self.file}: {self.card} is skipped{f' ({inside})' if inside else ''}."


@dataclass(frozen=True)
class StatedUnits:
    """What a file says of its units: ``units`` as ``read_mesh`` takes it, ``where`` it says so (file, line, card)."""

    units: str
    where: str


@dataclass(frozen=True)
class Mesh:
    """Points, elements, named sets, materials and sections, in SI units.

    Attributes
    ----------
    points : (nn, 3) float, m
    node_ids : (nn,) int, node numbers of the file; several instances of one part repeat them
    blocks : tuple of ElementBlock
    node_sets : name -> (k,) int array of indices into ``points``
    element_sets : name -> (k,) int array of indices into the elements of all blocks, counted through the blocks in
        their order (``element_ids`` gives the file's numbers)
    surfaces : name -> MeshSurface
        Each is a node set of the same name too, unless the file has another node set of that name.
    materials : name -> material, as the file has them, used or not
    couplings, equations, ties, point_masses, boundary_conditions : tuples
    coordinate_systems : name -> CoordinateSystem
    displacement_systems : name of a coordinate system -> (k,) node indices
        Nodes whose displacement components (in couplings, equations, boundary conditions) are in that system.
    other_elements : tuple of UnsupportedElements
    source : str, the file read, or how the mesh was made
    file_format : str, what the file was taken for ("Nastran", ...)
    units : str
        The units converted from, as the reader was told or as the file states them; empty: none, the numbers were
        taken as SI.
    stated_units : StatedUnits or None, what the file itself says of its units
    skipped : tuple of SkippedCard
    warnings : tuple of str, what the reader found suspicious, with line numbers
    """

    points: np.ndarray
    node_ids: np.ndarray
    blocks: tuple[ElementBlock, ...]
    node_sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    element_sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    materials: Mapping[str, AnyMaterial] = field(default_factory=dict)
    source: str = ""
    warnings: tuple[str, ...] = ()
    surfaces: Mapping[str, MeshSurface] = field(default_factory=dict)
    couplings: tuple[Coupling, ...] = ()
    equations: tuple[Equation, ...] = ()
    ties: tuple[Tie, ...] = ()
    point_masses: tuple[PointMass, ...] = ()
    boundary_conditions: tuple[BoundaryCondition, ...] = ()
    coordinate_systems: Mapping[str, CoordinateSystem] = field(default_factory=dict)
    displacement_systems: Mapping[str, np.ndarray] = field(default_factory=dict)
    other_elements: tuple[UnsupportedElements, ...] = ()
    skipped: tuple[SkippedCard, ...] = ()
    file_format: str = ""
    units: str = ""
    stated_units: StatedUnits | None = None

    @property
    def element_ids(self) -> np.ndarray:
        """(ne,) the file's numbers of the elements, counted through the blocks in their order."""
        return np.concatenate([block.ids for block in self.blocks] or [np.empty(0, int)])

    def to_html(self, path: str | Path, **options: Any) -> Path:
        """Write a page that shows parts and sets in any browser, without network; returns its path.

        Options as in :func:`flexmbs.view.page.pages.mesh_page`. FlexmbsError for an impossible option, a file that
        exists without ``force``, or that cannot be written.
        """
        return load("flexmbs.view.page.pages:mesh_page")(self, path, **options)

    def __repr__(self) -> str:
        elements = ", ".join(f"{len(block.nodes)} {block.kind}" for block in self.blocks)
        sets = ", ".join(f"{name} ({len(nodes)})" for name, nodes in self.node_sets.items())
        return f"Mesh({self.source}: {len(self.points)} nodes, {elements}; node sets: {sets or 'none'})"

    def _repr_html_(self) -> str:
        """For notebooks: nodes, elements, sets, materials, warnings."""
        return str(load("flexmbs.view.part_tables:mesh_card")(self))
