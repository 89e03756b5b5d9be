"""Find a working OpenGL before VTK is imported: without one, VTK kills the process instead of raising an error.

On Linux each way to render is tried once, in a separate process. The outcome is kept in the user's cache folder,
under a key of the VTK version, the display and the OpenGL libraries found.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from flexmbs.common.cache_folder import cache_folder, folders_to_read, read_trusted, write_whole
from flexmbs.common.errors import FlexmbsError

VARIABLE = "VTK_DEFAULT_OPENGL_WINDOW"
#: VTK's window classes for rendering without a display, and the library that each needs.
OFFSCREEN = {
    "vtkEGLRenderWindow": ("libEGL.so.1",),
    "vtkOSOpenGLRenderWindow": ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"),
}
ADVICE = (
    "no working OpenGL library was found, so pictures cannot be rendered. On Debian or Ubuntu, install one: "
    "'apt-get install libosmesa6', or 'apt-get install libegl1 libgl1-mesa-dri'"
)
_PROBE = """
import sys
from vtkmodules.vtkRenderingCore import vtkRenderer, vtkRenderWindow
import vtkmodules.vtkRenderingOpenGL2
window = vtkRenderWindow()
window.SetOffScreenRendering(1)
window.SetSize(8, 8)
window.AddRenderer(vtkRenderer())
window.Render()
sys.exit(0 if window.SupportsOpenGL() else 1)
"""


class RenderingUnavailable(FlexmbsError):
    """Rendering is not possible on this machine; the message says what to install."""


def prepare_offscreen() -> None:
    """Choose how VTK renders without a display; call before pyvista or vtk is imported.

    Raises RenderingUnavailable, which names the packages to install, if no way works.
    """
    if not sys.platform.startswith("linux"):
        return  # Windows and macOS always bring OpenGL
    chosen = _cached_choice()
    if chosen is None:
        raise RenderingUnavailable(ADVICE)
    os.environ[VARIABLE] = chosen


def prepare_window() -> None:
    """Check that a window can be opened; RenderingUnavailable otherwise."""
    if not sys.platform.startswith("linux"):
        return
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise RenderingUnavailable(
            "there is no display to open a window on (DISPLAY is not set); use --save FILE.png, .gif or .mp4 to render to a file"
        )
    if not _renders("vtkXOpenGLRenderWindow"):
        raise RenderingUnavailable(
            "a window cannot be opened on this display: OpenGL is missing. On Debian or Ubuntu: "
            "'apt-get install libgl1 libgl1-mesa-dri'; --save FILE renders without a display"
        )
    os.environ[VARIABLE] = "vtkXOpenGLRenderWindow"


def _cached_choice() -> str | None:
    """The first window class that renders, or None; taken from the cache if possible, otherwise tried."""
    found = {kind: _first_loadable(names) for kind, names in OFFSCREEN.items()}
    candidates = [kind for kind, library in found.items() if library is not None]
    if os.environ.get("DISPLAY"):
        candidates.append("vtkXOpenGLRenderWindow")
    if os.environ.get(VARIABLE):  # the user's own choice takes precedence, if it works
        candidates = [os.environ[VARIABLE]]
    if not candidates:
        return None
    name = f"rendering-{_key(found)}.json"
    for folder in folders_to_read():
        try:
            kept = json.loads(read_trusted(folder / name) or b"null")["window"]
        except (ValueError, KeyError, TypeError):  # missing or damaged
            continue
        if kept in candidates:
            return kept
    chosen = next((kind for kind in candidates if _renders(kind)), None)
    if chosen is not None:  # failures are tried again, since a missing library may have been installed
        with suppress(OSError):  # with a read-only home, the next start only takes a second longer
            write_whole(cache_folder() / name, json.dumps({"window": chosen}).encode())
    return chosen


def _renders(window_class: str) -> bool:
    """Whether a tiny picture can be rendered with this window class, tried in a separate process."""
    environment = {**os.environ, VARIABLE: window_class}
    try:
        run = subprocess.run([sys.executable, "-c", _PROBE], env=environment, capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return run.returncode == 0


def _first_loadable(names: tuple[str, ...]) -> str | None:
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return name
    return None


def _key(found: dict[str, str | None]) -> str:
    try:
        vtk = version("vtk")
    except PackageNotFoundError:
        vtk = "unknown"
    drivers = sorted(str(path) for path in Path("/usr/share/glvnd/egl_vendor.d").glob("*.json"))
    settings = [os.environ.get(name) for name in ("DISPLAY", VARIABLE)]
    text = repr((vtk, sys.executable, sorted(found.items(), key=str), drivers, settings))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
