"""What is wrong in a body file is said with the file and the array; the same in .h5, in .npz and in memory."""

from dataclasses import replace

import h5py
import numpy as np
import pytest

import flexmbs as fm
from flexmbs import BodyError, ClampedFree, InertiaMoments, Material, line_mesh, rectangle, reduce
from flexmbs.model.compile_mechanism import compile_system
from flexmbs.reduction.body_layout import checked_body


@pytest.fixture(scope="module")
def body():
    """Steel strip of six elements, three modes, six pairs."""
    mesh = line_mesh(1.0, 6, rectangle(0.004, 0.02), Material("STEEL", 210e9, 0.3, 7850.0))
    choice = ClampedFree("hinge", count=3)
    return reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=choice, name="strip", cache=False)


WRONG = {  # key of the .npz file: what it becomes, what is said
    "pairs": (lambda x: x + 10**7, r"pairs must be \(a, b\) with 0 <= a <= b <= 2"),
    "pairs#negative": (lambda x: x - 4, r"pairs must be \(a, b\) with 0 <= a <= b <= 2"),
    "pairs#twice": (lambda x: x[[0, 0, 2, 3, 4, 5]], "pairs contains a pair of modes twice"),
    "pairs#floats": (lambda x: x.astype(float), "pairs is an array of float64; expected an array of whole numbers"),
    "Ke": (lambda x: x[:2, :2], r"Ke has the shape \(2, 2\); expected \(3, 3\), as frequencies have it"),
    "Ke#negative": (lambda x: -x, "Ke has a negative eigenvalue: the body would gain energy"),
    "Ke#odd": (lambda x: x + np.triu(np.full((3, 3), x[2, 2]), 1), "Ke is not symmetric"),
    "Ke#complex": (lambda x: x.astype(complex), "Ke is an array of complex128; expected an array of numbers"),
    "Me": (lambda x: 2.0 * x, "Me and inertia.P contradict each other"),
    "frequencies": (lambda x: np.zeros(50), r"expected \(50, 50\), as frequencies have it"),
    "mass": (lambda x: -x, r"the mass is -0.628 kg; it must be positive"),
    "mass#great": (lambda x: x * 1e-9, r"the centre of mass .* is outside the points of the body"),
    "inertia.X": (lambda x: x[:, :2], r"inertia.P has the shape .* as .*inertia.X have it"),
    "inertia.Z": (lambda x: x * np.nan, "inertia.Z contains values that are not finite numbers"),
    "markers.1.Phi": (lambda x: x[:1], r"markers.tip.Phi has the shape \(1, 3\); expected \(3, 3\)"),
    "markers.1.has_rotation": (lambda x: np.array(7), "has_rotation is 7; expected true or false"),
    "surface.faces": (lambda x: x + 10**6, "surface.faces: the face at 0 has 10000"),
    "surface.points": (lambda x: x[:3], "surface.modes has the shape"),
    "options.rotary_inertia": (lambda x: np.array(np.inf), "options.rotary_inertia is inf; expected a finite number"),
    "options.beam_theory": (lambda x: np.zeros(2), "options.beam_theory is ndarray; expected a number"),
    "places": (lambda x: x[:1], r"places are those of hinge; expected all markers \(hinge, tip\), or none"),
    "places#nested": (lambda x: np.array(["[" * 200_000, *x[1:]], x.dtype.char), "places: not the place of a marker"),
    "mode_labels": (lambda x: x[:1], "1 mode_labels for 3 modes"),
    "attached_at": (lambda x: np.array("nowhere"), "attached_at is 'nowhere', which is not a marker; markers: hinge"),
}


def changed_npz(body, path, key, change):
    fm.write_npz(body, path)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays[key] = np.asarray(change(arrays[key]))
    np.savez(path, **arrays)
    return path


def changed_h5(body, path, key, change):
    fm.save_body(body, path)
    with h5py.File(path, "r+") as file:
        *groups, name = key.replace("markers.1", "markers.tip").split(".")
        group = file["/".join(groups)] if groups else file
        if name in group.attrs:
            value = change(np.array(group.attrs[name]))
            group.attrs[name] = str(value) if value.dtype.kind == "U" else value
            return path
        old = group[name]
        value = change(np.array(old.asstr()[()], dtype=object) if old.dtype.kind == "O" else old[()])
        del group[name]
        group.create_dataset(name, data=value, dtype=h5py.string_dtype() if value.dtype.kind == "O" else None)
    return path


@pytest.mark.parametrize("key", WRONG)
@pytest.mark.parametrize("kind", ["h5", "npz"])
def test_what_is_wrong_is_said(body, tmp_path, kind, key):
    change, message = WRONG[key]
    path = tmp_path / f"strip.{kind}"
    write, read = {"h5": (changed_h5, fm.load_body), "npz": (changed_npz, fm.read_npz)}[kind]
    with pytest.raises(BodyError, match=f"(?s)strip.{kind}: .*{message}"):
        read(write(body, path, key.partition("#")[0], change))


