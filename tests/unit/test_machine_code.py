"""Object files kept on disk: whose they are, what becomes of damaged files, full disks and read-only caches."""

import errno
import hashlib
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import textwrap
import time
from contextlib import nullcontext
from importlib.metadata import version
from pathlib import Path

import pytest

from flexmbs.common import cache_folder as module
from flexmbs.common.errors import CacheWarning
from flexmbs.common.progress import on_progress
from flexmbs.machine_code import load_objects as library
from flexmbs.machine_code import manifest, object_cache, shipping, sources
from flexmbs.machine_code import target_processor as targets
from flexmbs.machine_code.target_processor import Target, baseline, target_here

MODULE, CODE, PLANTED = "flexmbs.test", b"machine code", b"planted machine code"
TARGET = Target("x86-64-v3")
POSIX = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners of files are known on POSIX systems")


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """A cache folder of the test's own, and no other; one module that compiles at once, and counts how often."""
    compiled = []

    def compile_now(modules, target, reason):
        compiled.append(reason)
        return dict.fromkeys(modules, CODE)

    monkeypatch.setenv(module.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(library, "known_keys", lambda: {MODULE: "0123456789abcdef" * 2})
    monkeypatch.setattr(library, "read_shipped", lambda keys, target: ({}, "nothing is shipped"))
    monkeypatch.setattr(object_cache, "object_files", compile_now)
    module._among_temporary_files.cache_clear()
    compile_now.count = compiled
    return tmp_path / "cache"


def found() -> bytes:
    return library.find_objects(TARGET)[MODULE]


def compilations() -> int:
    """How often it is compiled while it is looked for once; what is found is right."""
    before = len(object_cache.object_files.count)
    assert found() == CODE
    return len(object_cache.object_files.count) - before


def kept_file(cache) -> Path:
    assert compilations() == 1
    (path,) = (cache / object_cache.cache_name(TARGET)).glob(f"*{object_cache.SUFFIX}")
    return path


def plant(path: Path) -> None:
    """Other machine code, whose check sum is right."""
    path.write_bytes(hashlib.sha256(PLANTED).digest() + PLANTED)


def test_it_is_found_again(cache):
    path = kept_file(cache)
    assert compilations() == 0
    assert path.stat().st_mode & 0o022 == 0 and path.parent.stat().st_mode & 0o022 == 0


def test_what_is_planted_would_be_executed(cache):
    """That the tests below look at what they say."""
    plant(kept_file(cache))
    assert found() == PLANTED


@POSIX
@pytest.mark.parametrize("variable", [module.VARIABLE, "XDG_CACHE_HOME"])
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_a_folder_that_others_can_write_is_not_used(cache, tmp_path, monkeypatch, variable, mode):
    if variable != module.VARIABLE:
        monkeypatch.delenv(module.VARIABLE)
        monkeypatch.setenv(variable, str(tmp_path))
        cache = tmp_path / "flexmbs"
    monkeypatch.setattr(module, "_is_group_of_one", lambda number: False)
    plant(kept_file(cache))
    cache.chmod(mode)
    with pytest.warns(CacheWarning, match="is not used: .* is writable by"):
        assert compilations() == 1
    assert compilations() == 0  # from the folder of one's own among the temporary files; said once in a process
    assert module.cache_folder().parent == tmp_path


@POSIX
@pytest.mark.parametrize("place", ["folder", "file"])
def test_folders_and_files_inside_are_looked_at(cache, place):
    path = kept_file(cache)
    plant(path)
    (path.parent if place == "folder" else path).chmod(0o777)
    with pytest.warns(CacheWarning, match="is not kept in .* is writable") if place == "folder" else nullcontext():
        assert compilations() == 1


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("place", ["cache", "folder", "file"])
def test_what_belongs_to_another_user_is_not_used(cache, place):
    path = kept_file(cache)
    plant(path)
    os.chown({"cache": cache, "folder": path.parent, "file": path}[place], 65534, -1)
    if place == "cache":
        with pytest.warns(CacheWarning, match="belongs to another user"):
            assert compilations() == 1
    else:
        with pytest.warns(CacheWarning) if place == "folder" else nullcontext():
            assert compilations() == 1


@POSIX
def test_links_are_not_followed(cache, tmp_path):
    path = kept_file(cache)
    plant(tmp_path / "elsewhere")
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    assert compilations() == 1


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "folder"])
def test_damaged_files_are_compiled_again(cache, damage):
    path = kept_file(cache)
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        content[len(content) // 2] ^= 16
    path.write_bytes({"empty": b"", "cut": content[:-5]}.get(damage, content))
    if damage == "folder":
        path.unlink()
        path.mkdir()
    with pytest.warns(CacheWarning) if damage == "folder" else nullcontext():
        assert compilations() == 1
    if damage != "folder":
        assert compilations() == 0  # it was replaced


def test_a_read_only_cache_is_used(cache, monkeypatch):
    kept_file(cache)
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).startswith(str(cache)))
    assert module.folders_to_read()[0] == cache and module.cache_folder() != cache
    assert compilations() == 0


