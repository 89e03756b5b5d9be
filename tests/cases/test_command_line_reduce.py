"""``flexmbs reduce`` and ``flexmbs view BODY.h5`` as users type them."""

import json
from dataclasses import replace

import numpy as np
import pytest
from command_line import flexmbs

from flexmbs import BodyError, Coupling, FlexmbsError, Interface, Material, box_mesh, load_body
from flexmbs.app.cli.command_options import interfaces_of


@pytest.fixture
def run():
    """Run a command: exit code, standard output, standard error."""

    def call(*words):
        done = flexmbs(*words, check=False)
        return done.returncode, done.stdout, done.stderr

    return call


@pytest.fixture
def beam(meshes):
    """Beam along x, 1 m, 0.628 kg, sets ROOT and TIP."""
    return meshes / "pendulum_beam.inp"


@pytest.fixture
def body(beam, tmp_path, run):
    path = tmp_path / "arm.h5"
    code, _, error = run("reduce", beam, "--interface", "root=ROOT", "--modes", 4, "-o", path)
    assert (code, error) == (0, "")
    return path


def test_json_has_what_programs_need(beam, tmp_path, run):
    path = tmp_path / "arm.h5"
    markers = ("--interface", "root=ROOT", "--interface", "tip=tip:rbe2")
    code, shown, _ = run("reduce", beam, *markers, "--modes", 3, "-o", path, "--json")
    found = json.loads(shown)
    assert code == 0
    assert set(found) >= {"frequencies_hz", "mass", "center", "inertia", "effective_mass", "warnings", "seconds", "memory_mb"}
    made = load_body(path)
    assert found["frequencies_hz"] == made.frequencies.tolist() and found["modes"] == list(made.mode_labels)
    assert found["mass"] == pytest.approx(0.628, rel=1e-12)  # 1 m x 20 mm x 4 mm of 7850 kg/m3
    assert found["center"] == pytest.approx([0.5, 0.0, 0.0], abs=1e-12)
    # a box of 1 m x 4 mm x 20 mm
    inertia = 0.628 / 12.0 * np.diag([0.004**2 + 0.02**2, 1.0 + 0.02**2, 1.0 + 0.004**2])
    assert np.allclose(found["inertia"], inertia, rtol=0.0, atol=1e-12)
    assert found["markers"] == {"root": [0.0, 0.0, 0.0], "tip": [1.0, 0.0, 0.0]} and found["frame"] == "root"
    assert found["seconds"] > 0.0 and found["memory_mb"] > 10.0
    # kept interfaces: nothing of a static load is missing
    assert max(found["static_error"]["tip"]) < 1e-9 and found["advice"] == []
    assert made.options["modes"].startswith("CraigBampton(count=3")


