"""The interactive scene of a report and of a notebook: the page of the result, inside another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.result.report.reportable import ReportableResult
from flexmbs.view.page.html import page_assets, page_start
from flexmbs.view.page.pages import least_size, page_fragment
from flexmbs.view.page.result_scene import ResultOptions

LARGEST = 20.0  # MB, of the scene in a report


def page_head() -> str:
    """What the head of a page with a scene needs."""
    return page_assets()


def scene_page(scene: str) -> str:
    """A page of its own with the scene of :func:`scene_html`."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>flexmbs</title>{page_assets()}</head>'
        f'<body class="flexmbs-page">{scene}</body></html>'
    )


def scene_html(result: ReportableResult, view: Mapping[str, Any], largest: float = LARGEST, **options: Any) -> tuple[str, str]:
    """The scene as HTML for the body of a page, with the script that starts it; else "" and why there is none.

    ``view``: options of pictures of the case, of which a page takes those that it has; ``largest``: MB.
    """
    known = {name: value for name, value in view.items() if name in ResultOptions.__dataclass_fields__}
    known = {**known, "title": "", **options}
    try:
        if least_size(result, ResultOptions(**known)) > largest:
            return "", too_large(largest)
        fragment = page_fragment(result, **known)
    except (FlexmbsError, np.linalg.LinAlgError) as error:
        return "", str(error)
    if len(fragment) > 1e6 * largest:
        return "", too_large(largest)
    return fragment + page_start(), ""


def too_large(largest: float) -> str:
    """Why a scene is not shown."""
    return f"it would take more than {largest:g} MB; result.to_html(...) writes it to a file of its own"
