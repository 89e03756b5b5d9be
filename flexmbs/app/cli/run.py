"""``flexmbs cases``, ``describe`` and ``run``: cases, the mechanism of one, its results in one folder."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from flexmbs.app.cli.command_options import FILE, json_option, option, set_option
from flexmbs.case.cases import checked_parameters, list_cases, load_case, plot_files, run_case, write_plots
from flexmbs.case.parameters import settings_of, split_assignments
from flexmbs.common.atomic_files import refuse_existing
from flexmbs.common.errors import CaseError, ResultFolderError, SimulationError
from flexmbs.common.progress import progress_bar
from flexmbs.common.quantities import aligned
from flexmbs.result.report.run_sections import sentences
from flexmbs.result.result_folder import ResultFolder, numbered
from flexmbs.result.saved_state import has_state
from flexmbs.view.opengl import RenderingUnavailable

ANIMATION = "animation.mp4"
MAX_SENTENCES, MAX_MODES = 3, 12  # on how a run went; contacts whose mode at the end is shown


@click.command("cases")
def cases_command() -> None:
    """List the cases that come with flexmbs."""
    click.echo("\n".join(aligned([(case.name, case.title) for case in list_cases()], indent="")))
    click.echo("\n'flexmbs run NAME --help' lists the parameters of a case.")


@click.command("describe")
@click.argument("case")
@set_option
@json_option
@option("--save FILE", "Write a picture of the topology (.png, .svg, .pdf).", FILE)
def describe_command(case: str, assignments: tuple[str, ...], as_json: bool, save: Path | None) -> None:
    """Bodies, joints, forces, loops and degrees of freedom of CASE, the name of a case or the path of a case file."""
    loaded = load_case(case)
    if hasattr(loaded.module, "analyse"):
        raise CaseError(f"{loaded.name}: this case has no mechanism to describe; it computes its results directly")
    parameters = checked_parameters(loaded, split_assignments(assignments))
    resolved = loaded.module.resolve(parameters) if hasattr(loaded.module, "resolve") else parameters
    description = loaded.module.build(resolved).describe()
    click.echo(json.dumps(description.as_dict(), indent=2) if as_json else str(description))
    if save is not None:
        click.echo(f"\nwrote {description.save(save)}", err=as_json)


@click.command("run", add_help_option=False)
@click.argument("case", required=False)
@set_option
@option("--out DIR", "Result folder. Default: the first new one of runs/CASE, runs/CASE-2, ...", click.Path(file_okay=False))
@option("--no-view", "Do not render an animation.")
@option(
    "--view NAME=VALUE*",
    "Option of the animation (of Result.animate) instead of that in VIEW of the case; may be repeated.",
    variable="viewed",
)
@option("--store-every N", "Store every N-th step only, events always. Default: all that fit.", int)
@option("--output-step SECONDS", "Store one step every so many seconds, events always.", float)
@option(
    "--storage-limit MB",
    "Store every second, fourth, ... step only when the result would exceed this. Default: 100, but no limit with --store-every "
    "or --output-step; 'none': no limit.",
)
@option("--resume", "Continue the killed, interrupted or finished run in DIR.")
@option("--force", "Replace the result in DIR.")
@option("--verbose", "Show figures with seven digits, and all statistics.")
@option("-h, --help", "Show this message and the parameters of CASE.", variable="wants_help")
@click.pass_context
def run_command(context, case: str | None, assignments, out, no_view, viewed, resume, force, verbose, wants_help, **stored) -> None:
    """Run CASE, the name of a case or the path of a case file."""
    if case is None:
        click.echo(context.get_help())
        if not wants_help:
            raise CaseError("no case given; 'flexmbs cases' lists the names of all cases")
        return
    loaded = load_case(case)
    if wants_help:
        click.echo(context.get_help())
        click.echo(f"\n{loaded.name}: {loaded.title}\n\nParameters (--set NAME=VALUE):")
        rows = [("name", "default", "unit", "")]
        for one in settings_of(loaded.parameters):
            rows.append((one.name, _number(one.default), one.unit or "-", f"{one.help} ({one.limits})".removesuffix(" ()")))
        click.echo("\n".join(aligned(rows)))
        return
    if resume and force:
        raise CaseError("--resume continues a run, --force replaces it: give only one of them")
    loaded = loaded.viewed(**view_values(viewed))
    limit = stored.pop("storage_limit")
    try:
        storage = stored if limit is None else stored | {"storage_limit": None if limit.lower() == "none" else 1e6 * float(limit)}
    except ValueError:
        raise CaseError(f"--storage-limit {limit!r}: expected a number of MB, or 'none' (no limit)") from None
    how = {"force": force, "resume": resume}
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(numbered(Path("runs") / loaded.name, **how) if out is None else ResultFolder(out, **how))
        except ResultFolderError as error:  # wrong use, not a failed run
            raise CaseError(str(error)) from error
        for path in (*plot_files(loaded, folder.path).values(), folder / ANIMATION):
            refuse_existing(path, force or resume, CaseError)
        if resume and not has_state(folder.path):
            click.echo(f"{folder.path} holds no run to resume: starting from the beginning", err=True)
        _run(loaded, assignments, folder, storage, animate=not no_view, verbose=verbose)


def _run(case, assignments: tuple[str, ...], out: ResultFolder, storage: dict, *, animate: bool, verbose: bool) -> None:
    with progress_bar(case.name):
        try:
            outcome = run_case(case, split_assignments(assignments), out=out, storage=storage)
        except SimulationError as error:
            raise SimulationError(f"{case.name} stopped: {error}") from error
    _show_figures(outcome, verbose)
    written = [out / "summary.json"]
    if outcome.result is not None:
        written += _pictures("plots", lambda: write_plots(case, outcome, out.path))
        if animate:
            written += _pictures("animation", lambda: [outcome.result.animate(out / ANIMATION, force=True)])
    click.echo("\nwrote " + ", ".join(str(path) for path in written))


def _pictures(what: str, make: Callable[[], list[Path]]) -> list[Path]:
    """Files of ``make``; without OpenGL, memory or a library none: the run still succeeds, and a message says why."""
    try:
        return make()
    except RenderingUnavailable as error:
        reason = str(error)
    except MemoryError:
        reason = "out of memory"
    except ImportError as error:
        reason = f"a library cannot be loaded, or not into the memory that is left ({error})"
    click.echo(f"no {what}: {reason}", err=True)
    return []


def _show_figures(outcome, verbose: bool) -> None:
    units, digits = outcome.about.get("units", {}), 7 if verbose else 4
    rows = [(name, _number(value, digits), units.get(name, "")) for name, value in outcome.figures.items()]
    click.echo("\n".join(["Figures:", *aligned(rows, (1,))]))
    events = outcome.events().get("events")
    if events:
        counts = [f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in events["counts"].items()]
        modes = [f"{name} {mode}" for name, mode in events["last_modes"].items()]
        click.echo(f"Events: {', '.join(counts)}{'; at the end ' if modes else ''}{', '.join(modes[:MAX_MODES])}")
    if outcome.result is not None:
        click.echo("\n".join(sentences(outcome.result, outcome.stats)[:MAX_SENTENCES]))
    if verbose:
        rows = [(name, _number(value)) for name, value in outcome.stats.items() if name != "advice"]
        click.echo("\n".join(["Statistics:", *aligned(rows)]))


def _number(value: object, digits: int = 7) -> str:
    """A value for display, long lists shortened."""
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    if isinstance(value, list | tuple):
        shown = ", ".join(_number(item, digits) for item in value[:6])
        return f"[{shown}{', ...' if len(value) > 6 else ''}]"
    return "none" if value is None else str(value)


def view_values(assignments: Sequence[str]) -> dict[str, object]:
    """Options from words: "zoom=2", "camera=0,0,1", "window_size=640x480", "slow_motion=true", "follow=piston".

    CaseError for words that are not NAME=VALUE.
    """
    return {name: _view_value(name, text) for name, text in split_assignments(assignments, "--view").items()}


def _view_value(name: str, text: str) -> object:
    if name in ("title", "follow", "background", "color_map"):
        return text
    if name == "hide":
        return tuple(text.split(","))
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text.replace("x", ",") if name == "window_size" else text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # as its documentation lists
        return text
