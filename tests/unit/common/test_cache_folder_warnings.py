"""A cache folder that is not safe is named once in a process, however often it is looked for."""

import os
import warnings

import pytest

from flexmbs import CacheWarning
from flexmbs.common import cache_folder as module
from flexmbs.machine_code import object_cache


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners of files are known on POSIX systems")
def test_an_unsafe_folder_is_named_once_whatever_the_filters_forget(tmp_path, monkeypatch):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv(module.VARIABLE, str(shared))
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        for _ in range(3):
            assert module.cache_folder() != shared and shared not in module.folders_to_read()
    assert [(str(shared) in str(warning.message), warning.category) for warning in issued] == [(True, CacheWarning)]


def test_a_full_disk_is_named_once_for_all_kernels(tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setenv(module.VARIABLE, str(tmp_path))
    monkeypatch.setattr(object_cache, "write_whole", full)
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        for name in ("first", "second"):
            object_cache.keep(tmp_path / "kernels" / f"{name}-00.o", b"code")
    assert ["No space left on device" in str(warning.message) for warning in issued] == [True]
