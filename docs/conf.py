"""Sphinx settings of the site: docs/CONTRIBUTING.md says how it is built."""

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "site"))

import gallery_pages  # noqa: E402

import flexmbs  # noqa: E402

project = "flexmbs"
author = "flexmbs developers"
version = release = flexmbs.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "docstrings",
    "mathml",
    "page_index",
    "reference_pages",
]
root_doc = "index"
exclude_patterns = ["README.md", "_build", "_scenes", "site", gallery_pages.SCRIPTS]

sphinx_gallery_conf = gallery_pages.settings(DOCS)

# Links that lead nowhere are errors: the site is built with -W.
nitpicky = True

autosummary_generate = False
autodoc_typehints = "none"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

html_theme = "furo"
html_math_renderer = "mathml"
html_extra_path = [gallery_pages.SCENES]
html_title = "flexmbs"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
