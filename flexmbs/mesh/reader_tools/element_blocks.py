"""From the elements of a file, as they stand in it, to the blocks of a Mesh."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np

from flexmbs.mesh.mesh import ElementBlock, UnsupportedElements
from flexmbs.mesh.reader_tools.numbering import ElementRows, NumberIndex

_PER_ELEMENT = ("y_axes", "offsets", "thickness", "shell_offsets", "material_axes")


def make_blocks(
    groups: Sequence[ElementRows], keys: Sequence[Hashable], describe: Callable[[str, Hashable], Mapping]
) -> tuple[ElementBlock, ...]:
    """Blocks of elements of one kind and type with one property each, in the order in which these first appear.

    Parameters
    ----------
    groups : elements with a kind (others: ``other_elements``) and indices of nodes
        Their ``data`` may have the fields of ElementBlock that have a row for each element (NaN rows: nothing given for
        that element; a block all of whose rows are NaN has none).
    keys : for each group what tells its property from others
    describe : (kind, key) -> the fields of ElementBlock that the property gives: material, section, property_name,
        where. Called once per kind and key.
    """
    parts: dict[tuple, list[ElementRows]] = {}
    described: dict[tuple, Mapping] = {}
    for rows, key in zip(groups, keys, strict=True):
        if len(rows.ids):
            parts.setdefault((rows.kind, rows.type_name, key), []).append(rows)
    blocks = []
    for (kind, type_name, key), pieces in parts.items():
        if (kind, key) not in described:
            described[kind, key] = describe(kind, key)
        ids = np.concatenate([rows.ids for rows in pieces]).astype(np.int64)
        nodes = pieces[0].nodes if len(pieces) == 1 else np.concatenate([rows.nodes for rows in pieces])
        arrays = {name: values for name in _PER_ELEMENT if (values := _joined(name, pieces)) is not None}
        fields = {"where": pieces[0].where(0), **described[kind, key], **arrays}
        blocks.append(ElementBlock(kind, ids, nodes, type_name=type_name, **fields))
    return tuple(blocks)


def _joined(name: str, pieces: list[ElementRows]) -> np.ndarray | None:
    """A field with a row for each element of the pieces; None where none has it."""
    arrays = [rows.data.get(name) for rows in pieces]
    given = [values for values in arrays if values is not None]
    if not given or all(np.isnan(values).all() for values in given):
        return None
    shape = given[0].shape[1:]
    filled = [np.full((len(rows.ids), *shape), np.nan) if a is None else a for rows, a in zip(pieces, arrays, strict=True)]
    return np.concatenate(filled)


def other_elements(groups: Sequence[ElementRows]) -> tuple[UnsupportedElements, ...]:
    """The elements without a kind (with indices of nodes), as they are kept in a Mesh: one entry per type and number of nodes."""
    parts: dict[tuple, list[ElementRows]] = {}
    for rows in groups:
        parts.setdefault((rows.type_name, rows.role, rows.nodes.shape[1]), []).append(rows)
    return tuple(
        UnsupportedElements(
            type_name,
            role,
            np.concatenate([rows.ids for rows in pieces]).astype(np.int64),
            np.concatenate([rows.nodes for rows in pieces]),
            pieces[0].where(0),
        )
        for (type_name, role, _), pieces in parts.items()
        if sum(len(rows.ids) for rows in pieces)
    )


class ElementIndex(NumberIndex):
    """From element numbers to indices as in ``Mesh.element_sets`` (counted through the blocks)."""

    def __init__(self, blocks: Sequence[ElementBlock | UnsupportedElements]) -> None:
        super().__init__(np.concatenate([block.ids for block in blocks] or [np.empty(0, np.int64)]))
