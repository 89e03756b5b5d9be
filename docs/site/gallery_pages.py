"""The gallery: scripts in docs/gallery become pages with their picture and their interactive scene.

A script writes its picture (.png) and its scene (.html) into the working folder; from there they are moved to their
places here. Without ``FLEXMBS_DOCS_RUN=1`` no script is run, and a page shows what an earlier build has left.
"""

from __future__ import annotations

import functools
import os
import shutil
import warnings
from pathlib import Path

SCRIPTS, PAGES, SCENES = "gallery", "gallery_pages", "_scenes"
_SCENE = """
.. raw:: html

    <p><a href="../scenes/{name}"><b>Open the interactive scene</b></a> ({size:.0f} kB; one file, works offline)</p>
    <iframe class="scene" loading="lazy" title="interactive scene" src="../scenes/{name}"></iframe>
"""
_PICTURE = """
.. image-sg:: /{place}
   :alt: {alt}
   :srcset: /{place}
   :class: sphx-glr-single-img
"""


class ResultScraper:
    """Collects the pictures and scenes that a block of a script has written."""

    def __repr__(self) -> str:
        return "ResultScraper"  # part of Sphinx's record of what has changed

    def __call__(self, block: tuple, block_vars: dict, gallery_conf: dict) -> str:
        folder, docs = Path(block_vars["src_file"]).parent, Path(gallery_conf["src_dir"])
        found = []
        for picture in sorted(folder.glob("*.png")):
            place = Path(next(block_vars["image_path_iterator"]))
            shutil.move(picture, place)
            found.append(_PICTURE.format(place=place.relative_to(docs).as_posix(), alt=picture.stem.replace("_", " ")))
        for scene in sorted(folder.glob("*.html")):
            place = docs / SCENES / "scenes" / scene.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(scene, place)
            found.append(_SCENE.format(name=scene.name, size=place.stat().st_size / 1000))
        return "\n".join(found)


def _warning_line(project: Path, message: Warning | str, category: type[Warning], *_place: object) -> str:
    """A warning under a script: without the places of the files on the machine that builds the site."""
    return f"{category.__name__}: {message}\n".replace(f"{project}{os.sep}", "")


def settings(docs: Path) -> dict[str, object]:
    """Of sphinx_gallery: its ``sphinx_gallery_conf``."""
    (docs / SCENES).mkdir(exist_ok=True)
    warnings.formatwarning = functools.partial(_warning_line, docs.parent)
    return {
        "examples_dirs": SCRIPTS,
        "gallery_dirs": PAGES,
        "filename_pattern": r"\.py$",
        "plot_gallery": os.environ.get("FLEXMBS_DOCS_RUN") == "1",
        "image_scrapers": (ResultScraper(),),
        "reset_modules": (),
        "capture_repr": (),
        "abort_on_example_error": True,
        "download_all_examples": False,
        "show_memory": False,
        "min_reported_time": 3600,
        "notebook_extensions": set(),
        "show_signature": False,
        "remove_config_comments": True,
        "within_subsection_order": "FileNameSortKey",
        "thumbnail_size": (480, 360),
        "doc_module": ("flexmbs",),
        "reference_url": {"flexmbs": None},
        "write_computation_times": False,
    }
