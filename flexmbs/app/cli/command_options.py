"""Options of commands: stated as ``--help`` shows them, lists of values, numbers in a text, interfaces by the names of a mesh."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import click

from flexmbs.common.errors import BodyError, FlexmbsError
from flexmbs.common.names_in_messages import near_names
from flexmbs.reduction.interface import Interface

ANY_PATH = click.Path(path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
_USAGE = re.compile(r"(?P<names>--?[\w-]+(, --?[\w-]+)*)( (?P<metavar>.+?))?(?P<repeatable>\*?)")


def option(usage: str, text: str, kind: Any = None, variable: str = "", **more: Any) -> Callable[[Any], Any]:
    """A click option: ``usage`` names it and its value, as in "-o, --output FILE", with "*" at the end where it may be repeated.

    ``kind`` is int, float, a type of click, or the words to choose from; None: any text, or a flag if ``usage`` has no value.
    ``variable`` names the parameter, where it is not called as the option; ``more`` is for click.option. Defaults are shown.
    """
    found = _USAGE.fullmatch(usage)
    assert found is not None, usage
    kind = click.Choice(list(kind)) if isinstance(kind, Sequence) else kind
    more |= {"is_flag": True} if kind is None and found["metavar"] is None else {}
    more |= {"show_default": True} if "default" in more else {}
    names = [*found["names"].split(", "), *([variable] if variable else [])]
    return click.option(*names, metavar=found["metavar"], multiple=bool(found["repeatable"]), type=kind, help=text, **more)


set_option = option("--set NAME=VALUE*", "Set a parameter; may be repeated.", variable="assignments")
json_option = option("--json", "Print one JSON object instead of text.", variable="as_json")


def parsed(read: Callable[[str], Any], what: str = "") -> dict[str, Any]:
    """Callback of an option whose text ``read`` turns into a value; for its errors UsageError: ``what`` it must be, or they."""

    def convert(_context: click.Context, option: click.Parameter, text: str | None) -> Any:
        try:
            return None if text is None else read(text)
        except (ValueError, FlexmbsError) as error:
            raise click.UsageError(f"{option.opts[0]} {text}: must be {what}" if what else str(error)) from None

    return {"callback": convert}


def number(text: str, above: float = -math.inf) -> float:
    """A finite number; ValueError otherwise."""
    if not above < float(text) < math.inf:
        raise ValueError(text)
    return float(text)


def numbers(text: str, count: int, separator: str = ",") -> tuple[float, ...]:
    """Exactly ``count`` numbers of a text; ValueError otherwise."""
    values = tuple(float(part) for part in text.split(separator))
    if len(values) != count:
        raise ValueError(text)
    return values


class ListCommand(click.Command):
    """A command with one argument; ``--fix A B`` means ``--fix A --fix B`` of options that may be repeated."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = [option for option in self.params if isinstance(option, click.Option)]
        lists = {name for option in options if option.multiple for name in option.opts}
        valued = {name for option in options if not (option.is_flag or option.count) for name in option.opts}
        return super().parse_args(ctx, spread(args, lists, valued))


def spread(args: Sequence[str], lists: Collection[str], valued: Collection[str]) -> list[str]:
    """The same arguments, with the option name repeated before each of its values.

    ``lists`` take several values, ``valued`` (these among them) any. If no other text can be the command's argument, it is
    the last value of a list: ``--fix A FILE``.
    """
    result: list[str] = []
    further: list[int] = []  # positions in the result of the repeated option names
    end = args.index("--") if "--" in args else len(args)
    current, waiting, argument_is_given = None, False, end + 1 < len(args)
    for text in args[:end]:
        if waiting:
            waiting = False
        elif text.startswith("-") and len(text) > 1:
            name, equals, _ = text.partition("=")
            waiting = name in valued and not equals
            current = name if name in lists else None
        elif current is not None:
            further.append(len(result))
            result.append(current)
        else:
            argument_is_given = True
        result.append(text)
    if further and not argument_is_given:
        del result[further[-1]]
    return [*result, *args[end:]]


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
        name, equals, where = (part.strip() for part in text.partition("="))
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
