"""Which file an include statement means, and which are refused; the same for all decks."""

import pytest

from flexmbs import MeshError, read_mesh
from flexmbs.mesh.reader_tools import included_files
from flexmbs.mesh.reader_tools.included_files import Includes


@pytest.fixture
def deck(tmp_path):
    (tmp_path / "deck" / "parts").mkdir(parents=True)
    for name in ("deck/main.inp", "deck/nodes.inp", "deck/parts/wing.inp", "secret.inp"):
        (tmp_path / name).write_text("x")
    return tmp_path / "deck" / "main.inp"


@pytest.mark.parametrize("name", ["parts/wing.inp", "parts\\wing.inp", "./parts/Wing.INP"])
def test_slashes_and_case_of_other_systems(deck, name):
    found = Includes(deck).find(name, "main.inp:1: INCLUDE", [deck])
    assert found is not None and found.samefile(deck.parent / "parts" / "wing.inp")


def test_beside_the_including_file_then_beside_the_deck(deck):
    wing = deck.parent / "parts" / "wing.inp"
    assert Includes(deck).find("nodes.inp", "wing.inp:1: INCLUDE", [deck, wing]) == deck.parent / "nodes.inp"
    (wing.parent / "nodes.inp").write_text("x")
    assert Includes(deck).find("nodes.inp", "wing.inp:1: INCLUDE", [deck, wing]) == wing.parent / "nodes.inp"


@pytest.mark.parametrize("name", ["../secret.inp", "parts/../../secret.inp"])
def test_outside_is_refused_unless_allowed(deck, name):
    with pytest.raises(MeshError, match=r"main.inp:1: INCLUDE: .* is outside the folder of the deck .*allow_outside"):
        Includes(deck).find(name, "main.inp:1: INCLUDE", [deck])
    assert Includes(deck, allow_outside=True).find(name, "", [deck]).samefile(deck.parent.parent / "secret.inp")


def test_a_link_that_leads_outside_is_outside(deck):
    (deck.parent / "link.inp").symlink_to(deck.parent.parent / "secret.inp")
    with pytest.raises(MeshError, match="is outside the folder"):
        Includes(deck).find("link.inp", "main.inp:1: INCLUDE", [deck])


def test_outside_is_said_of_files_that_do_not_exist_too(deck):
    with pytest.raises(MeshError, match="is outside the folder of the deck"):
        Includes(deck).needed("../absent.inp", "main.inp:1: INCLUDE", [deck])


@pytest.mark.parametrize("name", ["absent.inp", "x" * 5000, "a\0b", "parts"])
def test_no_such_file(deck, name):
    assert Includes(deck).find(name, "", [deck]) is None
    with pytest.raises(MeshError, match=r"main.inp:1: INCLUDE: included file .* not found \(looked in .*deck\)"):
        Includes(deck).needed(name, "main.inp:1: INCLUDE", [deck])


@pytest.mark.parametrize(
    ("name", "include", "comment"),
    [("f{}.inp", "*INCLUDE, INPUT={}", "**"), ("f{}.bdf", "INCLUDE '{}'", "$"), ("f{}.cdb", "/INPUT,{}", "!")],
)
def test_files_that_multiply_by_including_each_other_stop(tmp_path, name, include, comment, monkeypatch):
    monkeypatch.setattr(included_files, "_MOST", 200)
    for i in range(15):
        (tmp_path / name.format(i)).write_text(4 * (include.format(name.format(i + 1)) + "\n"))
    (tmp_path / name.format(15)).write_text(comment)
    with pytest.raises(MeshError, match="includes are nested more than 20 deep, or there are more than 200;"):
        read_mesh(tmp_path / name.format(0))


def test_links_that_lead_in_a_circle_are_no_files(deck):
    (deck.parent / "one.inp").symlink_to(deck.parent / "two.inp")
    (deck.parent / "two.inp").symlink_to(deck.parent / "one.inp")
    with pytest.raises(MeshError, match="one.inp not found"):
        Includes(deck).needed("one.inp", "main.inp:1: INCLUDE", [deck])
