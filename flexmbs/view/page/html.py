"""The HTML of a page: a fragment for each scene, style and script once."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b85encode
from functools import cache
from importlib.resources import files
from typing import Any

from flexmbs.common.html_pieces import page
from flexmbs.view.page.numbers import Packer

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
    count, packed = packed_viewer()
    loader, _, _ = page_scripts()
    return f'<script type="text/plain" class="flexmbs-viewer" data-bytes="{count}">{packed}</script>\n<script>{loader}</script>\n'


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
def packed_viewer() -> tuple[int, str]:
    """Style and scripts, compressed: number of bytes, and these in base 85. A third of what their sources take."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    text = json.dumps(_viewer(), ensure_ascii=False, separators=(",", ":"))
    packed = compressor.compress(text.encode()) + compressor.flush()
    digits = b85encode(packed, pad=True).decode()
    return len(packed), digits.replace("<!", "<\n!")  # white space is skipped; "<!--" would begin a comment


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


def whole_page(scene: dict[str, Any]) -> str:
    """A page with one scene."""
    return scene_page(scene["title"] or "flexmbs", scene_fragment(scene))


def scene_page(title: str, fragment: str) -> str:
    """A page with a fragment of :func:`scene_fragment`."""
    return page(title, [fragment + page_start()], style="", head=page_assets(), scripts=page_scripts(), kind="flexmbs-page")


def _source(name: str) -> str:
    return files("flexmbs.view.page").joinpath("web", name).read_text(encoding="utf-8")
