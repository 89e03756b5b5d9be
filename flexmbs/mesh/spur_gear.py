"""Spur gears with involute flanks, meshed without a file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.generate import half_grid
from flexmbs.mesh.materials import Material
from flexmbs.mesh.mesh import ElementBlock, Mesh

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
    ids = np.arange(1, len(nodes) + 1)
    return Mesh(
        points=np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z]),
        node_ids=np.arange(1, len(places) + 1),
        blocks=(ElementBlock(kind, ids, nodes, material),),
        node_sets={name: np.flatnonzero(chosen) for name, chosen in sets.items()},
        element_sets={"ALL": ids},
        materials={} if material is None else {material.name: material},
        source=f"spur gear of {teeth} teeth, module {module:g} m, {len(ids)} {kind}",
    )


def _cells(teeth: int, d: GearDivisions) -> np.ndarray:
    """(k, 3) cells (row outward, column around, layer) of the rim and of the teeth on it."""
    columns = 2 * d.gap + d.tooth
    rim = np.stack(np.meshgrid(np.arange(d.rim), np.arange(teeth * columns), np.arange(d.width), indexing="ij"), -1)
    own = (columns * np.arange(teeth)[:, None] + d.gap + np.arange(d.tooth)).ravel()
    top = np.stack(np.meshgrid(d.rim + np.arange(d.flank), own, np.arange(d.width), indexing="ij"), axis=-1)
    return np.concatenate([rim.reshape(-1, 3), top.reshape(-1, 3)])


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
