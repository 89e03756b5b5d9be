"""``flexmbs compare``, ``report`` and ``export``: results of runs beside each other, as a page, for other programs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from flexmbs.app.cli.command_options import ANY_PATH, FILE, option, parsed
from flexmbs.common.atomic_files import refuse_existing
from flexmbs.common.errors import CaseError, FlexmbsError
from flexmbs.common.progress import size_text
from flexmbs.interop.universal_file import write_uff
from flexmbs.result.comparison.compare import compare
from flexmbs.result.export.checks import SIZE_LIMIT, chosen_bodies, chosen_times
from flexmbs.result.export.vtkhdf import FIELDS
from flexmbs.result.report.report import write_report
from flexmbs.result.result import Result, load
from flexmbs.result.run_summary import read_summary
from flexmbs.view.plot_scales import check_file


@click.command("compare")
@click.argument("items", nargs=-1, metavar="DIR1 DIR2 [DIR...] [NAME...]")
@option("--save FILE", "Write a figure (.svg, .pdf or .png): the histories of all runs, and their differences beneath.", FILE)
@option("--force", "Replace FILE if it exists.")
@option("--start SECONDS", "Start of the window of time.", float)
@option("--end SECONDS", "End of the window of time.", float)
@option("--degrees", "Angles of the figure in degrees.")
@option("--title TEXT", "Title of the figure.")
def compare_command(items: tuple[str, ...], save: Path | None, force: bool, start, end, degrees: bool, title: str | None) -> None:
    """Compare the runs in DIR1, DIR2, ... with the first of them: parameters, figures, histories NAME, statistics.

    Without NAME: driving and contact forces, coordinates and energies; the figure shows the four that differ most.
    """
    runs = [item for place, item in enumerate(items) if place < 2 or Path(item).is_dir()]
    names = [item for place, item in enumerate(items) if place >= 2 and not Path(item).is_dir()]
    if len(runs) < 2:
        raise click.UsageError("give at least two result folders: flexmbs compare DIR1 DIR2")
    for run in runs:
        if not Path(run).is_dir():
            raise CaseError(f"{run}: no such folder; 'flexmbs compare' takes the result folders first, then names")
    check_file(save, force)
    found = compare(*runs, names=names, start=start, end=end)
    click.echo(str(found))
    if save is not None:
        found.plot(save=save, force=force, degrees=degrees, title=title)
        click.echo(f"\nwrote {save}")


@click.command("report")
@click.argument("folder", type=ANY_PATH, metavar="DIR")
@option("--out FILE.html", "Default: report.html in DIR.", FILE)
@option("--title TEXT", "Heading of the page. Default: the title of the case.")
@option("--force", "Replace an existing file.")
def report_command(folder: Path, out: Path | None, title: str | None, force: bool) -> None:
    """Write one HTML page about the run in DIR: model, parameters, figures, plots, pictures, energy, warnings."""
    if not folder.is_dir():
        raise CaseError(f"{folder}: no such folder; give the result folder of a run")
    target = folder / "report.html" if out is None else out
    refuse_existing(target, force)
    result, summary = load(folder), read_summary(folder)
    click.echo(f"wrote {write_report(result, target, title=title or '', summary=summary, force=force)}")


# Writers of formats: ``times`` is None by default and 0 for all steps; what is returned says what was written.


def _scene(method: Callable[..., Any], result: Result, path: Path, *, times: int | None, **chosen: Any) -> str | None:
    written = method(result, path, times={None: 200, 0: None}.get(times, times), **chosen)
    return None if written == path else str(written)


def _table(method: Callable[..., Any], result: Result, path: Path, *, times, start, end, histories=(), **how: Any) -> None:
    if (start, end) != (None, None) or times:
        result = result.resampled(chosen_times(result.t, times or None, start, end))
    method(result, path, *histories, **how)


def _uff(result: Result, path: Path, *, times, bodies=(), histories=(), force: bool, **part: Any) -> None:
    if bodies and (histories or times is not None):
        raise click.UsageError("--to uff writes either histories, or with --body the modes of a body")
    if len(bodies) > 1:
        raise click.UsageError("--to uff takes one --body")
    if bodies:
        (index,) = chosen_bodies(result.structure, bodies)
        flexible = result.structure.bodies[index].flexible
        if flexible is None:
            raise FlexmbsError(f"body '{bodies[0]}' is rigid: it has no modes to write")
        write_uff(flexible, path, force=force)
        return
    if times == 0:
        raise FlexmbsError("--to uff: functions of data set 58 have even times; give --times N")
    result.to_uff(path, *histories, samples=times or 4096, force=force, **part)


# Format -> its writer, and which options are for it.
_FORMATS: dict[str, tuple[Callable[..., str | None], tuple[str, ...]]] = {
    "vtkhdf": (partial(_scene, Result.to_vtkhdf), ("bodies", "fields")),
    "glb": (partial(_scene, Result.to_gltf), ("bodies",)),
    "csv": (partial(_table, Result.to_csv), ("histories",)),
    "parquet": (partial(_table, Result.to_parquet), ("histories",)),
    "mat": (partial(_table, Result.to_mat), ("histories",)),
    "netcdf": (partial(_table, Result.to_netcdf), ("histories",)),
    "uff": (_uff, ("bodies", "histories")),
}


@click.command("export")
@click.argument("folder", type=ANY_PATH, metavar="DIR")
@option("--to", "Format (docs/exports.md).", tuple(_FORMATS), "kind", required=True)
@option("--out FILE", "Default: in DIR.", FILE)
@option("--start", "Start of the part that is written, s.", float)
@option("--end", "End of the part that is written, s.", float)
@option(
    "--times N|steps",
    "Number of times, spread evenly, or 'steps': every stored step (default: 200 for scenes, steps for tables).",
    **parsed(lambda text: 0 if text == "steps" else int(text), "a number of times, or 'steps'"),
)
@option("--body NAME*", "vtkhdf, glb: this body only; may be repeated. uff: modes of this body.", variable="bodies")
@option(
    "--field*", "vtkhdf: this quantity at the points; may be repeated (default: displacement and von_mises).", (*FIELDS,), "fields"
)
@option("--history NAME*", "Tables: this history; may be repeated.", variable="histories")
@option("--size-limit MB", f"Refuse to write more (default: {SIZE_LIMIT / 1e6:.0f}; 0: no limit).", float)
@option("--force", "Replace the file if it exists.")
def export_command(folder: Path, kind: str, out: Path | None, size_limit: float | None, **given: Any) -> None:
    """Write the result in DIR for ParaView (vtkhdf), Blender (glb), tables (csv, parquet, mat, netcdf), UFF."""
    write, takes = _FORMATS[kind]
    for name, flag in (("histories", "--history"), ("bodies", "--body"), ("fields", "--field")):
        if given[name] and name not in takes:
            raise click.UsageError(f"{flag} is not for --to {kind}")
        if not given[name]:
            del given[name]
    given["size_limit"] = SIZE_LIMIT if size_limit is None else (1e6 * size_limit or None)
    result = load(folder)
    path = out or folder / f"{folder.resolve().name}.{'nc' if kind == 'netcdf' else kind}"
    try:
        for name in (one for one in given.get("histories", ()) if one not in result.names):
            result[name]
    except KeyError as error:  # with near names
        raise FlexmbsError(str(error.args[0])) from None
    report = write(result, path, **given)
    click.echo(f"wrote {report or f'{path} ({size_text(path.stat().st_size)})'}")
