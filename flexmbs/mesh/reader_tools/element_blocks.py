"""From the elements of a file, as they stand in it, to the blocks of a Mesh."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np

from flexmbs.mesh.mesh import ElementBlock, UnsupportedElements
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable


def make_blocks(
    groups: Sequence[ElementRows],
    table: NodeTable | None,
    keys: Sequence[Sequence[Hashable]],
    describe: Callable[[str, Hashable], Mapping],
    per_element: Mapping[str, Sequence[np.ndarray | None]] | None = None,
) -> tuple[ElementBlock, ...]:
    """Blocks of elements of one kind and type with one property each, in the order in which these first appear.

    Parameters
    ----------
    groups : ElementRows with a kind (others: ``other_elements``)
    table : the nodes; None where those of the groups are indices already
    keys : for each group one hashable property key per element (or one key for all: a sequence of length 1)
    describe : (kind, key) -> the fields of ElementBlock that the property gives: material, section, property_name,
        where. Called once per kind and key.
    per_element : field of ElementBlock ("y_axes", "offsets", "thickness", ...) -> for each group an array with one row
        per element, or None where the group has none (NaN rows: nothing given for that element; a block all of whose
        rows are NaN gets None)

    Raises
    ------
    MeshError
        An element uses a node that does not exist.
    """
    parts: dict[tuple, list] = {}
    described: dict[tuple, dict] = {}
    for number, (rows, own_keys) in enumerate(zip(groups, keys, strict=True)):
        nodes = rows.node_indices(table)
        for key, chosen in _rows_of_key(own_keys, len(rows.ids)):
            parts.setdefault((rows.kind, rows.type_name, key), []).append((number, chosen, nodes[chosen]))
    blocks = []
    for (kind, type_name, key), pieces in parts.items():
        if (kind, key) not in described:
            described[kind, key] = dict(describe(kind, key))
        fields = described[kind, key]
        first, chosen, _ = pieces[0]
        extra = {name: _joined(per_group, pieces) for name, per_group in (per_element or {}).items()}
        blocks.append(
            ElementBlock(
                kind,
                np.concatenate([groups[number].ids[chosen] for number, chosen, _ in pieces]).astype(np.int64),
                pieces[0][2] if len(pieces) == 1 else np.concatenate([nodes for *_, nodes in pieces]),
                type_name=type_name,
                **{"where": groups[first].where(chosen[0]), **fields},
                **{name: values for name, values in extra.items() if values is not None},
            )
        )
    return tuple(blocks)


def other_elements(groups: Sequence[ElementRows], table: NodeTable | None) -> tuple[UnsupportedElements, ...]:
    """The elements without a kind, as they are kept in a Mesh: one entry per type and number of nodes."""
    parts: dict[tuple, list[ElementRows]] = {}
    for rows in groups:
        parts.setdefault((rows.type_name, rows.role, rows.nodes.shape[1]), []).append(rows)
    return tuple(
        UnsupportedElements(
            type_name,
            role,
            np.concatenate([rows.ids for rows in pieces]).astype(np.int64),
            np.concatenate([rows.node_indices(table) for rows in pieces]),
            pieces[0].where(0),
        )
        for (type_name, role, _), pieces in parts.items()
        if sum(len(rows.ids) for rows in pieces)
    )


class ElementIndex:
    """From element numbers to indices as in ``Mesh.element_sets`` (counted through the blocks)."""

    def __init__(self, blocks: Sequence[ElementBlock]) -> None:
        ids = np.concatenate([block.ids for block in blocks] or [np.empty(0, np.int64)])
        self._order = np.argsort(ids, kind="stable")
        self._sorted = ids[self._order]

    def find(self, ids: np.ndarray) -> np.ndarray:
        """Indices of element numbers, of the same shape; -1 where no block has the number."""
        ids = np.asarray(ids, np.int64)
        if not len(self._sorted):
            return np.full(ids.shape, -1)
        position = np.minimum(np.searchsorted(self._sorted, ids), len(self._sorted) - 1)
        return np.where(self._sorted[position] == ids, self._order[position], -1)


def _rows_of_key(keys: Sequence[Hashable], count: int) -> list[tuple[Hashable, np.ndarray]]:
    if len(keys) == 1:
        return [(keys[0], np.arange(count))] if count else []
    rows: dict[Hashable, list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(key, []).append(row)
    return [(key, np.array(chosen)) for key, chosen in rows.items()]


def _joined(per_group: Sequence[np.ndarray | None], pieces: list) -> np.ndarray | None:
    given = [per_group[number][chosen] for number, chosen, _ in pieces if per_group[number] is not None]
    if not given or all(np.isnan(values).all() for values in given):
        return None
    shape = given[0].shape[1:]
    return np.concatenate(
        [
            np.full((len(chosen), *shape), np.nan) if per_group[number] is None else per_group[number][chosen]
            for number, chosen, _ in pieces
        ]
    )
