"""Locking: how much too stiff a solid mesh is in bending, from its kinds of element and their size.

Frequency over the exact one, measured on free bars against beams (docs/make_stiffening_table.py, docs/theory.md):
- elements with linear shape functions: sqrt(1 + c (L / h)^2), L the longest edge of the elements, h the thickness of
  the wall that bends: they cannot bend without shear;
- elements of second order and hex8 with incompatible modes: 1 + c (L / wave length)^2, even alone in a wall.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.mesh.connectivity import outer_faces
from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS, faces_of, is_solid
from flexmbs.mesh.mesh import ElementBlock, Mesh

#: c of elements that bend too stiffly; "plain" and "reduced" are the options of ``assemble``.
STIFFENING = {name: kind.locking for name, kind in KINDS.items() if kind.locking} | {"hex8 plain": 0.45}
#: Wedges are stiff where their quadrilaterals lie on the wall, but not where their triangles do.
WEDGE6_TRIANGLES, WEDGE6_QUADRILATERALS = 0.12, 1.5
#: c of elements that bend well.
WAVES = {name: kind.waves for name, kind in KINDS.items() if kind.waves} | {"hex20 reduced": 1.15}
_EDGES_IN_A_WAVE = 10  # for which their error is stated
_THIN_SHARE = 0.1  # of a kind's surface, from which walls of one element are worth a remark
_RARE = 0.05  # of the whole surface: kinds that only fill gaps
_WORTH_SAYING = 0.01  # of a frequency


def stiffening_warnings(mesh: Mesh, hex8: str = "incompatible", hex20: str = "file") -> tuple[str, ...]:
    """One sentence for each kind of solid element that is too stiff in bending, with the expected error.

    hex8, hex20 : as in ``assemble``.
    """
    kinds = dict.fromkeys(block.kind for block in mesh.blocks if is_solid(block.kind))
    if not kinds:
        return ()
    skin = skin_of(mesh)
    thin = thin_triangles(mesh, skin)
    formulation = {("hex8", "plain"): "hex8 plain", ("hex20", "reduced"): "hex20 reduced"}
    option = {"hex8": hex8, "hex20": hex20}
    kind_below = np.repeat([block.kind for block in mesh.blocks], [len(block.ids) for block in mesh.blocks])[skin.owner]
    edges = np.concatenate([_longest_edges(mesh, block) for block in mesh.blocks])[skin.owner]
    found = []
    for kind in kinds:
        own = kind_below == kind
        if not own.any() or skin.area[own].sum() < _RARE * skin.area.sum():
            continue
        name = formulation.get((kind, option.get(kind)), kind)
        is_thin = skin.area[own & thin].sum() >= _THIN_SHARE * skin.area[own].sum()
        found.append(_remark(mesh, skin, name, edges, own & thin if is_thin else own, is_thin))
    return tuple(text for text in found if text)


def _longest_edges(mesh: Mesh, block: ElementBlock) -> np.ndarray:
    """(ne,) m; 0 for what is no solid."""
    if not is_solid(block.kind):
        return np.zeros(len(block.ids))
    first, second = np.array(KINDS[block.kind].edges).T
    corners = mesh.points[block.nodes]
    return np.linalg.norm(corners[:, first] - corners[:, second], axis=2).max(axis=1, initial=0.0)


def _remark(mesh: Mesh, skin: Skin, name: str, edges: np.ndarray, part: np.ndarray, is_thin: bool) -> str:
    thickness, edge = wall_thickness(mesh, skin, part), float(np.median(edges[part]))
    if not np.isfinite(thickness) or (name in WAVES and not is_thin):
        return ""
    start = f"{mesh.source or 'mesh'}: {name} elements"
    sizes = f"(edges of {edge:.2g} m, wall thickness {thickness:.2g} m)"
    alone = f"{start} are the only ones through the thickness of a wall {sizes}"
    if name == "hex20 reduced":
        return (
            f"{alone} and have motions without strain (hourglass modes): use hex20='full', or two elements through the thickness."
        )
    if name in WAVES:
        return f"{alone}: {_along_a_wave(WAVES[name], edge)}"
    excess = float(np.sqrt(1.0 + _constant(skin, name, part) * (edge / thickness) ** 2) - 1.0)
    if name != "tet4" and excess < _WORTH_SAYING:
        return ""
    what = alone if is_thin else f"{start} are too stiff in bending {sizes}"
    remedies = {low: f"use {high}" for high, low in FIRST_ORDER.items()} | {"hex8 plain": "use hex8='incompatible'"}
    return f"{what}: bending frequencies are up to about {_percent(excess)} too high; {remedies[name]}."


def _along_a_wave(constant: float, edge: float) -> str:
    excess, wave = constant / _EDGES_IN_A_WAVE**2, _EDGES_IN_A_WAVE * edge
    return (
        f"bending frequencies are about {_percent(excess)} too high for waves {wave:.2g} m long, and a quarter of"
        " that for twice the length; stress is linear through the thickness, so use two elements where that"
        " matters."
    )


def _percent(part: float) -> str:
    return f"{100.0 * part:.1f} %" if part < 0.1 else f"{100.0 * part:.0f} %"


def _constant(skin: Skin, name: str, part: np.ndarray) -> float:
    if name != "wedge6":
        return STIFFENING[name]
    on_triangles = skin.area[part & skin.on_triangle].sum()
    return WEDGE6_TRIANGLES if on_triangles > 0.5 * skin.area[part].sum() else WEDGE6_QUADRILATERALS


_OPPOSITE = ((0, 1), (2, 4), (3, 5))  # faces of a brick, as ``element_kinds`` counts them


def in_single_rows(mesh: Mesh, block: ElementBlock) -> np.ndarray:
    """(ne,) bool: bricks of ``block`` with two pairs of opposite faces that no other solid shares.

    Reduced integration leaves such a row motions without stiffness; one more row beside it takes them away.
    """
    corners = {
        tuple(row)
        for _kind, faces, _owners in outer_faces(mesh)
        if faces.shape[1] >= 4
        for row in np.sort(faces[:, :4], axis=1).tolist()
    }
    nodes = np.asarray(block.nodes)
    free = np.zeros((len(nodes), 6), bool)
    for face, (kind, local) in enumerate(faces_of(block.kind)):
        rows = np.sort(nodes[:, local[: KINDS[kind].corner_count]], axis=1)
        free[:, face] = [tuple(row) in corners for row in rows.tolist()]
    return sum((free[:, a] & free[:, b]).astype(int) for a, b in _OPPOSITE) >= 2


SAMPLES = 48  # of the surface of each kind of element, spread evenly over its area


@dataclass(frozen=True)
class Skin:
    """The outer faces of the solids of a mesh, cut into triangles."""

    nodes: np.ndarray  # (k, 3) node indices, corners only, normals outward
    owner: np.ndarray  # (k,) indices of the elements counted through the blocks
    area: np.ndarray  # (k,), m2
    on_triangle: np.ndarray  # (k,) True where the whole face is a triangle, False on halves of a quadrilateral


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
    on_skin = np.zeros(len(mesh.points), bool)
    on_skin[skin.nodes] = True
    has_depth = np.zeros(len(mesh.points), bool)
    for block in filter(lambda block: is_solid(block.kind), mesh.blocks):
        corners = block.nodes[:, : KINDS[block.kind].corner_count]
        has_depth[corners[~on_skin[corners].all(axis=1)]] = True
    return ~has_depth[skin.nodes].any(axis=1)
