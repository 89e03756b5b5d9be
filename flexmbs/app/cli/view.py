"""``flexmbs view``: show results in a window, reduced bodies and meshes in the browser; save pictures, animations and pages."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import click

from flexmbs.app.cli.command_options import ANY_PATH, FILE, numbers, option, parsed
from flexmbs.app.cli.mesh_file import includes_option, units_option
from flexmbs.common.atomic_files import refuse_existing
from flexmbs.common.errors import CaseError
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.read_mesh import read_mesh
from flexmbs.reduction.body_store import BODY_ENDINGS, load_body
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.result.result import Result, load
from flexmbs.view.body_view import save_mode
from flexmbs.view.colours import CHOICES
from flexmbs.view.force_arrows import FORCE_SCALES
from flexmbs.view.mesh_picture import save_mesh
from flexmbs.view.page.mesh_scene import MeshOptions
from flexmbs.view.page.mode_scene import BodyOptions
from flexmbs.view.page.pages import ENDINGS, open_page
from flexmbs.view.page.quantities import QUANTITIES
from flexmbs.view.page.result_scene import ResultOptions

# Parameter -> option, where they differ.
_OPTIONS = {"frames_per_second": "fps", "window_size": "size", "sets": "set", "histories": "history"}
_PAGES = {Result: (ResultOptions, "results"), FlexibleBody: (BodyOptions, "bodies"), Mesh: (MeshOptions, "meshes")}


def _numbers(count: int) -> dict[str, Any]:
    return parsed(lambda text: numbers(text, count), f"{count} numbers separated by ','")


def _pixels(text: str) -> tuple[float, ...]:
    return tuple(int(number) if number.is_integer() else number for number in numbers(text, 2, "x"))


@click.command("view")
@click.argument("path", type=ANY_PATH)
@option("--save FILE", "Write a .png, .gif, .mp4 or .html, and open no window or browser (of a mesh: a .png or .html).", FILE)
@option(
    "--scale", "Results and bodies: factor on the deformation (default: 1; for bodies, 1 is at most a tenth of their size).", float
)
@option(
    "--color",
    "Results and bodies: quantity shown in colour (default: displacement, of an .html of results the von Mises stress). Pictures "
    "of bodies show displacement and von_mises only.",
    tuple(dict.fromkeys([*CHOICES, *(name for name in QUANTITIES if name != "pressure")])),  # which needs functions
)
@option("--mode K", "Bodies: number of the mode in a picture or film (default: 1).", int)
@option("--set NAME*", "Meshes: show this node set; may be repeated.", variable="sets")
@option("--time", "Results: time of the picture, s (default: the end).", float)
@option("--start", "Results: time from which the run is shown, s.", float)
@option("--end", "Results: time to which the run is shown, s.", float)
@option("--duration", "Results: length of the animation, s.", float)
@option("--fps", "Results: frames per second of the animation.", int, "frames_per_second")
@option("--color-range LOW,HIGH", "Results: range of the colours, m or Pa.", **_numbers(2))
@option("--color-map NAME", "Results: one of matplotlib's colour maps (default: turbo).")
@option("--background COLOR", "Results: name of a colour, or #rrggbb (default: white).")
@option("--hide NAME*", "Results: body or group (joints, springs, floor, shadows, axes ...) not shown; may be repeated.")
@option(
    "--camera SIDE",
    "Results: view direction: x, -x, y, -y, z, -z, iso or a vector X,Y,Z towards the camera.",
    **parsed(lambda text: numbers(text, 3) if "," in text else text, "3 numbers separated by ','"),
)
@option("--camera-position X,Y,Z", "Results: where the camera stands, m (perspective).", **_numbers(3))
@option("--camera-target X,Y,Z", "Results: middle of the picture, m.", **_numbers(3))
@option("--follow BODY", "Results: body with which the camera moves.")
@option("--zoom", "Results: magnification.", float)
@option("--title TEXT", "Results: title of the picture.")
@option(
    "--slow-motion auto|FACTOR",
    "Results: slow down around impacts: the strongest get most of the film (auto), or 1/FACTOR of the speed.",
    **parsed(lambda text: True if text == "auto" else float(text), "'auto' or a number above 1"),
)
@option("--force-scale", "Results: how the length of an arrow grows with its contact force (default: linear).", FORCE_SCALES)
@option(
    "--stick-speed SPEED",
    "Results: contacts that slide more slowly (m/s) are shown as sticking (default: 1 % of the largest speed).",
    float,
)
@option(
    "--size WIDTHxHEIGHT",
    "Results: size of the picture in pixels.",
    variable="window_size",
    **parsed(_pixels, "2 numbers separated by 'x'"),
)
@option("--frames", "Results: largest number of frames of an .html.", int)
@option("--history NAME*", "Results: plotted in an .html; repeatable.", variable="histories")
@option("--size-limit MB", "Largest size of an .html (default: 50).", float)
@option("--force", "Replace FILE if it exists.")
@units_option
@includes_option
def view_command(path: Path, save: Path | None, force: bool, units: str | None, allow_outside_includes: bool, **of_all) -> None:
    """Show PATH, a result folder in a window, a reduced body or a mesh file in the browser; or save a picture or page of it.

    The result folder of a case is shown with the VIEW settings of the case; options override them.
    """
    if save is not None:
        refuse_existing(save, force)
    elif force:
        raise click.UsageError("--force is for files; give --save FILE")
    given = _given(**of_all)  # one of the kinds of files refuses each of those that are not for it
    of_bodies, of_deformed, of_meshes = _named(given, "mode"), _named(given, "scale", "color"), _named(given, "sets")
    of_meshes += [*_given(units=units, allow_outside_includes=allow_outside_includes)]
    of_results = [name for name in given if name not in (*of_bodies, *of_deformed, *of_meshes)]
    page, replacing = not path.is_dir() if save is None else save.suffix.lower() in ENDINGS, _given(force=force)
    shown: Result | FlexibleBody | Mesh
    if path.suffix.lower() in BODY_ENDINGS:
        here = f"{path} is a reduced body"
        _refuse(of_meshes, "is for meshes", here)
        if page:
            _refuse(of_bodies, "is for pictures and films", f"{save or 'the page'} shows all modes")
        else:
            _refuse(of_results, "is for results", here)
        shown, render = load_body(path), save_mode
    elif not path.is_dir() and (path.is_file() or path.suffix):
        here = f"{path} is a mesh"
        _refuse(of_deformed, "is for results and reduced bodies", here)
        _refuse(of_bodies, "is for reduced bodies", here)
        _refuse([] if page else of_results, "is for results", here)
        shown = read_mesh(path, units, allow_outside_includes=allow_outside_includes, trust_units=True)
        render = save_mesh
    elif not path.is_dir():
        raise CaseError(f"{path}: no such file or folder; expected a result folder, a reduced body or a mesh file")
    else:
        _refuse(of_meshes, "is for meshes", f"{path} is a result folder")
        _refuse(of_bodies, "is for reduced bodies", f"{path} is a result folder")
        if not page:
            _refuse_of_results(save, given)
        shown, render = load(path), partial(Result.animate, **replacing)
    if page:
        kind, what = _PAGES[type(shown)]
        unknown = [name for name in given if name not in (*kind.__dataclass_fields__, "size_limit")]
        _refuse(unknown, f"is not for pages of {what}", f"{save or 'without --save, what is shown'} is a page")
        click.echo(f"wrote {open_page(shown, **given) if save is None else shown.to_html(save, **given, **replacing)}")
    elif isinstance(shown, Result) and save is None:
        shown.show(**given)
    else:
        click.echo(f"wrote {render(shown, save, **given)}")


def _given(**options: Any) -> dict[str, Any]:
    """Those that were given, zeros among them."""
    return {name: value for name, value in options.items() if value is not None and value is not False and value != ()}


def _named(given: Iterable[str], *names: str) -> list[str]:
    return [name for name in given if name in names]


def _refuse(given: Iterable[str], belongs: str, here: str) -> None:
    """UsageError for the first of the options, which would otherwise be ignored without a message."""
    for name in given:
        raise click.UsageError(f"--{_OPTIONS.get(name, name).replace('_', '-')} {belongs}; {here}")


def _refuse_of_results(save: Path | None, given: Iterable[str]) -> None:
    """Those of pages, and of the other kind of picture."""
    _refuse(_named(given, "frames", "histories", "size_limit"), "is for pages", "give --save FILE.html")
    if save is None:
        _refuse(_named(given, "time", "frames_per_second"), "is for files", "give --save FILE.png, .gif or .mp4")
    elif save.suffix.lower() == ".png":
        _refuse(_named(given, "frames_per_second", "slow_motion"), "is for animations", f"{save} is a picture")
    else:
        _refuse(_named(given, "time"), "is for pictures", f"{save} is not a .png")
