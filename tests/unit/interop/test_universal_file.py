"""Modes of a body as a universal file, as pyuff reads it."""

import numpy as np
import pytest

import flexmbs as fm

pyuff = pytest.importorskip("pyuff")


def sets_of(path):
    file = pyuff.UFF(str(path))
    kinds = list(file.get_set_types())
    return kinds, [file.read_sets(i) for i in range(len(kinds))]


def test_modes_nodes_and_faces_of_solids(block, tmp_path):
    kinds, sets = sets_of(fm.write_uff(block, tmp_path / "modes.unv"))
    assert kinds == [151, 164, 2411, 2412, 55, 55, 55]
    nodes = sets[2]
    assert np.array_equal(nodes["node_nums"], block.node_ids)
    assert np.column_stack([nodes[axis] for axis in "xyz"]) == pytest.approx(block.points, abs=1e-15)
    faces = [element for group in sets[3].values() if isinstance(group, list) for element in group]
    assert len(faces) == 8 * 4 + 2
    assert set(np.concatenate([face["nodes_nums"] for face in faces])) == set(block.node_ids)
    for a, mode in enumerate(sets[4:]):
        shape = np.column_stack([mode[f"r{i}"] for i in (1, 2, 3)])
        assert shape == pytest.approx(block.modes[a], abs=1e-6)  # six digits of shapes of 1 m
        assert mode["freq"] == pytest.approx(block.frequencies[a], rel=1e-5) and mode["mode_n"] == a + 1
        assert mode["modal_m"] == pytest.approx(block.Me[a, a], rel=1e-5)


def test_modes_of_beams_have_rotations_and_damping(blade, tmp_path):
    kinds, sets = sets_of(fm.write_uff(blade, tmp_path / "modes.uff"))
    assert kinds == [151, 164, 2411, *[55] * 4]  # points of its surface are no nodes
    for a, mode in enumerate(sets[3:]):
        assert np.column_stack([mode[f"r{i}"] for i in (4, 5, 6)]) == pytest.approx(blade.rotations[a], rel=1e-5, abs=1e-5)
        assert mode["modal_damp_vis"] == pytest.approx(0.01, rel=1e-4)


def test_files_are_not_overwritten(blade, tmp_path):
    path = tmp_path / "modes.uff"
    path.write_text("mine")
    with pytest.raises(fm.BodyError, match="exists"):
        fm.write_uff(blade, path)
    assert path.read_text() == "mine"
    with pytest.raises(fm.BodyError, match="must end in .uff or .unv"):
        fm.write_uff(blade, tmp_path / "modes.txt")
    fm.write_uff(blade, path, force=True)
    assert path.stat().st_size > 1000
