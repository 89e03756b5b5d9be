"""Links and paths named in the documentation lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "meshes" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

# docs/conf.py writes these; a build of the site fails without them
MADE_BY_THE_SITE = ("gallery_pages/index.rst", "reference/index.rst")


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_of_a_page(page):
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not [link for link in missing if page != ROOT / "docs" / "index.md" or link not in MADE_BY_THE_SITE]


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_paths_named_on_a_page(page):
    """Files and folders in `code quotes` exist, seen from the project or from the package."""
    if page.name == "adding_a_joint.md":
        pytest.skip("names the file that the reader is to write")
    named = re.findall(r"`((?:[\w-]+/)+[\w-]*(?:\.py)?)`", page.read_text("utf-8"))
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
    named = [path for path in named if not path.startswith(outside)]
    assert not [path for path in named if not any((root / path).exists() for root in (ROOT, ROOT / "flexmbs"))]


def test_documentation_is_reachable_from_the_readme():
    """Through docs/README.md, the index of pages; tests/docs/test_site.py looks at all of them."""
    assert "docs/README.md" in (ROOT / "README.md").read_text("utf-8")
    text = (ROOT / "docs" / "README.md").read_text("utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md", "index.md"}
    assert [page for page in sorted(pages) if f"({page}" not in text] == []
