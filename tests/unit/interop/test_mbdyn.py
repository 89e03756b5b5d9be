"""MBDyn's FEM file: what a body has besides second-order fields comes back; bad files are named by line."""

from dataclasses import replace

import numpy as np
import pytest

from flexmbs import BodyError, read_mbdyn_fem, uniform_beam, write_mbdyn_fem
from flexmbs.interop.mbdyn import read_mbdyn_data, write_mbdyn_data
from flexmbs.interop.moments import moments_of_fields


def test_a_body_comes_back(body, tmp_path):
    said = write_mbdyn_fem(body, tmp_path / "b.fem")
    assert any("geometric stiffness" in text for text in said)
    again = read_mbdyn_fem(tmp_path / "b.fem")
    want, got = moments_of_fields(body.inertia, body.mass), moments_of_fields(again.inertia, again.mass)
    for name in ("mass", "first", "second", "mode_first", "mode_position", "mode_mode", "pair_first", "pair_position"):
        a, b = getattr(want, name), getattr(got, name)
        np.testing.assert_allclose(b, a, atol=1e-12 * np.abs(a).max(initial=1e-300), err_msg=name)
    for name in ("Ke", "De"):
        np.testing.assert_array_equal(getattr(again, name), getattr(body, name))
    assert list(again.markers) == ["1", "2"]
    for old, new in zip(body.markers.values(), again.markers.values(), strict=True):
        for part in ("position", "Phi", "Psi"):
            np.testing.assert_array_equal(getattr(new, part), getattr(old, part), err_msg=part)
    assert len(again.warnings) == 1 and "not under forces at its markers" in again.warnings[0]


def test_a_body_without_modes_comes_back(tmp_path):
    rigid = uniform_beam(length=1.0, bending_stiffness=1.0, mass_per_length=2.0, supports=("clamped", "free"), modes=0)
    write_mbdyn_fem(rigid, tmp_path / "b.fem")
    again = read_mbdyn_fem(tmp_path / "b.fem")
    assert again.mode_count == 0 and again.mass == rigid.mass and again.markers["2"].position[0] == 1.0


def test_without_stress_stiffening(blade, tmp_path):
    said = write_mbdyn_fem(blade, tmp_path / "b.fem", stress_stiffening=False)
    assert "none is kept" in said[-1]
    again = read_mbdyn_fem(tmp_path / "b.fem")
    assert len(again.pairs) == 0 and "does not stiffen" in again.warnings[0]


def test_some_unit_loads_only(blade, tmp_path):
    write_mbdyn_fem(blade, tmp_path / "b.fem")
    data = read_mbdyn_data(tmp_path / "b.fem")
    write_mbdyn_data(replace(data, stiffening={3: data.stiffening[3]}), tmp_path / "b.fem")
    assert any("lacks the unit loads 1, 2, 4" in text for text in read_mbdyn_fem(tmp_path / "b.fem").warnings)


def test_all_nodes(block, tmp_path):
    write_mbdyn_fem(block, tmp_path / "b.fem", all_nodes=True)
    again = read_mbdyn_fem(tmp_path / "b.fem")
    assert len(again.points) == len(block.points) + 2
    np.testing.assert_array_equal(again.points[:-2], block.points)
    np.testing.assert_array_equal(again.modes[:, :-2], block.modes)


def test_every_number_of_a_file_is_kept(body, tmp_path):
    write_mbdyn_fem(body, tmp_path / "a.fem")
    data = read_mbdyn_data(tmp_path / "a.fem")
    rng = np.random.default_rng(1)
    n, nn = data.shapes.shape[:2]
    data = replace(
        data,
        lumped=rng.random((nn, 6)),
        initial_velocity=rng.random(n),
        node_ids=("wing_tip", "17"),
        stiffening={3: rng.random((n, n)), 12: rng.random((n, n))},
    )
    write_mbdyn_data(data, tmp_path / "b.fem")
    again = read_mbdyn_data(tmp_path / "b.fem")
    for name, value in vars(data).items():
        if name == "stiffening":
            assert list(again.stiffening) == [3, 12]
            np.testing.assert_array_equal(again.stiffening[12], value[12])
        elif isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(again, name), value, err_msg=name)
        else:
            assert getattr(again, name) == value


