"""Folders of the cases and meshes supplied with flexmbs: in the installed package, or next to it in a clone."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def cases_folder() -> Path:
    """Folder of the case scripts."""
    return _folder("cases")


def meshes_folder() -> Path:
    """Folder of the mesh files."""
    return _folder("meshes")


def _folder(name: str) -> Path:
    installed, in_clone = _PACKAGE / f"_{name}", _PACKAGE.parent / name
    for folder in (installed, in_clone):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"{name} not found in {installed} or {in_clone}; reinstall flexmbs.")
