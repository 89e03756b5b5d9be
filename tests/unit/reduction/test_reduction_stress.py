"""Stress and section forces of reduced bodies: the same as of the model that they come from."""

from dataclasses import fields, replace

import numpy as np
import pytest
from shell_meshes import flat, sheet

from flexmbs import (
    BodyError,
    ClampedFree,
    Layer,
    Material,
    ShellSection,
    assemble,
    line_mesh,
    load_body,
    rectangle,
    reduce,
    save_body,
)
from flexmbs.reduction.recovery import peak_von_mises

INTERFACES = {"root": "ROOT", "tip": "TIP"}


@pytest.fixture(scope="module")
def solid(square_solid):
    return reduce(square_solid, interfaces=INTERFACES, modes=ClampedFree(at="root", count=4), stress="nodes")


@pytest.fixture(scope="module")
def beam(square_beam):
    return reduce(square_beam, interfaces=INTERFACES, modes=ClampedFree(at="root", count=4), stress="nodes")


@pytest.fixture(scope="module")
def layered_sheet():
    skin, core = Material("STEEL", 210e9, 0.3, 7850.0), Material("FOAM", 1e9, 0.3, 100.0)
    layers = (Layer(skin, 0.001), Layer(core, 0.01), Layer(skin, 0.001))
    mesh, grid = sheet("quad4", (8, 2), flat(0.5, 0.1), section=ShellSection(None, layers))
    return replace(mesh, node_sets={"ROOT": grid[0], "TIP": grid[-1]})


def test_layers_of_shells(layered_sheet, tmp_path):
    body = reduce(layered_sheet, interfaces=INTERFACES, modes=ClampedFree(at="root", count=4), stress="nodes")
    save_body(body, tmp_path / "body.h5")
    expected = assemble(layered_sheet).stress(body.linear_displacement(Q))
    for one in (body, load_body(tmp_path / "body.h5")):
        found = one.stress(Q, at="nodes")
        assert found.stress == pytest.approx(expected.stress, abs=1e-9 * expected.von_mises.max())
        assert set(found.points.layer) == {1, 2, 3} and len(found.top) == len(layered_sheet.points)
    # what is drawn are the outer faces of the outermost layers
    drawn, top = body.stress(Q), expected.top
    there = [int(np.argmin(np.linalg.norm(drawn.points.positions - x, axis=1))) for x in top.points.positions]
    assert drawn.stress[there] == pytest.approx(top.stress, abs=1e-9 * expected.von_mises.max())


Q = np.array([1e-3, -2e-3, 5e-4, 3e-4])


@pytest.mark.parametrize("name", ["solid", "beam"])
def test_stress_is_that_of_the_model(name, request):
    body, mesh = request.getfixturevalue(name), request.getfixturevalue(f"square_{name}")
    model = assemble(mesh)
    expected = model.stress(body.linear_displacement(Q))
    found = body.stress(Q, at="nodes")
    scale = expected.von_mises.max()
    assert found.stress == pytest.approx(expected.stress, abs=1e-9 * scale)
    assert np.array_equal(found.points.node_ids, expected.points.node_ids)
    assert found.strain is None
    surface = body.stress(Q)
    assert surface.points.positions == pytest.approx(body.surface.points)
    for position, value in list(zip(surface.points.positions, surface.von_mises, strict=True))[::17]:
        nearest = np.argmin(np.linalg.norm(expected.points.positions - position, axis=1))
        # beams: drawn is the mean of two elements at a node; modes are smooth to this part of the largest stress
        assert value == pytest.approx(expected.von_mises[nearest], abs=(1e-9 if name == "solid" else 5e-3) * scale)


def test_section_forces_are_those_of_the_model(beam, square_beam, solid):
    expected = assemble(square_beam).section_forces(beam.linear_displacement(Q))
    found = beam.section_forces(Q)
    assert found.forces == pytest.approx(expected.forces, abs=1e-9 * abs(expected.forces).max())
    assert np.array_equal(found.element_ids, expected.element_ids)
    with pytest.raises(BodyError, match="has no beams or bars"):
        solid.section_forces(Q)


@pytest.mark.parametrize("name", ["solid", "beam"])
def test_saved_bodies_keep_their_stress(name, request, tmp_path):
    body = request.getfixturevalue(name)
    save_body(body, tmp_path / "body.h5")
    loaded = load_body(tmp_path / "body.h5")
    assert np.array_equal(loaded.stress_modes.stress, body.stress_modes.stress)
    for part in fields(body.stress_modes.points):
        assert np.array_equal(getattr(loaded.stress_modes.points, part.name), getattr(body.stress_modes.points, part.name))
    if name == "beam":
        assert np.array_equal(loaded.section_forces(Q).forces, body.section_forces(Q).forces)
    else:
        assert loaded.section_force_modes is None


def test_stress_at_nodes_has_to_be_asked_for(tmp_path):
    mesh = line_mesh(1.0, 4, rectangle(0.02, 0.02), Material("STEEL", 210e9, 0.3, 7850.0))
    body = reduce(mesh, interfaces=INTERFACES, modes=ClampedFree(at="root", count=2))
    save_body(body, tmp_path / "body.h5")
    for one in (body, load_body(tmp_path / "body.h5")):
        assert len(one.stress(np.zeros(2))) == len(one.surface.points)
        with pytest.raises(BodyError, match="has stress at its surface only; reduce it with stress='nodes'"):
            one.stress(np.zeros(2), at="nodes")
    with pytest.raises(ValueError, match="must be 'surface' or 'nodes'"):
        body.stress(np.zeros(2), at="corners")
    with pytest.raises(BodyError, match="stress must be 'surface' or 'nodes', not 'all'"):
        reduce(mesh, interfaces=INTERFACES, modes=ClampedFree(at="root", count=2), stress="all")


def test_bodies_without_elements_have_no_stress(beam):
    bare = replace(beam, surface=replace(beam.surface, faces=np.zeros(0, int)), stress_modes=None)
    for asked in (lambda: bare.stress(Q), lambda: peak_von_mises(bare, Q[None])):
        with pytest.raises(BodyError, match="has no elements .* its stress is unknown"):
            asked()
    assert beam.has_stress and not bare.has_stress
