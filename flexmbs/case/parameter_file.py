"""Parameters of a case from a JSON file: one set of values, as folders of reference results keep them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from flexmbs.case.parameters import from_values, settings_of
from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import CaseError, CaseWarning
from flexmbs.common.stored_arrays import parsed_json
from flexmbs.common.user_warnings import warn

SETS = "sets"  # of a file with several: name -> values
P = TypeVar("P")


def with_parameter_file(parameters: P, names: Mapping[str, str], unused: Collection[str] = ()) -> P:
    """The parameters of a case with the values of the JSON file that its parameter ``parameters`` names, if any.

    The file holds one object of values; of a file with one entry in "sets" the values of that entry count, beside those
    that stand next to "sets". Values of the file replace those of the case, also where both were set.

    Parameters
    ----------
    names : name in the file -> name of the parameter; a single number stands for a list of one. "hub.mass" is the value
        "mass" of the object "hub", "panels.mass" the list of the "mass" of each object of the list "panels"
    unused : names in the file that say nothing about the case; texts never do. Others are warned about

    Raises CaseError for a file that cannot be read, holds no values or several sets, or a value that is not allowed.
    """
    path = getattr(parameters, "parameters", None)
    if path is None:
        return parameters
    found = _flat(read_parameter_set(path), str(path))
    values = {entry.name: getattr(parameters, entry.name) for entry in fields(parameters)}  # type: ignore[arg-type]
    lists = {setting.name for setting in settings_of(type(parameters)) if setting.kind is tuple}
    for name, value in found.items():
        if name in names:
            single = names[name] in lists and isinstance(value, int | float)
            values[names[name]] = (value,) if single else value
    strange = [name for name in found if name not in {*names, *unused} and not isinstance(found[name], str)]
    if strange:
        warn(f"this case has no {', '.join(strange)}; it reads {', '.join(names)}", CaseWarning, where=str(path))
    try:
        return from_values(type(parameters), values)
    except CaseError as error:
        raise CaseError(f"{path}: {error}") from None


def _flat(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Values by name, those of objects and of lists of objects by dotted names."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": entry for inner, entry in _flat(value, where).items()}
        elif isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
            if any(entry.keys() != value[0].keys() for entry in value):
                raise CaseError(f"{where}: the objects of {name!r} must all have the same names")
            found |= {f"{name}.{inner}": [entry[inner] for entry in value] for inner in value[0]}
        else:
            found[name] = value
    return found


def read_parameter_set(path: str | Path) -> dict[str, Any]:
    """The values of a file of parameters by name, as :func:`with_parameter_file` describes it."""
    wrong = path_problem(path)
    if wrong:
        raise CaseError(f"{path}: {wrong}; expected a JSON file of parameters")
    try:
        content = parsed_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CaseError(f"{path}: not a JSON file of parameters: {error}") from None
    if not isinstance(content, dict):
        raise CaseError(f'{path}: expected one object of values, such as {{"m": 1.0}}, not a {type(content).__name__}')
    sets = content.pop(SETS, {})
    if not isinstance(sets, dict) or not all(isinstance(values, dict) for values in sets.values()):
        raise CaseError(f"{path}: {SETS!r} must hold objects of values by name")
    if len(sets) > 1:
        raise CaseError(
            f"{path}: it holds {len(sets)} sets ({', '.join(sets)}); write one of them to a file of its own, with the "
            f"values that stand beside {SETS!r}"
        )
    for values in sets.values():
        content |= values
    if not content:
        raise CaseError(f"{path}: it holds no values")
    return content
