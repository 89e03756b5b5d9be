"""Links and paths named in the documentation lead somewhere."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "meshes" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

# docs/conf.py writes these; a build of the site fails without them
MADE_BY_THE_SITE = ("gallery_pages/index.rst", "reference/index.rst")


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def test_links_lead_to_files():
    missing = [
        f"{_name(page)}: {link}"
        for page in PAGES
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8"))
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert [text for text in missing if text not in {f"docs/index.md: {link}" for link in MADE_BY_THE_SITE}] == []


def test_paths_named_on_pages_exist():
    """Files and folders in `code quotes`, seen from the project or from the package."""
    # made by a run, or inside a result file
    outside = (
        "runs/",
        "bodies/",
        "markers/",
        "contacts/",
        "outlines/",
        "inertia/",
        "surface/",
        "stress_modes/",
        "section_force_modes/",
    )
    missing = [
        f"{_name(page)}: {path}"
        for page in PAGES
        if page.name != "adding_a_joint.md"  # names the file that the reader is to write
        for path in re.findall(r"`((?:[\w-]+/)+[\w-]*(?:\.py)?)`", page.read_text("utf-8"))
        if not path.startswith(outside) and not any((root / path).exists() for root in (ROOT, ROOT / "flexmbs"))
    ]
    assert missing == []


def test_documentation_is_reachable_from_the_readme():
    """Through docs/README.md, the index of pages; tests/docs/test_site.py looks at all of them."""
    assert "docs/README.md" in (ROOT / "README.md").read_text("utf-8")
    text = (ROOT / "docs" / "README.md").read_text("utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md", "index.md"}
    assert [page for page in sorted(pages) if f"({page}" not in text] == []
