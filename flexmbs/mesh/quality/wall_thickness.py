"""Wall thickness of a solid mesh, and where a wall is one element thick."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.outer_faces import outer_faces

SAMPLES = 48  # of the surface of each kind of element, spread evenly over its area


@dataclass(frozen=True)
class Skin:
    """The outer faces of the solids of a mesh, cut into triangles.

    Attributes
    ----------
    nodes : (k, 3) node indices, corners only, normals outward
    owner : (k,) indices of the elements counted through the blocks
    area : (k,), m2
    on_triangle : (k,) True where the whole face is a triangle, False on halves of a quadrilateral
    """

    nodes: np.ndarray
    owner: np.ndarray
    area: np.ndarray
    on_triangle: np.ndarray


def skin_of(mesh: Mesh) -> Skin:
    """The outer faces of all solids; faces of shells do not count."""
    nodes, owners, whole = [np.empty((0, 3), int)], [np.empty(0, int)], [np.empty(0, bool)]
    is_shell = np.concatenate([np.full(len(b.ids), KINDS[b.kind].dimension == 2) for b in mesh.blocks])
    for kind, faces, elements in outer_faces(mesh):
        faces, elements = faces[~is_shell[elements]], elements[~is_shell[elements]]
        cuts = [[0, 1, 2]] if KINDS[kind].corner_count == 3 else [[0, 1, 2], [0, 2, 3]]
        for cut in cuts:
            nodes.append(faces[:, cut])
            owners.append(elements)
            whole.append(np.full(len(faces), len(cuts) == 1))
    nodes = np.concatenate(nodes)
    a, b, c = mesh.points[nodes].transpose(1, 0, 2)
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return Skin(nodes, np.concatenate(owners), area, np.concatenate(whole))


def wall_thickness(mesh: Mesh, skin: Skin, chosen: np.ndarray, samples: int = SAMPLES) -> float:
    """Median wall thickness (m), measured along the inward normal from points spread over part of the skin.

    ``chosen`` (k,) bool says which part. Half of the area has more below it: slender and thin-walled bodies give the
    thickness in which they bend. NaN when no way ends.
    """
    corners = mesh.points[skin.nodes]
    share = np.cumsum(np.where(chosen, skin.area, 0.0))
    places = np.unique(np.searchsorted(share, share[-1] * (np.arange(samples) + 0.5) / samples))
    ways = [_way_through(corners, place) for place in places]
    ways = [way for way in ways if np.isfinite(way)]
    return float(np.median(ways)) if ways else float("nan")


def _way_through(corners: np.ndarray, place: int) -> float:
    """Distance from the middle of triangle ``place`` along its inner normal to the next triangle of the skin."""
    a, b, c = corners[place]
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal)
    if not size > 0.0:
        return np.inf
    inward, first = -normal / size, (b - a) / np.linalg.norm(b - a)
    frame = np.stack([first, np.cross(inward, first)], axis=1)
    origin = corners[place].mean(axis=0)
    flat = (corners - origin) @ frame
    around = np.flatnonzero(((flat.min(axis=1) <= 0.0) & (flat.max(axis=1) >= 0.0)).all(axis=1))
    flat, depth = flat[around], (corners[around] - origin) @ inward
    # Barycentric coordinates of the ray's foot; all of one sign when it lies inside.
    following = np.roll(flat, -1, axis=1)
    parts = flat[:, :, 0] * following[:, :, 1] - flat[:, :, 1] * following[:, :, 0]
    total = parts.sum(axis=1)
    hit = ((parts >= 0.0).all(axis=1) | (parts <= 0.0).all(axis=1)) & (total != 0.0)
    weights = np.roll(parts[hit], -1, axis=1) / total[hit, None]
    ways = np.einsum("ij,ij->i", weights, depth[hit])
    return float(min(ways[ways > 1e-3 * np.sqrt(size)], default=np.inf))


def thin_triangles(mesh: Mesh, skin: Skin) -> np.ndarray:
    """(k,) bool: where the wall below the skin is one element thick.

    That is so around a node when the corners of all elements that meet there lie on the skin.
    """
    solids = [block for block in mesh.blocks if KINDS[block.kind].dimension == 3]
    on_skin = np.zeros(len(mesh.points), bool)
    on_skin[skin.nodes] = True
    has_depth = np.zeros(len(mesh.points), bool)
    for block in solids:
        corners = block.nodes[:, : KINDS[block.kind].corner_count]
        has_depth[corners[~on_skin[corners].all(axis=1)]] = True
    return ~has_depth[skin.nodes].any(axis=1)
