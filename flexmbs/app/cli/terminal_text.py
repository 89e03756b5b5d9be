"""Text for a terminal: no control characters, short paths, and a limited length."""

from __future__ import annotations

import os
import re

from flexmbs.common.installed_data import meshes_folder

WORD, LINE = 200, 4000  # most characters shown of a text without blanks, and of a line


def plain(text: str) -> str:
    r"""``text`` made safe for a terminal: control characters as \x07, long words and lines shortened in the middle."""
    text = "".join(_escaped(letter) for letter in text)
    text = re.sub(rf"\S{{{WORD + 1},}}", lambda found: _cut(found[0], WORD), text)
    return "\n".join(_cut(line, LINE) for line in text.split("\n"))


def short_paths(text: str) -> str:
    """``text`` with paths below the current folder relative to it, and meshes of flexmbs by their file name."""
    for folder in (meshes_folder(), os.getcwd()):
        text = text.replace(f"{folder}{os.sep}", "")
    return text


def _escaped(letter: str) -> str:
    if letter in "\n\t" or letter.isprintable():
        return letter
    return letter.encode("unicode_escape", "surrogatepass").decode("ascii")


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2 - 20
    return f"{text[:half]} ... {len(text) - 2 * half} characters ... {text[-half:]}"
