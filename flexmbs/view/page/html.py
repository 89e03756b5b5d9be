"""The HTML of a page: a fragment for each scene; style and script once."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from typing import Any

from flexmbs.view.page.packing import Packer

#: In this order: what a script uses when it is loaded stands before it.
SCRIPTS = (
    "decode.js", "vectors.js", "camera.js", "shaders.js", "surfaces.js", "glyphs.js", "graphics.js", "motion.js",
    "evaluation.js", "renderer.js", "tools.js", "timeline.js", "probes.js", "plots.js", "overlay.js", "panel.js",
    "interface.js",
)  # fmt: skip
STYLE = "viewer.css"


def page_assets() -> str:
    """Style and script of all scenes of a page, once; a script that stands behind the last scene starts them."""
    return f"<style>\n{_source(STYLE)}</style>\n<script>\n{''.join(_source(name) for name in SCRIPTS)}</script>\n"


def page_start() -> str:
    """The script that starts all scenes that stand before it."""
    return '<script>document.querySelectorAll(".flexmbs-scene").forEach((div) => flexmbs.start(div));</script>\n'


def scene_fragment(scene: dict[str, Any]) -> str:
    """A scene as HTML: a header that can be read, and its data."""
    packer = Packer()
    header = packer.packed(scene)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return (
        '<div class="flexmbs-scene">\n'
        f'<script type="application/json" class="flexmbs-header">{text}</script>\n'
        f'<script type="text/plain" class="flexmbs-data">{packer.data()}</script>\n</div>\n'
    )


def whole_page(scene: dict[str, Any]) -> str:
    """A page with one scene."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(scene['title'] or 'flexmbs')}</title>\n{page_assets()}</head>\n"
        f'<body class="flexmbs-page">\n{scene_fragment(scene)}{page_start()}</body>\n</html>\n'
    )


def _source(name: str) -> str:
    place = files("flexmbs.view.page").joinpath("web", name)
    return place.read_text(encoding="utf-8")
