"""Choice of OpenGL: a machine without any gets advice, never a crash."""

import subprocess
import sys

import pytest

from flexmbs.view import opengl as gl


@pytest.fixture
def clean(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("FLEXMBS_CACHE", str(tmp_path))
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    # set first so that the variable is removed again after the test, whatever the code under test sets it to
    monkeypatch.setenv(gl.VARIABLE, "")
    return monkeypatch


def libraries(monkeypatch, *present):
    monkeypatch.setattr(gl, "_first_loadable", lambda names: names[0] if names[0] in present else None)


def renders(monkeypatch, *working):
    tried = []

    def probe(window_class):
        tried.append(window_class)
        return window_class in working

    monkeypatch.setattr(gl, "_renders", probe)
    return tried


def test_no_library_says_what_to_install(clean):
    libraries(clean)
    tried = renders(clean, "vtkEGLRenderWindow")
    with pytest.raises(gl.RenderingUnavailable, match="apt-get install libosmesa6.*libegl1 libgl1-mesa-dri"):
        gl.prepare_offscreen()
    assert tried == []


def test_library_that_does_not_render_is_not_chosen(clean):
    libraries(clean, "libEGL.so.1", "libOSMesa.so.8")
    tried = renders(clean, "vtkOSOpenGLRenderWindow")
    gl.prepare_offscreen()
    assert gl.os.environ[gl.VARIABLE] == "vtkOSOpenGLRenderWindow"
    assert tried == ["vtkEGLRenderWindow", "vtkOSOpenGLRenderWindow"]


def test_verdict_is_remembered_and_failure_is_not(clean):
    libraries(clean, "libEGL.so.1")
    tried = renders(clean)
    for _ in range(2):
        with pytest.raises(gl.RenderingUnavailable):
            gl.prepare_offscreen()
    assert len(tried) == 2
    tried = renders(clean, "vtkEGLRenderWindow")
    gl.prepare_offscreen()
    clean.setenv(gl.VARIABLE, "")
    gl.prepare_offscreen()
    assert len(tried) == 1


def test_users_own_choice_is_tried_alone(clean):
    libraries(clean, "libEGL.so.1")
    clean.setenv(gl.VARIABLE, "vtkOSOpenGLRenderWindow")
    tried = renders(clean, "vtkEGLRenderWindow")
    with pytest.raises(gl.RenderingUnavailable):
        gl.prepare_offscreen()
    assert tried == ["vtkOSOpenGLRenderWindow"]


def test_probe_survives_a_crash(monkeypatch):
    monkeypatch.setattr(gl, "_PROBE", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert gl._renders("any") is False
    monkeypatch.setattr(gl, "_PROBE", "pass")
    assert gl._renders("any") is True


def test_window_without_a_screen(clean):
    with pytest.raises(gl.RenderingUnavailable, match="--save"):
        gl.prepare_window()


def test_looking_for_opengl_imports_neither_vtk_nor_pyvista():
    script = "import sys, flexmbs.view.opengl, flexmbs.result.result, flexmbs.app.cli.main\n"
    heavy = ("vtk", "vtkmodules", "pyvista", "matplotlib", "pandas", "meshio")
    script += f"print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.strip() == "[]"