def test_what_is_right_passes_bit_for_bit(body, tmp_path):
    checked = checked_body(body, "strip")
    for name in ("Ke", "pairs", "modes", "quadratic"):
        assert getattr(checked, name) is getattr(body, name)
    path = changed_h5(body, tmp_path / "strip.h5", "Ke", lambda x: x.astype(">f8"))  # of another machine
    assert fm.load_body(path).Ke.dtype == float and np.array_equal(fm.load_body(path).Ke, body.Ke)


def test_sizes_that_the_file_cannot_hold_are_not_allocated(body, tmp_path):
    fm.save_body(body, tmp_path / "strip.h5")
    with h5py.File(tmp_path / "strip.h5", "r+") as file:
        del file["Ke"]
        file.create_dataset("Ke", shape=(10**7, 10**7), dtype="f4", chunks=(1000, 1000))
    with pytest.raises(BodyError, match=r"strip.h5: .*Ke: 400000000000000 bytes are declared, but 0 are stored"):
        fm.load_body(tmp_path / "strip.h5")


def test_bodies_put_together_in_memory_are_checked_before_they_are_computed(body):
    for changes, message in (
        ({"pairs": body.pairs + 9}, "body 'bar': pairs must be"),
        ({"Ke": body.Ke[:2, :2]}, r"body 'bar': Ke has the shape \(2, 2\)"),
        ({"mass": 0.0}, "body 'bar': mass 0.0 kg must be positive"),
        ({"mode_labels": ("one",)}, "body 'bar': 1 mode_labels for 3 modes"),
    ):
        system = fm.System()
        with pytest.raises(BodyError, match=message):
            system.add(replace(body, **changes), name="bar")
            compile_system(system)


SHORT = InertiaMoments(1.0, np.ones(2), np.eye(3), np.ones((1, 3)), np.ones((1, 3, 3)), np.ones((1, 1, 3, 3)))
POINTS = {"points": np.eye(3), "modes": np.ones((1, 3, 3)), "K": np.ones((1, 1)), "M": np.ones(3)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"faces": [3, 0, 1, 7]}, "surface.faces: point index 7 is out of range; there are 3 points"),
        ({"faces": [3, 0, 1]}, "surface.faces: the face at 0 has 3 points, but 2 numbers follow"),
        ({"K": [["stiff"]]}, "K: expected numbers, got <U5"),
        ({"K": -np.ones((1, 1))}, "Ke has a negative eigenvalue"),
        ({"node_ids": [1.5, 2, 3]}, "node_ids is an array of float64; expected an array of whole numbers"),
        ({"pairs": [[0, 0.5]]}, "pairs is an array of float64; expected an array of whole numbers"),
        ({"attached_at": "nowhere"}, "attached_at is 'nowhere', which is not a marker"),
        ({"M": ["heavy"] * 3}, "M: expected numbers, got <U5"),
        ({"M": None, "moments": SHORT}, r"moments.first: expected \(3,\) finite numbers, got float64 of shape \(2,\)"),
    ],
)
def test_bodies_from_arrays(changes, message):
    with pytest.raises(BodyError, match=message):
        fm.body_from_arrays(**{**POINTS, **changes})


def test_record_of_places_must_be_there(body, tmp_path):
    fm.save_body(body, tmp_path / "strip.h5")
    with h5py.File(tmp_path / "strip.h5", "r+") as file:
        del file["places"]
    with pytest.raises(BodyError, match=r"strip\.h5: the body is incomplete or damaged .*places"):
        fm.load_body(tmp_path / "strip.h5")
    fm.write_npz(body, tmp_path / "strip.npz")
    with np.load(tmp_path / "strip.npz") as archive:
        arrays = {name: archive[name] for name in archive.files if name != "places"}
    np.savez(tmp_path / "strip.npz", **arrays)
    with pytest.raises(BodyError, match=r"strip\.npz: the body is incomplete \('places' is missing\)"):
        fm.read_npz(tmp_path / "strip.npz")


def test_arrays_that_would_fill_the_memory_are_not_read(body, tmp_path):
    fm.save_body(body, tmp_path / "strip.h5")
    with h5py.File(tmp_path / "strip.h5", "r+") as file:
        del file["Ke"]
        file.create_dataset("Ke", data=np.zeros((3, 1_000_000)), compression="gzip")
    with pytest.raises(BodyError, match=r"strip\.h5: .*Ke: 24000000 bytes are declared, but 3\d+ are stored"):
        fm.load_body(tmp_path / "strip.h5")


def test_arrays_of_other_files_are_not_read(body, tmp_path):
    for name in ("strip.h5", "other.h5"):
        fm.save_body(body, tmp_path / name)
    with h5py.File(tmp_path / "strip.h5", "r+") as file:
        del file["Ke"]
        file["Ke"] = h5py.ExternalLink("other.h5", "Ke")
    with pytest.raises(BodyError, match=r"strip\.h5: .*Ke: the data is in another file; copy it into this one"):
        fm.load_body(tmp_path / "strip.h5")


def test_a_stated_flexibility_needs_a_regular_stiffness(body):
    Ke = body.Ke.copy()
    Ke[-1] = Ke[:, -1] = 0.0
    with pytest.raises(BodyError, match="file: Ke is singular"):
        checked_body(replace(body, Ke=Ke), "file")