def test_interfaces_one_after_the_other(beam, tmp_path, run):
    code, shown, error = run("reduce", beam, "--interface", "a=ROOT", "b=TIP:rbe2", "-o", tmp_path / "arm.h5", "--json")
    assert (code, error) == (0, "") and list(json.loads(shown)["markers"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("extra", "choice", "frame"),
    [
        ((), "FreeFree(count=10", None),
        (("--interface", "a=ROOT"), "ClampedFree(count=10", "a"),
        (("--interface", "a=ROOT", "--interface", "b=TIP"), "CraigBampton(count=10", "a"),
        (("--interface", "a=ROOT", "--interface", "b=TIP", "--at", "b", "--modes", "2"), "CraigBampton(count=2", "b"),
        (("--interface", "a=ROOT", "--interface", "b=TIP", "--basis", "clamped-free"), "ClampedFree(count=10", "a"),
        (("--interface", "a=ROOT", "--basis", "free-free"), "FreeFree(count=10", None),
        (("--max-hz", "200"), "FreeFree(count=None, max_frequency=200.0", None),
        (("--max-hz", "200", "--modes", "2"), "FreeFree(count=2, max_frequency=200.0", None),
    ],
)
def test_basis_follows_from_the_interfaces(beam, tmp_path, run, extra, choice, frame):
    path = tmp_path / "arm.h5"
    assert run("reduce", beam, *extra, "-o", path)[0] == 0
    made = load_body(path)
    assert made.options["modes"].startswith(choice) and made.attached_at == frame
    assert "static=None" in made.options["modes"]
    if "--max-hz" in extra and "--modes" not in extra:
        assert 2 < made.mode_count and made.frequencies[-1] <= 200.0
    if extra[-1:] == ("free-free",):
        assert "attachment=True" in made.options["modes"]


def test_table_for_people_and_the_other_options(beam, tmp_path, run):
    path = tmp_path / "arm.h5"
    options = ("--damping", "0.02", "--second-order", "none", "--name", "Arm 1", "--material", "70e9,0.3,2700")
    code, shown, _ = run("reduce", beam, "--interface", "hinge end=ROOT", "--modes", 2, "-o", path, *options)
    made = load_body(path)
    assert code == 0 and made.name == "Arm 1" and len(made.pairs) == 0
    assert shown.startswith("Arm 1: mass 0.216 kg, center [0.5, ") and f"wrote {path}" in shown
    assert "marker hinge end at [0, 0, 0] m, holds the frame" in shown
    assert "effective mass, % of the body's" in shown and "static error" in shown and "highest frequency" in shown
    # twice the damping ratio times omega times the modal mass
    assert np.diag(made.De) == pytest.approx(0.04 * 2 * np.pi * made.frequencies * np.diag(made.Me))
    run("reduce", beam, "--modes", 2, "-o", path, "--damping", "1.5,2e-6")
    made = load_body(path)  # the file was replaced
    assert made.De == pytest.approx(1.5 * made.Me + 2e-6 * made.Ke)
    run("reduce", beam, "--modes", 2, "-o", path, "--damping", "adams")
    by_name = load_body(path).De
    run("reduce", beam, "--modes", 2, "-o", path, "--damping", "100:0.01,1e3:0.1,inf:1")
    assert by_name.any() and load_body(path).De.tolist() == by_name.tolist()
    run("reduce", beam, "--modes", 8, "-o", path, "--second-order", "1e-3")
    made = load_body(path)
    assert len(made.pairs) == 36 and len(made.quadratic) < 18 and made.inertia.field_error < 1e-3


PLATE = """*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
*NSET, NSET=ROOT
1, 4
*ELEMENT, TYPE=S4, ELSET=PLATE
1, 1, 2, 3, 4
*SHELL SECTION, ELSET=PLATE, MATERIAL=STEEL
0.01
*MATERIAL, NAME=STEEL
*ELASTIC
210e9, 0.3
*DENSITY
7850.
"""


@pytest.mark.parametrize("name", ["plate.inp", "pendulum_beam.inp", "pendulum_hex20.inp"])
def test_a_body_without_modes_is_rigid(meshes, tmp_path, run, name):
    (tmp_path / "plate.inp").write_text(PLATE)
    file = tmp_path / name if name == "plate.inp" else meshes / name
    for options in (("--interface", "root=ROOT", "--modes", 0), ("--max-hz", "0.1")):
        code, shown, error = run("reduce", file, "-o", tmp_path / "rigid.h5", "--json", *options)
        assert (code, error) == (0, "") and json.loads(shown)["frequencies_hz"] == []
    rigid = load_body(tmp_path / "rigid.h5")
    assert rigid.mode_count == 0 and rigid.mass > 0.6
    assert "has no modes: it is rigid" in run("view", tmp_path / "rigid.h5", "--save", tmp_path / "rigid.png")[2]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--interface", "root"), 2, "--interface root: write NAME=SET, NAME=node:123"),
        (("--interface", "a=ROOT", "--interface", "a=TIP"), 2, "the name 'a' is used twice"),
        (("--interface", "a=ROOTS"), 2, "no node set or coupling 'ROOTS'. Did you mean ROOT?"),
        (("--interface", "a=node:one"), 2, "'one' is not a node number"),
        (("--interface", "a=point:1,2"), 2, "a point needs three coordinates in m"),
        (("--interface", "a=ROOT", "--at", "b"), 2, "no such interface; there are: a"),
        (("--basis", "craig-bampton"), 2, "needs an interface that holds the body: add --interface NAME=SET"),
        (("--basis", "free-free", "--at", "a"), 2, "a free-free body is not held"),
        (("--basis", "guyan"), 2, "craig-bampton"),
        (("--damping", "a lot"), 2, "--damping a lot: must be a ratio (0.01)"),
        (("--damping", "-1"), 2, "not negative"),
        (("--second-order", "half"), 2, "must be full, none, or a tolerance"),
        (("--second-order", "2"), 2, "field_tolerance must be None or a number from 1e-8 to 0.1"),
        (("--material", "steel"), 2, "must be E,NU,RHO"),
        (("--modes", "-2"), 2, "must be a whole number of modes"),
        (("-o", "nowhere/arm.h5"), 2, "the folder nowhere does not exist; create it first"),
        (("-o", "arm.inp"), 2, "the name of a body file must end in .h5 or .hdf5"),
    ],
)
def test_errors_are_one_line(beam, tmp_path, run, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    output = () if "-o" in arguments else ("-o", "arm.h5")
    ended, shown, error = run("reduce", beam, *output, *arguments)
    assert ended == code and message in error and shown == "" and not list(tmp_path.iterdir())
    assert code == 2 or len(error.splitlines()) == 1


NAMES = {"ROOT": [0], "a:rbe2": [1], "LEFT END": [2], "x=1": [3], "node:5": [4], "Tip": [5], "TIP": [6], "same": [7]}


@pytest.fixture(scope="module")
def named():
    """A box with sets and couplings of awkward names."""
    mesh = box_mesh((1.0, 0.1, 0.1), (2, 1, 1), Material("STEEL", 210e9, 0.3, 7850.0))
    couplings = tuple(Coupling(name, "rigid", 0, np.array([1, 2])) for name in ("RBE2 12", "same", "c:1"))
    return replace(mesh, node_sets={name: np.array(nodes) for name, nodes in NAMES.items()}, couplings=couplings)


@pytest.mark.parametrize(
    ("text", "name", "interface"),
    [
        ("a=ROOT", "a", Interface(set="ROOT")),
        ("a=root:RBE2", "a", Interface(set="ROOT", kind="rigid")),
        ("a=ROOT:rbe3", "a", Interface(set="ROOT", kind="averaged")),
        ("a=a:rbe2", "a", Interface(set="a:rbe2")),
        ("a=a:rbe2:rbe2", "a", Interface(set="a:rbe2", kind="rigid")),
        ("big end=LEFT END:rbe3", "big end", Interface(set="LEFT END", kind="averaged")),
        ("a=x=1", "a", Interface(set="x=1")),
        ("a=node:5", "a", Interface(set="node:5")),
        ("a=node:7", "a", Interface(node=7)),
        ("a=node:7:rbe2", "a", Interface(node=7, kind="rigid")),
        ("a=Tip", "a", Interface(set="Tip")),
        ("a=RBE2 12", "a", Interface(coupling="RBE2 12")),
        ("a=rbe2 12:rbe2", "a", Interface(coupling="RBE2 12", kind="rigid")),
        ("a=same", "a", Interface(set="same")),
        ("a=coupling:same", "a", Interface(coupling="same")),
        ("a=set:same", "a", Interface(set="same")),
        ("a=c:1", "a", Interface(coupling="c:1")),
        ("a=point:0.5,0,0.1", "a", Interface(point=(0.5, 0.0, 0.1))),
    ],
)
def test_how_an_interface_is_written(named, text, name, interface):
    assert interfaces_of(named, [text]) == {name: interface}


def test_names_that_differ_only_in_case_are_not_guessed(named):
    with pytest.raises(BodyError, match="no node set or coupling 'tip'. Did you mean"):
        interfaces_of(named, ["a=tip"])
    for where in ("ROOT", "node:5", "set:Tip"):
        with pytest.raises(BodyError, match=f"a={where}:rbe4: rbe4 must be rbe2 .rigid. or rbe3"):
            interfaces_of(named, [f"a={where}:rbe4"])


def test_view_of_a_body(body, tmp_path, run):
    code, shown, error = run("view", body, "--mode", 3, "--scale", 0.5, "--save", tmp_path / "mode.png")
    if "no OpenGL library" in error:
        pytest.skip(error)
    assert code == 0 and shown.startswith("wrote ") and (tmp_path / "mode.png").stat().st_size > 10_000
    code, _, error = run("view", body, "--mode", 5, "--save", tmp_path / "none.png")
    assert code == 2 and "has no mode 5; its modes are 1 to 4" in error and not (tmp_path / "none.png").exists()
    assert "no such file" in run("view", tmp_path / "missing.h5")[2]
    (tmp_path / "text.h5").write_text("no")
    assert "not an HDF5 file" in run("view", tmp_path / "text.h5")[2]


def test_the_documented_body_moves(body, monkeypatch):
    """The lines of docs/reduced_bodies.md: a body from a file swings in a system."""
    import flexmbs as fm

    system = fm.System(gravity=(0.0, -9.81, 0.0))
    arm = system.add(fm.load_body(body), name="arm")
    system.revolute(system.ground["origin"], arm["root"], axis="z", name="hinge")
    result = system.simulate(t_end=0.05)
    # let go from level it falls, bending a little more than the rigid rod's 3/4 g/l t^2, and no energy is lost
    rigid = -0.75 * 9.81 * 0.05**2
    assert 1.3 * rigid < result["hinge.angle"][-1] < rigid
    assert np.ptp(result["energy.total"]) < 1e-6 * result["energy.kinetic"].max()
    with pytest.raises(FlexmbsError):
        fm.load_body(body.parent / "no.h5")
