"""Pieces of HTML: escaped text, tables, pictures inside the file."""

from __future__ import annotations

import base64
import hashlib
import html
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = """
:root { color-scheme: light dark; --text: #1c2024; --soft: #5f6873; --line: #d8dde3; --back: #fff; --band: #f4f6f8;
  --bad: #b3261e; --link: #0b62b5; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e7ea; --soft: #a0a9b4; --line: #3a4149; --back: #15181b;
  --band: #1e2328; --bad: #ff8a80; --link: #7db9f5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 1rem clamp(0.8rem, 3vw, 2rem) 4rem; color: var(--text);
  background: var(--back); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1rem 0 0.3rem; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 0.6rem; border-bottom: 1px solid var(--line); padding-bottom: 0.2rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 0.4rem; }
a { color: var(--link); }
nav { font-size: 0.9rem; } nav a { margin-right: 0.9rem; white-space: nowrap; }
.scroll { overflow-x: auto; max-width: 100%; }
.runs { max-height: 32rem; overflow-y: auto; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: 0.2rem 0.7rem 0.2rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; } td.n, th.n { text-align: right; padding-left: 0.5rem; }
td.n { white-space: nowrap; }
.plain td:first-child, .plain td:last-child { white-space: nowrap; }
thead th { position: sticky; top: 0; background: var(--band); padding-top: 0.35rem; }
th.sort { cursor: pointer; } tr.failed td { color: var(--bad); }
.key { font-family: ui-monospace, monospace; font-size: 0.8rem; }
.tiles { display: flex; flex-wrap: wrap; gap: 0.6rem; margin: 1rem 0; }
.tile { background: var(--band); border-radius: 0.4rem; padding: 0.5rem 0.9rem; min-width: 7rem; }
.tile b { display: block; font-size: 1.3rem; } .tile span { color: var(--soft); font-size: 0.85rem; }
.bad b, .bad { color: var(--bad); } .soft { color: var(--soft); font-size: 0.9rem; }
.note { background: var(--band); border-left: 0.25rem solid var(--bad); padding: 0.4rem 0.8rem; margin: 0.6rem 0; }
figure { margin: 1rem 0; overflow-x: auto; }
figure img { max-width: 100%; height: auto; display: block; background: #fff; border-radius: 0.3rem; }
@media print { figure img { min-width: 0 !important; }
  body { max-width: none; padding: 0; font-size: 10pt; } nav { display: none; }
  .runs { max-height: none; overflow: visible; } h2, h3 { break-after: avoid; } figure, tr { break-inside: avoid; }
  .plain td:first-child, .plain td:last-child { white-space: nowrap; }
thead th { position: static; } }
"""
#: Of what is shown in a notebook, whose colours and fonts it takes over.
CARD_STYLE = """
.flexmbs-card { font-size: 13px; line-height: 1.45; max-width: 60rem; }
.flexmbs-card h2 { font-size: 15px; margin: 0.4em 0; } .flexmbs-card h3 { font-size: 13px; margin: 0.8em 0 0.2em; }
.flexmbs-card .scroll { overflow-x: auto; } .flexmbs-card table { border-collapse: collapse; margin: 0.2em 0; }
.flexmbs-card table :is(th, td) { text-align: left; white-space: normal; vertical-align: top;
  padding: 1px 12px 1px 0; font-size: 12px; background: none; border: 0;
  border-bottom: 1px solid color-mix(in srgb, currentcolor 20%, transparent); }
.flexmbs-card table .n { text-align: right; } .flexmbs-card .soft { opacity: 0.7; }
.flexmbs-card :is(.note, .good) { border-left: 3px solid #1a7f4b; padding-left: 8px; }
.flexmbs-card .note { border-color: #b26a00; } .flexmbs-card summary { cursor: pointer; font-weight: 600; }
.flexmbs-card .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr));
  gap: 8px; }
.flexmbs-card figure { margin: 0; } .flexmbs-card img { width: 100% !important;
  min-width: 0 !important; background: #fff; }
.flexmbs-card iframe { width: 100%; border: 1px solid #8884; border-radius: 4px; }
"""
LARGEST_DRAWING = 200_000  # bytes: figures of more curves and points are smaller as pixels
WIDE, MIN_WIDTH = 700, 640  # wide pictures do not get smaller than that, in pixels of the page


def text(value: object) -> str:
    """Any value as text of the page."""
    return html.escape(str(value), quote=True)


