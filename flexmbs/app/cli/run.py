"""``flexmbs run``: compute a case and write its result, figures, plots and animation to one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from flexmbs.case.cases import load_case, plot_files, run_case, write_plots
from flexmbs.case.parameters import settings_of, split_assignments
from flexmbs.common.atomic_files import refuse_existing
from flexmbs.common.errors import CaseError, ResultFolderError, SimulationError
from flexmbs.common.progress import progress_bar
from flexmbs.common.quantities import aligned
from flexmbs.result.report.run_sections import sentences
from flexmbs.result.result_folder import ResultFolder, numbered
from flexmbs.result.saved_state import has_state
from flexmbs.view.opengl import RenderingUnavailable

SAID_AS_WARNINGS = ("advice",)  # statistics that the run has issued as warnings
ANIMATION = "animation.mp4"
MAX_SENTENCES = 3  # on how a run went
MAX_MODES = 12  # contacts whose mode at the end is shown


@click.command("run", add_help_option=False)
@click.argument("case", required=False)
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter; may be repeated.")
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Result folder. Default: the first new one of runs/CASE, runs/CASE-2, ...",
)
@click.option("--no-view", is_flag=True, help="Do not render an animation.")
@click.option(
    "--view",
    "view_assignments",
    multiple=True,
    metavar="NAME=VALUE",
    help="Option of the animation (of Result.animate) instead of that in VIEW of the case; may be repeated.",
)
@click.option("--store-every", type=int, metavar="N", help="Store every N-th step only, events always. Default: all that fit.")
@click.option("--output-step", type=float, metavar="SECONDS", help="Store one step every so many seconds, events always.")
@click.option(
    "--storage-limit",
    metavar="MB",
    help="Store every second, fourth, ... step only when the result would exceed this. Default: 100, but no "
    "limit with --store-every or --output-step; 'none': no limit.",
)
@click.option("--resume", is_flag=True, help="Continue the killed, interrupted or finished run in DIR.")
@click.option("--force", is_flag=True, help="Replace the result in DIR.")
@click.option("--verbose", is_flag=True, help="Show figures with seven digits, and all statistics.")
@click.option("-h", "--help", "wants_help", is_flag=True, help="Show this message and the parameters of CASE.")
@click.pass_context
def run_command(
    context: click.Context,
    case: str | None,
    assignments: tuple[str, ...],
    out: str | None,
    no_view: bool,
    view_assignments: tuple[str, ...],
    store_every: int | None,
    output_step: float | None,
    storage_limit: str | None,
    resume: bool,
    force: bool,
    verbose: bool,
    wants_help: bool,
) -> None:
    """Run CASE, the name of a case or the path of a case file."""
    if case is None:
        click.echo(context.get_help())
        if not wants_help:
            raise CaseError("no case given; 'flexmbs cases' lists the names of all cases")
        return
    loaded = load_case(case)
    if wants_help:
        click.echo(context.get_help())
        _show_parameters(loaded)
        return
    if resume and force:
        raise CaseError("--resume continues a run, --force replaces it: give only one of them")
    loaded = loaded.viewed(**view_values(view_assignments))
    storage = _storage(store_every, output_step, storage_limit)
    with _result_folder(loaded.name, out, force=force, resume=resume) as folder:
        for path in (*plot_files(loaded, folder.path).values(), folder / ANIMATION):
            refuse_existing(path, force or resume, CaseError)
        if resume and not has_state(folder.path):
            click.echo(f"{folder.path} holds no run to resume: starting from the beginning", err=True)
        _run(loaded, assignments, folder, storage, animate=not no_view, verbose=verbose)


def _storage(store_every: int | None, output_step: float | None, storage_limit: str | None) -> dict[str, object]:
    """Storage options of ``System.simulate``; the limit is given in MB."""
    found: dict[str, object] = {"store_every": store_every, "output_step": output_step}
    if storage_limit is None:
        return found
    if storage_limit.lower() == "none":
        return {**found, "storage_limit": None}
    try:
        return {**found, "storage_limit": 1e6 * float(storage_limit)}
    except ValueError:
        raise CaseError(f"--storage-limit {storage_limit!r}: expected a number of MB, or 'none' (no limit)") from None


@contextmanager
def _result_folder(name: str, out: str | None, *, force: bool, resume: bool) -> Iterator[ResultFolder]:
    """The locked folder for a run of the case ``name`` and everything written with it."""
    with ExitStack() as stack:
        try:
            place = (
                numbered(Path("runs") / name, force=force, resume=resume)
                if out is None
                else ResultFolder(out, force=force, resume=resume)
            )
            folder = stack.enter_context(place)
        except ResultFolderError as error:  # wrong use, not a failed run
            raise CaseError(str(error)) from error
        yield folder


def _run(
    case, assignments: tuple[str, ...], out: ResultFolder, storage: dict[str, object], *, animate: bool, verbose: bool
) -> None:
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


def _show_parameters(case) -> None:
    settings = settings_of(case.parameters)
    click.echo(f"\n{case.name}: {case.title}\n\nParameters (--set NAME=VALUE):")
    rows = [("name", "default", "unit", "")]
    rows += [
        (entry.name, _number(entry.default), entry.unit or "-", f"{entry.help} ({entry.limits})".removesuffix(" ()"))
        for entry in settings
    ]
    click.echo("\n".join(aligned(rows)))


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
        rows = [(name, _number(value)) for name, value in outcome.stats.items() if name not in SAID_AS_WARNINGS]
        click.echo("\n".join(["Statistics:", *aligned(rows)]))


def _number(value: object, digits: int = 7) -> str:
    """A value for display, long lists shortened."""
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    if isinstance(value, list | tuple):
        shown = ", ".join(_number(item, digits) for item in value[:6])
        return f"[{shown}{', ...' if len(value) > 6 else ''}]"
    return "none" if value is None else str(value)


_WORDS = {"true": True, "false": False, "none": None}


def view_values(assignments: Sequence[str]) -> dict[str, object]:
    """Options from words: "zoom=2", "camera=0,0,1", "window_size=640x480", "slow_motion=true", "follow=piston".

    CaseError for words that are not NAME=VALUE.
    """
    return {name: _value(name, str(text)) for name, text in split_assignments(assignments, "--view").items()}


def _value(name: str, text: str) -> object:
    if name in ("title", "follow", "background", "color_map"):
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    separator = "x" if name == "window_size" else ","
    parts = [_number_in(part) for part in text.split(separator)]
    if name == "hide":
        return tuple(text.split(","))
    if any(part is None for part in parts):
        return text
    return parts[0] if len(parts) == 1 else tuple(parts)


def _number_in(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None
