"""What results, bodies, meshes, systems and descriptions show of themselves in a notebook."""

import html
import re

import pytest
from html_pages import Page

import flexmbs as fm
from flexmbs.common.quantities import number, quantity
from flexmbs.result.report import notebook

STEEL = fm.Material("steel", 210e9, 0.3, 7850.0)
EVIL = '<i>tip & "root"'


@pytest.fixture(scope="module")
def mesh():
    return fm.line_mesh(0.5, 6, fm.rectangle(0.01, 0.02), STEEL)


@pytest.fixture(scope="module")
def body(mesh):
    with pytest.warns(fm.BasisWarning):
        return fm.reduce(mesh, interfaces={"root": "ROOT"}, modes=fm.ClampedFree(at="root", count=3), name=EVIL, cache=False)


@pytest.fixture(scope="module")
def system(body):
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    system.revolute(system.ground["origin"], system.add(body, EVIL)["root"], axis="y", name="hinge")
    return system


def texts(card):
    """The texts of a card, which must be well-formed HTML."""
    shown = Page(card)
    assert EVIL not in card
    return " ".join(" ".join(shown.texts).split())


def test_mesh(mesh):
    told = texts(mesh._repr_html_())
    assert "elements 6 beam2" in told and "nodes 7" in told and "steel" in told and "ROOT (1)" in told


def test_body(body):
    told = texts(body._repr_html_())
    assert quantity(body.mass, "kg") in told and "The modes miss part of the strain energy" in told
    assert all(number(hz, 5) in told for hz in body.frequencies) and "0.5 x 0.01 x 0.02 m" in told


def test_system_and_description(system, body):
    for shown in (system, system.describe()):
        told = texts(shown._repr_html_())
        assert "hinge revolute ground.origin" in told and quantity(body.mass, "kg") in told and EVIL in told
    assert "actual: 4" in told  # the hinge and three modes
    assert "0 bodies" in texts(fm.System()._repr_html_())


def test_a_result_shows_numbers_plots_and_its_scene(system):
    result = system.simulate(0.1)
    card = result._repr_html_()
    told = texts(card)
    assert f"{result.stats['steps_accepted']:,} by {result.stats['integrator']}" in told
    assert "degrees of freedom 4" in told and result.energy_ledger().largest_balance >= 0.0
    assert card.count("data:image/svg+xml;base64,") == 2
    (document,) = re.findall(r'<iframe sandbox="allow-scripts" height="\d+" srcdoc="([^"]*)">', card)
    inside = html.unescape(document)
    assert inside.startswith("<!DOCTYPE html>") and inside.count('class="flexmbs-scene"') == 1
    assert inside.count("flexmbsViewer.start();</script>") == 1  # twice would draw it twice
    assert "http://" not in inside.replace("http://www.w3.org", "") and "https://" not in inside


def test_a_large_scene_is_left_to_a_file(system, monkeypatch):
    result = system.simulate(0.05)
    monkeypatch.setattr(notebook, "MAX_POINTS", 3)
    assert "<iframe" not in result._repr_html_() and "result.to_html(...)" in result._repr_html_()
    monkeypatch.setattr(notebook, "MAX_POINTS", 10**6)
    monkeypatch.setattr(notebook, "LARGEST", 1e-6)
    assert "<iframe" not in result._repr_html_() and "No interactive scene: it would take more" in result._repr_html_()


def test_results_with_one_time_and_of_rigid_bodies():
    system = fm.System()
    ball = system.add(fm.RigidBody.sphere(1.0, 0.1), "ball")
    system.prismatic(system.ground["origin"], ball["origin"], axis="z", name="drop")
    assert "time 0 to 0 s in 1 stored rows" in texts(system.assemble()._repr_html_())
