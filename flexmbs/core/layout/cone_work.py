"""Work arrays of the programs in :mod:`flexmbs.core.contact.rigid.cone_program`."""

from __future__ import annotations

from flexmbs.machine_code.blocks import Block

_ROWS = ("g", "s", "z", "best_s", "best_z", "ds", "dz", "weight", "size", "middle", "right", "u", "v", "error_s")
_COLUMNS = ("x", "q", "P", "best_x", "dx", "error_x", "residual", "change", "factors")


class ConeWork(Block):
    """A program (``AT``: the transpose of A, ``g``, ``P``, ``q``), its solution (``x``, ``s``, ``z``) and scratch arrays.

    Made by :func:`allocate_cone_work`. ``steps`` led to the last solution; ``error`` is the largest one of its conditions.
    """

    fields = {
        "AT": ("f8", ("n", "m")),
        "BT": ("f8", ("n", "m")),
        "QR": ("f8", ("n", "sum")),
        "F": ("f8", ("contact_rows", "contact_rows")),
        "rows": ("f8", (len(_ROWS), "sum")),
        "columns": ("f8", (len(_COLUMNS), "n")),
        "steps": ("i8", 0),
        "error": ("f8", 0),
    }
    parts = {name: ("rows", at) for at, name in enumerate(_ROWS)} | {name: ("columns", at) for at, name in enumerate(_COLUMNS)}


def allocate_cone_work(contacts: int) -> ConeWork:
    """Work arrays for programs of up to that many contacts: 4 k unknowns, 4 k + 1 rows."""
    n, m = 4 * contacts, 4 * contacts + 1
    return ConeWork.zeros({"n": n, "m": m, "sum": n + m, "contact_rows": 3 * contacts})
