"""Meshes made without a file: a straight line of beams, a block of solids."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_properties import BeamSection
from flexmbs.mesh.materials import Material
from flexmbs.mesh.mesh import ElementBlock, Mesh


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
    start, direction : (3,)
        First node (m) and where the beam runs to (any length).

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
            f"box_mesh: kind must be hex8 or hex20, divisions >= 1, sizes > 0 m; got {kind}, {divisions.tolist()},"
            f" {size.tolist()}."
        )
    cells = np.stack(np.meshgrid(*(np.arange(n) for n in divisions), indexing="ij"), axis=-1).reshape(-1, 3)
    # On a grid of half cells every node of either kind has whole coordinates.
    offsets = (KINDS[kind].reference_nodes + 1.0).round().astype(int)
    half_grid = 2 * cells[:, None, :] + offsets
    places, nodes = np.unique(half_grid.reshape(-1, 3), axis=0, return_inverse=True)
    count, ids = len(places), np.arange(1, len(cells) + 1)
    return Mesh(
        points=places * (size / (2.0 * divisions)),
        node_ids=np.arange(1, count + 1),
        blocks=(ElementBlock(kind, ids, nodes.reshape(len(cells), -1), material),),
        node_sets={
            "ROOT": np.flatnonzero(places[:, 0] == 0),
            "TIP": np.flatnonzero(places[:, 0] == 2 * divisions[0]),
            "ALL": np.arange(count),
        },
        element_sets={"ALL": ids},
        materials={} if material is None else {material.name: material},
        source=f"box of {len(cells)} {kind}, {' x '.join(f'{s:g}' for s in size)} m",
    )
