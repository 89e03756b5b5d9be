"""Which elements are structural: skins and degenerate elements are separated here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.couplings import Equation
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.reader_tools.degenerate_elements import MiddleNodes, middle_equations, true_kinds, without_missing_middles
from flexmbs.mesh.reader_tools.mirrored_elements import turned, turned_warning, volume_warning
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.reader_tools.skin_elements import split_skin
from flexmbs.mesh.readers.abaqus.element_types import element_type
from flexmbs.mesh.readers.abaqus.placed_instances import Model

_AT_ONCE = 1 << 16


@dataclass
class Sorted:
    """Elements that make bodies (with kinds), the others, and relations that replace missing middle nodes."""

    structural: list[ElementRows]
    others: list[ElementRows]
    equations: list[Equation]


def sort_elements(model: Model, has_section: np.ndarray) -> Sorted:
    """Sort the elements of a model; ``has_section`` (by serial number) keeps shells and beams from being mere skins.

    Nodes that stand in for missing middle nodes are added to the model. Raises MeshError for elements that are
    collapsed to nothing.
    """
    candidates, others = [], []
    for region in model.regions:
        for rows in region.rows:
            if rows.type_name.startswith("T3D3"):
                rows = replace(rows, nodes=_middle_last(model, rows.nodes))
            shape = element_type(rows.type_name).shape
            if rows.kind is not None:
                candidates.append(rows)
            elif shape in KINDS and rows.role in ("plane", "axisymmetric"):
                candidates.append(replace(rows, kind=shape))
            elif len(rows.ids):
                others.append(rows)
    candidates, skins = _split(candidates, has_section)
    structural = [rows for rows in candidates if element_type(rows.type_name).kind]
    others += [replace(rows, kind=None) for rows in candidates if not element_type(rows.type_name).kind] + skins
    sorted_elements = Sorted([], others, [])
    for rows in structural:
        for true in _true(model, rows, sorted_elements.equations):
            sorted_elements.structural.append(_right_way_round(model, true))
    return sorted_elements


def _right_way_round(model: Model, rows: ElementRows) -> ElementRows:
    """Solids with mirrored node order are turned; what is told of them, and of solids without volume, are warnings."""
    nodes, mirrored, flat = turned(rows.kind, rows.nodes, model.points)
    for chosen, warning in ((mirrored, turned_warning), (flat, volume_warning)):
        wrong = np.flatnonzero(chosen)
        if wrong.size:
            model.warn(warning(rows.where(wrong[0]), rows.type_name, model.element_numbers[rows.ids[wrong]]))
    if mirrored.any():
        model.mirrored = np.zeros(len(model.element_numbers), bool) if model.mirrored is None else model.mirrored
        model.mirrored[rows.ids[mirrored]] = True
    return replace(rows, nodes=nodes)


def _split(groups: list[ElementRows], has_section: np.ndarray) -> tuple[list[ElementRows], list[ElementRows]]:
    keep = [has_section[rows.ids] for rows in groups]
    dimensions = [KINDS[rows.kind].dimension for rows in groups]
    highest = max(dimensions, default=0)
    may_be_skin = any(0 < dimension < highest and not kept.all() for dimension, kept in zip(dimensions, keep, strict=True))
    return split_skin(groups, keep) if may_be_skin else (groups, [])


def _middle_last(model: Model, nodes: np.ndarray) -> np.ndarray:
    """Trusses with three nodes: whichever of the last two is nearer to the middle of the others comes last."""
    first, second, third = (model.points[nodes[:, i]] for i in range(3))
    second_off = np.linalg.norm(second - (first + third) / 2.0, axis=1)
    third_off = np.linalg.norm(third - (first + second) / 2.0, axis=1)
    return np.where((second_off < third_off)[:, None], nodes[:, [0, 2, 1]], nodes)


def _true(model: Model, rows: ElementRows, equations: list[Equation]) -> list[ElementRows]:
    """The rows by their true kinds."""
    if rows.kind.startswith("spring") or not _repeats(rows.nodes):
        return [rows]
    parts = []
    for kind, chosen, nodes in true_kinds(rows.kind, rows.nodes + 1):  # 0 means an absent node there
        own = replace(rows, ids=rows.ids[chosen], lines=np.asarray(rows.lines)[chosen], nodes=nodes)
        if not kind:
            number = model.element_numbers[own.ids[0]]
            raise MeshError(
                f"{own.where(0)}: *ELEMENT: element {number} ({rows.type_name}) is degenerate: its nodes repeat so"
                " that nothing is left of it; check them, or remove the element."
            )
        completed, middles = without_missing_middles(kind, nodes, len(model.points) + 1)
        _add_middles(model, own, middles, equations)
        for final, picked, numbers in completed:
            parts.append(replace(own, kind=final, ids=own.ids[picked], lines=own.lines[picked], nodes=numbers - 1))
    return parts


def _repeats(nodes: np.ndarray) -> bool:
    """Whether any element has a node twice (looked for in pieces, which take little memory)."""
    for start in range(0, len(nodes), _AT_ONCE):
        piece = np.sort(nodes[start : start + _AT_ONCE], axis=1)
        if (piece[:, 1:] == piece[:, :-1]).any():
            return True
    return False


def _add_middles(model: Model, rows: ElementRows, middles: MiddleNodes, equations: list[Equation]) -> None:
    if not len(middles.ids):
        return
    ends = middles.ends - 1
    new = len(model.points) + np.arange(len(ends))
    numbers = model.node_ids.max() + 1 + np.arange(len(ends))
    model.points = np.vstack([model.points, model.points[ends].mean(axis=1)])
    model.node_ids = np.concatenate([model.node_ids, numbers])
    model.warn(
        f"{rows.where(0)}: {len(ends)} midside nodes of {rows.type_name} elements repeat an end of their edge; nodes"
        f" {numbers[0]} to {numbers[-1]} replace them at midside and move with the mean of both ends."
    )
    for number, nodes in zip(numbers, np.column_stack([new, ends]), strict=True):
        equations += middle_equations(number, nodes, rows.where(0))