FULL_DISK = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # every write to a file fails
from flexmbs.machine_code import load_objects as library, object_cache
from flexmbs.machine_code.target_processor import Target
library.known_keys = lambda: {"flexmbs.test": "0" * 32}
object_cache.object_files = lambda modules, target, reason: dict.fromkeys(modules, b"code")
assert library.find_objects(Target("full")) == {"flexmbs.test": b"code"}
"""


@POSIX
def test_a_full_disk_only_costs_the_time_to_compile(cache):
    done = subprocess.run([sys.executable, "-c", FULL_DISK], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "compiled code is not kept" in done.stderr and "Traceback" not in done.stderr
    assert list((cache / object_cache.cache_name(Target("full"))).glob(f"*{object_cache.SUFFIX}")) == []


class TestShipped:
    """Object files that the wheel brings, in a folder of the test's own."""

    KEYS = {MODULE: "0" * 32, "flexmbs.other": "1" * 32}

    @pytest.fixture
    def folder(self, tmp_path):
        folder = tmp_path / "shipped"
        manifest.write_shipped(folder, {MODULE: CODE, "flexmbs.other": b"other"}, self.KEYS, TARGET)
        return folder

    def read(self, folder, keys=None, target=TARGET):
        return manifest.read_shipped(keys or self.KEYS, target, folder)

    def test_it_is_used(self, folder):
        assert self.read(folder) == ({MODULE: CODE, "flexmbs.other": b"other"}, "")

    def test_an_altered_object_is_refused_and_named(self, folder):
        path = folder / f"{MODULE}.o"
        path.write_bytes(PLANTED)
        objects, why = self.read(folder)
        assert MODULE not in objects and "flexmbs.other" in objects
        assert str(path) in why and "altered" in why

    def test_a_missing_object_is_named(self, folder):
        (folder / f"{MODULE}.o").unlink()
        objects, why = self.read(folder)
        assert list(objects) == ["flexmbs.other"] and "missing" in why

    def test_other_sources_are_compiled(self, folder):
        objects, why = self.read(folder, {**self.KEYS, MODULE: "2" * 32})
        assert list(objects) == ["flexmbs.other"] and "sources differ" in why

    def test_a_damaged_list_is_said(self, folder):
        (folder / manifest.NAME).write_text("{")
        objects, why = self.read(folder)
        assert objects == {} and "cannot be read" in why

    def test_another_system_is_refused(self, folder):
        stated = json.loads((folder / manifest.NAME).read_text())
        (folder / manifest.NAME).write_text(json.dumps({**stated, "platform": "beos-ppc"}))
        objects, why = self.read(folder)
        assert objects == {} and "beos-ppc" in why

    def test_a_clone_has_none(self, tmp_path):
        objects, why = self.read(tmp_path)
        assert objects == {} and "clone" in why

    @POSIX
    def test_a_folder_that_others_can_write_is_refused(self, folder):
        folder.chmod(0o777)
        objects, why = self.read(folder)
        assert objects == {} and "is writable by everyone" in why

    def test_a_read_only_folder_is_used(self, folder):
        for path in (*folder.iterdir(), folder):
            path.chmod(0o555 if path.is_dir() else 0o444)
        assert len(self.read(folder)[0]) == 2

    def test_it_says_what_made_it(self, folder):
        made_by = json.loads((folder / manifest.NAME).read_text())["made_by"]
        assert set(made_by) == {"numba", "llvmlite", "python"}

    def test_a_processor_below_the_baseline_compiles_for_itself(self, folder, monkeypatch):
        import llvmlite.binding as llvm

        features = llvm.get_host_cpu_features()
        features["avx2"] = False
        monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: features)
        monkeypatch.setattr(targets, "baseline", lambda: Target(targets.X86_64))
        target = target_here()
        assert "avx2" in target.lacking and target.name != targets.X86_64
        objects, why = self.read(folder, target=target)
        assert objects == {} and "avx2" in why
        assert object_cache.cache_name(target) != object_cache.cache_name(TARGET)


