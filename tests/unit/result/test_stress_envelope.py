"""Largest stress with its element, envelopes and histories of stress, against all stresses at all times."""

from dataclasses import replace

import exported_run
import imageio.v2 as imageio
import numpy as np
import pytest

import flexmbs as fm
from flexmbs.fem.stress_field import principal, von_mises
from flexmbs.reduction import recovery as stress_recovery


@pytest.fixture(scope="module")
def result():
    return exported_run.result()


def random_modes(points=300, modes=6, states=700):
    random = np.random.default_rng(3)
    stress = random.standard_normal((modes, points, 6))
    stress[:, 0] = 0.0  # a point without stress
    stress[:, 1, :3], stress[:, 1, 3:] = stress[:, 1, :1], 0.0  # and one with pressure only
    return stress, random.standard_normal((states, modes))


def test_von_mises_of_many_states_is_that_of_the_tensors():
    modes, q = random_modes()
    found = stress_recovery.von_mises_into(np.empty((len(q), modes.shape[1])), modes, q)
    expected = von_mises(np.tensordot(q, modes, axes=1))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-7)  # atol: rounding of a pressure, squared


@pytest.mark.parametrize("quantity", list(stress_recovery.QUANTITIES))
def test_extremes_are_those_of_all_states(quantity, monkeypatch):
    monkeypatch.setattr(stress_recovery, "POINTS", 128)  # so that there are several parts of both
    monkeypatch.setattr(stress_recovery, "STATES", 100)
    modes, q = random_modes()
    every = stress_recovery.quantity_of(np.tensordot(q, modes, axes=1), quantity)
    sizes = np.abs(every) if quantity in stress_recovery.COMPONENTS else every
    states = sizes.argmin(axis=0) if quantity == "min_principal" else sizes.argmax(axis=0)
    expected = np.take_along_axis(every, states[None], axis=0)[0]
    values, found = stress_recovery.extremes(modes, q, quantity)
    assert values == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert np.array_equal(found[2:], states[2:])


def test_envelope_has_values_times_and_places(result):
    body = result.flexible("bar")
    envelope = result.stress_envelope("bar", 0.1, 0.4, "max_principal")
    inside = result.t[(result.t > 0.1) & (result.t < 0.4)]
    times = np.array([0.1, *inside, 0.4])
    every = principal(result.stress("bar", times))[..., 0]
    assert envelope.values == pytest.approx(every.max(axis=0), rel=1e-9)
    assert every[np.searchsorted(times, envelope.times), np.arange(len(envelope))] == pytest.approx(envelope.values)
    assert np.array_equal(envelope.positions, body.surface.points) and len(envelope) == len(body.surface.points)
    assert envelope.positions == pytest.approx(body.points[np.searchsorted(body.node_ids, envelope.node_ids)])
    assert f"near node {envelope.node_ids[envelope.worst]}" in str(envelope)


def test_envelope_of_the_whole_run_is_that_of_largest_von_mises(result):
    envelope, peak = result.stress_envelope("bar"), result.largest_von_mises("bar")
    assert envelope.values.max() <= peak <= 1.05 * envelope.values.max()  # the peak is looked for between steps too
    assert envelope.node_ids[envelope.worst] == peak.node


def test_peak_names_an_element_at_its_place(result):
    peak, body = result.largest_von_mises("bar"), result.flexible("bar")
    assert body.surface.elements is not None and len(np.unique(body.surface.elements)) == 4
    assert f"element {peak.element}" in str(peak)
    # elements 1 to 4 follow each other along x, 0.1 m each
    first = int(np.clip(np.ceil(peak.position[0] / 0.1 - 1e-9), 1, 4))
    assert peak.element in (first, min(first + 1, 4))


def test_body_without_known_elements_has_a_peak_without_one(result):
    body = exported_run.bar()
    older = replace(body, surface=replace(body.surface, elements=None))
    peak = exported_run.result(older).largest_von_mises("bar")
    assert peak == result.largest_von_mises("bar") and peak.element == 0 and "element" not in str(peak)


def test_envelope_as_table_file_and_picture(result, tmp_path):
    envelope = result.stress_envelope("bar")
    text = envelope.to_csv(tmp_path / "e.csv").read_text().splitlines()
    assert text[0] == "node,x [m],y [m],z [m],von_mises [Pa],time [s]" and len(text) == len(envelope) + 1
    assert float(text[1].split(",")[4]) == envelope.values[0]
    with pytest.raises(fm.FlexmbsError, match="exists"):
        envelope.to_csv(tmp_path / "e.csv")
    grid = read_vtkhdf(envelope.to_vtkhdf(tmp_path / "e.vtkhdf"))
    assert np.array_equal(grid.points, envelope.positions)
    assert np.array_equal(grid.point_data["von_mises"], envelope.values)
    assert np.array_equal(grid.point_data["time_of_extreme"], envelope.times)
    frame = pytest.importorskip("pandas") and envelope.to_pandas()
    assert frame.attrs["units"]["von_mises"] == "Pa" and len(frame) == len(envelope)


