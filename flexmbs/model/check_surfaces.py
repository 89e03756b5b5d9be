"""Checks of the surfaces of contacts in the pool before they are passed to compiled code (model.check_tables)."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.contact.surfaces import layout
from flexmbs.core.layout import tables as t


def check_surfaces(tables: t.Tables) -> None:
    """MechanismError where a surface of a contact reaches beyond its numbers, its scratch or its body."""
    films = tables.contacts["always"] != 0  # their numbers are others, and they have no surface
    for c in np.flatnonzero((tables.contacts["kind"] >= t.SURFACES) & ~films):
        contact = tables.contacts[c]
        numbers = tables.pool[contact["numbers_at"] : contact["numbers_at"] + contact["numbers"]]
        places = numbers[: layout.THICKNESS] if len(numbers) > layout.CONTACT_HEADER else np.array([np.inf])
        good = bool(np.all((places == 0.0) | ((places >= layout.CONTACT_HEADER) & (places < len(numbers)))))
        for number, end, width in ((layout.SURFACE_A, "a", 1), (layout.SURFACE_B, "b", layout.FACE)):
            if good and numbers[number] > 0.0:
                body = tables.bodies[tables.markers["body"][contact[end]]]
                good = _fits(numbers[int(numbers[number]) :], int(contact["scratch"]), int(body["modes"]), width)
        if not good:
            raise MechanismError(
                f"tables: the surfaces of contact {c} do not fit their numbers. This is a defect in flexmbs or in a saved state"
            )


def _fits(numbers: np.ndarray, scratch: int, modes: int, width: int) -> bool:
    """Whether arrays, nodes, branches and part of the cache of a surface are where they may be.

    ``width``: numbers of an item, 1 of points.
    """
    if len(numbers) < layout.HEADER or np.any(numbers[: layout.HEADER] < 0.0):
        return False
    n, forms, terms, nodes, items, branches = numbers[: layout.POSITIONS_AT].astype(np.int64).tolist()
    tree_at, items_at = int(numbers[layout.TREE_AT]), int(numbers[layout.ITEMS_AT])
    sizes = {
        layout.POSITIONS_AT: 3 * nodes,
        layout.FIELDS_AT: 3 * nodes * terms,
        layout.FORMS_AT: forms * n * n,
        layout.NORMALS_AT: 3 * nodes,
        layout.TREE_AT: layout.BRANCH * branches,
        layout.BOXES_AT: layout.BOX * branches,
        layout.FIELD_BOXES_AT: 6 * terms * branches,
    }
    end = int(numbers[layout.CACHE_AT]) + layout.cache_size(terms, nodes, branches)
    inside = all(numbers[place] + size <= len(numbers) for place, size in sizes.items())
    if n != modes or n + forms > terms or branches < 1 or not inside or end > scratch:
        return False
    if items_at + width * items > len(numbers) or (width == 1 and items != nodes):
        return False
    tree = numbers[tree_at : tree_at + layout.BRANCH * branches].reshape(branches, layout.BRANCH)
    good = np.all(tree[:, : layout.RIGHT + 1] < branches) and np.all(tree[:, layout.FIRST :] <= items)
    if width == layout.FACE:
        faces = numbers[items_at : items_at + width * items].reshape(items, width)
        good = good and np.all(faces[:, 1:] < nodes) and np.all(np.isin(faces[:, 0], (6.0, 8.0)))
    return bool(good and np.all(tree[:, layout.FIRST :] >= 0.0))
