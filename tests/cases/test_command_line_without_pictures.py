"""Where pictures cannot be made, ``flexmbs run`` ends with its result, and says in a line why there are none."""

import pytest
from command_line import flexmbs

import flexmbs as fm
from flexmbs.app.cli import run as command


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), "out of memory"),
        (
            ImportError("libvtk.so: failed to map segment"),
            r"a library cannot be loaded, or not into the memory that is left (libvtk.so:",
        ),
        (fm.RenderingUnavailable("no OpenGL"), "no OpenGL"),
    ],
)
def test_result_without_pictures(error, reason, tmp_path, monkeypatch):
    def fails(*_arguments, **_options):
        raise error

    monkeypatch.setattr(command, "write_plots", fails)
    monkeypatch.setattr(fm.Result, "animate", fails)
    ended = flexmbs("run", "heavy_top", "--out", tmp_path / "out")
    plots, animation = ended.stderr.splitlines()
    assert plots.startswith(f"no plots: {reason}") and animation.startswith(f"no animation: {reason}")
    assert fm.load(tmp_path / "out").status == "finished" and "summary.json" in ended.stdout