def page(
    title: str,
    body: Iterable[str],
    *,
    style: str = STYLE,
    script: str = "",
    head: str = "",
    scripts: Iterable[str] = (),
    kind: str = "plain-page",
) -> str:
    """A whole page without anything outside it.

    ``head``: HTML that stands before its body; ``scripts``: the texts of the scripts in it, which, with ``script``, are all
    that browsers run on this page, whatever the names of bodies are; ``kind``: class of the body.
    """
    code = f"\n<script>{script}</script>" if script else ""
    allowed = "".join(f" 'sha256-{_digest(one)}'" for one in [*scripts, *([script] if script else [])]) or " 'none'"
    policy = f"default-src 'none'; script-src{allowed}; {_POLICY}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{text(title)}</title>\n<style>{style}</style>\n{head}</head>\n<body class="{kind}">\n'
        + "\n".join(body)
        + f"{code}\n</body>\n</html>\n"
    )


_POLICY = "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def written(document: str) -> bytes:
    """A page as bytes of UTF-8; lone surrogates, which names may hold and UTF-8 does not, become question marks."""
    return document.encode("utf-8", "replace")


def card(title: str, body: Iterable[str]) -> str:
    """HTML for a notebook, with its style."""
    return f'<div class="flexmbs-card"><style>{CARD_STYLE}</style><h2>{text(title)}</h2>{"".join(body)}</div>'


def framed_page(document: str, height: int) -> str:
    """A whole page inside another one, ``height`` pixels high; its scripts reach nothing outside it."""
    return f'<iframe sandbox="allow-scripts" height="{height}" srcdoc="{html.escape(document, quote=True)}"></iframe>'


def lines_table(lines: Sequence[tuple[str, str]]) -> str:
    """A table of names and values."""
    rows = "".join(f"<tr><th>{text(name)}</th><td>{text(value)}</td></tr>" for name, value in lines)
    return f'<div class="scroll"><table><tbody>{rows}</tbody></table></div>'


def plain_table(header: Sequence[str], rows: Iterable[Sequence[str]], numeric_from: int = 1) -> str:
    """A table of text; columns from ``numeric_from`` on are aligned to the right."""

    def cells(values: Sequence[str], tag: str) -> str:
        parts = (f"<{tag}{' class=n' if place >= numeric_from else ''}>{text(value)}</{tag}>" for place, value in enumerate(values))
        return f"<tr>{''.join(parts)}</tr>"

    body = "".join(cells(row, "td") for row in rows)
    return f'<div class="scroll plain"><table><thead>{cells(header, "th")}</thead><tbody>{body}</tbody></table></div>'


def paragraph(sentence: str, *, soft: bool = False, kind: str = "") -> str:
    """A paragraph; ``soft``: of less weight; ``kind``: "note" (what needs attention) or "good"."""
    return f'<p class="{kind or ("soft" if soft else "plain-text")}">{text(sentence)}</p>'


def bullets(sentences: Iterable[str], kind: str = "") -> str:
    """A list of sentences; ``kind``: "warnings"."""
    items = "".join(f"<li>{text(sentence)}</li>" for sentence in sentences)
    return f'<ul class="{kind}">{items}</ul>' if kind else f"<ul>{items}</ul>"


def folded(title: str, content: str, *, shown: bool = False) -> str:
    """HTML that opens at a click on its title (``shown``: that is open at first)."""
    return f"<details{' open' if shown else ''}><summary>{text(title)}</summary>{content}</details>"


def picture(figure: Figure, description: str, dpi: int) -> str:
    """A figure as PNG of 256 colours inside the page, shown at its natural size or narrower."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=dpi)
    return _shown("image/png", few_colours(stream.getvalue()), description, int(figure.get_figwidth() * 96))


def drawing(figure: Figure, description: str, dpi: int) -> str:
    """A figure as SVG inside the page, which prints sharply; as :func:`picture` where that takes less room."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None})
    content = stream.getvalue().encode()
    if len(content) > LARGEST_DRAWING:
        return picture(figure, description, dpi)
    return _shown("image/svg+xml", content, description, int(figure.get_figwidth() * 96))


def few_colours(png: bytes) -> bytes:
    """A PNG of 256 colours, without dithering."""
    from PIL import Image

    small = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, "png", optimize=True)
    return small.getvalue()


def still(png: bytes, description: str, width: int) -> str:
    """A PNG inside the page, shown ``width`` pixels wide or narrower."""
    data = base64.b64encode(png).decode()
    return f'<img width="{width}" alt="{text(description)}" src="data:image/png;base64,{data}">'


def _shown(kind: str, content: bytes, description: str, width: int) -> str:
    data = base64.b64encode(content).decode()
    least = f' style="min-width: {MIN_WIDTH}px"' if width > WIDE else ""  # scrolls on a phone
    return f'<figure><img width="{width}"{least} alt="{text(description)}" src="data:{kind};base64,{data}"></figure>'