SMALL = """** MBDyn MODAL DATA FILE
** RECORD GROUP 1, HEADER
**   REVISION,  NODE,  NORMAL, ATTACHMENT, CONSTRAINT, REJECTED MODES.
   REV0   2   1   1   0   1
** RECORD GROUP 2, FINITE ELEMENT NODE LIST
 11 12
** RECORD GROUP 5, NODAL X COORDINATES
 0.0 1.0
** RECORD GROUP 6, NODAL Y COORDINATES
 0. 0.
** RECORD GROUP 7, NODAL Z COORDINATES
 0. 0.
** RECORD GROUP 8, MODE SHAPES
**    NORMAL MODE SHAPE #  1
 0. 0. 0. 0. 0. 0.
 0. 1. 0. 0. 0. 1.5D0
** RECORD GROUP 9, MODAL MASS MATRIX
 2.0
** RECORD GROUP 10, MODAL STIFFNESS MATRIX
 8.0
** RECORD GROUP 11, DIAGONAL OF LUMPED MASS MATRIX
 3. 3. 3. 0. 0. 0.
 2. 2. 2. 0. 0. 0.
"""


def test_lumped_mass(tmp_path):
    (tmp_path / "a.fem").write_text(SMALL)
    body = read_mbdyn_fem(tmp_path / "a.fem")
    moments = moments_of_fields(body.inertia, body.mass)
    assert body.mass == 5.0 and body.frequencies[0] == pytest.approx(1.0 / np.pi)
    np.testing.assert_allclose(moments.first, [2.0, 0.0, 0.0])
    np.testing.assert_allclose(moments.mode_position[0], [[0, 0, 0], [2.0, 0, 0], [0, 0, 0]], atol=1e-12)
    np.testing.assert_array_equal(body.markers["12"].Psi, [[0.0, 0.0, 1.5]])


@pytest.mark.parametrize(
    ("old", "new", "place", "what"),
    [
        ("REV0   2   1", "REV0   x   1", ":2:", "whole number"),
        ("REV0   2   1", "REV0   3   1", "", "3 nodes"),
        ("REV0   2   1", "REV0   2   1000000000", "", "expected"),
        ("1   0   1\n", "\n", ":2:", "six|five"),
        (" 11 12", " 11 11", ":6:", "listed twice"),
        (" 0.0 1.0", " 0.0 1.0 2.0", ":8:", "3 numbers; 2"),
        ("1.5D0", "1.5F0", ":16:", "not a number"),
        ("1.5D0", "inf", ":16:", "finite"),
        ("** RECORD GROUP 10", "** RECORD GROUP 9", ":19:", "is repeated"),
        ("** RECORD GROUP 10", "** RECORD GROUP 20", "", "10 .* is missing"),
        ("** RECORD GROUP 11", "** RECORD GROUP 21", "", "inertia is incomplete"),
        (" 3. 3. 3.", " 3. 3. 4.", "", "masses of a node differ"),
    ],
)
def test_bad_files_are_named_by_line(tmp_path, old, new, place, what):
    assert old in SMALL
    (tmp_path / "bad.fem").write_text(SMALL.replace(old, new, 1))
    with pytest.raises(BodyError, match=what) as caught:
        read_mbdyn_fem(tmp_path / "bad.fem")
    assert "bad.fem" + place in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\0\1\2", b"hello\nworld\n"])
def test_files_that_are_no_fem(tmp_path, content):
    (tmp_path / "bad.fem").write_bytes(content)
    with pytest.raises(BodyError, match="bad.fem"):
        read_mbdyn_fem(tmp_path / "bad.fem")


def test_invariants_that_contradict_each_other_are_said(blade, tmp_path):
    write_mbdyn_fem(blade, tmp_path / "a.fem")
    data = read_mbdyn_data(tmp_path / "a.fem")
    write_mbdyn_data(replace(data, inv4=2.0 * data.inv4), tmp_path / "a.fem")
    assert any("group 15 and group 16" in text for text in read_mbdyn_fem(tmp_path / "a.fem").warnings)
