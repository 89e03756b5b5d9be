"""``flexmbs view PATH --save FILE.html``: a page instead of a picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from flexmbs.mesh.mesh import Mesh
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.result.result import Result
from flexmbs.view.page.mesh_scene import MeshOptions
from flexmbs.view.page.mode_scene import BodyOptions
from flexmbs.view.page.pages import ENDINGS
from flexmbs.view.page.result_scene import ResultOptions

#: Options of the command that only pages have.
OF_PAGES = ("frames", "histories", "size_limit")
_FLAGS = {"frames_per_second": "fps", "window_size": "size", "sets": "set", "histories": "history"}


def is_page(save: Path | None) -> bool:
    """Whether the file to write is a page."""
    return save is not None and save.suffix.lower() in ENDINGS


def save_page(
    shown: Result | FlexibleBody | Mesh, save: Path, given: Mapping[str, Any], of_case: Mapping[str, Any] | None = None
) -> None:
    """Write a page and say where; ``of_case``: settings of the case, of which pages take those that they have.

    UsageError for an option of the command that pages of this kind do not have.
    """
    kind, what = {Result: (ResultOptions, "results"), FlexibleBody: (BodyOptions, "bodies"), Mesh: (MeshOptions, "meshes")}[
        type(shown)
    ]
    known = set(kind.__dataclass_fields__)
    for name in given:
        if name not in known | {"size_limit", "force"}:
            flag = _FLAGS.get(name, name).replace("_", "-")
            raise click.UsageError(f"--{flag} is not for pages of {what}; {save} is a page")
    options = {name: value for name, value in (of_case or {}).items() if name in known} | dict(given)
    click.echo(f"wrote {shown.to_html(save, **options)}")
