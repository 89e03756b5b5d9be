"""``flexmbs view``: show results, reduced bodies and mesh files in a window, or save pictures, animations and pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from flexmbs.app.cli.mesh_options import includes_option, units_option
from flexmbs.common.atomic_files import refuse_existing
from flexmbs.common.errors import CaseError
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.read_mesh import read_mesh
from flexmbs.reduction.body_store import BODY_ENDINGS, load_body
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.result.result import Result, load
from flexmbs.view.body_view import save_mode, show_body
from flexmbs.view.colours import CHOICES
from flexmbs.view.force_arrows import FORCE_SCALES
from flexmbs.view.mesh_picture import save_mesh, show_mesh
from flexmbs.view.page.mesh_scene import MeshOptions
from flexmbs.view.page.mode_scene import BodyOptions
from flexmbs.view.page.pages import ENDINGS
from flexmbs.view.page.quantities import QUANTITIES
from flexmbs.view.page.result_scene import ResultOptions

# Options that apply only to a picture, only to an animation, or only to a file (not to a window).
_OF_PICTURES, _OF_ANIMATIONS = ("time",), ("frames_per_second",)
_OF_FILES = (*_OF_PICTURES, *_OF_ANIMATIONS)
# Parameter -> option, where they differ.
_OPTIONS = {"frames_per_second": "fps", "window_size": "size", "sets": "set", "histories": "history"}


def _numbers(count: int, separator: str = ","):
    """Callback of an option whose value consists of ``count`` numbers."""

    def convert(_context, _option, text: str | None):
        if text is None:
            return None
        try:
            values = tuple(float(part) for part in text.split(separator))
        except ValueError:
            values = ()
        if len(values) != count:
            raise click.BadParameter(f"{text!r}: must be {count} numbers separated by '{separator}'")
        return values

    return convert


def _camera(context, option, text: str | None):
    """A named side, or three numbers."""
    return text if text is None or "," not in text else _numbers(3)(context, option, text)


def _slow_motion(_context, _option, text: str | None):
    """True for "auto", or a number."""
    if text is None or text == "auto":
        return True if text else None
    try:
        return float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r}: must be 'auto' or a number above 1") from None


@click.command("view")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a .png, .gif, .mp4 or .html instead of opening a window (of a mesh: a .png or .html).",
)
@click.option(
    "--scale",
    type=float,
    help="Results and bodies: factor on the deformation (default: 1; for bodies, 1 is at most a tenth of their size).",
)
@click.option(
    "--color",
    type=click.Choice(list(dict.fromkeys([*CHOICES, *QUANTITIES]))),
    help="Results and bodies: quantity shown in colour (default: displacement; principal stress and bodies: .html).",
)
@click.option("--mode", type=int, metavar="K", help="Bodies: number of the mode (default: 1).")
@click.option("--set", "sets", multiple=True, metavar="NAME", help="Meshes: show this node set; may be repeated.")
@click.option("--time", type=float, help="Results: time of the picture, s (default: the end).")
@click.option("--start", type=float, help="Results: time from which the run is shown, s.")
@click.option("--end", type=float, help="Results: time to which the run is shown, s.")
@click.option("--duration", type=float, help="Results: length of the animation, s.")
@click.option("--fps", "frames_per_second", type=int, help="Results: frames per second of the animation.")
@click.option("--color-range", callback=_numbers(2), metavar="LOW,HIGH", help="Results: range of the colours, m or Pa.")
@click.option("--color-map", metavar="NAME", help="Results: one of matplotlib's colour maps (default: turbo).")
@click.option("--background", metavar="COLOR", help="Results: name of a colour, or #rrggbb (default: white).")
@click.option(
    "--hide",
    multiple=True,
    metavar="NAME",
    help="Results: body or group (joints, springs, floor, shadows, axes ...) not shown; may be repeated.",
)
@click.option(
    "--camera",
    callback=_camera,
    metavar="SIDE",
    help="Results: view direction: x, -x, y, -y, z, -z, iso or a vector X,Y,Z towards the camera.",
)
@click.option("--camera-position", callback=_numbers(3), metavar="X,Y,Z", help="Results: where the camera stands, m (perspective).")
@click.option("--camera-target", callback=_numbers(3), metavar="X,Y,Z", help="Results: middle of the picture, m.")
@click.option("--follow", metavar="BODY", help="Results: body with which the camera moves.")
@click.option("--zoom", type=float, help="Results: magnification.")
@click.option("--title", help="Results: title of the picture.")
@click.option(
    "--slow-motion",
    callback=_slow_motion,
    metavar="auto|FACTOR",
    help="Results: slow down around impacts: the strongest get most of the film (auto), or 1/FACTOR of the speed.",
)
@click.option(
    "--force-scale",
    type=click.Choice(FORCE_SCALES),
    help="Results: how the length of an arrow grows with its contact force (default: linear).",
)
@click.option(
    "--stick-speed",
    type=float,
    metavar="SPEED",
    help="Results: contacts that slide more slowly (m/s) are shown as sticking (default: 1 % of the largest speed).",
)
@click.option(
    "--size", "window_size", callback=_numbers(2, "x"), metavar="WIDTHxHEIGHT", help="Results: size of the picture in pixels."
)
@click.option("--frames", type=int, help="Results: largest number of frames of an .html.")
@click.option("--history", "histories", multiple=True, metavar="NAME", help="Results: plotted in an .html; repeatable.")
@click.option("--size-limit", type=float, metavar="MB", help="Largest size of an .html (default: 50).")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@units_option
@includes_option
def view_command(
    path: Path,
    save: Path | None,
    scale: float | None,
    color: str | None,
    mode: int | None,
    sets: tuple[str, ...],
    force: bool,
    units: str | None,
    allow_outside_includes: bool,
    **of_results,
) -> None:
    """Show PATH (a result folder, a reduced body or a mesh file) in a window, or save a picture of it.

    The result folder of a case is shown with the VIEW settings of the case; options override them.
    """
    of_results = {name: value for name, value in of_results.items() if value not in (None, (), False)}
    if save is not None:
        refuse_existing(save, force)
    replacing = {"force": True} if force else {}
    of_meshes = [
        name for name, value in {"sets": sets, "units": units, "allow_outside_includes": allow_outside_includes}.items() if value
    ]
    deformed = {name: value for name, value in (("scale", scale), ("color", color)) if value is not None}
    of_bodies = [] if mode is None else ["mode"]
    if path.suffix.lower() in BODY_ENDINGS:
        here = f"{path} is a reduced body"
        _refuse(of_meshes, "is for meshes", here)
        if is_page(save):
            _refuse(of_bodies, "is for pictures and films", f"{save} shows all modes")
            save_page(load_body(path), save, of_results | deformed | replacing)
            return
        _refuse(of_results, "is for results", here)
        _view_body(path, 1 if mode is None else mode, save, **({"scale": 1.0, "color": "displacement"} | deformed))
        return
    if not path.is_dir() and (path.is_file() or path.suffix):
        here = f"{path} is a mesh"
        _refuse(deformed, "is for results and reduced bodies", here)
        _refuse(of_bodies, "is for reduced bodies", here)
        if is_page(save):
            mesh = read_mesh(path, units, allow_outside_includes=allow_outside_includes, trust_units=True)
            save_page(mesh, save, of_results | replacing | ({"sets": sets} if sets else {}))
            return
        _refuse(of_results, "is for results", here)
        _view_mesh(path, units, save, allow_outside_includes, sets)
        return
    if not path.is_dir():
        raise CaseError(f"{path}: no such file or folder; expected a result folder, a reduced body or a mesh file")
    _refuse(of_meshes, "is for meshes", f"{path} is a result folder")
    _refuse(of_bodies, "is for reduced bodies", f"{path} is a result folder")
    _view_result(path, save, of_results | deformed, replacing)


def _refuse(given: Iterable[str], belongs: str, here: str) -> None:
    """UsageError for the first of the options, which would otherwise be ignored without a message."""
    for name in given:
        raise click.UsageError(f"--{_OPTIONS.get(name, name).replace('_', '-')} {belongs}; {here}")


def _view_body(file: Path, mode: int, save: Path | None, scale: float, color: str) -> None:
    """Show a mode of a reduced body in a window, or render it to a .png, .gif or .mp4."""
    body = load_body(file)
    if save is None:
        show_body(body, mode, scale=scale, color=color)
        return
    click.echo(f"wrote {save_mode(body, save, mode, scale=scale, color=color)}")


def _view_mesh(file: Path, units: str | None, save: Path | None, allow_outside_includes: bool, sets: tuple[str, ...] = ()) -> None:
    """Show a mesh file with the named sets (default: the first ones) in a window, or render it to a .png."""
    mesh = read_mesh(file, units, allow_outside_includes=allow_outside_includes, trust_units=True)
    if save is None:
        show_mesh(mesh, sets)
        return
    click.echo(f"wrote {save_mesh(mesh, save, sets)}")


def _view_result(folder: Path, save: Path | None, given: dict, replacing: dict[str, bool]) -> None:
    if is_page(save):
        result = load(folder)
        save_page(result, save, given | replacing, result.view)
        return
    _refuse([name for name in given if name in OF_PAGES], "is for pages", "give --save FILE.html")
    if save is None:
        _refuse([name for name in given if name in _OF_FILES], "is for files", "give --save FILE.png, .gif or .mp4")
    elif save.suffix.lower() == ".png":
        moving = (*_OF_ANIMATIONS, "slow_motion")
        _refuse([name for name in given if name in moving], "is for animations", f"{save} is a picture")
    else:
        _refuse([name for name in given if name in _OF_PICTURES], "is for pictures", f"{save} is not a .png")
    result = load(folder)
    options = result.view | given
    if "window_size" in options:
        options["window_size"] = tuple(int(n) if float(n).is_integer() else n for n in options["window_size"])
    if save is None:
        result.show(**{name: value for name, value in options.items() if name not in _OF_FILES})
        return
    click.echo(f"wrote {result.animate(save, **options, **replacing)}")


#: Options of the command that only pages have.
OF_PAGES = ("frames", "histories", "size_limit")
_FLAGS = {"frames_per_second": "fps", "window_size": "size", "sets": "set", "histories": "history"}


def is_page(save: Path | None) -> bool:
    """Whether the file to write is a page."""
    return save is not None and save.suffix.lower() in ENDINGS


def save_page(
    shown: Result | FlexibleBody | Mesh, save: Path, given: Mapping[str, Any], of_case: Mapping[str, Any] | None = None
) -> None:
    """Write a page and say where; ``of_case``: settings of the case, of which pages take those that they have.

    UsageError for an option of the command that pages of this kind do not have.
    """
    kind, what = {Result: (ResultOptions, "results"), FlexibleBody: (BodyOptions, "bodies"), Mesh: (MeshOptions, "meshes")}[
        type(shown)
    ]
    known = set(kind.__dataclass_fields__)
    for name in given:
        if name not in known | {"size_limit", "force"}:
            flag = _FLAGS.get(name, name).replace("_", "-")
            raise click.UsageError(f"--{flag} is not for pages of {what}; {save} is a page")
    options = {name: value for name, value in (of_case or {}).items() if name in known} | dict(given)
    click.echo(f"wrote {shown.to_html(save, **options)}")
