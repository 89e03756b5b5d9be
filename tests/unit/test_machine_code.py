"""Machine code kept on disk: whose it is, what becomes of damaged files, full disks and caches that are read-only."""

import hashlib
import os
import pickle
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from flexmbs import CacheWarning
from flexmbs.common import cache_folder as module
from flexmbs.core.abi.machine_code import MachineCode, compiled

FOLDER = "test-code"
POSIX = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners of files are known on POSIX systems")


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """A cache folder of the test's own, and no other."""
    monkeypatch.setenv(module.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    module._among_temporary_files.cache_clear()
    return tmp_path / "cache"


def function():
    """A compiled function, new in memory, the same on disk."""

    @compiled(FOLDER)
    def sum_of_squares(x, y):
        return x * x + y * y

    return sum_of_squares


def hits(found):
    assert found(3.0, 4.0) == 25.0
    return sum(found.stats.cache_hits.values())


def kept_file(cache) -> Path:
    assert hits(function()) == 0
    (path,) = (cache / FOLDER).iterdir()
    return path


class Planted:
    """What pickle executes when it reads it."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def plant(path: Path, witness: Path) -> None:
    """A file whose check sum is right, and which leaves ``witness`` behind when it is unpickled."""
    content = pickle.dumps(Planted(witness))
    path.write_bytes(hashlib.sha256(content).digest() + content)


def test_it_is_found_again(cache):
    path = kept_file(cache)
    assert hits(function()) == 1
    assert path.stat().st_mode & 0o022 == 0 and path.parent.stat().st_mode & 0o022 == 0


def test_what_is_planted_would_be_executed(cache, tmp_path):
    """That the tests below look at what they say."""
    plant(kept_file(cache), tmp_path / "witness")
    assert hits(function()) == 0
    assert (tmp_path / "witness").exists()


@POSIX
@pytest.mark.parametrize("variable", [module.VARIABLE, "XDG_CACHE_HOME"])
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_a_folder_that_others_can_write_is_not_used(cache, tmp_path, monkeypatch, variable, mode):
    if variable != module.VARIABLE:
        monkeypatch.delenv(module.VARIABLE)
        monkeypatch.setenv(variable, str(tmp_path))
        cache = tmp_path / "flexmbs"
    monkeypatch.setattr(module, "_is_group_of_one", lambda number: False)
    plant(kept_file(cache), tmp_path / "witness")
    cache.chmod(mode)
    with pytest.warns(CacheWarning, match="is not used: .* can be written by"):
        assert hits(function()) == 0
    assert not (tmp_path / "witness").exists()
    assert hits(function()) == 1  # from the folder of one's own among the temporary files; said once in a process
    assert module.cache_folder().parent == tmp_path


@POSIX
@pytest.mark.parametrize("place", ["folder", "file"])
def test_folders_and_files_inside_are_looked_at(cache, tmp_path, place):
    path = kept_file(cache)
    plant(path, tmp_path / "witness")
    (path.parent if place == "folder" else path).chmod(0o777)
    with pytest.warns(CacheWarning, match="is not kept in .* can be written") if place == "folder" else nullcontext():
        assert hits(function()) == 0
    assert not (tmp_path / "witness").exists()


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("place", ["cache", "folder", "file"])
def test_what_belongs_to_another_user_is_not_used(cache, tmp_path, place):
    path = kept_file(cache)
    plant(path, tmp_path / "witness")
    os.chown({"cache": cache, "folder": path.parent, "file": path}[place], 65534, -1)
    if place == "cache":
        with pytest.warns(CacheWarning, match="belongs to another user"):
            assert hits(function()) == 0
    else:
        with pytest.warns(CacheWarning) if place == "folder" else nullcontext():
            assert hits(function()) == 0
    assert not (tmp_path / "witness").exists()


@POSIX
def test_links_are_not_followed(cache, tmp_path):
    path = kept_file(cache)
    plant(tmp_path / "elsewhere", tmp_path / "witness")
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    assert hits(function()) == 0
    assert not (tmp_path / "witness").exists()


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "folder"])
def test_damaged_files_are_compiled_again(cache, damage):
    path = kept_file(cache)
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        content[len(content) // 2] ^= 16
    path.write_bytes({"empty": b"", "cut": content[:-100]}.get(damage, content))
    if damage == "folder":
        path.unlink()
        path.mkdir()
    with pytest.warns(CacheWarning) if damage == "folder" else nullcontext():
        assert hits(function()) == 0
    if damage != "folder":
        assert hits(function()) == 1  # it was replaced


def test_a_read_only_cache_is_used(cache, monkeypatch):
    kept_file(cache)
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).startswith(str(cache)))
    assert module.folders_to_read()[0] == cache and module.cache_folder() != cache
    assert hits(function()) == 1


FULL_DISK = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # every write to a file fails
from flexmbs.core.abi.machine_code import compiled
@compiled("full")
def twice(x):
    return 2.0 * x
assert twice(4.0) == 8.0
"""


@POSIX
def test_a_full_disk_only_costs_the_time_to_compile(cache):
    done = subprocess.run([sys.executable, "-c", FULL_DISK], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "compiled code is not kept" in done.stderr and "Traceback" not in done.stderr
    assert list((cache / "full").iterdir()) == []


def test_numba_keeps_nothing_of_its_own():
    """Its cache executes whatever lies there, and NUMBA_CACHE_DIR names it."""
    from flexmbs.core.parts.entries import gap_entry, residual_entry
    from flexmbs.core.stepping.step_loop import advance
    from flexmbs.fem.solids.solid_second_order_kernel import add_at_nodes, element_loads

    found = (add_at_nodes, element_loads, advance, residual_entry, gap_entry)
    assert all(isinstance(kept._cache, MachineCode) for kept in found)


def test_no_source_uses_the_cache_of_numba():
    import flexmbs

    sources = Path(flexmbs.__file__).parent.rglob("*.py")
    assert not [path for path in sources if "cache=True" in path.read_text() and "numba" in path.read_text()]
