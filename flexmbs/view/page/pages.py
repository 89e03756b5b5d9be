"""Results, reduced bodies and meshes as HTML pages that open without network: a fragment for each scene, style and script once."""

from __future__ import annotations

import json
import re
import webbrowser
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from flexmbs.common.atomic_files import refuse_existing, replacing_in_folder, require_writable
from flexmbs.common.errors import FlexmbsError, FlexmbsWarning
from flexmbs.common.html_pieces import page, written
from flexmbs.common.progress import on_progress
from flexmbs.common.user_warnings import warn
from flexmbs.mesh.mesh import Mesh
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.page.mesh_scene import MeshOptions, mesh_scene
from flexmbs.view.page.mode_scene import BodyOptions, mode_scene
from flexmbs.view.page.numbers import Packer, deflated
from flexmbs.view.page.result_scene import ResultOptions, frames_of, result_scene

#: In this order: what a script uses when it is loaded stands before it.
SCRIPTS = (
    "decode.js",
    "vectors.js",
    "camera.js",
    "shaders.js",
    "surfaces.js",
    "glyphs.js",
    "graphics.js",
    "motion.js",
    "evaluation.js",
    "renderer.js",
    "tools.js",
    "timeline.js",
    "probes.js",
    "plots.js",
    "overlay.js",
    "panel.js",
    "interface.js",
)
STYLE, LOADER = "viewer.css", "loader.js"
_START = "flexmbsViewer.start();"
_COMMENT = re.compile(r"^//.*|\s//\s[^\"'`]*$")


def page_assets() -> str:
    """Style and script of all scenes of a page, once, before the first scene; :func:`page_start` starts them."""
    loader, _, _ = page_scripts()
    return f'<script type="text/plain" class="flexmbs-viewer">{packed_viewer()}</script>\n<script>{loader}</script>\n'


def page_start() -> str:
    """The script that starts all scenes that stand before it."""
    return f"<script>{_START}</script>\n"


def page_scripts() -> tuple[str, str, str]:
    """The texts of the scripts of :func:`page_assets` and :func:`page_start`, and of the viewer that these unpack."""
    return _without_comments(_source(LOADER)), _START, _viewer()[1]


@cache
def _viewer() -> tuple[str, str]:
    style = "".join(f"{line.strip()}\n" for line in _source(STYLE).splitlines())
    return style, "".join(_without_comments(_source(name)) for name in SCRIPTS)


@cache
def packed_viewer() -> str:
    """Style and scripts, deflated, in base 64. A third of what their sources take."""
    return deflated(json.dumps(_viewer(), ensure_ascii=False, separators=(",", ":")).encode(), 9)


def _without_comments(source: str) -> str:
    """Lines without indentation and comments; behind code only those without a quotation mark: "//" of a text stays.

    Shaders stand in the scripts as texts; their comments go in the same way.
    """
    lines = (_COMMENT.sub("", line.strip()).strip() for line in source.splitlines())
    return "".join(f"{line}\n" for line in lines if line)


def scene_fragment(scene: dict[str, Any]) -> str:
    """A scene as HTML: a header that can be read, and its data."""
    packer = Packer()
    header = packer.packed(scene)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return (
        '<div class="flexmbs-scene">\n'
        f'<script type="application/json" class="flexmbs-header">{text}</script>\n'
        f'<script type="text/plain" class="flexmbs-data">{packer.data()}</script>\n</div>\n'
    )


def scene_page(title: str, fragment: str) -> str:
    """A page with a fragment of :func:`scene_fragment`."""
    return page(title, [fragment + page_start()], style="", head=page_assets(), scripts=page_scripts(), kind="flexmbs-page")


def _source(name: str) -> str:
    return files("flexmbs.view.page").joinpath("web", name).read_text(encoding="utf-8")


ENDINGS = (".html", ".htm")
#: Bytes that a pose, and a point of a surface, take in a page at least: for a limit that is checked before the work.
POSE_BYTES, POINT_BYTES = 3, 4
SIZE_LIMIT = 50.0  # MB


@on_progress()
def result_page(
    result: DrawableResult, path: str | Path, *, force: bool = False, size_limit: float = SIZE_LIMIT, **options: Any
) -> Path:
    """Write a result as a page that shows it in any browser; returns its path.

    Parameters
    ----------
    force : replace a file that exists
    size_limit : MB; a larger page is not written
    color : "body", "displacement", "von_mises", "principal_max", "principal_min", "pressure" (of ``pressures``); None: the
        von Mises stress, without any the displacement, else "body"
    scale : factor on the deformation at the start; bodies are moved so that joints stay closed
    color_range : (low, high) of the colours, m or Pa; None: that of the run
    start, end : s, part of the run (None: from the start, to the end)
    duration : s, in which the whole run is played
    frames : largest number of frames, between which everything is interpolated; fewer for hundreds of bodies. The
        instants of the largest stress and of the hardest impacts are frames besides
    slow_motion : True: slow down around impacts; a number above 1: how slow; False: never
    camera, zoom : as in :func:`flexmbs.view.animate.animate`
    title : shown above the scene
    histories : names of those that are plotted at first; None: the largest stress, and of three kinds of histories the one
        that is largest or changes most. Modal coordinates are on the page only if they are named here
    stick_speed : m/s, contacts that slide more slowly are shown as sticking
    pressures : contact -> function of the time (s) that gives its patch, such as ``fm.contact_pressure``
    accuracy : :class:`flexmbs.view.page.part_records.PageAccuracy`, largest errors of displacement and stress

    Raises FlexmbsError for an unknown or impossible option, an empty part of the run, a file that exists or cannot be
    written, and a page above the limit, as far as possible before work is done.
    """
    return _written(result, path, force, size_limit, options)


