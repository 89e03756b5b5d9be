"""Options of films and pictures, checked before any work is done (also those in VIEW of a case), and films checked when written."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import near_names
from flexmbs.view.colours import check_shown
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.look import Look

#: Limits of width and height in pixels: still legible, and possible for OpenGL without a graphics card.
MIN_PIXELS, MAX_PIXELS = 64, 8192
#: Options of :class:`flexmbs.view.look.Look`: how a scene is shown.
OF_SCENES = tuple(one.name for one in fields(Look) if one.init)
#: Options of films and pictures besides: those of single pictures, and of all that moves.
OF_FILES = ("time", "frames_per_second")
OF_MOTIONS = ("start", "end", "duration", "slow_motion", "window_size")
ALL = (*OF_SCENES, *OF_FILES, *OF_MOTIONS)


def check_view(options: object, where: str) -> None:
    """FlexmbsError unless ``options`` are ones that ``Result.animate`` takes; ``where`` begins the message."""
    if not isinstance(options, Mapping):
        raise FlexmbsError(f"{where}: expected options of Result.animate, such as {{'color': 'von_mises'}}")
    for name in options:
        if name not in ALL:
            raise FlexmbsError(f"{where}: no option {name!r}. {near_names(str(name), ALL)}")
    try:
        Look(**{name: value for name, value in options.items() if name in OF_SCENES})
        check_film(options.get("duration", 1.0), options.get("frames_per_second", 25), options.get("window_size", (640, 480)))
    except FlexmbsError as error:
        raise FlexmbsError(f"{where}: {error}") from None


def check_film(duration: object, frames_per_second: object, window_size: object) -> None:
    """FlexmbsError unless these can be of a film."""
    if not (_positive(duration) and _positive(frames_per_second) and float(frames_per_second) >= 1):  # type: ignore[arg-type]
        raise FlexmbsError(f"duration {duration!r} s and frames_per_second {frames_per_second!r}: both must be positive")
    try:
        fits = len(window_size) == 2 and all(n in range(MIN_PIXELS, MAX_PIXELS + 1) for n in window_size)  # type: ignore[arg-type, attr-defined]
    except TypeError:
        fits = False
    if not fits:
        raise FlexmbsError(
            f"window_size is {window_size!r}; width and height must be whole numbers from {MIN_PIXELS} to {MAX_PIXELS}"
        )


def time_window(result: DrawableResult, start: float | None, end: float | None, time: float | None = None) -> tuple[float, float]:
    """Start and end (s) of the part of a run that is shown; FlexmbsError outside the run, or if the part is empty."""
    for name, value in (("time", time), ("start", start), ("end", end)):
        if value is not None and not result.t[0] <= value <= result.t[-1]:
            raise FlexmbsError(f"{name} {value:g} s is outside the run: {result.t[0]:g} to {result.t[-1]:g} s")
    first, last = float(result.t[0]) if start is None else start, float(result.t[-1]) if end is None else end
    if not first <= last:
        raise FlexmbsError(f"start {first:g} s is after end {last:g} s")
    if first == last and (start is not None or end is not None):
        raise FlexmbsError(
            f"start {first:g} s is the end: nothing is between them; give an end after the start, or time={first:g} for a picture"
        )
    return first, last


def fitting(result: DrawableResult, view: Mapping[str, Any]) -> dict[str, Any]:
    """Those options of a case that suit this result: times within the run, a stress that its bodies have.

    A case states them for its usual parameters; what a user asks for is checked instead.
    """
    found = dict(view)
    for name in ("time", "start", "end"):
        if name in found and not result.t[0] <= found[name] <= result.t[-1]:
            del found[name]
    try:
        check_shown(result, found.get("color", "body"))
    except FlexmbsError:
        del found["color"]
    return found


def _positive(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and bool(np.isfinite(value)) and value > 0


def require_whole_film(path: Path) -> None:
    """OSError unless the .mp4 file at ``path`` consists of complete boxes that include the index ("moov")."""
    size, at, kinds = path.stat().st_size, 0, []
    with open(path, "rb") as file:
        while at + 8 <= size:
            file.seek(at)
            head = file.read(16)
            length, kind = int.from_bytes(head[:4], "big"), head[4:8]
            if length == 1:  # more than 4 GB
                length = int.from_bytes(head[8:16], "big")
            if length < 8:
                break
            kinds.append(kind)
            at += length
    if at != size or b"moov" not in kinds:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
