"""Pictures of several times of a result, which share one scene."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from flexmbs.common.progress import stage
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.opengl import prepare_offscreen
from flexmbs.view.scene import Scene


def stills(result: DrawableResult, times: Iterable[float], **options: Any) -> list[bytes]:
    """A PNG for each of ``times`` (s); options as in :class:`flexmbs.view.scene.Scene`.

    FlexmbsError for an invalid option, RenderingUnavailable without OpenGL.
    """
    prepare_offscreen()
    import imageio.v2 as imageio

    times, found = list(times), []
    scene = Scene(result, **options)
    try:
        for done, time in enumerate(times):
            stage("pictures", done, len(times), long=True)
            scene.show_time(time)
            content = io.BytesIO()
            imageio.imwrite(content, scene.picture(), format="png")
            found.append(content.getvalue())
    finally:
        scene.close()
    return found
