"""Parse ``--interface NAME=WHERE`` with the names of a mesh."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.reduction.interface import Interface

_WRONG_KIND = re.compile(r"rbe\d*", re.IGNORECASE)
KINDS = {"rbe2": "rigid", "rbe3": "averaged"}
HOW = "NAME=SET, NAME=node:123, NAME=coupling:COUPLING or NAME=point:X,Y,Z, optionally followed by :rbe2 or :rbe3"


def interfaces_of(mesh, texts: Sequence[str]) -> dict[str, object]:
    """Marker name -> Interface, in the order given.

    NAME ends at the first '='. If WHERE is the full name of a node set or coupling, that is used (names may contain
    blanks, colons and equals signs; case matters only if two names differ in nothing else). Otherwise ``:rbe2``
    (rigid) or ``:rbe3`` (averaged) is removed from its end, and the rest is a node set, a coupling, or node:, set:,
    coupling: or point: followed by its value.

    Raises
    ------
    BodyError
        No '=', a name used twice, or no such name in the mesh (the message lists the names that exist).
    """
    found: dict[str, object] = {}
    for text in texts:
        name, equals, where = text.partition("=")
        name, where = name.strip(), where.strip()
        if not (equals and name and where):
            raise BodyError(f"--interface {text}: write {HOW}.")
        if name in found:
            raise BodyError(f"--interface {text}: the name '{name}' is used twice; interface names must differ.")
        found[name] = _interface(mesh, text, where)
    return found


def _interface(mesh, text: str, where: str):
    whole = _named(mesh, where, None)
    if whole is not None:
        return whole
    rest, colon, last = where.rpartition(":")
    kind = KINDS.get(last.strip().lower()) if colon else None
    if colon and kind is None and (_WRONG_KIND.fullmatch(last.strip()) or _named(mesh, rest.strip(), None) is not None):
        raise BodyError(f"--interface {text}: {last.strip()} must be rbe2 (rigid) or rbe3 (averaged).")
    where = rest.strip() if kind else where
    named = _named(mesh, where, kind)
    return named if named is not None else _by_prefix(mesh, text, where, kind)


def _named(mesh, where: str, kind: str | None):
    """The node set of that name, otherwise the coupling."""
    name = _known(where, list(mesh.node_sets))
    if name is not None:
        return Interface(set=name, kind=kind)
    name = _known(where, [coupling.name for coupling in mesh.couplings])
    return None if name is None else Interface(coupling=name, kind=kind)


def _by_prefix(mesh, text: str, where: str, kind: str | None):
    prefix, colon, rest = (part.strip() for part in where.partition(":"))
    prefix = prefix.lower() if colon else ""
    if prefix == "node":
        return Interface(node=_number(text, rest), kind=kind)
    if prefix == "point":
        return Interface(point=_point(text, rest), kind=kind)
    couplings = [coupling.name for coupling in mesh.couplings]
    if prefix == "coupling":
        return Interface(coupling=_known(rest, couplings) or rest, kind=kind)
    if prefix == "set":
        return Interface(set=_known(rest, list(mesh.node_sets)) or rest, kind=kind)
    known = near_names(where, [*mesh.node_sets, *couplings])
    raise BodyError(f"--interface {text}: the mesh has no node set or coupling '{where}'. {known} Write {HOW}.")


def _known(name: str, names: list[str]) -> str | None:
    if name in names:
        return name
    same = [known for known in names if known.upper() == name.upper()]
    return same[0] if len(same) == 1 else None


def _number(text: str, number: str) -> int:
    try:
        return int(number)
    except ValueError:
        raise BodyError(f"--interface {text}: '{number}' is not a node number.") from None


def _point(text: str, numbers: str) -> tuple[float, float, float]:
    try:
        x, y, z = (float(part) for part in numbers.split(","))
    except ValueError:
        raise BodyError(f"--interface {text}: a point needs three coordinates in m, such as point:0.1,0,0.") from None
    return x, y, z
