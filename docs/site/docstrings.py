"""Docstrings of flexmbs as reStructuredText.

They are written to be read as plain text: a summary, paragraphs with ``code``, and sections ("Parameters",
"Attributes", "Raises", ...) whose entries are "name : what it is", continued on indented lines. Here sections become
lists of definitions, characters that mean something to reStructuredText are escaped, and pages named as docs/NAME.md
are linked.
"""

from __future__ import annotations

import pydoc
import re
import sys
from itertools import groupby, pairwise

import flexmbs

_MARKED = re.compile(r"(``[^`]+``|:\w+:`[^`]+`|\bdocs/\w+\.md)")
_ENTRY = re.compile(r"(?P<name>\S[^:]*?) : (?P<text>.*)")


def inline(text: str, module: str) -> str:
    """Text with its code and roles, everything else escaped; ``module``: where the documented object is defined."""
    parts = _MARKED.split(text)
    parts[0::2] = [re.sub(r"[\\*`|]|(?<=\w)_(?!\w)", lambda found: "\\" + found[0], part) for part in parts[0::2]]
    parts[1::2] = [_link(part, module) for part in parts[1::2]]
    return "".join(parts)


def _link(part: str, module: str) -> str:
    """A page of the documentation as a link; a role as code where it names something that is not public."""
    if page := re.fullmatch(r"docs/(\w+)\.md", part):
        return f":doc:`/{page[1]}`"
    if role := re.fullmatch(r":\w+:`([^`]+)`", part):
        target = role[1]
        public = target.split(".")[-1] in flexmbs.__all__
        if not public and (pydoc.locate(target) or hasattr(sys.modules[module], target)):
            return f"``{target}``"
    return part


def _paragraphs(lines: list[str], module: str, indent: str = "") -> list[str]:
    """Blocks of lines as paragraphs, of which those that are indented keep their lines."""
    found = []
    for indented, block in groupby(lines, key=lambda line: (not line.strip(), line.startswith(" "))):
        if indented[1]:
            found += [f"{indent}| {inline(line, module)}" for line in block]
        elif not indented[0]:
            found.append(indent + inline(" ".join(line.strip() for line in block), module))
        found.append("")
    return found


def _definitions(lines: list[str], module: str) -> list[str]:
    """The entries of a section as a list of definitions, and text between them as paragraphs."""
    found: list[str] = []
    heads = [i for i, line in enumerate(lines) if line.strip() and not line.startswith(" ")]
    for i, end in pairwise([*heads, len(lines)]):
        following = [line.strip() for line in lines[i + 1 : end]]
        entry = _ENTRY.fullmatch(lines[i])
        if entry:
            text = _paragraphs([_head(entry["text"], following), *following], module, "    ")
            found += [f"``{entry['name']}``", *text]
        elif any(following):
            found += [f"``{lines[i].strip()}``", *_paragraphs(following, module, "    ")]
        else:
            found += [inline(lines[i], module), ""]
    return found


def _head(text: str, following: list[str]) -> str:
    """What follows a name: in parentheses if it is a type: then the next line begins a sentence of its own."""
    begins = following and re.match(r"[A-Z]", following[0]) and not text.endswith((",", ";", ":", "("))
    return f"({text})" if begins and len(text) < 70 else text


def restructured(lines: list[str], module: str) -> list[str]:
    """A whole docstring, its indentation already removed."""
    underlined = [i for i, line in enumerate(lines) if i and line.strip() and set(line.strip()) == {"-"}]
    found = _paragraphs(lines[: underlined[0] - 1] if underlined else lines, module)
    for i, following in pairwise([*underlined, len(lines) + 1]):
        found += [f".. rubric:: {lines[i - 1].strip()}", "", *_definitions(lines[i + 1 : following - 1], module)]
    return found


def _process(app, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    lines[:] = restructured(list(lines), getattr(obj, "__module__", None) or "flexmbs")


def setup(app) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}
