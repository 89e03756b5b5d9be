"""What joins nodes without being an element: rigid and averaging couplings, equations, ties; masses; supports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError


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
