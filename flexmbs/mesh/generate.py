"""Meshes made without a file: a straight line of beams, a block of solids, a ring, spur gears with involute flanks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import BeamSection, Material


def line_mesh(
    length: float,
    elements: int,
    section: BeamSection,
    material: Material,
    start: ArrayLike = (0.0, 0.0, 0.0),
    direction: ArrayLike = (1.0, 0.0, 0.0),
) -> Mesh:
    """Straight beam of equal 2-node elements.

    Parameters
    ----------
    length : float, m
    elements : int
    start, direction : (3,), first node (m) and where the beam runs to (any length)

    Returns
    -------
    Mesh with the node sets ROOT (first node), TIP (last node) and ALL. Raises MeshError for a length that is not
    positive or fewer than one element.
    """
    direction = np.asarray(direction, float)
    if not (np.isfinite(length) and length > 0.0 and elements >= 1 and np.linalg.norm(direction) > 0.0):
        raise MeshError(
            f"line_mesh: length must be > 0 m, elements >= 1, and the direction not zero; got {length:g},"
            f" {elements}, {direction.tolist()}."
        )
    along = np.linspace(0.0, length, elements + 1)
    nodes = np.column_stack([np.arange(elements), np.arange(1, elements + 1)])
    ids = np.arange(1, elements + 1)
    return Mesh(
        points=np.asarray(start, float) + along[:, None] * direction / np.linalg.norm(direction),
        node_ids=np.arange(1, elements + 2),
        blocks=(ElementBlock("beam2", ids, nodes, material, section),),
        node_sets={"ROOT": np.array([0]), "TIP": np.array([elements]), "ALL": np.arange(elements + 1)},
        element_sets={"ALL": ids},
        materials={material.name: material},
        source=f"line of {elements} beams, {length:g} m",
    )


def box_mesh(size: ArrayLike, divisions: ArrayLike, material: Material | None = None, kind: str = "hex20") -> Mesh:
    """Block of equal hexahedra from the origin to ``size`` (x, y, z in m), cut into ``divisions`` (nx, ny, nz).

    Parameters
    ----------
    kind : "hex8" or "hex20"

    Returns
    -------
    Mesh with the node sets ROOT (face x = 0), TIP (face x = size[0]) and ALL.
    """
    size, divisions = np.asarray(size, float), np.asarray(divisions, int)
    if kind not in ("hex8", "hex20") or np.any(divisions < 1) or not np.all(size > 0.0):
        raise MeshError(
            f"box_mesh: kind must be hex8 or hex20, divisions >= 1, sizes > 0 m; got {kind}, {divisions.tolist()}, {size.tolist()}."
        )
    places, nodes = half_grid(_all_cells(divisions), kind)
    sets = {"ROOT": places[:, 0] == 0, "TIP": places[:, 0] == 2 * divisions[0], "ALL": places[:, 0] >= 0}
    source = f"box of {len(nodes)} {kind}, {' x '.join(f'{s:g}' for s in size)} m"
    return _hexahedra(kind, places * (size / (2.0 * divisions)), nodes, sets, material, source)


def ring_mesh(
    inner: float, outer: float, width: float, divisions: ArrayLike, material: Material | None = None, kind: str = "hex20"
) -> Mesh:
    """Ring about the z axis from z = -width/2 to width/2: ``divisions`` elements (radially, around, along z).

    Parameters
    ----------
    inner, outer : radii, m
    kind : "hex8" or "hex20", whose middle nodes lie on the circles

    Returns
    -------
    Mesh with the node sets BORE (inner radius), RIM (outer radius) and ALL.
    """
    radial, around, along = (int(n) for n in np.asarray(divisions))
    if kind not in ("hex8", "hex20") or min(radial, along) < 1 or around < 3 or not 0.0 < inner < outer or width <= 0.0:
        raise MeshError(
            f"ring_mesh: kind must be hex8 or hex20, 0 < inner < outer and width > 0 m, divisions >= 1 (around >= 3); "
            f"got {kind}, radii {inner:g} and {outer:g}, width {width:g}, divisions {(radial, around, along)}."
        )
    places, nodes = half_grid(_all_cells((radial, around, along)), kind, around)
    radius = inner + (outer - inner) * places[:, 0] / (2.0 * radial)
    angle = np.pi * places[:, 1] / around
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), width * (places[:, 2] / (2.0 * along) - 0.5)])
    sets = {"BORE": places[:, 0] == 0, "RIM": places[:, 0] == 2 * radial, "ALL": places[:, 0] >= 0}
    source = f"ring of {len(nodes)} {kind}, radii {inner:g} and {outer:g} m, width {width:g} m"
    return _hexahedra(kind, points, nodes, sets, material, source)


def _all_cells(counts: Sequence[int]) -> np.ndarray:
    """(k, 3) cells of a grid with so many along each axis."""
    return np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3)


def half_grid(cells: np.ndarray, kind: str, period: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of hexahedra that are cells (k, 3) of a grid, which may close after ``period`` cells of its second axis.

    On a grid of half cells every node of either kind has whole coordinates: these (nodes, 3) are returned, and the
    indices (k, nodes of an element) of the nodes.
    """
    offsets = (KINDS[kind].reference_nodes + 1.0).round().astype(int)
    grid = 2 * cells[:, None, :] + offsets
    if period:
        grid[:, :, 1] %= 2 * period
    places, nodes = np.unique(grid.reshape(-1, 3), axis=0, return_inverse=True)
    return places, nodes.reshape(len(cells), -1)


