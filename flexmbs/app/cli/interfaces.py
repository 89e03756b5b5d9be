"""Parse ``--interface NAME=WHERE`` with the names of a mesh."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flexmbs.app.cli.command_options import numbers
from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.reduction.interface import Interface

_WRONG_KIND = re.compile(r"rbe\d*", re.IGNORECASE)
KINDS = {"rbe2": "rigid", "rbe3": "averaged"}
HOW = "NAME=SET, NAME=node:123, NAME=coupling:COUPLING or NAME=point:X,Y,Z, optionally followed by :rbe2 or :rbe3"


def interfaces_of(mesh, texts: Sequence[str]) -> dict[str, Interface]:
    """Marker name -> Interface, in the order given.

    NAME ends at the first '='. If WHERE is the full name of a node set or coupling, that is used (names may contain
    blanks, colons and equals signs; case matters only if two names differ in nothing else). Otherwise ``:rbe2``
    (rigid) or ``:rbe3`` (averaged) is removed from its end, and the rest is a node set, a coupling, or node:, set:,
    coupling: or point: followed by its value. BodyError for no '=', a name used twice, or no such name in the mesh.
    """
    found: dict[str, Interface] = {}
    for text in texts:
        name, equals, where = text.partition("=")
        name, where = name.strip(), where.strip()
        if not (equals and name and where):
            raise BodyError(f"--interface {text}: write {HOW}.")
        if name in found:
            raise BodyError(f"--interface {text}: the name '{name}' is used twice; interface names must differ.")
        found[name] = _interface(mesh, text, where)
    return found


def _interface(mesh, text: str, where: str) -> Interface:
    named = {"set": list(mesh.node_sets), "coupling": [coupling.name for coupling in mesh.couplings]}

    def find(name: str, kind: str | None = None) -> Interface | None:
        """The node set of that name, otherwise the coupling."""
        found = ((what, _known(name, names)) for what, names in named.items())
        return next((Interface(**{what: known}, kind=kind) for what, known in found if known is not None), None)

    if whole := find(where):
        return whole
    rest, colon, last = (part.strip() for part in where.rpartition(":"))
    kind = KINDS.get(last.lower()) if colon else None
    if colon and kind is None and (_WRONG_KIND.fullmatch(last) or find(rest)):
        raise BodyError(f"--interface {text}: {last} must be rbe2 (rigid) or rbe3 (averaged).")
    where = rest if kind else where
    if found := find(where, kind):
        return found
    prefix, colon, value = (part.strip() for part in where.partition(":"))
    prefix = prefix.lower() if colon else ""
    if prefix in named:
        return Interface(**{prefix: _known(value, named[prefix]) or value}, kind=kind)
    if prefix in ("node", "point"):
        try:
            return Interface(node=int(value), kind=kind) if prefix == "node" else Interface(point=numbers(value, 3), kind=kind)
        except ValueError:
            of_points = "a point needs three coordinates in m, such as point:0.1,0,0."
            what = f"'{value}' is not a node number." if prefix == "node" else of_points
            raise BodyError(f"--interface {text}: {what}") from None
    known = near_names(where, [name for names in named.values() for name in names])
    raise BodyError(f"--interface {text}: the mesh has no node set or coupling '{where}'. {known} Write {HOW}.")


def _known(name: str, names: list[str]) -> str | None:
    """The one of ``names`` that is ``name``, or alone differs from it in upper and lower case only."""
    same = [known for known in names if known.upper() == name.upper()]
    return name if name in names else same[0] if len(same) == 1 else None
