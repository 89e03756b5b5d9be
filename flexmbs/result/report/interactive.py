"""The interactive scene of a report and of a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flexmbs.result.report.reportable import ReportableResult


def page_head() -> str:
    """What the head of a page with a scene needs."""
    return ""


def scene_html(result: ReportableResult, view: Mapping[str, Any]) -> str:
    """The scene as HTML for the body of a page; empty where there is none."""
    return ""
