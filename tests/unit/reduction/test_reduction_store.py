"""A saved body comes back bit for bit."""

import pytest
from same_values import assert_same

from flexmbs import BodyError, ClampedFree, FreeFree, Interface, load_body, read_npz, reduce, save_body


@pytest.mark.parametrize("mesh", ["blade", "square_solid"])
@pytest.mark.parametrize("second_order", ["full", "none"])
@pytest.mark.parametrize("modes", [ClampedFree("a/100%", count=3), FreeFree(count=2)])
def test_round_trip(request, tmp_path, mesh, modes, second_order):
    interfaces = {"tip": "TIP", "a/100%": Interface(set="ROOT", kind="rigid")}
    body = reduce(request.getfixturevalue(mesh), interfaces=interfaces, modes=modes, second_order=second_order, damping=0.01)
    save_body(body, tmp_path / "body.h5")
    assert_same(body, load_body(tmp_path / "body.h5"))


def test_files_that_hold_no_body(tmp_path):
    import h5py

    with pytest.raises(BodyError, match="no such file"):
        load_body(tmp_path / "missing.h5")
    (tmp_path / "text.h5").write_text("no")
    with pytest.raises(BodyError, match="not an HDF5 file"):
        load_body(tmp_path / "text.h5")
    h5py.File(tmp_path / "other.h5", "w").close()
    with pytest.raises(BodyError, match="no flexible body"):
        load_body(tmp_path / "other.h5")
    with pytest.raises(BodyError, match="cannot be written"):
        save_body(object(), tmp_path / "nowhere" / "body.h5")


@pytest.mark.parametrize("part", ["flexibility", "inertia/P", "inertia/field_error", "places", "markers"])
def test_files_that_lack_a_part_are_refused(tmp_path, blade, part):
    import h5py

    path = tmp_path / "body.h5"
    save_body(reduce(blade, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=ClampedFree("hinge", count=2)), path)
    group, _, name = part.rpartition("/")
    with h5py.File(path, "a") as file:
        within = file[group] if group else file
        if part in file:
            del file[part]
        else:
            del within.attrs[name]
    with pytest.raises(BodyError, match=rf"body\.h5: the body is incomplete or damaged \(.*{name}"):
        load_body(path)


@pytest.mark.parametrize("number", [1, 2, 99])
def test_bodies_of_other_formats_are_refused(tmp_path, blade, number):
    import h5py

    path = tmp_path / "body.h5"
    save_body(reduce(blade, interfaces={"hinge": "ROOT"}, modes=ClampedFree("hinge", count=2)), path)
    with h5py.File(path, "a") as file:
        file.attrs["format"] = f"flexmbs body {number}"
    told = f"contains flexmbs body {number}; expected flexmbs body 3; it was written by another version .*reduce again"
    with pytest.raises(BodyError, match=told):
        load_body(path)


def test_a_file_is_replaced_when_the_new_one_is_whole(tmp_path, blade):
    body = reduce(blade, interfaces={"hinge": "ROOT"}, modes=ClampedFree("hinge", count=2))
    path = tmp_path / "body.h5"
    save_body(body, path)
    with pytest.raises(TypeError):
        save_body(object(), path)
    assert_same(load_body(path), body)
    assert [file.name for file in tmp_path.iterdir()] == ["body.h5"]


@pytest.mark.parametrize("kind", ["h5", "npz"])
def test_bodies_stored_by_an_earlier_version_are_read(test_data, kind):
    """Files of November 2026; a format that can no longer be read gets another number and the advice to reduce again."""
    body = {"h5": load_body, "npz": read_npz}[kind](test_data / "bodies" / f"strip.{kind}")
    assert (body.name, body.mode_labels, tuple(body.markers)) == ("strip", ("bending y 1",), ("hinge", "a/100%"))
    assert body.frequencies == pytest.approx([3.3406], rel=1e-3)
    assert body.places["a/100%"].position == pytest.approx([1.0, 0.0, 0.0])
    assert body.section_force_modes.forces.shape == (1, 2, 2, 6) and body.stress_modes is None and body.forms is None
