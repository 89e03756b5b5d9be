"""``flexmbs view``: show results in a window, reduced bodies and meshes in the browser; save pictures, animations and pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from flexmbs.app.cli.command_options import ANY_PATH, FILE, numbers, option, parsed
from flexmbs.app.cli.mesh_file import includes_option, units_option
from flexmbs.common.atomic_files import refuse_existing
from flexmbs.common.errors import CaseError
from flexmbs.mesh.read_mesh import read_mesh
from flexmbs.reduction.body_store import BODY_ENDINGS, load_body
from flexmbs.result.result import load
from flexmbs.view.body_view import save_mode
from flexmbs.view.colours import CHOICES
from flexmbs.view.look import FORCE_SCALES
from flexmbs.view.mesh_picture import save_mesh
from flexmbs.view.page.mesh_scene import MeshOptions
from flexmbs.view.page.mode_scene import BodyOptions
from flexmbs.view.page.pages import ENDINGS, open_page
from flexmbs.view.page.quantities import QUANTITIES
from flexmbs.view.page.result_scene import ResultOptions

# Parameter -> option, where they differ.
_OPTIONS = {"frames_per_second": "fps", "window_size": "size", "sets": "set", "histories": "history"}
# Parameter -> what it is for, if not results alone.
_FOR = dict.fromkeys(("units", "allow_outside_includes", "sets"), "meshes") | {"mode": "reduced bodies"}
_FOR |= dict.fromkeys(("scale", "color"), "results and reduced bodies")
# What can be shown -> one of them, options of its page.
_SHOWN = {"results": ("result folder", ResultOptions), "bodies": ("reduced body", BodyOptions), "meshes": ("mesh", MeshOptions)}


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
    kind, page = _kind(path), not path.is_dir() if save is None else save.suffix.lower() in ENDINGS
    given, of_file = _given(**of_all), _given(units=units, allow_outside_includes=allow_outside_includes)
    for name in (*given, *(of_file if kind != "meshes" else ())):
        if wrong := _wrong(name, kind, page, path, save):
            raise click.UsageError(f"--{_OPTIONS.get(name, name).replace('_', '-')} {wrong}")
    if kind == "meshes":
        shown: Any = read_mesh(path, **of_file, trust_units=True)
    else:
        shown = load(path) if kind == "results" else load_body(path)
    replacing = _given(force=force)
    if page:
        click.echo(f"wrote {open_page(shown, **given) if save is None else shown.to_html(save, **given, **replacing)}")
    elif kind != "results":
        click.echo(f"wrote {(save_mesh if kind == 'meshes' else save_mode)(shown, save, **given)}")
    elif save is None:
        shown.show(**given)
    else:
        click.echo(f"wrote {shown.animate(save, **given, **replacing)}")


def _given(**options: Any) -> dict[str, Any]:
    """Those that were given, zeros among them."""
    return {name: value for name, value in options.items() if value is not None and value is not False and value != ()}


def _kind(path: Path) -> str:
    if path.suffix.lower() in BODY_ENDINGS:
        return "bodies"
    if path.is_dir():
        return "results"
    if path.is_file() or path.suffix:
        return "meshes"
    raise CaseError(f"{path}: no such file or folder; expected a result folder, a reduced body or a mesh file")


def _wrong(name: str, kind: str, page: bool, path: Path, save: Path | None) -> str:
    """Why an option, which would otherwise be ignored without a message, is not for what is shown; empty if it is."""
    belongs, (here, of_page) = _FOR.get(name, "results"), _SHOWN[kind]
    if page and name in (*of_page.__dataclass_fields__, "size_limit"):
        return ""
    if page and (name, kind) == ("mode", "bodies"):
        return f"is for pictures and films; {save or 'the page'} shows all modes"
    if page and (kind in belongs or belongs == "results"):
        return f"is not for pages of {kind}; {save or 'without --save, what is shown'} is a page"
    if kind not in belongs:
        return f"is for {belongs}; {path} is a {here}"
    if name in ("frames", "histories", "size_limit"):
        return "is for pages; give --save FILE.html"
    if save is None:
        return "is for files; give --save FILE.png, .gif or .mp4" if name in ("time", "frames_per_second") else ""
    if kind == "results" and save.suffix.lower() == ".png":
        return f"is for animations; {save} is a picture" if name in ("frames_per_second", "slow_motion") else ""
    return f"is for pictures; {save} is not a .png" if name == "time" else ""
