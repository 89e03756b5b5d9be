"""The command line: ``flexmbs cases``, ``run``, ``describe``, ``info``, ``modes``, ``reduce`` and ``view``."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import click

from flexmbs.cli_describe import describe_command
from flexmbs.cli_mesh import includes_option, info_command, units_option, view_mesh
from flexmbs.cli_modes import modes_command
from flexmbs.cli_reduce import BODY_ENDINGS, reduce_command, view_body
from flexmbs.errors import CaseError, FlexmbsError, FlexmbsWarning, MeshError, SimulationError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Flexible multibody dynamics: run cases, look at their results and at mesh files."""


cli.add_command(describe_command)
cli.add_command(info_command)
cli.add_command(modes_command)
cli.add_command(reduce_command)


@cli.command("cases")
def cases_command() -> None:
    """List the cases that come with flexmbs."""
    from flexmbs.cases import list_cases

    found = list_cases()
    width = max((len(case.name) for case in found), default=0)
    for case in found:
        click.echo(f"{case.name:<{width}}  {case.title}")
    click.echo("\n'flexmbs run NAME --help' lists the parameters of a case.")


@cli.command("run", add_help_option=False)
@click.argument("case", required=False)
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter; may be repeated.")
@click.option("--out", type=click.Path(file_okay=False), metavar="DIR", help="Result folder (default: runs/CASE).")
@click.option("--no-view", is_flag=True, help="Do not render an animation.")
@click.option("--resume", is_flag=True, help="Go on with the run in DIR where it was killed or interrupted.")
@click.option("-h", "--help", "wants_help", is_flag=True, help="Show this, and the parameters of CASE.")
@click.pass_context
def run_command(
    context: click.Context,
    case: str | None,
    assignments: tuple[str, ...],
    out: str | None,
    no_view: bool,
    resume: bool,
    wants_help: bool,
) -> None:
    """Run CASE: the name of a case, or the path of a case file."""
    from flexmbs.cases import load_case

    if case is None:
        click.echo(context.get_help())
        if not wants_help:
            raise CaseError("name the case to run; 'flexmbs cases' lists them")
        return
    loaded = load_case(case)
    if wants_help:
        click.echo(context.get_help())
        _show_parameters(loaded)
        return
    _run(loaded, assignments, Path(out) if out else Path("runs") / loaded.name, animate=not no_view, resume=resume)


@cli.command("view")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a .png, .gif or .mp4 instead of opening a window (of a mesh: a .png).",
)
@click.option("--time", type=float, help="Results: time of the picture, s (default: the end).")
@click.option("--mode", type=int, default=1, show_default=True, metavar="K", help="Reduced bodies: number of the mode.")
@click.option(
    "--scale",
    type=float,
    default=1.0,
    show_default=True,
    help="Factor on the deformation; of bodies at 1 at most a tenth of their size.",
)
@click.option(
    "--color",
    type=click.Choice(["displacement", "von_mises"]),
    default="displacement",
    show_default=True,
    help="Results and bodies: what the colours show.",
)
@click.option("--set", "sets", multiple=True, metavar="NAME", help="Meshes: show this node set; may be repeated.")
@units_option
@includes_option
def view_command(
    path: Path,
    save: Path | None,
    time: float | None,
    mode: int,
    scale: float,
    color: str,
    sets: tuple[str, ...],
    units: str | None,
    allow_outside_includes: bool,
) -> None:
    """Show PATH (a result folder, a reduced body's file, a mesh file with its sets) in a window, or save a picture."""
    if path.suffix.lower() in BODY_ENDINGS:
        view_body(path, mode, save, scale, color)
        return
    if not path.is_dir() and (path.is_file() or path.suffix):
        view_mesh(path, units, save, allow_outside_includes, sets)
        return
    if not path.is_dir():
        raise CaseError(f"{path}: no such file or folder; view takes a result folder, a reduced body or a mesh file")
    from flexmbs.result import load

    result = load(path)
    if save is None:
        result.show(color=color, scale=scale)
        return
    click.echo(f"wrote {result.animate(save, time=time, scale=scale, color=color)}")


