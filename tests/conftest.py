"""Settings and fixtures that all tests share."""

import ctypes
import gc
import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest

# One thread: the problems are small, and results do not depend on how sums are split.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
# In the background of a shell Ctrl-C is ignored, and so it would be in the runs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("MPLBACKEND", "Agg")
# Bodies are computed, not found: what a test looks at is what the code does now.
os.environ.setdefault("FLEXMBS_BODY_CACHE_GB", "0")

# What collecting makes stays to the end: looking through it again and again finds no garbage.
gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _temporary_files(tmp_path_factory):
    """Temporary files of what is tested lie in the folder of this run, not beside those of other programs."""
    folder = tmp_path_factory.mktemp("temporary")
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)


@pytest.fixture(scope="module", autouse=True)
def _memory_returned():
    """What a file has freed goes back to the system: the C library of Linux would keep it, in pieces."""
    yield
    if sys.platform == "linux":
        getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)(0)


@pytest.fixture(scope="session")
def meshes() -> Path:
    """Folder of the mesh files that come with flexmbs."""
    from flexmbs.common.installed_data import meshes_folder

    return meshes_folder()


@pytest.fixture(scope="session")
def test_data() -> Path:
    """Folder of the tests' own data files."""
    return Path(__file__).parent / "data"
