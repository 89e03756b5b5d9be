"""The command line: ``flexmbs cases``, ``run``, ``verify``, ``describe``, ``info``, ``modes``, ``reduce``, ``view``."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flexmbs.app.cli.describe import describe_command
from flexmbs.app.cli.mesh_commands import info_command
from flexmbs.app.cli.modes import modes_command
from flexmbs.app.cli.reduce import reduce_command
from flexmbs.app.cli.terminal_text import plain
from flexmbs.app.cli.verify import verify_command
from flexmbs.app.cli.view import view_command
from flexmbs.common.atomic_files import reason
from flexmbs.common.errors import CaseError, FlexmbsError, FlexmbsWarning, MeshError, ResultFolderError, SimulationError

if TYPE_CHECKING:
    from flexmbs.result import RunFolder


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Flexible multibody dynamics: run cases, look at their results and at mesh files."""


cli.add_command(describe_command)
cli.add_command(info_command)
cli.add_command(modes_command)
cli.add_command(reduce_command)
cli.add_command(view_command)
cli.add_command(verify_command)


@cli.command("cases")
def cases_command() -> None:
    """List the cases that come with flexmbs."""
    from flexmbs.app.case.cases import list_cases

    found = list_cases()
    width = max((len(case.name) for case in found), default=0)
    for case in found:
        click.echo(f"{case.name:<{width}}  {case.title}")
    click.echo("\n'flexmbs run NAME --help' lists the parameters of a case.")


@cli.command("run", add_help_option=False)
@click.argument("case", required=False)
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter; may be repeated.")
@click.option(
    "--out", type=click.Path(file_okay=False), metavar="DIR",
    help="Result folder; by default the first that is not there of runs/CASE, runs/CASE-2, ...",
)  # fmt: skip
@click.option("--no-view", is_flag=True, help="Do not render an animation.")
@click.option("--resume", is_flag=True, help="Go on with the run in DIR where it was killed or interrupted.")
@click.option("--force", is_flag=True, help="Replace the result that DIR holds.")
@click.option("-h", "--help", "wants_help", is_flag=True, help="Show this, and the parameters of CASE.")
@click.pass_context
def run_command(
    context: click.Context,
    case: str | None,
    assignments: tuple[str, ...],
    out: str | None,
    no_view: bool,
    resume: bool,
    force: bool,
    wants_help: bool,
) -> None:
    """Run CASE: the name of a case, or the path of a case file."""
    from flexmbs.app.case.cases import load_case

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
    if resume and force:
        raise CaseError("--resume goes on with a run, --force replaces it: give one of them")
    with _result_folder(loaded.name, out, force=force, resume=resume) as folder:
        _run(loaded, assignments, folder, animate=not no_view)


@contextmanager
def _result_folder(name: str, out: str | None, *, force: bool, resume: bool) -> Iterator[RunFolder]:
    """The locked folder for a run of the case ``name`` and all that is written with it."""
    from flexmbs.result.run_folder import RunFolder, numbered

    with ExitStack() as stack:
        try:
            place = numbered(Path("runs") / name, force=force, resume=resume) if out is None else RunFolder(
                out, force=force, resume=resume
            )  # fmt: skip
            folder = stack.enter_context(place)
        except ResultFolderError as error:  # wrong use rather than a run that failed
            raise CaseError(str(error)) from error
        yield folder


def _run(case, assignments: tuple[str, ...], out: RunFolder, *, animate: bool) -> None:
    from flexmbs.app.case.cases import run_case, write_plots
    from flexmbs.app.case.parameters import split_assignments
    from flexmbs.common.progress_line import ProgressBar

    with ProgressBar(case.name) as progress:
        try:
            outcome = run_case(case, split_assignments(assignments), out=out, progress=progress)
        except SimulationError as error:
            raise SimulationError(f"{case.name} stopped: {error}") from error
    _show_figures(outcome)
    written = [out / "summary.json"]
    if outcome.result is not None:
        written += write_plots(case, outcome, out.path)
        if animate:
            written += _animate(case, outcome.result, out)
    click.echo("\nwrote " + ", ".join(str(path) for path in written))


def _animate(case, result, out: RunFolder) -> list[Path]:
    """The animation of a run; without OpenGL the run still succeeds and says what to install."""
    from flexmbs.view.opengl import RenderingUnavailable

    try:
        return [result.animate(out / "animation.mp4", **case.view)]
    except RenderingUnavailable as error:
        click.echo(f"no animation: {error}", err=True)
        return []


def _show_parameters(case) -> None:
    from flexmbs.app.case.parameters import settings_of

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
        click.echo(plain(f"warning: {message}"), err=True)
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
        error.message = plain(error.message)
        error.show()
        sys.exit(error.exit_code)
    except FlexmbsError as error:
        click.echo(plain(f"error: {error}"), err=True)
        sys.exit(exit_code(error))
    except BrokenPipeError:  # who reads the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        click.echo(plain(f"error: {where}{reason(error)}"), err=True)
        sys.exit(1)
    except MemoryError as error:
        click.echo(f"error: the memory ran out ({error}). A coarser mesh or fewer modes need less.", err=True)
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped; what was finished is saved ('flexmbs run ... --resume' goes on)", err=True)
        sys.exit(130)


if __name__ == "__main__":
    main()
