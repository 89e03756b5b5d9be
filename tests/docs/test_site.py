"""The site of the documentation: its index, its references, and the whole of it built."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from headless_browser import browser

import flexmbs as fm

DOCS = Path(__file__).resolve().parents[2] / "docs"
GENERATED = ("_build", "_scenes", "gallery_pages", "reference", "sections", "cam_study")
# what a browser fetches by itself, as opposed to a link that is followed
FETCHED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]*\"")

HEIGHT = "(one) => one.getBoundingClientRect().height"
FOREIGN = "performance.getEntriesByType('resource').map((one) => one.name).filter((name) => !/^(file|data|blob):/.test(name))"


def _page_index():
    """The module docs/site/page_index.py."""
    spec = importlib.util.spec_from_file_location("page_index", DOCS / "site" / "page_index.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_in_the_index():
    index = _page_index()
    named = {page for text in index.sections_of((DOCS / "README.md").read_text("utf-8")).values() for page in index.pages_in(text)}
    decisions = index.pages_in((DOCS / "decisions" / "README.md").read_text("utf-8"))
    named |= {f"decisions/{page}" for page in decisions}
    found = {
        path.relative_to(DOCS).with_suffix("").as_posix()
        for path in DOCS.rglob("*.md")
        if path.relative_to(DOCS).parts[0] not in GENERATED
    }
    assert found - {"README", "index"} == named
    sections = {f"sections/{index.file_name(heading)}" for heading in index.sections_of((DOCS / "README.md").read_text("utf-8"))}
    start = (DOCS / "index.md").read_text("utf-8")
    assert sections == set(re.findall(r"^sections/\w+$", start, flags=re.MULTILINE))


def test_equations_have_numbers_and_references_lead_to_them():
    for page in ("theory.md", "contact_dynamics.md"):
        text = (DOCS / page).read_text("utf-8")
        labels = re.findall(r"^ *\$\$ \(([\w-]+)\)$", text, flags=re.MULTILINE)
        assert len(labels) >= 4 and len(set(labels)) == len(labels)
        assert 2 * len(labels) == len(re.findall(r"^ *\$\$", text, flags=re.MULTILINE))  # none without
        assert set(re.findall(r"\{eq\}`([\w-]+)`", text)) <= set(labels)


def _build(docs: Path, out: Path, *options: str) -> subprocess.CompletedProcess:
    pytest.importorskip("sphinx", reason="the site needs the extra 'docs'")
    command = [sys.executable, "-P", "-m", "sphinx", "-W", "--keep-going", "-q", *options, "-b", "html", docs, out]
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Fine: [start](index.md), $x^2$.", ""),
        ("Not there: [page](missing.md).", "missing.md"),
        ("Not there: [part](index.md#no-such-part).", "no-such-part"),
        ("Not there: {eq}`no-such-equation`.", "no-such-equation"),
        (r"Not LaTeX: $\nosuchcommand$.", "nosuchcommand"),
    ],
)
@pytest.mark.slow
def test_broken_links_and_formulas_fail(tmp_path, line, said):
    docs = tmp_path / "docs"
    docs.mkdir()
    shutil.copy(DOCS / "conf.py", docs)
    shutil.copytree(DOCS / "site", docs / "site")
    (docs / "README.md").write_text("## Pages\n\n| page | |\n|---|---|\n| [Page](page.md) | |\n")
    (docs / "index.md").write_text("# Start\n\n```{toctree}\nsections/pages\n```\n")
    (docs / "page.md").write_text(f"# Page\n\n{line}\n")
    done = _build(docs, tmp_path / "out", "-D", "extensions=myst_parser,mathml,page_index")
    assert (done.returncode == 0) == (said == ""), done.stderr
    assert said in done.stderr


@pytest.mark.slow
def test_whole_site(tmp_path):
    """All pages, without running the gallery: no warning, nothing fetched from elsewhere, formulas drawn."""
    docs, out = tmp_path / "docs", tmp_path / "out"
    shutil.copytree(DOCS, docs, ignore=shutil.ignore_patterns(*GENERATED))
    (tmp_path / "flexmbs").symlink_to(DOCS.parent / "flexmbs")  # pages link to sources
    done = _build(docs, out)
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(out).as_posix(): path.read_text("utf-8") for path in out.rglob("*.html")}
    assert {name: found for name, text in pages.items() if (found := FETCHED.findall(text))} == {}
    anchors = {name for text in pages.values() for name in re.findall(r'id="flexmbs\.(\w+)"', text)}
    assert set(fm.__all__) <= anchors
    gallery = [name for name in pages if name.startswith("gallery_pages/")]
    assert len(gallery) >= 13
    _look_at_formulas(out / "theory.html")


def _look_at_formulas(page: Path) -> None:
    with browser() as tab:
        for width in (1280, 390):
            tab.open(page, (width, 900), mobile=width < 500)
            heights = tab.run(f"[...document.querySelectorAll('div.math math')].map({HEIGHT})")
            assert len(heights) >= 12 and min(heights) > 10
            assert tab.run("document.fonts.ready.then(() => document.fonts.check('16px \"STIX Two Math\"'))")
            assert tab.run("document.documentElement.scrollWidth") <= width  # wide formulas scroll by themselves
            assert tab.run(FOREIGN) == [] and tab.errors == []
