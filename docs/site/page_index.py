"""Sections of the site from the tables of docs/README.md, which is the one place that groups the pages.

Each heading of the second level becomes a page with the same table and a table of contents of the pages named in it.
Sphinx then warns about pages that are in no table, and about those that do not exist.
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = "sections"


def file_name(heading: str) -> str:
    """Name of the page of a section: "Meshes and flexible bodies" -> "meshes_and_flexible_bodies"."""
    return re.sub(r"\W+", "_", heading).strip("_").lower()


def sections_of(readme: str) -> dict[str, str]:
    """Heading -> text below it, of the second level."""
    parts = re.split(r"^## (.+)$", readme, flags=re.MULTILINE)
    return {heading.strip(): text.strip() for heading, text in zip(parts[1::2], parts[2::2], strict=True)}


def pages_in(text: str) -> dict[str, str]:
    """Pages named in the tables of a text, as documents from its folder on -> what the table calls them; in order."""
    links = re.findall(r"^\| \[([^]]+)\]\(([^)#]+)\.md(?:#[^)]*)?\)", text, flags=re.MULTILINE)
    return {page: title for title, page in links}


def contents(pages: dict[str, str]) -> str:
    """A hidden table of contents."""
    entries = "\n".join(f"{title} <{page}>" for page, title in pages.items())
    return f"\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"


def page_of(heading: str, text: str, claimed: set[str]) -> str:
    """Markdown of the page of a section; ``claimed``: pages that are in the contents of an earlier section."""
    listed = contents({f"/{page}": title for page, title in pages_in(text).items() if page not in claimed})
    return f"# {heading}\n\n" + re.sub(r"\]\(([^):#]+)", r"](../\1", text) + f"\n{listed}"


def write_sections(docs: Path) -> None:
    """Write the pages of the sections into docs/sections, where they have changed."""
    folder = docs / FOLDER
    folder.mkdir(exist_ok=True)
    claimed: set[str] = set()
    sections = sections_of((docs / "README.md").read_text("utf-8"))
    for old in set(folder.glob("*.md")) - {folder / f"{file_name(heading)}.md" for heading in sections}:
        old.unlink()
    for heading, text in sections.items():
        path, page = folder / f"{file_name(heading)}.md", page_of(heading, text, claimed)
        if not path.exists() or path.read_text("utf-8") != page:
            path.write_text(page, "utf-8")
        claimed.update(pages_in(text))


def _add_contents(app, docname: str, source: list[str]) -> None:
    """Contents of an index that stands in a folder of its own."""
    if docname == "decisions/README":
        source[0] += contents(pages_in(source[0]))


def setup(app) -> dict[str, bool]:
    app.connect("source-read", _add_contents)
    app.connect("builder-inited", lambda app: write_sections(Path(app.srcdir)))
    return {"parallel_read_safe": True}
