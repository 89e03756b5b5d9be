"""A saved body comes back bit for bit."""

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from flexmbs.errors import BodyError
from flexmbs.reduction import ClampedFree, FreeFree, Interface, load_body, reduce, save_body


def assert_same(first, second, where="body"):
    assert type(first) is type(second), where
    if is_dataclass(first):
        for part in fields(first):
            assert_same(getattr(first, part.name), getattr(second, part.name), f"{where}.{part.name}")
    elif isinstance(first, dict):
        assert list(first) == list(second), where
        for key in first:
            assert_same(first[key], second[key], f"{where}[{key}]")
    elif isinstance(first, np.ndarray):
        assert first.dtype == second.dtype and first.shape == second.shape, where
        assert first.tobytes() == second.tobytes(), where
    else:
        assert first == second, where


@pytest.mark.parametrize("mesh", ["blade", "square_solid"])
@pytest.mark.parametrize("second_order", ["full", "none"])
@pytest.mark.parametrize("modes", [ClampedFree("a/100%", count=3), FreeFree(count=2)])
def test_round_trip(request, tmp_path, mesh, modes, second_order):
    interfaces = {"tip": "TIP", "a/100%": Interface(set="ROOT", kind="rigid")}
    body = reduce(
        request.getfixturevalue(mesh), interfaces=interfaces, modes=modes, second_order=second_order, damping=0.01
    )
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


def test_files_of_earlier_versions_lack_the_compliance(tmp_path, blade):
    import h5py

    body = reduce(blade, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=ClampedFree("hinge", count=2))
    save_body(body, tmp_path / "body.h5")
    with h5py.File(tmp_path / "body.h5", "a") as file:
        del file["flexibility"]
    old = load_body(tmp_path / "body.h5")
    assert old.flexibility is None
    assert old.advice().static_error == {} and "bending y 1" in str(old.advice())
