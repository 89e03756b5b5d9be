"""Names that formats could trip over: each survives, or is refused before anything is written; plots show them as they are."""

import json
from dataclasses import replace

import exported_run
import h5py
import numpy as np
import pytest

import flexmbs as fm

#: Names that every writer takes; those that no file can hold.
KEPT = ("Flügel", "三 角", "a/b", "../up", "a\"b'c", "a\nb", r"$\frac{a}$", r"a_{b}$ \$", "_x", "a,b;c", "x" * 200)
REFUSED = ("\ud83d", "a\0b", "a\0")


def hostile(name):
    """The exported run with a body, a contact and a link of this name, and its body with a marker and a mode of it."""
    result = exported_run.result()
    here, run = result.structure, result.trajectory
    old = here.bodies[1].flexible
    markers = {name if key == "tip" else key: marker for key, marker in old.markers.items()}
    body = replace(old, name=name, mode_labels=(name, *old.mode_labels[1:]), markers=markers, places={})
    coordinates = tuple(key.replace("bar", name) for key in here.coordinate_names)
    structure = replace(
        here,
        bodies=(here.bodies[0], replace(here.bodies[1], name=name, flexible=body), *here.bodies[2:]),
        coordinate_names=coordinates,
        rate_names=tuple(f"{key}.rate" for key in coordinates),
        markers=tuple(replace(marker, body=name) if marker.body == "bar" else marker for marker in here.markers),
        contacts=(replace(here.contacts[0], name=f"hit {name}"),),
        links=(replace(here.links[0], name=f"spring {name}"),),
    )
    gap, force = run.contact_gap.copy(), run.contact_force.copy()
    gap[40:60], force[40:60] = -1e-4, 100.0
    return fm.Result(structure, replace(run, contact_gap=gap, contact_force=force)), body


def names_in_glb(result, _body, path):
    data = result.to_gltf(path, times=3).path.read_bytes()
    document = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    return [node["name"] for node in document["nodes"]]


def names_in_vtkhdf(result, _body, path):
    import pyvista
    from vtkmodules.vtkIOHDF import vtkHDFReader

    reader = vtkHDFReader()
    reader.SetFileName(str(result.to_vtkhdf(path, times=2)))
    reader.Update()
    return pyvista.wrap(reader.GetOutputDataObject(0)).field_data["body_names"].tolist()


def names_in_csv(result, _body, path):
    import csv

    with result.to_csv(path).open(newline="", encoding="utf-8") as file:
        return [heading.split(".bending")[0] for heading in next(csv.reader(file))]


def names_in_parquet(result, _body, path):
    parquet = pytest.importorskip("pyarrow.parquet")
    return [name.split(".bending")[0] for name in parquet.read_table(result.to_parquet(path)).column_names]


def names_in_netcdf(result, _body, path):
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset(result.to_netcdf(path), engine="scipy") as read:
        return [variable.attrs["history"].split(".bending")[0] for variable in read.data_vars.values()]


def names_in_mat(result, _body, path):
    from scipy.io import loadmat

    found = loadmat(result.to_mat(path), simplify_cells=True)["columns"]["history"]
    return [name.split(".bending")[0] for name in found]


def names_in_pandas(result, _body, _path):
    pytest.importorskip("pandas")
    return [name.split(".bending")[0] for name in result.to_pandas().columns]


def names_in_uff(result, body, path):
    pyuff = pytest.importorskip("pyuff")
    functions = pyuff.UFF(str(result.to_uff(path, samples=4)))
    modes = pyuff.UFF(str(fm.write_uff(body, path.with_name("modes.uff"))))
    assert len(functions.get_set_types()) == 2 + len(result.names)
    names = [functions.read_sets(i)["id1"].split(".bending")[0] for i in range(2, 2 + len(result.names))]
    (mode,) = (one for i in range(3, len(modes.get_set_types())) if (one := modes.read_sets(i)).get("mode_n") == 1)
    assert mode["id1"] in names and mode["id2"] == mode["id1"]
    return names


def names_in_npz(_result, body, path):
    fm.write_npz(body, path)
    read = fm.read_npz(path)
    assert read.name in read.markers and read.mode_labels[0] == read.name
    return [read.name]


def names_in_body_file(_result, body, path):
    fm.save_body(body, path)
    read = fm.load_body(path)
    assert read.name in read.markers and read.mode_labels[0] == read.name
    return [read.name]


def names_in_sid(_result, body, path):
    fm.write_sid(body, path)
    read = fm.read_sid(path)
    assert read.mode_labels == (read.name, *body.mode_labels[1:])
    return [read.name]


def one_line(name):
    return " ".join(name.split())


def short_line(name):
    return one_line(name)[:80]


