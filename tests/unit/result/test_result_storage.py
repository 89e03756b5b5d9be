"""What a run writes, and what can be read of a run that was killed."""

import dataclasses
import json
import subprocess
import sys

import h5py
import numpy as np
import pytest
import sliding_ball as ball
import swinging_bar as bar

from flexmbs import Result, ResultFolder, SimulationError, load
from flexmbs.result.storage import RunWriter
from flexmbs.result.structure_store import load_structure, save_structure


def chunk(trajectory, first, last):
    return {name: array[first:last] for name, array in trajectory.arrays().items()}


def assert_same(first, second):
    for name, array in first.arrays().items():
        assert np.array_equal(array, getattr(second, name)), name


def write(folder, finish, force=False):
    run = bar.trajectory()
    with ResultFolder(folder, force=force) as place:
        writer = RunWriter(place, bar.structure())
        writer.append(chunk(run, 0, 60), stats={"steps_accepted": 59})
        writer.append(chunk(run, 60, 151), contacts=run.contacts, stats={"steps_accepted": 150})
        return writer.finish(stats={"steps_accepted": 150}) if finish else run


def test_finished_run_is_read_back_bit_by_bit(tmp_path):
    written = write(tmp_path, finish=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.h5", "result.h5"]
    result = load(tmp_path)
    assert_same(written, result.trajectory)
    assert result.status == "finished"
    assert result.contacts == written.contacts
    assert result.stats == {"steps_accepted": 150}


def test_structure_is_read_back(tmp_path):
    write(tmp_path, finish=True)
    found, expected = load(tmp_path).structure, bar.structure()
    assert found.coordinate_names == expected.coordinate_names
    assert found.markers[1].name == "tip"
    assert np.array_equal(found.markers[1].fields.Zu, expected.markers[1].fields.Zu)
    assert np.array_equal(found.contacts[0].normal, expected.contacts[0].normal)
    assert np.array_equal(found.rate_of, [0, 1])
    body = found.bodies[1].flexible
    assert np.array_equal(body.surface.points, expected.bodies[1].flexible.surface.points)
    assert body.mode_labels == ("bending y 1",)


def with_outline(**changed):
    outline = ball.structure().outlines[0]
    return dataclasses.replace(ball.structure(), outlines=(dataclasses.replace(outline, **changed),))


def test_outlines_of_shapes_are_read_back(tmp_path):
    save_structure(with_outline(), tmp_path / "model.h5")
    (found,) = load_structure(tmp_path / "model.h5").outlines
    assert found.marker == 2 and np.array_equal(found.points, ball.CORNERS)
    assert np.array_equal(found.faces.reshape(-1, 5)[:, 1:], ball.SIDES)


def test_files_without_outlines_are_read(tmp_path):
    """As versions before them wrote: nothing about outlines in the file."""
    path = tmp_path / "model.h5"
    save_structure(bar.structure(), path)
    with h5py.File(path) as file:
        assert "outlines" not in file and "outlines" not in json.loads(file["plain"][()].decode())
    assert load_structure(path).outlines == ()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"marker": 3}, "the marker of an outline is 3; expected a whole number from 0 to 2"),
        ({"points": np.zeros((3, 2))}, "the points of an outline is float64 of shape"),
        ({"faces": np.array([4, 0, 1, 2, 8])}, "faces of an outline"),
    ],
)
def test_damaged_outlines_are_named(tmp_path, damage, message):
    save_structure(with_outline(**damage), tmp_path / "model.h5")
    with pytest.raises(SimulationError, match=message):
        load_structure(tmp_path / "model.h5")


def test_interrupted_run_is_readable_up_to_its_last_chunk(tmp_path):
    run = write(tmp_path, finish=False)
    (tmp_path / "chunk_000003.part").write_bytes(b"half of a chunk")
    result = load(tmp_path)
    assert_same(run, result.trajectory)
    assert result.status == "interrupted at t = 0.75 s"
    assert result.contacts == run.contacts


def test_killed_process_leaves_its_chunks(tmp_path):
    script = (
        "import os, signal, sys\n"
        f"sys.path[:0] = {sys.path!r}\n"
        "import swinging_bar as bar\n"
        "from flexmbs.result.result_folder import ResultFolder\n"
        "from flexmbs.result.storage import RunWriter\n"
        "run = bar.trajectory()\n"
        f"writer = RunWriter(ResultFolder({str(tmp_path)!r}).__enter__(), bar.structure())\n"
        "writer.append({name: array[:50] for name, array in run.arrays().items()})\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=False, timeout=60)
    result = load(tmp_path)
    assert len(result.t) == 50
    assert result.status.startswith("interrupted at t = 0.245")


def test_stopped_run_keeps_its_reason(tmp_path):
    with ResultFolder(tmp_path) as folder:
        writer = RunWriter(folder, bar.structure())
        writer.append(bar.trajectory().arrays())
        writer.finish(status="stopped: step size underflow at t = 0.75 s")
    assert load(tmp_path).status == "stopped: step size underflow at t = 0.75 s"


def test_second_run_replaces_the_first_and_nothing_else(tmp_path):
    write(tmp_path, finish=False)
    (tmp_path / "notes.txt").write_text("mine")
    write(tmp_path, finish=True, force=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert not list(tmp_path.glob("chunk_*"))


def test_result_saves_itself(tmp_path):
    result = Result(bar.structure(), bar.trajectory())
    result.save(tmp_path / "copy")
    again = load(tmp_path / "copy")
    assert_same(result.trajectory, again.trajectory)
    assert again.contacts == result.contacts


def test_run_in_memory_only():
    run = bar.trajectory()
    writer = RunWriter(None, bar.structure())
    writer.append(chunk(run, 0, 60))
    writer.append(chunk(run, 60, 151))
    assert_same(run, writer.finish())


def test_flexible_body_used_twice_is_stored_once(tmp_path):
    import h5py

    single = bar.structure()
    twin = dataclasses.replace(single.bodies[1], name="twin", coordinate_start=2, rate_start=2)
    names = (*single.coordinate_names, "twin.bending y 1")
    rates = tuple(f"{name}.rate" for name in names)
    double = dataclasses.replace(single, bodies=(*single.bodies, twin), coordinate_names=names, rate_names=rates, rate_of=None)
    with ResultFolder(tmp_path) as folder:
        RunWriter(folder, double)
    with h5py.File(tmp_path / "model.h5") as file:
        assert [name for name in file["bodies"] if "flexible" in file["bodies"][name]] == ["1"]


def test_wrong_chunks_are_refused():
    writer = RunWriter(None, bar.structure())
    arrays = bar.trajectory().arrays()
    with pytest.raises(ValueError, match="missing arrays \\['energy'\\]"):
        writer.append({name: array for name, array in arrays.items() if name != "energy"})
    with pytest.raises(ValueError, match="\\['v'\\] do not have the 151 steps"):
        writer.append({**arrays, "v": arrays["v"][1:]})


def test_folder_without_result(tmp_path):
    with pytest.raises(SimulationError, match="model.h5 is missing"):
        load(tmp_path)
    with ResultFolder(tmp_path) as folder:
        RunWriter(folder, bar.structure())
    with pytest.raises(SimulationError, match="before its first step"):
        load(tmp_path)
