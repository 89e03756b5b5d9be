"""Temporal VTKHDF files as VTK reads them: positions, displacements and stress at several times."""

from dataclasses import replace

import exported_run
import numpy as np
import pytest
import pyvista
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOHDF import vtkHDFReader

import flexmbs as fm
from flexmbs.result.export import vtkhdf
from flexmbs.result.export.parts import exported_parts
from flexmbs.result.structure import BodyRecord

COUNT = 23


@pytest.fixture(scope="module")
def result():
    return exported_run.result()


@pytest.fixture(scope="module")
def file(result, tmp_path_factory):
    fields = ("displacement", "von_mises", "stress")
    return result.to_vtkhdf(tmp_path_factory.mktemp("vtk") / "a.vtkhdf", times=COUNT, fields=fields, dtype="float64")


def reader_of(path):
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    info, key = reader.GetOutputInformation(0), vtkStreamingDemandDrivenPipeline.TIME_STEPS()
    return reader, np.array([info.Get(key, i) for i in range(info.Length(key))])


def grid_at(reader, time):
    reader.UpdateTimeStep(time)
    return pyvista.wrap(reader.GetOutputDataObject(0))


def points_of(grid, body):
    """Indices of the points of a body, by its number."""
    cells = np.flatnonzero(grid.cell_data["body"] == body)
    return np.unique(np.concatenate([grid.get_cell(cell).point_ids for cell in cells]))


def test_vtk_reads_what_the_result_holds_at_every_time(result, file):
    reader, times = reader_of(file)
    assert times == pytest.approx(np.linspace(0.0, exported_run.T_END, COUNT), abs=0.0)
    surface = result.flexible("bar").surface
    for time in times[[0, 7, 15, -1]]:
        grid = grid_at(reader, time)
        own = points_of(grid, 1)
        here = result.resampled([time]).trajectory
        turn, q = here.body_rotation[0, 1], here.q[0]
        moved = np.tensordot(q, surface.modes, axes=1)
        moved += np.tensordot(result.flexible("bar").quadratic_coordinates(q), surface.quadratic, axes=1)
        assert grid.points[own] == pytest.approx(here.body_position[0, 1] + (surface.points + moved) @ turn.T, abs=1e-14)
        assert grid.point_data["displacement"][own] == pytest.approx(moved @ turn.T, abs=1e-15)
        assert grid.point_data["von_mises"][own] == pytest.approx(result.von_mises("bar", time), rel=1e-12, abs=1e-6)
        order = [0, 1, 2, 5, 3, 4]  # VTK: XX, YY, ZZ, XY, YZ, XZ
        assert grid.point_data["stress"][own] == pytest.approx(result.stress("bar", time)[:, order], rel=1e-9, abs=1e-3)
        block = points_of(grid, 2)
        assert grid.points[block] == pytest.approx(here.body_position[0, 2] + exported_run.BLOCK, abs=1e-14)
        assert np.all(np.isnan(grid.point_data["von_mises"][block])) and not grid.point_data["displacement"][block].any()
        ball = grid.points[points_of(grid, 3)]
        assert 0.5 * (ball.min(axis=0) + ball.max(axis=0)) == pytest.approx(here.body_position[0, 3], abs=1e-12)
        assert np.linalg.norm(ball - here.body_position[0, 3], axis=1) == pytest.approx(0.05)
    assert grid.field_data["body_names"].tolist() == ["ground", "bar", "block", "ball"]
    nodes = grid.point_data["node"]
    assert result.flexible("bar").points[nodes[own] - 1] == pytest.approx(surface.points) and not nodes[block].any()


def test_single_precision_and_blocks_of_times(result, file, tmp_path, monkeypatch):
    monkeypatch.setattr(vtkhdf, "_BLOCK", 1e5)  # a few times at once
    single = result.to_vtkhdf(tmp_path / "b.vtkhdf", times=COUNT)
    assert single.stat().st_size < 0.6 * file.stat().st_size
    reader, times = reader_of(single)
    exact, _ = reader_of(file)
    for time in times[[3, -1]]:
        assert grid_at(reader, time).points == pytest.approx(grid_at(exact, time).points, rel=1e-7, abs=1e-7)


def test_part_of_the_run_and_chosen_bodies(result, tmp_path):
    path = result.to_vtkhdf(tmp_path / "a.vtkhdf", times=None, start=0.1, end=0.2, bodies="block")
    reader, times = reader_of(path)
    steps = result.t
    assert times == pytest.approx([0.1, *steps[(steps > 0.1) & (steps < 0.2)], 0.2], abs=0.0)
    grid = grid_at(reader, times[0])
    assert grid.n_points == len(exported_run.BLOCK) and "von_mises" not in grid.point_data
    reader, times = reader_of(result.to_vtkhdf(tmp_path / "b.vtkhdf", times=[0.05, 0.3]))
    assert times.tolist() == [0.05, 0.3]


def test_a_sphere_of_a_contact_is_not_drawn_twice(result):
    parts = exported_parts(result, [1, 2, 3])
    assert [part.name for part in parts] == ["bar", "block", "ball.middle"]
    ball = BodyRecord("ball", shape_points=parts[-1].points, shape_faces=exported_run.QUADS.ravel())
    bodies = (*result.structure.bodies[:3], ball)
    drawn = exported_parts(fm.Result(replace(result.structure, bodies=bodies), result.trajectory), [1, 2, 3])
    assert [part.name for part in drawn] == ["bar", "block", "ball"]


WRONG = [
    ({"bodies": "blok"}, "no body named 'blok'.*block"),
    ({"bodies": []}, "no bodies are given"),
    ({"start": 0.4, "end": 0.3}, r"from 0.4 to 0.3 s is empty or outside the run: the run covers 0 to 0.5 s"),
    ({"end": 7.0}, "outside the run"),
    ({"times": 1}, "at least 2"),
    ({"times": 2.5}, "at least 2"),
    ({"times": [0.2, 0.1]}, "ascending"),
    ({"times": [0.2, 0.9]}, "outside the run"),
    ({"fields": "mises"}, "unknown field 'mises'; choose from displacement, von_mises, stress"),
    ({"fields": "stress", "bodies": "block"}, "none of the chosen bodies is flexible"),
    ({"dtype": "int"}, "float32"),
    ({"size_limit": 1e4}, "more than the limit of 10 kB: take fewer than 200 times, some of the bodies"),
]


@pytest.mark.parametrize(("options", "said"), WRONG)
def test_wrong_questions_leave_no_file(result, tmp_path, options, said):
    with pytest.raises(fm.FlexmbsError, match=said):
        result.to_vtkhdf(tmp_path / "a.vtkhdf", **options)
    assert not list(tmp_path.iterdir())


def test_names_that_exist_or_end_otherwise_are_refused(result, tmp_path):
    path = tmp_path / "a.vtkhdf"
    path.write_text("mine")
    with pytest.raises(fm.FlexmbsError, match="exists"):
        result.to_vtkhdf(path, times=2)
    with pytest.raises(fm.FlexmbsError, match="must end in .vtkhdf"):
        result.to_vtkhdf(tmp_path / "a.vtk")
    assert path.read_text() == "mine"
    assert len(reader_of(result.to_vtkhdf(path, times=2, force=True))[1]) == 2
