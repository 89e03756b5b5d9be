"""What shells and solids have element by element: thickness, offset, directions of the material."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import unit_vectors
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_properties import ShellSection
from flexmbs.mesh.materials import AnisotropicMaterial, AnyMaterial, OrthotropicMaterial
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Elements
from flexmbs.mesh.readers.nastran.grid_cards import Grid


def has_directions(material: AnyMaterial | None, section: object) -> bool:
    """Whether the directions of the material matter: it (or a layer's) is not isotropic."""
    materials = [material]
    if isinstance(section, ShellSection):
        materials += [layer.material for layer in section.layers]
    return any(isinstance(m, OrthotropicMaterial | AnisotropicMaterial) for m in materials)


def own_thickness(elements: Elements) -> bool:
    """Whether each of the shells states its thickness at all its corners, in units of length."""
    given = elements.extras.get("thickness")
    return given is not None and bool(np.isfinite(given).all()) and not elements.extras["relative"].any()


def node_thickness(elements: Elements, common: float | None) -> np.ndarray | None:
    """(n, nodes per element) thickness of shells that state one, NaN rows for others; None when none does."""
    given = elements.extras.get("thickness")
    if given is None or np.isnan(given).all():
        return None
    thickness = np.where(elements.extras["relative"][:, None], given * (common or np.nan), given)
    stated = np.isfinite(thickness).any(axis=1)
    thickness[stated] = np.where(np.isfinite(thickness[stated]), thickness[stated], common or np.nan)
    kind = KINDS[elements.rows.kind]
    if kind.node_count > kind.corner_count:
        ends = np.array(kind.edges)
        thickness = np.hstack([thickness, (thickness[:, ends[:, 0]] + thickness[:, ends[:, 1]]) / 2.0])
    return thickness


def check_thickness(elements: Elements, thickness: np.ndarray | None) -> None:
    """MeshError when an element states negative thicknesses, only zeros, or lacks one at a node.

    Some corners may have none: plates taper to sharp edges.
    """
    if thickness is None:
        return
    stated = np.isfinite(thickness).any(axis=1)
    possible = (thickness >= 0.0).all(axis=1) & (thickness > 0.0).any(axis=1)
    wrong = np.flatnonzero(stated & ~possible)
    if wrong.size:
        rows = elements.rows
        raise MeshError(
            f"{rows.where(wrong[0])}: {rows.type_name} {rows.ids[wrong[0]]} has the thicknesses"
            f" {thickness[wrong[0]].tolist()}; give positive T1, T2, ... or T on its PSHELL."
        )


def offsets(elements: Elements, common: float) -> np.ndarray | None:
    """(n,) offsets of shells that state ZOFFS (on top of that of the section); None when none does."""
    given = elements.extras.get("offset")
    if given is None or not np.nan_to_num(given).any():
        return None
    return np.nan_to_num(given) + common


def shell_axes(elements: Elements, nodes: np.ndarray, grid: Grid) -> np.ndarray:
    """(n, 3, 3) material directions of shells: from the side G1-G2 turned by THETA, or the x axis of MCID projected.

    ``nodes`` (n, m) are indices.
    """
    corners = grid.table.points[nodes[:, : KINDS[elements.rows.kind].corner_count]]
    side = corners[:, 1] - corners[:, 0]
    across = corners[:, 2] - corners[:, 0]
    if corners.shape[1] == 4:
        normal = np.cross(across, corners[:, 3] - corners[:, 1])
    else:
        normal = np.cross(side, across)
    normal = unit_vectors(normal)
    count = len(nodes)
    angle = elements.extras.get("angle", np.zeros(count))
    system = elements.extras.get("system", np.full(count, -1))
    first = unit_vectors(side - np.sum(side * normal, axis=1, keepdims=True) * normal)
    first = np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * np.cross(normal, first)
    for number in np.unique(system[system >= 0]):
        rows = np.flatnonzero(system == number)
        where = f"{elements.rows.where(rows[0])}: {elements.rows.type_name}"
        x = grid.directions(int(number), corners[rows].mean(axis=1), where)[:, :, 0]
        first[rows] = unit_vectors(x - np.sum(x * normal[rows], axis=1, keepdims=True) * normal[rows])
    return np.stack([first, np.cross(normal, first), normal], axis=2)


def solid_axes(card: Card, nodes: np.ndarray, grid: Grid) -> np.ndarray | None:
    """(n, 3, 3) material directions of solids by CORDM of PSOLID; None: those of the mesh."""
    system = card.integer(2, "CORDM", 0)
    if system <= 0:
        return None
    return grid.directions(system, grid.table.points[nodes].mean(axis=1), card.where)