def _hexahedra(
    kind: str, points: np.ndarray, nodes: np.ndarray, sets: dict[str, np.ndarray], material: Material | None, source: str
) -> Mesh:
    """The mesh of elements (k, n) on the points, with node sets by masks (nn,)."""
    ids = np.arange(1, len(nodes) + 1)
    return Mesh(
        points=points,
        node_ids=np.arange(1, len(points) + 1),
        blocks=(ElementBlock(kind, ids, nodes, material),),
        node_sets={name: np.flatnonzero(chosen) for name, chosen in sets.items()},
        element_sets={"ALL": ids},
        materials={} if material is None else {material.name: material},
        source=source,
    )


ADDENDUM, DEDENDUM = 1.0, 1.25  # of the basic rack, in modules (ISO 53)


@dataclass(frozen=True)
class GearDivisions:
    """Elements of a gear: across a tooth, along its flank, across half of a gap, through the rim, along z."""

    tooth: int = 4
    flank: int = 6
    gap: int = 1
    rim: int = 2
    width: int = 2


def involute(angle):
    """inv a = tan a - a of an angle (rad)."""
    return np.tan(angle) - angle


def half_angle(radius, teeth: int, module: float, pressure_angle: float, backlash: float):
    """Half of the angle that a tooth spans at ``radius`` (m), rad; below the base circle that at the base circle.

    ``backlash``: by how much the tooth is thinner on the pitch circle than half a pitch, m.
    """
    pitch = 0.5 * module * teeth
    base = pitch * np.cos(pressure_angle)
    at = np.arccos(np.minimum(base / np.maximum(radius, base), 1.0))
    return (0.25 * np.pi * module - 0.5 * backlash) / pitch + involute(pressure_angle) - involute(at)