def test_picture_of_an_envelope(result, tmp_path):
    envelope, path = result.stress_envelope("bar"), tmp_path / "e.png"
    with pytest.raises(fm.FlexmbsError, match="must end in .png"):
        envelope.picture(tmp_path / "e.jpg")
    pixels = imageio.imread(envelope.picture(path))[..., :3].astype(int)
    assert pixels.shape == (880, 1280, 3)
    red = (pixels[..., 0] - pixels[..., 2] > 100) & (pixels[..., 1] < 150)
    assert 100 < red[:, :1050].sum() < 0.2 * red[:, :1050].size  # highly stressed, and the mark
    with pytest.raises(fm.FlexmbsError, match="exists"):
        envelope.picture(path)


def read_vtkhdf(path):
    import pyvista
    from vtkmodules.vtkIOHDF import vtkHDFReader

    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.Update()
    return pyvista.wrap(reader.GetOutputDataObject(0))


def test_history_at_nodes_is_the_stress_there(result):
    body = result.flexible("bar")
    nodes = body.node_ids[[0, 7]]
    history = result.stress_at("bar", nodes)
    assert history.stress.shape == (len(result.t), 2, 6) and history.labels == tuple(f"node {n}" for n in nodes)
    for m, node in enumerate(nodes):
        point = int(np.argmin(np.linalg.norm(body.surface.points - body.points[body.node_ids == node], axis=1)))
        assert history.stress[:, m] == pytest.approx(result.stress("bar", result.t)[:, point], rel=1e-9, abs=1e-3)
    assert history.von_mises == pytest.approx(von_mises(history.stress))
    assert np.abs(history.signed_von_mises) == pytest.approx(history.von_mises)
    few = result.stress_at("bar", int(nodes[0]), [0.2, 0.1])
    assert few.stress.shape == (2, 1, 6) and np.array_equal(few.t, [0.2, 0.1])


def test_signed_stress_and_stress_on_a_plane():
    pull = np.array([100e6, 0, 0, 0, 0, 0.0])
    history = fm.StressHistory("b", np.arange(2.0), np.array([[pull], [-pull]]), np.ones(1, int), np.zeros((1, 3)), ("node 1",))
    assert history.signed_von_mises[:, 0] == pytest.approx([100e6, -100e6])
    assert history.max_shear[:, 0] == pytest.approx([50e6, 50e6])
    assert history.normal_stress([1.0, 1.0, 0.0])[:, 0] == pytest.approx([50e6, -50e6])


def test_tables_of_histories(result, tmp_path):
    node = int(result.flexible("bar").node_ids[0])
    history = result.stress_at("bar", node)
    heads = history.to_csv(tmp_path / "h.csv").read_text().splitlines()[0].split(",")
    assert heads[:2] == ["t [s]", f"node {node} xx [Pa]"] and f"node {node} signed_von_mises [Pa]" in heads
    frame = pytest.importorskip("pandas") and history.to_pandas()
    assert np.array_equal(frame[f"node {node} von_mises"], history.von_mises[:, 0])


def test_questions_that_cannot_be_answered_say_why(result):
    with pytest.raises(fm.FlexmbsError, match="unknown quantity 'mises'; choose one of von_mises, max_principal"):
        result.stress_envelope("bar", quantity="mises")
    with pytest.raises(ValueError, match="start = 0.3 s is later than end = 0.2 s"):
        result.stress_envelope("bar", 0.3, 0.2)
    with pytest.raises(KeyError, match="rigid: it has no modes, displacements or stresses"):
        result.stress_envelope("block")
    with pytest.raises(fm.BodyError, match="reduce it with stress='nodes'"):
        result.stress_envelope("bar", at="nodes")
    with pytest.raises(fm.FlexmbsError, match="no node 99999; its numbers run from 1 to"):
        result.stress_at("bar", 99999)
    with pytest.raises(fm.FlexmbsError, match="marker 'tip' of body 'bar' does not stand on a node"):
        result.stress_at("bar", "tip")
    with pytest.raises(fm.FlexmbsError, match="no marker 'top'; its markers: root, tip"):
        result.stress_at("bar", "top")
    with pytest.raises(fm.FlexmbsError, match="no nodes are given"):
        result.stress_at("bar", [])


def test_body_of_arrays_says_how_to_get_stress():
    body = fm.body_from_arrays(
        points=[[0, 0, 0], [2, 0, 0]],
        modes=[[[0, 0, 0], [0, 1, 0]]],
        K=[[12.0]],
        M=[1.0, 3.0],
        name="two",
        markers={"root": 1, "tip": 2},
    )
    run = exported_run.result(body)
    for ask in (run.stress_envelope, run.largest_von_mises):
        with pytest.raises(fm.BodyError, match=r"body 'two' has no elements .* fm.reduce\(mesh, ...\)"):
            ask("bar")
    with pytest.raises(fm.BodyError, match="has no elements"):
        run.stress_at("bar", 1)