def test_the_baseline_of_this_machine():
    assert baseline().name in ("x86-64-v3", "generic")


class TestKeys:
    """Keys of a package of the test's own, whose sources are changed."""

    CORE = {
        "laws.py": """
            from math import sin

            import numpy as np

            from flexmbs.core import shapes
            from flexmbs.core.shapes import SIZE, area, cube
            from flexmbs.machine_code.entry import entry, interface
            from flexmbs.machine_code.kernel import kernel

            WEIGHTS = np.zeros(SIZE)
            for i in range(SIZE):
                WEIGHTS[i] = 1.0 / (i + 1.0)
            UNUSED = 3.0

            @interface
            def law(x: float) -> float:
                ...

            def odd(n):
                return even(n - 1) if n else 0

            def even(n):
                return odd(n - 1) if n else 1

            FIRST, SECOND = odd(SIZE), even(SIZE)

            @entry
            def parity(x: float) -> float:
                return x * SECOND

            @entry
            def force(x: float) -> float:
                \"\"\"Force, N.\"\"\"
                return helper(x) * area(x) + cube(x) + shapes.FACTOR

            @kernel
            def helper(x):  # doubles
                return 2.0 * sin(x) * WEIGHTS[0]

            @kernel
            def never_called(x):
                return x
        """,
        "shapes.py": """
            from flexmbs.machine_code.entry import entry
            from flexmbs.machine_code.kernel import kernel
            from flexmbs.core.sizes import SIZE

            FACTOR, OTHER = 2.0, 3.0

            @entry
            def area(x: float) -> float:
                return x * x

            @kernel
            def cube(x):
                return x * x * x
        """,
        "sizes.py": "SIZE = 4\n",
        "__init__.py": "",
    }

    @pytest.fixture
    def keys(self, monkeypatch, tmp_path):
        """Keys after a text has been replaced in a file of the core, or as they are; ("laws", "shapes")."""
        shutil.copytree(sources.PACKAGE / "machine_code", tmp_path / "machine_code")
        (tmp_path / "core").mkdir()
        for name, text in self.CORE.items():
            (tmp_path / "core" / name).write_text(textwrap.dedent(text))
        monkeypatch.setattr(sources, "PACKAGE", tmp_path)
        monkeypatch.setattr(sources, "PLACES", ("core",))

        def found(name=None, old="", new=""):
            if name:
                path = tmp_path / name
                assert old in path.read_text()
                path.write_text(path.read_text().replace(old, new))
            for kept in (sources._module, sources._file_of, sources.shaping, sources._closure):
                kept.cache_clear()
            return tuple(sources.keys()[f"flexmbs.core.{module}"] for module in ("laws", "shapes"))

        yield found
        for kept in (sources._module, sources._file_of, sources.shaping, sources._closure):
            kept.cache_clear()

    @pytest.mark.parametrize(
        "name, old, new, laws, shapes",
        [
            ("core/laws.py", "Force, N", "Force in newtons", False, False),  # a docstring
            ("core/laws.py", "# doubles", "# twice", False, False),
            ("core/laws.py", "    return x\n", "    return 2.0 * x\n", False, False),  # what no entry calls
            ("core/laws.py", "UNUSED = 3.0", "UNUSED = 4.0", False, False),
            ("core/shapes.py", "OTHER = 2.0, 3.0", "OTHER = 2.0, 4.0", True, False),  # the statement makes FACTOR too
            ("core/laws.py", "2.0 * sin", "3.0 * sin", True, False),
            ("core/laws.py", "import sin", "import cos as sin", True, False),
            ("core/laws.py", "1.0 / (i + 1.0)", "1.0 / (i + 2.0)", True, False),  # a loop that fills a constant
            ("core/laws.py", "n else 0", "n else 2", True, False),  # functions that call each other
            ("core/laws.py", "n else 1", "n else 3", True, False),
            ("core/sizes.py", "4", "5", True, False),  # a constant that another file passes on
            ("core/shapes.py", "return x * x * x", "return x**3", True, False),
            ("core/shapes.py", "return x * x\n", "return x**2\n", False, True),  # an entry is called by its symbol
            ("core/shapes.py", "area(x: float) -> float", "area(x: float) -> int", True, True),
            ("machine_code/numba_types.py", '"contract", ', "", True, True),
            ("machine_code/numba_types.py", "A kernel as numba compiles it", "What numba compiles", False, False),
            ("machine_code/build.py", "compiling the kernels", "translating", False, False),
        ],
    )
    def test_a_change_concerns_what_is_made_of_it(self, keys, name, old, new, laws, shapes):
        before, after = keys(), keys(name, old, new)
        assert tuple(a != b for a, b in zip(before, after, strict=True)) == (laws, shapes)

    @pytest.mark.parametrize("what", ["numba", "llvmlite", "bounds"])
    def test_versions_and_switches_are_in_every_key(self, keys, monkeypatch, what):
        before = keys()
        if what == "bounds":
            monkeypatch.setattr(sources, "BOUNDS_CHECKED", not sources.BOUNDS_CHECKED)
        else:
            monkeypatch.setattr(sources, "version", lambda name: "99.0" if name == what else version(name))
        assert not set(before) & set(keys())

    def test_what_is_not_watched_is_refused(self, keys, tmp_path):
        (tmp_path / "common").mkdir()
        (tmp_path / "common" / "numbers.py").write_text("SIZE = 4\n")
        with pytest.raises(RuntimeError, match="outside core: flexmbs.common.numbers"):
            keys("core/shapes.py", "flexmbs.core.sizes", "flexmbs.common.numbers")


