"""The surface of a rigid body as a shape of contacts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.contact.distance import gregory_patch as place
from flexmbs.core.contact.distance import kinds
from flexmbs.mechanism.contact.shapes import Outline, Shape
from flexmbs.mechanism.geometry.rotations import as_number
from flexmbs.mechanism.geometry.smooth_triangles import smallest_hollow, smooth_triangles
from flexmbs.mechanism.geometry.surface_mesh import SurfaceMesh, bounding_tree, surface_of_mesh
from flexmbs.mesh.mesh import Mesh

SHARP = np.radians(40.0)  # between faces, by default
_POINTS = (place.EDGE_SIDE - place.CORNER) // 3


@dataclass(frozen=True, eq=False)
class RigidSurface(Shape):
    """Closed surface of triangles, smooth but for sharp edges.

    A quartic patch with continuous normals goes through the corners of every triangle (D. J. Walton and D. S. Meek,
    Computer-Aided Design 28 (1996) 113), so that gap and normal of what moves over the surface do not jump; edges at
    which two triangles enclose more than ``sharp_angle`` stay sharp.

    Parameters
    ----------
    marker : on a rigid body or ground; or a rigid body itself (what ``system.add`` returns), whose surface is taken
    surface : SurfaceMesh, or a Mesh, in the axes of the marker; None: what the body has
    part : name of a surface of the Mesh; None: its outer faces, shells and rigid elements (R3D3, R3D4)
    sharp_angle : rad, between the normals of two triangles; pi: none stays sharp, 0: all

    Raises
    ------
    MechanismError
        The body has no surface; the surface is open, or turned inside out.
    """

    surface: SurfaceMesh | Mesh | None = None
    part: str | None = None
    sharp_angle: float = SHARP

    def __post_init__(self) -> None:
        if hasattr(self.marker, "frame"):
            self._take_body(self.marker)
        if self.surface is None:
            raise MechanismError(
                f"{self.where}: there is no surface; give surface= (a SurfaceMesh or Mesh), or a rigid body that has "
                "one (fm.RigidBody.from_surface, .from_mesh or a simple shape)"
            )
        if isinstance(self.surface, Mesh):
            object.__setattr__(self, "surface", surface_of_mesh(self.surface, self.part, self.where))
        as_number(self.sharp_angle, f"{self.where}: sharp_angle (rad)", minimum=0.0)
        self._check()

    def _take_body(self, body: Any) -> None:
        """Marker and surface of a body in a system."""
        if body.is_flexible:
            raise MechanismError(f"contact surface of body '{body.name}': a RigidSurface needs a rigid body")
        object.__setattr__(self, "marker", body.frame)
        if self.surface is None:
            object.__setattr__(self, "surface", getattr(body.body, "surface", None))

    @property
    def mesh(self) -> SurfaceMesh:
        """Its points and faces."""
        if not isinstance(self.surface, SurfaceMesh):
            raise MechanismError(f"{self.where}: {type(self.surface).__name__} is neither a SurfaceMesh nor a Mesh")
        return self.surface

    @cached_property
    def _cleaned(self) -> tuple[np.ndarray, np.ndarray]:
        """Points and triangles without points that coincide and triangles without area."""
        points, index = np.unique(self.mesh.points, axis=0, return_inverse=True)
        triangles = index.reshape(-1)[self.mesh.triangles]
        ends = np.roll(triangles, -1, axis=1)
        return points, triangles[np.all(triangles != ends, axis=1)]

    def _check(self) -> None:
        points, triangles = self._cleaned
        edges = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2)
        directed, counts = np.unique(edges @ [len(points), 1], return_counts=True)
        single = int(np.count_nonzero(~np.isin(directed, edges @ [1, len(points)])))
        if len(edges) == 0 or single or counts.max() > 1:
            raise MechanismError(
                f"{self.where}: the surface is open: {single} of {len(directed)} edges of its triangles have no "
                f"neighbour that runs the other way, {int((counts > 1).sum())} are used more than once; a contact "
                "needs a closed surface, all faces anticlockwise seen from outside"
            )
        a, b, c = np.moveaxis(points[triangles] - points.mean(axis=0), 1, 0)
        volume = float(np.einsum("ti,ti->", a, np.cross(b, c))) / 6.0
        if not volume > 0.0:
            raise MechanismError(
                f"{self.where}: the surface is inverted, it encloses the volume {volume:.6g} m3; faces must run "
                "anticlockwise seen from outside"
            )

    @cached_property
    def hollow(self) -> float:
        """m, the smallest radius of its concave places; 0 at a sharp concave edge, infinite where there is none."""
        points, triangles = self._cleaned
        return smallest_hollow(points[triangles], triangles, self.sharp_angle)

    def _distance_numbers(self) -> np.ndarray:
        points, triangles = self._cleaned
        patches = smooth_triangles(points, triangles, self.sharp_angle)
        hull = patches[:, : 3 * _POINTS].reshape(len(patches), _POINTS, 3)
        nodes, order = bounding_tree(hull.min(axis=1), hull.max(axis=1))
        head = [kinds.TRIANGLES, len(nodes), len(patches)]
        return np.concatenate([head, nodes.ravel(), patches[order].ravel()])

    def outline(self) -> Outline:
        return self.mesh.points, self.mesh.triangles
