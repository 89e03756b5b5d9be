"""The wheel in two fresh environments: nothing is compiled, and every digit is the same, in first and later runs.

The wheel is built from a copy of the clone, unless ``FLEXMBS_TEST_WHEEL`` names one.
"""

import hashlib
import os
import shutil
import site
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import pytest

CLONE = Path(__file__).resolve().parents[2]
NOT_IN_A_CLONE = shutil.ignore_patterns(".git", "build", "dist", "*.egg-info", "__pycache__", "runs", ".venv")
PROGRAM = "from flexmbs.app.cli.main import main; main()"
COMMAND = ["run", "flexible_pendulum_impact", "--no-view", "--set", "t_end=0.5", "--set", "rtol=1e-5"]


def call(*command, **changes) -> str:
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **changes}
    elsewhere = tempfile.gettempdir()  # not the clone, which Python would import
    done = subprocess.run([*map(str, command)], env=environment, cwd=elsewhere, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if os.environ.get("FLEXMBS_TEST_WHEEL"):
        return Path(os.environ["FLEXMBS_TEST_WHEEL"])
    base = tmp_path_factory.mktemp("wheel")
    shutil.copytree(CLONE, base / "clone", ignore=NOT_IN_A_CLONE)
    call(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", base, base / "clone")
    (path,) = base.glob("*.whl")
    return path


def environment_with(wheel: Path, folder: Path) -> Path:
    """Interpreter of a new environment with the wheel, and the other packages of this one."""
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    (packages,) = folder.rglob("site-packages")
    call(sys.executable, "-m", "pip", "install", "--no-deps", "--target", packages, wheel)
    others = [path for path in [*site.getsitepackages(), *sys.path] if path.endswith("site-packages")]
    (packages / "others.pth").write_text("\n".join(dict.fromkeys(others)) + "\n")
    return python


def digits(python: Path, folder: Path, cache: Path) -> tuple[str, str]:
    """Hash of all arrays of a run, and what it said."""
    said = call(python, "-c", PROGRAM, *COMMAND, "--out", folder, FLEXMBS_CACHE=str(cache), PYTHONPATH="")
    script = (
        "import sys, hashlib, numpy as np, flexmbs as fm; t = fm.load(sys.argv[1]).trajectory\n"
        "arrays = {name: getattr(t, name) for name in ('t', 'q', 'v', 'a', 'energy', 'contact_force', 'reaction')}\n"
        "whole = b''.join(np.ascontiguousarray(array).tobytes() for array in arrays.values())\n"
        "print(hashlib.sha256(whole).hexdigest())"
    )
    return call(python, "-c", script, folder, FLEXMBS_CACHE=str(cache), PYTHONPATH="").strip(), said


@pytest.mark.slow
def test_two_fresh_environments_and_two_runs_agree_in_every_digit(wheel, tmp_path):
    assert "-py3-none-" in wheel.name and "any" not in wheel.name
    found = set()
    for number in (1, 2):
        python = environment_with(wheel, tmp_path / f"environment {number}")
        where = call(python, "-c", "import flexmbs; print(flexmbs.__file__)", PYTHONPATH="")
        assert f"environment {number}" in where
        cache = tmp_path / f"cache {number}"
        for again in (1, 2):
            digest, said = digits(python, tmp_path / f"run {number} {again}", cache)
            assert "flexmbs: compil" not in said
            found.add(digest)
        assert not list(cache.rglob("*.o"))
    assert len(found) == 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions are those of POSIX")
def test_a_read_only_install_runs_and_an_altered_one_says_so(wheel, tmp_path):
    python = environment_with(wheel, tmp_path / "environment")
    (shipped,) = (tmp_path / "environment").rglob("shipped")
    for path in (*shipped.iterdir(), shipped):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before, said = digits(python, tmp_path / "first", tmp_path / "cache")
    assert "flexmbs: compil" not in said
    for path in (shipped, *shipped.iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    altered = shipped / "flexmbs.core.mechanics.signals.o"
    content = bytearray(altered.read_bytes())
    content[len(content) // 2] ^= 1
    altered.write_bytes(content)
    after, said = digits(python, tmp_path / "second", tmp_path / "cache")
    assert str(altered) in said and "altered" in said and "compiling the kernels (core.mechanics.signals" in said
    assert after == before  # compiled again, the same machine code
    assert hashlib.sha256(altered.read_bytes()).digest() == hashlib.sha256(content).digest()