def _run(case, assignments: tuple[str, ...], out: Path, *, animate: bool, resume: bool) -> None:
    from flexmbs.case_parameters import split_assignments
    from flexmbs.cases import run_case, write_plots
    from flexmbs.progress import ProgressBar

    with ProgressBar(case.name) as progress:
        try:
            outcome = run_case(case, split_assignments(assignments), out=out, progress=progress, resume=resume)
        except SimulationError as error:
            raise SimulationError(f"{case.name} stopped: {error}") from error
    _show_figures(outcome)
    written = [out / "summary.json"]
    if outcome.result is not None:
        written += write_plots(case, outcome, out)
        if animate:
            written += _animate(case, outcome.result, out)
    click.echo("\nwrote " + ", ".join(str(path) for path in written))


def _animate(case, result, out: Path) -> list[Path]:
    """The animation of a run; without OpenGL the run still succeeds and says what to install."""
    from flexmbs.view.gl import RenderingUnavailable

    try:
        return [result.animate(out / "animation.mp4", **getattr(case.module, "VIEW", {}))]
    except RenderingUnavailable as error:
        click.echo(f"no animation: {error}", err=True)
        return []


def _show_parameters(case) -> None:
    from flexmbs.case_parameters import settings_of

    settings = settings_of(case.parameters)
    click.echo(f"\n{case.name}: {case.title}\n\nParameters (--set NAME=VALUE):")
    rows = [("name", "default", "unit", "")]
    rows += [
        (entry.name, _number(entry.default), entry.unit or "-", f"{entry.help} ({entry.limits})".removesuffix(" ()"))
        for entry in settings
    ]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        click.echo("  " + "  ".join([*cells, row[3]]).rstrip())


def _show_figures(outcome) -> None:
    click.echo("Figures:")
    width = max((len(name) for name in outcome.figures), default=0)
    for name, value in outcome.figures.items():
        click.echo(f"  {name:<{width}}  {_number(value)}")
    shown = [f"{name} {_number(value)}" for name, value in outcome.stats.items()]
    if shown:
        click.echo("Statistics: " + ", ".join(shown))


def _number(value: object) -> str:
    """A value for people: seven digits, long lists cut."""
    if isinstance(value, float):
        return f"{value:.7g}"
    if isinstance(value, list | tuple):
        shown = ", ".join(_number(item) for item in value[:6])
        return f"[{shown}{', ...' if len(value) > 6 else ''}]"
    return "none" if value is None else str(value)


def _show_warning(message, category, filename, lineno, file=None, line=None) -> None:
    """Warnings of flexmbs in one line, as its errors; others as Python shows them."""
    if issubclass(category, FlexmbsWarning):
        click.echo(f"warning: {message}", err=True)
    else:
        click.echo(warnings.formatwarning(message, category, filename, lineno, line), err=True, nl=False)


def exit_code(error: FlexmbsError) -> int:
    """2: what was asked for cannot be (options, names, missing files, what a case states); 1: it failed.

    Failures are runs that stop, mesh files with wrong content, files that cannot be read or written, too little memory.
    """
    if isinstance(error.__cause__, FileNotFoundError | IsADirectoryError | NotADirectoryError):
        return 2
    failed = isinstance(error, SimulationError | MeshError) or isinstance(error.__cause__, OSError | MemoryError)
    return 1 if failed else 2


def main() -> None:
    """Entry point: errors of flexmbs end in one line, and the exit codes are those of ``exit_code``."""
    warnings.showwarning = _show_warning
    try:
        code = cli.main(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except FlexmbsError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(exit_code(error))
    except MemoryError as error:
        click.echo(f"error: the memory ran out ({error}). A coarser mesh or fewer modes need less.", err=True)
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped; what was finished is saved ('flexmbs run ... --resume' goes on)", err=True)
        sys.exit(130)


if __name__ == "__main__":
    main()