#: Reader, ending of the file, what becomes of a name.
WRITERS = {
    "gltf": (names_in_glb, "glb", str),
    "vtkhdf": (names_in_vtkhdf, "vtkhdf", str),
    "csv": (names_in_csv, "csv", str),
    "parquet": (names_in_parquet, "parquet", str),
    "netcdf": (names_in_netcdf, "nc", str),
    "mat": (names_in_mat, "mat", str),
    "pandas": (names_in_pandas, "none", str),
    "uff": (names_in_uff, "uff", short_line),
    "npz": (names_in_npz, "npz", str),
    "body": (names_in_body_file, "h5", str),
    "sid": (names_in_sid, "SID_FEM", one_line),
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("writer", WRITERS)
def test_names_survive(tmp_path, writer, name):
    names_in, ending, becomes = WRITERS[writer]
    assert becomes(name) in names_in(*hostile(name), tmp_path / f"a.{ending}")


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("writer", WRITERS)
def test_names_that_no_file_can_hold_are_refused(tmp_path, writer, name):
    names_in, ending, _ = WRITERS[writer]
    with pytest.raises(fm.FlexmbsError, match=r"the name .* contains '\\(ud83d|x00)', which no file can hold in a name"):
        names_in(*hostile(name), tmp_path / f"a.{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", REFUSED)
def test_bodies_systems_and_results_refuse_them_too(tmp_path, name):
    mesh = fm.line_mesh(1.0, 2, fm.rectangle(0.01, 0.01), fm.Material("steel", 210e9, 0.3, 7850.0))
    for options in ({"name": name, "interfaces": {"root": "ROOT"}}, {"interfaces": {name: "ROOT"}}):
        with pytest.raises(fm.BodyError, match="reduce: .* no file can hold"):
            fm.reduce(mesh, modes=fm.FreeFree(count=1), **options)
    with pytest.raises(fm.MechanismError, match="no file can hold"):
        fm.System().add(fm.RigidBody.sphere(1.0, 0.1), name)
    with pytest.raises(fm.MechanismError, match="a marker on body 'ball': .* no file can hold"):
        fm.System().add(fm.RigidBody.sphere(1.0, 0.1), "ball").marker(name, (0.1, 0.0, 0.0))
    result, _ = hostile(name)
    with pytest.raises(fm.FlexmbsError, match="plot: .* no file can hold"):
        result.plot(f"{name}.bending z 1")
    with pytest.raises(fm.FlexmbsError, match="hold|support"):
        result.save(tmp_path / "run")


def test_mbdyn_files_hold_no_names(tmp_path):
    _, body = hostile("\ud83d")
    assert any(r"marker" in said for said in fm.write_mbdyn_fem(body, tmp_path / "a.fem"))
    assert fm.read_mbdyn_fem(tmp_path / "a.fem").mode_count == body.mode_count


def shown_in(figure):
    """All texts of a figure as they are drawn: nothing of them is a formula."""
    from matplotlib.text import Text

    figure.canvas.draw()
    found = [text._preprocess_math(text.get_text()) for text in figure.findobj(Text)]
    assert not [said for said, formula in found if formula]
    return "\n".join(said for said, _ in found)


@pytest.mark.parametrize("name", [r"$\frac{a}$", r"a_{b}$", "Flügel", r"a\$b$"])
def test_plots_show_names_as_they_are(name):
    result, _ = hostile(name)
    own = [key for key in result.names if key.startswith(f"{name}.bending")][:2]
    run = result.resampled(np.linspace(0.0, exported_run.T_END, 40))
    for figure in (
        result.plot(*own),
        result.plot(own[0], f"hit {name}.force", title=name),
        result.plot_contacts(),
        result.plot_contacts(title=name),
        result.plot_contact(f"hit {name}"),
        result.plot_spectrum(*own),
        result.plot_phase(own[0], own[1]),
        fm.compare(result, run).plot(),
    ):
        assert name in shown_in(figure)


@pytest.mark.parametrize("name", [r"$\frac{a}$", r"a_{b}$"])
def test_pictures_and_reports_of_systems_show_names_as_they_are(tmp_path, name):
    from flexmbs.view.topology import draw_topology

    system = fm.System()
    body = system.add(fm.RigidBody.sphere(1.0, 0.1), name)
    system.revolute(system.ground["origin"], body.marker(f"pin {name}", (0.1, 0.0, 0.0)), axis="y", name=f"hinge {name}")
    assert name in shown_in(draw_topology(system.describe()))
    result = system.simulate(0.1)
    assert f"hinge {name}" in shown_in(result.plot(f"hinge {name}.angle"))
    result.report(tmp_path / "a.html")
    assert f"hinge {name}" in (tmp_path / "a.html").read_text()


def test_names_of_vtkhdf_are_utf8(tmp_path):
    path = hostile("Flügel")[0].to_vtkhdf(tmp_path / "a.vtkhdf", times=2)
    with h5py.File(path) as file:
        assert file["VTKHDF/FieldData/body_names"].asstr("utf-8")[1] == "Flügel"
