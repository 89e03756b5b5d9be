"""A surface as the numbers that compiled code reads (core.contact.surfaces.layout)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.core.contact.surfaces import layout
from flexmbs.mechanism.contact.surfaces.face_points import Tree, span, tree_of
from flexmbs.mechanism.contact.surfaces.polygons import Faces


@dataclass(frozen=True)
class Items:
    """What the leaves of the tree hold.

    Attributes
    ----------
    tree : over them
    numbers : (k, w) of each item
    controls : (m, 3) and (terms, m, 3): points whose convex hull holds the items at any deformation, and their fields
    owners : (m,) items of the control points, rising
    """

    tree: Tree
    numbers: np.ndarray
    controls: np.ndarray
    control_fields: np.ndarray
    owners: np.ndarray


def surface_numbers(
    positions: np.ndarray, fields: np.ndarray, forms: np.ndarray, items: Items, normals: np.ndarray, cache_at: int
) -> tuple[np.ndarray, int]:
    """The numbers of a surface, and where its part of the cache ends.

    Parameters
    ----------
    positions, normals : (nodes, 3)
    fields : (n + K, nodes, 3); forms : (K, n, n)
    """
    terms, count = len(fields), len(fields) + -len(fields) % layout.LANES
    padded = np.zeros((len(positions), 3, count))
    padded[:, :, :terms] = fields.transpose(1, 2, 0)
    boxes, box_fields = _boxes(items, count)
    parts = {
        layout.POSITIONS_AT: positions,
        layout.FIELDS_AT: padded,
        layout.FORMS_AT: forms,
        layout.ITEMS_AT: items.numbers[items.tree.order],
        layout.NORMALS_AT: normals,
        layout.TREE_AT: items.tree.branches,
        layout.BOXES_AT: boxes,
        layout.FIELD_BOXES_AT: box_fields,
    }
    header = np.zeros(layout.HEADER)
    counts = {
        layout.MODES: terms - len(forms),
        layout.FORMS: len(forms),
        layout.TERMS: count,
        layout.NODES: len(positions),
        layout.ITEMS: len(items.numbers),
        layout.BRANCHES: len(items.tree.branches),
        layout.CACHE_AT: cache_at,
    }
    for place, value in counts.items():
        header[place] = value
    at, arrays = layout.HEADER, [header]
    for place, part in parts.items():
        header[place] = at
        arrays.append(np.asarray(part, dtype=float).ravel())
        at += arrays[-1].size
    return np.concatenate(arrays), cache_at + layout.cache_size(count, len(positions), len(items.tree.branches))


def _boxes(items: Items, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(nb, 6) centres and half sizes, and (nb, 6, terms) middles and deviations of the fields in each box."""
    tree, starts = items.tree, np.searchsorted(items.owners, np.arange(len(items.numbers)))
    terms = len(items.control_fields)
    values = np.concatenate([items.controls[:, :, None], items.control_fields.transpose(1, 2, 0)], axis=2)
    low, high = np.minimum.reduceat(values, starts, axis=0), np.maximum.reduceat(values, starts, axis=0)
    middle, half = span(tree, low[tree.order], high[tree.order])
    boxes = np.concatenate([middle[:, :, 0], half[:, :, 0]], axis=1)
    fields = np.zeros((len(tree.branches), 6, count))
    fields[:, :3, :terms], fields[:, 3:, :terms] = middle[:, :, 1:], half[:, :, 1:]
    return boxes, fields


def face_items(faces: Faces, depths: np.ndarray) -> Items:
    """Faces of 6 and 8 nodes, whose boxes reach ``depths`` (nf,) m below them."""
    nodes = faces.nodes()
    parts, fields, owners = [], [], []
    for count in (6, 8):
        own = np.flatnonzero(nodes[:, 0] == count)
        if len(own) == 0:
            continue
        bezier = _bezier_points(count)
        rows = nodes[own, 1 : 1 + count]
        points = np.einsum("bi,fik->fbk", bezier, faces.points[rows])
        normals = _unit_normals(faces.points[rows[:, : count // 2]])
        below = points - depths[own, None, None] * normals[:, None]
        moved = np.einsum("bi,tfik->tfbk", bezier, faces.fields[:, rows])
        parts.append(np.concatenate([points, below], axis=1).reshape(-1, 3))
        fields.append(np.concatenate([moved, moved], axis=2).reshape(len(moved), len(parts[-1]), 3))
        owners.append(np.repeat(own, 2 * len(bezier)))
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    controls, control_fields = np.concatenate(parts)[order], np.concatenate(fields, axis=1)[:, order]
    return Items(tree_of(faces.centres()), nodes, controls, control_fields, owner[order])


def point_items(points: np.ndarray, fields: np.ndarray, areas: np.ndarray) -> tuple[np.ndarray, np.ndarray, Items]:
    """Points with their fields in the order of their tree, and the points as items of :func:`surface_numbers`."""
    tree = tree_of(points)
    points, fields, areas = points[tree.order], fields[:, tree.order], areas[tree.order]
    tree = Tree(np.arange(len(points)), tree.branches)
    return points, fields, Items(tree, areas[:, None], points, fields, np.arange(len(points)))


def _unit_normals(corners: np.ndarray) -> np.ndarray:
    """(nf, 3) of the planes through the corners (nf, 3 or 4, 3)."""
    found = np.cross(corners[:, 2] - corners[:, 0], corners[:, -1] - corners[:, 1])
    if corners.shape[1] == 3:
        found = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def _bezier_points(count: int) -> np.ndarray:
    """(control points, nodes) of the Bezier form of a face, whose convex hull holds it."""
    if count == 6:
        middles = np.zeros((3, 6))
        for k in range(3):
            middles[k, 3 + k], middles[k, k], middles[k, (k + 1) % 3] = 2.0, -0.5, -0.5
        return np.concatenate([np.eye(6)[:3], middles])
    edges = np.zeros((4, 8))
    for k in range(4):
        edges[k, 4 + k], edges[k, k], edges[k, (k + 1) % 4] = 2.0, -0.5, -0.5
    centre = np.concatenate([np.full(4, -0.25), np.full(4, 0.5)])
    low, high = np.eye(8)[7], np.eye(8)[5]  # middles of the left and right edges
    # the row through the middle: 2 centre - (left + right) / 2, in the other direction alike
    row = 2.0 * centre - 0.5 * (low + high)
    inner = 2.0 * row - 0.5 * (edges[0] + edges[2])
    return np.concatenate([np.eye(8)[:4], edges, inner[None]])
