"""Locking: how much too stiff a solid mesh is in bending, from its kinds of element and their size.

Frequency over the exact one, measured on free bars against beams (docs/make_stiffening_table.py, docs/theory.md):
- elements with linear shape functions: sqrt(1 + c (L / h)^2), L the longest edge of the elements, h the thickness of
  the wall that bends: they cannot bend without shear;
- elements of second order and hex8 with incompatible modes: 1 + c (L / wave length)^2, even alone in a wall.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS
from flexmbs.mesh.element_table import ELEMENTS
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.quality.wall_thickness import Skin, skin_of, thin_triangles, wall_thickness

#: c of elements that bend too stiffly; "plain" and "reduced" are the options of ``assemble``.
STIFFENING = {row.kind: row.locking for row in ELEMENTS if row.locking} | {"hex8 plain": 0.45}
#: Wedges are stiff where their quadrilaterals lie on the wall, but not where their triangles do.
WEDGE6_TRIANGLES, WEDGE6_QUADRILATERALS = 0.12, 1.5
#: c of elements that bend well.
WAVES = {row.kind: row.waves for row in ELEMENTS if row.waves} | {"hex20 reduced": 1.15}
_EDGES_IN_A_WAVE = 10  # for which their error is stated
_THIN_SHARE = 0.1  # of a kind's surface, from which walls of one element are worth a remark
_RARE = 0.05  # of the whole surface: kinds that only fill gaps
_WORTH_SAYING = 0.01  # of a frequency


def stiffening_warnings(mesh: Mesh, hex8: str = "incompatible", hex20: str = "file") -> tuple[str, ...]:
    """One sentence for each kind of solid element that is too stiff in bending, with the expected error.

    hex8, hex20 : as in ``assemble``.
    """
    if not any(KINDS[block.kind].dimension == 3 for block in mesh.blocks):
        return ()
    skin = skin_of(mesh)
    thin = thin_triangles(mesh, skin)
    formulation = {("hex8", "plain"): "hex8 plain", ("hex20", "reduced"): "hex20 reduced"}
    option = {"hex8": hex8, "hex20": hex20}
    found = []
    for kind, longest, own in _kinds(mesh, skin):
        if skin.area[own].sum() < _RARE * skin.area.sum():
            continue
        name = formulation.get((kind, option.get(kind)), kind)
        is_thin = skin.area[own & thin].sum() >= _THIN_SHARE * skin.area[own].sum()
        found.append(_remark(mesh, skin, name, longest, own & thin if is_thin else own, is_thin))
    return tuple(text for text in found if text)


def _kinds(mesh: Mesh, skin: Skin) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Each kind of solid, the longest edge of every element of the mesh (0 of other kinds), its part of the skin."""
    starts = np.cumsum([0] + [len(block.ids) for block in mesh.blocks])
    for kind in dict.fromkeys(block.kind for block in mesh.blocks if KINDS[block.kind].dimension == 3):
        longest, is_kind = np.zeros(starts[-1]), np.zeros(starts[-1], bool)
        for block, start in zip(mesh.blocks, starts, strict=False):
            if block.kind == kind:
                longest[start : start + len(block.ids)] = _longest_edges(mesh, block)
                is_kind[start : start + len(block.ids)] = True
        own = is_kind[skin.owner]
        if own.any():
            yield kind, longest, own


def _longest_edges(mesh: Mesh, block: ElementBlock) -> np.ndarray:
    first, second = np.array(KINDS[block.kind].edges).T
    corners = mesh.points[block.nodes]
    return np.linalg.norm(corners[:, first] - corners[:, second], axis=2).max(axis=1, initial=0.0)


def _remark(mesh: Mesh, skin: Skin, name: str, longest: np.ndarray, part: np.ndarray, is_thin: bool) -> str:
    thickness, edge = wall_thickness(mesh, skin, part), float(np.median(longest[skin.owner[part]]))
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
