"""The mesh as every reader returns it and every later stage takes it, in SI units: elements, what joins nodes, named sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.lazy_import import load
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.properties import AnyMaterial, AnySection


@dataclass(frozen=True)
class Coupling:
    """A reference node joined to other nodes.

    Attributes
    ----------
    kind : str
        "rigid" (RBE2, kinematic coupling, rigid body: the nodes follow the reference node) or "average" (RBE3,
        distributing coupling: the reference node follows the weighted mean of the nodes).
    reference : int
        Index into ``Mesh.points``; -1 in a mesh that was stripped of the node (then ``point`` says where it was).
    nodes : (k,) int, indices into ``Mesh.points``
    dofs : tuple of int, 1 to 6: coupled components of the nodes (rigid), components of the reference node (average)
    weights : (k,) float or None, of the mean; None: equal, or a rigid coupling
    where : str, file and line of its card
    point : (3,) float or None, m, where the reference node was, if ``reference`` is -1
    """

    name: str
    kind: str
    reference: int
    nodes: np.ndarray
    dofs: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
    weights: np.ndarray | None = None
    where: str = ""
    point: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("rigid", "average"):  # which would couple nothing
            raise MeshError(f"coupling {self.name!r}: kind is {self.kind!r}; it must be 'rigid' (RBE2) or 'average' (RBE3)")


#: Begins the names of equations with which a reader ties the middle nodes that it has made to the ends of their edges.
MIDDLE_NODE = "middle node"


@dataclass(frozen=True)
class Equation:
    """Linear relation between displacement components: sum of coefficients times components = constant.

    Attributes
    ----------
    nodes : (k,) int, indices into ``Mesh.points``
    dofs : (k,) int, 1 to 6. Coefficients of rotations have the unit that makes the sum one of metres (or of radians).
    coefficients : (k,) float
    constant : float
    """

    name: str
    nodes: np.ndarray
    dofs: np.ndarray
    coefficients: np.ndarray
    constant: float = 0.0
    where: str = ""


@dataclass(frozen=True)
class Tie:
    """Two surfaces (or node sets) glued together, by their names in the mesh: nodes of the first, faces of the second.

    Attributes
    ----------
    tolerance : float or None, m; nodes farther from the faces are not tied; None: a part of the size of the faces
    """

    name: str
    first: str
    second: str
    where: str = ""
    tolerance: float | None = None


@dataclass(frozen=True)
class PointMass:
    """Mass at a node.

    Attributes
    ----------
    node : int, index into ``Mesh.points``
    mass : float, kg
    inertia : (3, 3) float, kg m2, about the mass's own centre, mesh axes
    offset : (3,) float, m, from the node to the centre of the mass, mesh axes
    """

    name: str
    node: int
    mass: float
    inertia: np.ndarray
    offset: np.ndarray
    where: str = ""


@dataclass(frozen=True)
class BoundaryCondition:
    """Supported nodes of the file's analysis: a suggestion where an interface of the body may lie.

    Attributes
    ----------
    nodes : (k,) int, indices into ``Mesh.points``
    dofs : tuple of int, 1 to 6, the held components
    """

    name: str
    nodes: np.ndarray
    dofs: tuple[int, ...]
    where: str = ""


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
