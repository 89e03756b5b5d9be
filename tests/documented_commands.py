"""The commands that the pages show, in code blocks and in `quotes`."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "meshes" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*((?:flexmbs [a-z]|python \S+\.py|python -m (?:pytest|coverage)|pytest\b).*)")
# What is no command of that name.
_OTHER = {"flexmbs body 3", "flexmbs compile"}  # the format of body files; a command that was decided against


def documented(program: str) -> list[str]:
    """Commands that begin with ``program``, without comments and remarks, each once."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"^```(?:sh)?\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
        joined = [re.sub(r"\\\n\s*", "", block) for block in blocks]  # a backslash continues a line
        lines = [line.strip() for block in joined for line in block.splitlines()]
        lines += re.findall(r"^    (\S.*)$", text, flags=re.MULTILINE)
        parts = [part for line in lines for part in line.split(" && ")]
        for part in [*parts, *re.findall(r"`([^`\n]+)`", text)]:
            match = _COMMAND.match(re.split(r"\s{2,}[#(]|\s+# ", part)[0].strip())
            if match and match[1].startswith(program) and match[1] not in _OTHER:
                found.append(match[1].replace("\\|", "|"))
    return list(dict.fromkeys(found))
