"""Stations of a body: the tree of its pieces, how they turn, and the error of a rod through them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_bvp
from solid_meshes import box

import flexmbs as fm
from flexmbs.analysis.evaluation.stations import SEEN, stations_of

STEEL = fm.Material("STEEL", 210e9, 0.3, 7850.0)
STATIC = fm.CraigBampton("root", count=0, frequency_tolerance=None)
ENDS = {"root": "ROOT", "tip": "TIP"}


def beam(length=1.0, elements=20, modes=STATIC):
    return fm.reduce(fm.line_mesh(length, elements, fm.rectangle(0.02, 0.01), STEEL), interfaces=ENDS, modes=modes, cache=False)


def under_tip_load(body, force=(0.0, 0.0, 0.0), moment=(0.0, 0.0, 0.0)):
    """Modal coordinates of the linear theory."""
    tip = body.markers["tip"]
    return np.linalg.solve(body.Ke, tip.Phi @ force + tip.Psi @ moment)


def test_a_bar_is_a_chain_from_its_clamp():
    at = stations_of(beam())
    k = len(at.positions)
    assert k >= 10
    np.testing.assert_array_equal(at.parent, np.maximum(np.arange(k) - 1, 0))
    assert np.all(np.diff(at.positions[:, 0]) > 0.0)


@pytest.mark.parametrize("mesh", ["beam", "solid"])
def test_rotations_and_strains_are_those_of_bending(mesh):
    """Under a moment M the end turns by M L / EI; the surface strains by M h / (2 EI), the axis not at all."""
    body = beam()
    if mesh == "solid":
        solid = box("hex20", (20, 2, 2), (1.0, 0.02, 0.01), STEEL)
        x = solid.points[:, 0]
        sets = {"ROOT": np.flatnonzero(x < 1e-9), "TIP": np.flatnonzero(x > 1.0 - 1e-9)}
        interfaces = {name: fm.Interface(set=of, kind="averaged") for name, of in ENDS.items()}
        body = fm.reduce(
            fm.Mesh(solid.points, solid.node_ids, solid.blocks, sets), interfaces=interfaces, modes=STATIC, cache=False
        )
    moment, stiffness = 100.0, 210e9 * 0.02 * 0.01**3 / 12.0
    q, at = under_tip_load(body, moment=(0.0, moment, 0.0)), stations_of(body)
    turns = np.tensordot(q, at.rotations, axes=1)
    np.testing.assert_allclose(turns[:, 1], moment / stiffness * at.positions[:, 0], rtol=0.02, atol=8e-3)
    assert np.abs(q @ at.strains).max() == pytest.approx(moment * 0.005 / stiffness, rel=0.05)
    assert np.abs(q @ at.stretch).max() < 1e-3 * np.abs(q @ at.strains).max()


def elastica(load: float) -> np.ndarray:
    """End of a rod of unit length and stiffness along x with the dead load along y."""
    s = np.linspace(0.0, 1.0, 101)

    def slope(_s, y):
        return np.array([y[1], -load * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])])

    def ends(a, b):
        return np.array([a[0], b[1], a[2], a[3]])

    found = solve_bvp(slope, ends, s, np.array([0.5 * s, 0.5 + 0.0 * s, s, 0.3 * s]), tol=1e-8)
    assert found.success
    return found.y[2:, -1] - (1.0, 0.0)


@pytest.mark.parametrize("load", [0.3, 1.0, 2.0, 5.0])
def test_the_error_under_a_force_is_that_of_the_elastica(load):
    """With L^2 P / EI = 5 the end moves by 1.67 lengths in the linear theory, and the error is 134 %."""
    body = beam()
    stiffness = 210e9 * 0.01 * 0.02**3 / 12.0
    q, exact = under_tip_load(body, force=(0.0, load * stiffness, 0.0)), elastica(load)
    tip = body.markers["tip"]
    moved = (q @ tip.Phi + body.quadratic_coordinates(q) @ tip.Zu)[:2]
    true = np.linalg.norm(moved - exact) / np.linalg.norm(exact)
    assert stations_of(body).error(q)[0] == pytest.approx(true, rel=0.3)


@pytest.mark.parametrize("turn", [0.5, 1.57, 6.28])
def test_the_error_under_a_moment_is_that_of_a_circle(turn):
    body = beam()
    q = under_tip_load(body, moment=(0.0, 0.0, turn * 210e9 * 0.01 * 0.02**3 / 12.0))
    exact = np.array([np.sin(turn) / turn - 1.0, (1.0 - np.cos(turn)) / turn])
    true = np.linalg.norm(np.array([-(turn**2) / 6.0, turn / 2.0]) - exact) / np.linalg.norm(exact)
    error, second = stations_of(body).error(q)
    assert error == pytest.approx(true, rel=0.05)
    assert second == pytest.approx(turn / 3.0, rel=0.05)


def test_a_thick_solid_of_more_points_than_are_looked_at_bends_as_a_rod():
    """Under a moment, theta at the end: 0.085 theta^2, of a circle."""
    mesh = box("hex8", (60, 8, 8), (1.0, 0.1, 0.1), STEEL)
    x = mesh.points[:, 0]
    sets = {"ROOT": np.flatnonzero(x < 1e-9), "TIP": np.flatnonzero(x > 1.0 - 1e-9)}
    interfaces = {name: fm.Interface(set=of, kind="averaged") for name, of in ENDS.items()}
    body = fm.reduce(replace(mesh, node_sets=sets), interfaces=interfaces, modes=STATIC, cache=False)
    assert len(body.surface.points) > SEEN
    q = under_tip_load(body, moment=(0.0, 0.0, 1.0))
    q *= 0.5 / (q @ body.markers["tip"].Psi[:, 2])
    at = stations_of(body)
    np.testing.assert_allclose(np.tensordot(q, at.rotations, axes=1)[:, 2], 0.5 * at.positions[:, 0], atol=0.01)
    assert at.error(q)[0] == pytest.approx(0.085 * 0.5**2, rel=0.3)


def test_branches_and_separate_pieces_are_one_tree():
    """A T: the stem along x, two arms along y; the drawn beams of an element for each are not connected at the corner."""
    stem, arm = np.linspace(0.0, 1.0, 11), np.linspace(0.1, 0.5, 5)
    points = [*((x, 0.0, 0.0) for x in stem), *((1.0, y, 0.0) for y in arm), *((1.0, -y, 0.0) for y in arm)]
    lines = [*((i, i + 1) for i in range(10)), (10, 11), *((i, i + 1) for i in range(11, 15)), (10, 16)]
    lines += [(i, i + 1) for i in range(16, 20)]
    block = fm.ElementBlock("beam2", np.arange(1, 21), np.array(lines), STEEL, fm.rectangle(0.02, 0.02, y_axis=(0.0, 0.0, 1.0)))
    mesh = fm.Mesh(np.array(points), np.arange(1, 22), (block,), {"ROOT": np.array([0]), "TIP": np.array([15])}, source="T")
    at = stations_of(fm.reduce(mesh, interfaces=ENDS, modes=fm.ClampedFree(at="root", count=4), cache=False))
    tips = [int(np.linalg.norm(at.positions - place, axis=1).argmin()) for place in ((1.0, 0.5, 0.0), (1.0, -0.5, 0.0))]
    assert tips[0] != tips[1]
    for tip in tips:
        way = [tip]
        while way[-1]:
            way.append(int(at.parent[way[-1]]))
        places = at.positions[way]
        assert np.any(places[:, 0] < 0.5)  # both go along the stem
        assert np.linalg.norm(np.diff(places, axis=0), axis=1).max() < 0.25


def test_a_lattice_of_beams_bends_as_one_rod():
    """60 bays; each beam is drawn as a piece of its own. A rod under a force at its end is wrong by 0.46 of theta squared."""
    bays = 60
    points = np.array([(float(i), y, 0.0) for i in range(bays + 1) for y in (0.0, 1.0)])
    lines = [(2 * i + a, 2 * i + b) for i in range(bays) for a, b in ((0, 2), (1, 3), (0, 3), (1, 2))]
    lines += [(2 * i, 2 * i + 1) for i in range(bays + 1)]
    section = fm.rectangle(0.05, 0.05, y_axis=(0.0, 0.0, 1.0))
    block = fm.ElementBlock("beam2", np.arange(1, len(lines) + 1), np.array(lines), STEEL, section)
    sets = {"ROOT": np.array([0, 1]), "TIP": np.array([2 * bays, 2 * bays + 1])}
    mesh = fm.Mesh(points, np.arange(1, len(points) + 1), (block,), sets, source="lattice")
    body = fm.reduce(mesh, interfaces=ENDS, modes=STATIC, cache=False, trust_units=True)
    q = under_tip_load(body, force=(0.0, 1.0, 0.0))
    q *= 0.3 / abs(q @ body.markers["tip"].Psi[:, 2])
    at = stations_of(body)
    assert np.linalg.norm(np.tensordot(q, at.rotations, axes=1), axis=1).max() == pytest.approx(0.3, rel=0.1)
    assert at.error(q)[0] == pytest.approx(0.46 * 0.3**2, rel=0.4)


def test_a_free_body_is_looked_at_from_its_middle():
    body = fm.reduce(
        fm.line_mesh(1.0, 20, fm.rectangle(0.02, 0.01), STEEL), interfaces=ENDS, modes=fm.FreeFree(count=4), cache=False
    )
    at = stations_of(body)
    assert abs(at.positions[0, 0] - 0.5) < 0.05
    ends = np.setdiff1d(np.arange(len(at.parent)), at.parent)
    assert sorted(np.sign(at.positions[ends, 0] - 0.5)) == [-1.0, 1.0]


def test_bodies_without_modes_or_points_have_none():
    assert stations_of(beam(modes=fm.ClampedFree(at="root", count=0))) is None
