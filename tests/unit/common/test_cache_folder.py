"""Where files lie that can be made again."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

from flexmbs.common import cache_folder as module
from flexmbs.common.cache_folder import cache_folder


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """No variable is set, and the home folder is empty."""
    for name in (module.VARIABLE, "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return monkeypatch


@pytest.mark.skipif(sys.platform != "linux", reason="each system has its own place")
def test_variables_in_their_order(bare, tmp_path):
    assert cache_folder() == tmp_path / ".cache" / "flexmbs" and cache_folder().is_dir()
    bare.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "flexmbs"
    bare.setenv(module.VARIABLE, str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"


def test_temporary_files_for_users_without_a_home(bare):
    bare.setattr(os.path, "expanduser", lambda path: path)
    bare.setenv("USER", "somebody")
    assert cache_folder() == Path(tempfile.gettempdir()) / "flexmbs-somebody"


def test_temporary_files_where_it_cannot_be_written(bare, tmp_path):
    (tmp_path / "file").write_text("in the way")
    bare.setenv(module.VARIABLE, str(tmp_path / "file" / "below"))
    bare.setenv("USER", "somebody")
    assert cache_folder() == Path(tempfile.gettempdir()) / "flexmbs-somebody"


def test_kernels_bodies_and_rendering_lie_in_it(bare, tmp_path):
    from flexmbs.machine_code.load_objects import kernel_cache_folder
    from flexmbs.reduction.body_cache import bodies_folder

    bare.setenv(module.VARIABLE, str(tmp_path / "own"))
    assert kernel_cache_folder().parent == bodies_folder().parent == tmp_path / "own"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners of files are known on POSIX systems")
def test_a_folder_that_others_can_write_is_not_taken(tmp_path):
    """Compiled code is loaded from there."""
    mine = module._among_temporary_files(str(tmp_path))
    assert mine.parent == tmp_path and mine.stat().st_mode & 0o077 == 0
    module._among_temporary_files.cache_clear()
    assert module._among_temporary_files(str(tmp_path)) == mine
    mine.chmod(0o777)
    module._among_temporary_files.cache_clear()
    assert module._among_temporary_files(str(tmp_path)) != mine