def spur_gear_mesh(
    teeth: int,
    module: float,
    width: float,
    bore: float,
    material: Material | None = None,
    *,
    pressure_angle: float = np.radians(20.0),
    backlash: float = 0.0,
    divisions: GearDivisions | None = None,
    kind: str = "hex20",
) -> Mesh:
    """Gear about the z axis, from z = -width/2 to width/2, with the middle of a tooth on the x axis.

    Involute flanks from the base circle (below it they run radially, without a fillet) to the tip, standard rack
    (ISO 53: addendum 1, dedendum 1.25 modules), no profile shift.

    Parameters
    ----------
    module, width, bore : m; ``bore`` is the radius of the hole
    backlash : m, by how much the teeth are thinner on the pitch circle than half a pitch

    Returns
    -------
    Mesh with the node sets BORE, FLANKS (all), and for each tooth k = 0, 1 ... its flanks LEFT k (towards larger
    angles) and RIGHT k.
    """
    d = divisions or GearDivisions()
    pitch = 0.5 * module * teeth
    root, tip = pitch - DEDENDUM * module, pitch + ADDENDUM * module
    if teeth < 5 or not 0.0 < bore < root or not width > 0.0 or kind not in ("hex8", "hex20"):
        raise MeshError(
            f"spur_gear_mesh: needs at least 5 teeth, a bore below the root circle ({root:g} m), a width > 0 m and "
            f"kind hex8 or hex20; got {teeth} teeth, bore {bore:g}, width {width:g}, kind {kind}."
        )
    thickness = half_angle(np.array([root, tip]), teeth, module, pressure_angle, backlash)
    if thickness[1] <= 0.0 or thickness[0] >= np.pi / teeth:
        raise MeshError(f"spur_gear_mesh: the teeth are pointed or touch at the root ({teeth} teeth, module {module:g} m).")
    places, nodes = half_grid(_cells(teeth, d), kind, teeth * (2 * d.gap + d.tooth))
    radius, angle, tooth, side = _polar(places, teeth, d, (bore, root, tip), (module, pressure_angle, backlash))
    z = width * (places[:, 2] / (2.0 * d.width) - 0.5)
    on_flank = (np.abs(side) == 1.0) & (places[:, 0] >= 2 * d.rim)
    sets = {"BORE": places[:, 0] == 0, "FLANKS": on_flank}
    for k in range(teeth):
        sets[f"LEFT {k}"], sets[f"RIGHT {k}"] = (on_flank & (tooth == k) & (side == s) for s in (1.0, -1.0))
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])
    source = f"spur gear of {teeth} teeth, module {module:g} m, {len(nodes)} {kind}"
    return _hexahedra(kind, points, nodes, sets, material, source)


def _cells(teeth: int, d: GearDivisions) -> np.ndarray:
    """(k, 3) cells (row outward, column around, layer) of the rim and of the teeth on it."""
    columns = 2 * d.gap + d.tooth
    own = (columns * np.arange(teeth)[:, None] + d.gap + np.arange(d.tooth)).ravel()
    top = np.stack(np.meshgrid(d.rim + np.arange(d.flank), own, np.arange(d.width), indexing="ij"), axis=-1)
    return np.concatenate([_all_cells((d.rim, teeth * columns, d.width)), top.reshape(-1, 3)])


def _polar(places, teeth: int, d: GearDivisions, radii, tooth_shape):
    """Radius and angle of nodes (k, 3) of the half grid, the tooth of their sector, s = -1 to 1 across the tooth."""
    bore, root, tip = radii
    row, column = 0.5 * places[:, 0], 0.5 * places[:, 1]
    columns = 2 * d.gap + d.tooth
    tooth, within = np.divmod(column, columns)
    radius = np.where(row <= d.rim, bore + (root - bore) * row / d.rim, root + (tip - root) * (row - d.rim) / d.flank)
    side = 2.0 * (within - d.gap) / d.tooth - 1.0
    base, pitch_angle = half_angle(np.asarray(root), teeth, *tooth_shape), 2.0 * np.pi / teeth
    spread = np.where(row > d.rim, half_angle(radius, teeth, *tooth_shape), base)
    beside = (np.abs(side) - 1.0) * d.tooth / (2.0 * d.gap)  # 0 to 1 from the tooth to the middle of the gap
    outside = np.sign(side) * (base + beside * (0.5 * pitch_angle - base))
    angle = np.where(np.abs(side) <= 1.0, side * spread, outside)
    return radius, pitch_angle * tooth + angle, tooth.astype(int), side