@on_progress()
def body_page(body: FlexibleBody, path: str | Path, *, force: bool = False, size_limit: float = SIZE_LIMIT, **options: Any) -> Path:
    """Write a reduced body as a page that shows its modes; returns its path.

    ``color`` ("displacement", "von_mises", "principal_max", "principal_min"), ``scale`` (factor on the amplitude),
    ``camera``, ``zoom``, ``title``, ``accuracy``, ``force`` and ``size_limit`` as in :func:`result_page`.
    """
    return _written(body, path, force, size_limit, options)


@on_progress()
def mesh_page(mesh: Mesh, path: str | Path, *, force: bool = False, size_limit: float = SIZE_LIMIT, **options: Any) -> Path:
    """Write a mesh as a page that shows its parts and sets; returns its path.

    ``sets`` (names; none: all, if they are at most twelve), ``camera``, ``zoom``, ``title``, ``force`` and ``size_limit`` as in
    :func:`result_page`.
    """
    return _written(mesh, path, force, size_limit, options)


def open_page(shown: DrawableResult | FlexibleBody | Mesh, **options: Any) -> Path:
    """Write the page of a result, body or mesh into a temporary folder, where it stays, and open it in the browser; its path.

    ``options`` as of its ``to_html``. Warns, with the path, where no browser can be opened.
    """
    folder = Path(mkdtemp(prefix="flexmbs-"))
    try:
        page = shown.to_html(folder / "page.html", **options)
    except BaseException:
        folder.rmdir()
        raise
    if not webbrowser.open(page.as_uri()):
        warn(f"no browser can be opened here; open {page} in one", FlexmbsWarning)
    return page


def page_fragment(shown: DrawableResult | FlexibleBody | Mesh, **options: Any) -> str:
    """The scene of a result, body or mesh as HTML without style and script, for a page with other content.

    ``options`` as in :func:`result_page`, :func:`body_page` and :func:`mesh_page`. On the page, :func:`page_assets`
    stands before the first fragment and :func:`page_start` behind the last one.
    """
    kind, scene = _kind_of(shown)
    return scene_fragment(scene(shown, checked_options(kind, options)))


def _kind_of(shown: DrawableResult | FlexibleBody | Mesh) -> tuple[type, Callable[..., dict[str, Any]]]:
    """The options of a page, and what makes the scene."""
    if isinstance(shown, FlexibleBody):
        return BodyOptions, mode_scene
    return (MeshOptions, mesh_scene) if isinstance(shown, Mesh) else (ResultOptions, result_scene)


def _written(shown: Any, path: str | Path, force: bool, limit: float, options: dict[str, Any]) -> Path:
    """FlexmbsError for another ending, a file that exists or cannot be written, and a page above the limit (MB)."""
    path, (kind, scene_of) = Path(path), _kind_of(shown)
    if path.suffix.lower() not in ENDINGS:
        raise FlexmbsError(f"{path}: the file name of a page must end in {' or '.join(ENDINGS)}")
    refuse_existing(path, force)
    if path.parent.is_dir():
        require_writable(path)
    chosen = checked_options(kind, options)
    fewer = "fewer frames, a shorter part of the run (start, end), a larger accuracy, " if kind is ResultOptions else ""

    def check_limit(size: float) -> None:
        if size > limit:
            remedies = f"what helps: {fewer}a larger size_limit"
            raise FlexmbsError(f"{path}: the page would take {size:.3g} MB, more than size_limit={limit:g} MB; {remedies}")

    if kind is ResultOptions:
        check_limit(least_size(shown, chosen))
    scene = scene_of(shown, chosen)
    content = written(scene_page(scene["title"] or "flexmbs", scene_fragment(scene)))
    check_limit(1e-6 * len(content))
    with replacing_in_folder(path) as temporary:
        temporary.write_bytes(content)
    return path


def checked_options(kind: type, options: dict[str, Any]) -> Any:
    """The options as ``kind``; TypeError for one that it does not have."""
    unknown = [name for name in options if name not in kind.__dataclass_fields__]
    if unknown:
        known = ", ".join(kind.__dataclass_fields__)
        raise TypeError(f"a page has no option {unknown[0]!r}; there are: {known}, force, size_limit")
    return kind(**options)


def least_size(result: DrawableResult, options: ResultOptions) -> float:
    """MB, roughly the least that the page of a result can take: its poses and the points of its bodies."""
    _, frames = frames_of(result, options)
    bodies = result.structure.bodies
    points = (body.shape_points if body.flexible is None else body.flexible.surface.points for body in bodies)
    return 1e-6 * (POSE_BYTES * frames * (len(bodies) - 1) + POINT_BYTES * sum(set(map(len, points))))  # equal ones are stored once
