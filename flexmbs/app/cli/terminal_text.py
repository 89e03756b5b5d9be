"""Texts for a terminal: without control characters, and no longer than anyone reads."""

from __future__ import annotations

import re

WORD, LINE = 200, 4000  # characters that are shown of what has no blanks, and of a line


def plain(text: str) -> str:
    """``text`` as it may stand on a terminal: control characters as \\x07, long words and lines cut in their middle."""
    text = "".join(_escaped(letter) for letter in text)
    text = re.sub(rf"\S{{{WORD + 1},}}", lambda found: _cut(found[0], WORD), text)
    return "\n".join(_cut(line, LINE) for line in text.split("\n"))


def _escaped(letter: str) -> str:
    if letter in "\n\t" or letter.isprintable():
        return letter
    return letter.encode("unicode_escape", "surrogatepass").decode("ascii")


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2 - 20
    return f"{text[:half]} ... {len(text) - 2 * half} characters ... {text[-half:]}"
