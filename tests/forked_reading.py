"""The program that lets VTK and meshio read files, forked from a process that has them loaded: ten times as fast."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import meshio  # noqa: F401
import pytest
import vtkmodules.util.numpy_support
import vtkmodules.vtkIOLegacy
import vtkmodules.vtkIOXML  # noqa: F401

from flexmbs.mesh.readers.exchange_formats import library_process, read_by_library


def run(library: str, path: Path, seconds: float, size: int) -> tuple[int, bytes, bytes]:
    """As ``read_by_library._run``."""
    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as messages:
        child = os.fork()
        if child == 0:
            _read(library, path, seconds, size, answer.fileno(), messages.fileno())
        _, status = os.waitpid(child, 0)
        for file in (answer, messages):
            file.seek(0)
        return os.waitstatus_to_exitcode(status), answer.read(), messages.read()


def _read(library: str, path: Path, seconds: float, size: int, answer: int, messages: int) -> None:
    """Run the program in this process, and end it."""
    code = 1
    try:
        os.dup2(answer, 1)
        os.dup2(messages, 2)
        os.chdir(path.parent)
        sys.stderr = os.fdopen(2, "w", buffering=1)
        sys.argv = ["library_process.py", library, str(path), str(seconds), str(size)]
        library_process.main()
        code = 0
    finally:
        os._exit(code)


@pytest.fixture
def forked(monkeypatch):
    """Reading with VTK and meshio forks this process."""
    monkeypatch.setattr(read_by_library, "_run", run)