class TestKnownKeys:
    """Keys are computed where a file has changed, and read where none has."""

    @pytest.fixture
    def counted(self, cache, monkeypatch, tmp_path):
        """How often keys are computed by a call."""
        computed = []
        monkeypatch.setattr(manifest, "keys", lambda: computed.append(1) or {MODULE: f"{len(computed)}" * 32})
        monkeypatch.setattr(manifest, "digest_of_sources", lambda: (tmp_path / "source").read_text())
        (tmp_path / "source").write_text("as it was")

        def count(folder=tmp_path / "nothing"):
            before = len(computed)
            found = manifest.known_keys(folder)
            return len(computed) - before, found[MODULE]

        return count

    def test_they_are_kept_until_a_file_changes(self, counted, cache, tmp_path):
        assert counted() == (1, "1" * 32) and counted() == (0, "1" * 32)
        (tmp_path / "source").write_text("changed")
        assert counted() == (1, "2" * 32) and counted() == (0, "2" * 32)

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"made_of": "something"}'])
    def test_a_damaged_file_is_computed_again(self, counted, cache, content):
        counted()
        (cache / manifest.KEYS).write_bytes(content)
        assert counted() == (1, "2" * 32)

    @POSIX
    def test_a_file_that_others_can_write_is_not_read(self, counted, cache):
        counted()
        (cache / manifest.KEYS).chmod(0o666)
        assert counted() == (1, "2" * 32)

    def test_those_that_are_shipped_hold_as_long_as_the_sources_do(self, counted, tmp_path):
        folder = tmp_path / "shipped"
        manifest.write_shipped(folder, {MODULE: CODE}, {MODULE: "a" * 32}, TARGET)
        assert counted(folder) == (0, "a" * 32)
        (tmp_path / "source").write_text("changed")
        assert counted(folder) == (1, "1" * 32)


