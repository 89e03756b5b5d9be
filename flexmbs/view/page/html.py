"""The HTML of a page: a fragment for each scene, style and script once; and its arrays as bytes.

A header says where each array is and how it is coded; one deflated block holds them all.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from base64 import b85encode
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from flexmbs.common.html_pieces import page
from flexmbs.view.page.quantised import Quantised, byte_planes

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
    place = files("flexmbs.view.page").joinpath("web", name)
    return place.read_text(encoding="utf-8")


_RAW = {"f4": "f32", "f8": "f64", "u4": "u32", "i4": "i32", "u1": "u8"}
_IN_HEADER = 8  # most numbers of a step or of a low that stand in the header itself


class Packer:
    """Collects arrays; equal ones are stored once.

    In the header stands in place of an array: ``at``, where it is in the block (bytes), ``type`` and ``count`` for raw
    ones; also ``bytes`` of each number, ``shape``, ``order`` of differences, ``step`` and ``low`` for quantised ones.
    """

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._size = 0
        self._known: dict[tuple[str, bytes], dict[str, Any]] = {}

    def packed(self, tree: Any) -> Any:
        """``tree`` of dicts and lists with arrays replaced by their entries."""
        if isinstance(tree, dict):
            return {name: self.packed(value) for name, value in tree.items()}
        if isinstance(tree, list | tuple):
            return [self.packed(value) for value in tree]
        if isinstance(tree, np.ndarray):
            return self._raw(tree)
        if isinstance(tree, Quantised):
            return self._quantised(tree)
        if isinstance(tree, np.generic):
            return tree.item()
        return tree

    def data(self) -> str:
        """Everything, deflated, in base64."""
        packing = zlib.compressobj(9, zlib.DEFLATED, -15)
        content = packing.compress(b"".join(self._blocks)) + packing.flush()
        return base64.b64encode(content).decode("ascii")

    def _add(self, content: bytes, how: dict[str, Any]) -> dict[str, Any]:
        key = json.dumps(how, sort_keys=True), content
        if key not in self._known:
            padding = -self._size % 8
            self._blocks.append(bytes(padding) + content)
            self._known[key] = {"at": self._size + padding, **how}
            self._size += padding + len(content)
        return self._known[key]

    def _raw(self, values: np.ndarray) -> dict[str, Any]:
        kind = values.dtype.str[1:]
        content = np.ascontiguousarray(values).astype(f"<{kind}").tobytes()
        return self._add(content, {"type": _RAW[kind], "count": int(values.size)})

    def _quantised(self, given: Quantised) -> dict[str, Any]:
        order, left = given.residuals()
        count, planes = byte_planes(left)
        how: dict[str, Any] = {"type": given.kind, "bytes": count, "shape": list(given.numbers.shape)}
        if order:
            how["order"] = order
        for name, plain in (("step", 1.0), ("low", 0.0)):
            values = np.asarray(getattr(given, name), dtype=float)
            if np.any(values != plain):
                how[name] = self._scales(values)
        return self._add(planes, how)

    def _scales(self, values: np.ndarray) -> Any:
        """A number, a short list, or an entry; a list of equal ones is one number."""
        if np.all(values == values.flat[0]):
            return float(values.flat[0])
        return values.ravel().tolist() if values.size <= _IN_HEADER else self._raw(values.astype("f8"))
