"""``flexmbs export``: write a result in the formats of other programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.progress import size_text
from flexmbs.interop.universal_file import write_uff
from flexmbs.result.export.checks import SIZE_LIMIT, chosen_bodies, chosen_times
from flexmbs.result.export.vtkhdf import FIELDS
from flexmbs.result.result import Result, load

_SCENES, _TABLES = ("vtkhdf", "glb"), ("csv", "parquet", "mat", "netcdf", "uff")
_ENDINGS = {"netcdf": "nc"}
_OF_SCENES, _OF_TABLES = ("bodies", "fields"), ("histories",)


@dataclass(frozen=True)
class _Choice:
    """What the options say."""

    times: int | None
    start: float | None
    end: float | None
    bodies: tuple[str, ...]
    fields: tuple[str, ...]
    histories: tuple[str, ...]
    force: bool
    size_limit: float | None

    @property
    def part(self) -> dict[str, Any]:
        """Options of scenes."""
        return {
            "times": self.times,
            "start": self.start,
            "end": self.end,
            "bodies": self.bodies or None,
            "force": self.force,
            "size_limit": self.size_limit,
        }


def _times(_context, _option, text: str | None) -> int | None:
    """A number, or 0 for "steps"."""
    if text is None or text == "steps":
        return 0 if text else None
    try:
        return int(text)
    except ValueError:
        raise click.BadParameter(f"{text!r}: must be a number of times, or 'steps'") from None


@click.command("export")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--to", "kind", type=click.Choice([*_SCENES, *_TABLES]), required=True, help="Format (docs/exports.md).")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Default: in DIR.")
@click.option("--start", type=float, help="Start of the part that is written, s.")
@click.option("--end", type=float, help="End of the part that is written, s.")
@click.option(
    "--times",
    callback=_times,
    metavar="N|steps",
    help="Number of times, spread evenly, or 'steps': every stored step (default: 200 for scenes, steps for tables).",
)
@click.option(
    "--body", "bodies", multiple=True, metavar="NAME", help="vtkhdf, glb: this body only; may be repeated. uff: modes of this body."
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    type=click.Choice(list(FIELDS)),
    help="vtkhdf: this quantity at the points; may be repeated (default: displacement and von_mises).",
)
@click.option("--history", "histories", multiple=True, metavar="NAME", help="Tables: this history; may be repeated.")
@click.option(
    "--size-limit", type=float, metavar="MB", help=f"Refuse to write more (default: {SIZE_LIMIT / 1e6:.0f}; 0: no limit)."
)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def export_command(folder: Path, kind: str, out: Path | None, size_limit: float | None, **given: Any) -> None:
    """Write the result in DIR for ParaView (vtkhdf), Blender (glb), tables (csv, parquet, mat, netcdf), UFF."""
    _refuse(kind, given)
    limit = SIZE_LIMIT if size_limit is None else (1e6 * size_limit or None)
    choice = _Choice(size_limit=limit, **given)
    result = load(folder)
    path = out or folder / f"{folder.resolve().name}.{_ENDINGS.get(kind, kind)}"
    for name in choice.histories:
        if name not in result.names:
            _unknown(result, name)
    report = _WRITERS[kind](result, path, choice)
    click.echo(f"wrote {report or f'{path} ({size_text(path.stat().st_size)})'}")


def _refuse(kind: str, given: dict[str, Any]) -> None:
    """UsageError for an option that the format would ignore."""
    options = {"bodies": "--body", "fields": "--field", "histories": "--history"}
    wrong = {"vtkhdf": _OF_TABLES, "glb": (*_OF_TABLES, "fields"), "uff": ("fields",)}.get(kind, _OF_SCENES)
    for name in wrong:
        if given[name]:
            raise click.UsageError(f"{options[name]} is not for --to {kind}")
    if kind == "uff" and given["bodies"] and (given["histories"] or given["times"] is not None):
        raise click.UsageError("--to uff writes either histories, or with --body the modes of a body")
    if kind == "uff" and len(given["bodies"]) > 1:
        raise click.UsageError("--to uff takes one --body")


def _unknown(result: Result, name: str) -> None:
    """FlexmbsError with near names."""
    try:
        result[name]
    except KeyError as error:
        raise FlexmbsError(str(error.args[0])) from None


def _vtkhdf(result: Result, path: Path, choice: _Choice) -> None:
    result.to_vtkhdf(path, **_of_scene(choice), fields=choice.fields or None)


def _glb(result: Result, path: Path, choice: _Choice) -> str:
    return str(result.to_gltf(path, **_of_scene(choice)))


def _of_scene(choice: _Choice) -> dict[str, Any]:
    times = {None: 200, 0: None}.get(choice.times, choice.times)
    return choice.part | {"times": times}


def _table(method: str) -> Callable[[Result, Path, _Choice], None]:
    def write(result: Result, path: Path, choice: _Choice) -> None:
        if (choice.start, choice.end) != (None, None) or choice.times:
            result = result.resampled(chosen_times(result.t, choice.times or None, choice.start, choice.end))
        getattr(result, method)(path, *choice.histories, force=choice.force, size_limit=choice.size_limit)

    return write


def _uff(result: Result, path: Path, choice: _Choice) -> None:
    if choice.bodies:
        (index,) = chosen_bodies(result.structure, choice.bodies)
        flexible = result.structure.bodies[index].flexible
        if flexible is None:
            raise FlexmbsError(f"body '{choice.bodies[0]}' is rigid: it has no modes to write")
        write_uff(flexible, path, force=choice.force)
        return
    if choice.times == 0:
        raise FlexmbsError("--to uff: functions of data set 58 have even times; give --times N")
    result.to_uff(
        path,
        *choice.histories,
        samples=choice.times or 4096,
        start=choice.start,
        end=choice.end,
        force=choice.force,
        size_limit=choice.size_limit,
    )


_WRITERS: dict[str, Callable[[Result, Path, _Choice], Any]] = {
    "vtkhdf": _vtkhdf,
    "glb": _glb,
    "csv": _table("to_csv"),
    "parquet": _table("to_parquet"),
    "mat": _table("to_mat"),
    "netcdf": _table("to_netcdf"),
    "uff": _uff,
}