def test_keys_of_the_package_name_every_module_with_entries():
    found = sources.keys()
    assert set(found) == set(sources.entry_modules()) and len(set(found.values())) == len(found) > 70


def test_a_wheel_takes_what_the_cache_has(cache, monkeypatch, tmp_path):
    monkeypatch.setattr(shipping, "keys", lambda: {MODULE: "0123456789abcdef" * 2})
    monkeypatch.setattr(shipping, "object_files", object_cache.object_files)
    monkeypatch.setattr(shipping.subprocess, "run", lambda *given, **options: None)
    monkeypatch.setattr(shipping, "baseline", lambda: TARGET)
    for number, compiled in enumerate((1, 1)):  # compiled once, then taken
        shipping.ship(tmp_path / str(number))
        assert (tmp_path / str(number) / f"{MODULE}.o").read_bytes() == CODE
        assert len(object_cache.object_files.count) == compiled
    monkeypatch.setenv(shipping.FRESH_VARIABLE, "1")
    shipping.ship(tmp_path / "fresh")
    assert len(object_cache.object_files.count) == 2


NO_NUMBA = """
import sys
import numpy as np
import flexmbs as fm
system = fm.System()
ball = system.add(fm.RigidBody.sphere(7850.0, 0.1), name="ball")
system.revolute(system.ground["origin"], ball.marker("edge", position=(0, 0.1, 0)), axis="x", name="hinge")
result = system.simulate(0.01)
assert np.isfinite(result["hinge.angle"]).all()
print([name for name in ("numba", "matplotlib", "pyvista", "meshio") if name in sys.modules])
"""


def test_a_run_imports_no_numba():
    done = subprocess.run([sys.executable, "-c", NO_NUMBA], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"


def test_no_source_uses_the_cache_of_numba():
    import flexmbs

    paths = Path(flexmbs.__file__).parent.rglob("*.py")
    assert not [path for path in paths if "cache=True" in path.read_text() and "numba" in path.read_text()]


def test_processes_that_start_at_once_on_an_empty_cache_compile_once(cache, tmp_path, monkeypatch):
    """Those who come while one compiles wait for it; ``go`` lets it finish."""
    fork = multiprocessing.get_context("fork")

    def compile_slowly(modules, target, reason):
        with open(tmp_path / "compiling", "a") as file:
            file.write(f"{os.getpid()}\n")
        until((tmp_path / "go").exists)
        return dict.fromkeys(modules, CODE)

    def look():
        with on_progress(lambda stage: (tmp_path / f"told-{os.getpid()}").write_text(str(stage))):
            assert found() == CODE

    monkeypatch.setattr(object_cache, "object_files", compile_slowly)
    processes = [fork.Process(target=look) for _ in range(4)]
    for process in processes:
        process.start()
    until(lambda: sum(path.stat().st_size > 0 for path in tmp_path.glob("told-*")) == 3)  # made, and written
    (compiling,) = (tmp_path / "compiling").read_text().split()
    text = next(tmp_path.glob("told-*")).read_text()
    assert text.startswith(f"waiting for another process that compiles the kernels (process {compiling} on")
    (tmp_path / "go").touch()
    for process in processes:
        process.join(60.0)
        assert process.exitcode == 0
    assert len((tmp_path / "compiling").read_text().split()) == 1


def until(condition):
    begin = time.perf_counter()
    while not condition():
        assert time.perf_counter() - begin < 60.0
        time.sleep(0.002)


def test_kernels_are_provided_before_workers_start(cache):
    assert library.provide() and compilations() == 0
    assert library.provide() and len(object_cache.object_files.count) == 1


def test_what_cannot_be_provided_is_told(cache, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(object_cache, "write_whole", full)
    with pytest.warns(CacheWarning, match="is compiled anew at each start"):
        assert not library.provide()
