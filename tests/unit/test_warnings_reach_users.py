"""What the command line prints as warnings reaches Python users too, once; the command line prints each once."""

import json
import warnings

import pytest
from command_line import flexmbs

import flexmbs as fm

CLAMPED = {"interfaces": {"root": "ROOT"}, "modes": fm.ClampedFree(at="root", count=2), "second_order": "none"}


def issued(call, *args, **kwargs):
    """What ``call`` returns, and its warnings as (category, text)."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = call(*args, **kwargs)
    return found, [(entry.category, str(entry.message)) for entry in said]


@pytest.fixture(scope="module")
def deck(tmp_path_factory):
    """The steel bar of hexahedra with a load and a connector that a body cannot hold."""
    path = tmp_path_factory.mktemp("deck") / "bar.inp"
    text = fm.find_mesh("pendulum_hex20.inp").read_text()
    path.write_text(f"{text.rstrip()}\n*CONNECTOR MOTION\n1\n*STEP\n*STATIC\n*CLOAD\n1, 2, 5.0\n*END STEP\n")
    return path


def test_reading_says_what_is_doubtful_and_left_out(deck):
    mesh, said = issued(fm.read_mesh, deck)
    assert {category for category, _ in said} == {fm.MeshWarning}
    texts = [text for _, text in said]
    assert len(texts) == len(set(texts))
    assert sum("*CONNECTOR MOTION" in text for text in texts) == 1
    loads = [text for text in texts if "its loads are left out (*CLOAD in line" in text]
    assert len(loads) == 1 and "bar.inp" in loads[0]


def test_numbers_of_another_system_of_units_are_said_on_reading(tmp_path):
    path = tmp_path / "millimetres.inp"
    path.write_text(
        "*NODE\n1, 0., 0., 0.\n2, 500., 0., 0.\n*ELEMENT, TYPE=B31, ELSET=ALL\n1, 1, 2\n"
        "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., 0.3\n*DENSITY\n7.85e-9\n"
        "*BEAM SECTION, ELSET=ALL, MATERIAL=STEEL, SECTION=RECT\n10., 10.\n0., 0., 1.\n"
    )
    with pytest.warns(fm.MeshWarning, match="mm-t-s"):
        fm.read_mesh(path)


def test_reducing_says_the_rest_once_with_body_and_file(deck):
    mesh, read = issued(fm.read_mesh, deck)
    body, said = issued(fm.reduce, mesh, name="bar", cache=False, **CLAMPED)
    assert not set(read) & set(said)
    walls = [text for category, text in said if category is fm.BodyWarning]
    assert len(walls) == 1 and "hex20 elements are the only ones through the thickness" in walls[0]
    assert "body 'bar'" in walls[0] and str(deck) in walls[0]
    basis = [text for category, text in said if category is fm.BasisWarning]
    assert len(basis) == 1 and basis[0].startswith("body 'bar': the modes miss part of the strain energy")
    assert len(said) == 2


def test_a_body_from_the_cache_says_the_same(deck, tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXMBS_CACHE", str(tmp_path))
    mesh = fm.read_mesh(deck)
    _, computed = issued(fm.reduce, mesh, name="bar", cache=True, **CLAMPED)
    _, found = issued(fm.reduce, mesh, name="bar", cache=True, **CLAMPED)
    assert len(computed) == 2 and found == computed


def test_a_basis_that_suffices_is_silent():
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    modes = fm.CraigBampton(at="root", count=2, static=fm.StaticModes(acceleration=True))
    body, said = issued(fm.reduce, mesh, interfaces={"root": "ROOT", "tip": "TIP"}, modes=modes, cache=False)
    assert body.advice().missing == "" and said == []


def test_directions_left_rigid_on_purpose_are_not_reported():
    """Bending modes in one plane, chosen by kind, are for a planar mechanism; the same modes by number are not."""
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    choice = {"interfaces": {"root": "ROOT", "tip": "TIP"}, "cache": False, "second_order": "none"}
    _, said = issued(fm.reduce, mesh, modes=fm.ClampedFree(at="root", bending=(3, 0), axial=1), **choice)
    ((category, text),) = said
    assert category is fm.BasisWarning and text.startswith("body 'pendulum_beam.inp': the modes miss part of")
    assert "'tip' (x 18.9%, rot z " in text and "100.0%" not in text
    body, said = issued(fm.reduce, mesh, modes=fm.ClampedFree(at="root", count=2), **choice)
    assert "torsion 1" not in body.mode_labels and "rot x 100.0%" in said[0][1]


def test_bodies_of_other_tools_say_what_they_lack():
    points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    arguments = dict(points=points, modes=[[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], K=[[1.0]], M=[1.0, 1.0], name="arm")
    _, said = issued(fm.body_from_arrays, warnings=["group 8 is missing"], **arguments)
    assert said == [(fm.BodyWarning, "body 'arm': group 8 is missing")]


COMMANDS = {
    "info": (["info", "{deck}"], "*CONNECTOR MOTION", "*CLOAD"),
    "modes": (
        ["modes", "{deck}", "--count", "2"],
        "hex20 elements are the only ones through the thickness",
        "*CONNECTOR MOTION",
        "*CLOAD",
    ),
    "reduce": (
        ["reduce", "{deck}", "-o", "{folder}/bar.h5", "--interface", "root=ROOT", "--modes", "2", "--no-cache"],
        "hex20 elements are the only ones through the thickness",
        "*CONNECTOR MOTION",
        "*CLOAD",
        "Energy missing",
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_line_prints_each_once(command, deck, tmp_path):
    arguments, *expected = COMMANDS[command]
    arguments = [part.format(deck=deck, folder=tmp_path) for part in arguments]
    ran = flexmbs(*arguments)
    for text in expected:
        assert (ran.stdout + ran.stderr).count(text) == 1, (text, ran.stdout, ran.stderr)
    assert "strain energy under" not in ran.stderr  # the table of the modes shows it
    assert "Warning" not in ran.stderr  # one line each, without the line of a script


def test_json_holds_them_and_stays_json(deck):
    ran = flexmbs("modes", deck, "--count", "2", "--json")
    assert sum("hex20 elements are the only ones through the thickness" in text for text in json.loads(ran.stdout)["warnings"]) == 1
    assert "hex20 elements" not in ran.stderr


def test_warnings_of_a_command_that_fails_are_not_lost(deck):
    ran = flexmbs("modes", deck, "--fix", "NOSUCHSET", check=False)
    assert ran.returncode == 2
    assert ran.stderr.count("*CONNECTOR MOTION") == 1 and "NOSUCHSET" in ran.stderr
