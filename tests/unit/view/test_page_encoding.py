"""Arrays of a page: what is decoded is what was given, within the errors that are stated."""

import base64
import zlib

import numpy as np
import page_decoder
import pytest
from icosphere import icosphere

from flexmbs.common.errors import FlexmbsError
from flexmbs.fem.stress_field import principal, von_mises
from flexmbs.view.page.fields import length_of, run_field, single_fields, stress_size
from flexmbs.view.page.numbers import Packer, Quantised, series, whole
from flexmbs.view.page.quantities import principal_ends
from flexmbs.view.page.shapes import Shapes, smooth_hidden, triangulated

NO_LINES = np.zeros((0, 2), dtype=np.int64)


def through(tree):
    """``tree`` packed and unpacked again."""
    packer = Packer()
    header = packer.packed(tree)
    return page_decoder.unpacked(header, zlib.decompress(base64.b64decode(packer.data()), -15))


def sphere():
    made = icosphere(2)
    return np.asarray(made.points, dtype=float), made.faces.reshape(-1, 4)[:, 1:]


def vtk(triangles):
    return np.insert(triangles, 0, 3, axis=1).ravel()


def test_points_and_hidden_sides_of_a_shape():
    points, triangles = sphere()
    shape = Shapes().shape(points, vtk(triangles), NO_LINES, True)
    again = through({"points": shape.points, "triangles": shape.triangles})
    np.testing.assert_array_equal(again["triangles"], triangles)
    error = np.linalg.norm(again["points"] - points, axis=1).max()
    assert error <= shape.error * (1 + 1e-9)
    assert shape.error < 1.01 * np.sqrt(3.0) * np.ptp(points, axis=0).max() / 65535 / 2
    assert shape.hidden is None


def test_equal_shapes_are_stored_once():
    points, triangles = sphere()
    shapes = Shapes()
    both = [shapes.shape(points.copy(), vtk(triangles), NO_LINES, False) for _ in range(2)]
    packer = Packer()
    header = packer.packed([{"points": shape.points, "triangles": shape.triangles} for shape in both])
    assert header[0] == header[1]
    assert both[0] is both[1]


def test_sides_inside_a_face_are_hidden():
    quads = triangulated(np.array([4, 0, 1, 2, 3, 8, 0, 1, 2, 3, 4, 5, 6, 7]))
    for count, rows in ((4, slice(0, 2)), (8, slice(2, 8))):
        shown = set()
        for corners, hidden in zip(quads.corners[rows], quads.hidden[rows], strict=True):
            shown |= {(corners[i], corners[(i + 1) % 3]) for i in range(3) if not hidden >> i & 1}
        assert shown == {(k, (k + 1) % count) for k in range(count)}


def test_flat_sides_of_a_shape_are_hidden():
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    box = triangulated(np.insert(quads, 0, 4, axis=1).ravel())
    assert np.array_equal(smooth_hidden(corners, box), box.hidden)  # a box has twelve edges
    points, triangles = sphere()
    assert np.all(smooth_hidden(points, triangulated(vtk(triangles))) == 7)  # a ball has none


@pytest.mark.parametrize("values", [np.linspace(0, 1, 50) ** 3, np.full(7, 3.0), np.array([5.0]), np.zeros(0)])
def test_histories_are_within_half_a_step(values):
    again = through(series(values, 1e-3))
    assert again.shape == (len(values), 1)
    assert np.abs(again.ravel() - values).max(initial=0.0) <= 0.5e-3 * (1 + 1e-9)


def test_smooth_histories_are_differences():
    t = np.linspace(0.0, 1.0, 1000)
    packer = Packer()
    entry = packer.packed(series(np.stack([np.sin(6 * t), np.cos(6 * t)], axis=1), 1e-5))
    assert (entry["type"], entry["columns"], entry["count"]) == ("i2", 2, 2000)  # the history itself needs four bytes


def test_whole_numbers_and_raw_arrays():
    numbers = np.array([0, -1, 1, 10**9, -(10**9), 7])
    again = through({"whole": whole(numbers), "raw": numbers.astype("i4"), "plain": [1, "a", None]})
    np.testing.assert_array_equal(again["whole"].ravel(), numbers)
    np.testing.assert_array_equal(again["raw"], numbers)
    assert again["plain"] == [1, "a", None]


def test_steps_of_columns():
    numbers = np.arange(2 * 12 * 3).reshape(2, 12, 3) % 7
    found = Quantised(numbers, np.array([1.0, 2.0, 3.0]), np.arange(3.0))
    np.testing.assert_allclose(through(found), found.values().reshape(-1, 3))
    np.testing.assert_allclose(found.values()[1, :, 2], 2.0 + 3.0 * numbers[1, :, 2])


def test_number_that_is_too_large_is_refused():
    for step in (1e-10, 1e-30):
        with pytest.raises(FlexmbsError, match="times its step"):
            series(np.array([0.0, 1.0]), step)
    assert series(np.array([0.0, np.nan, 1.0]), 0.5).numbers.ravel().tolist() == [0, 0, 2]


def fields(components):
    """Six smooth fields on a ball, of which two are nearly the same; coefficients of 200 frames."""
    points, _ = sphere()
    x, y, z = points.T
    shapes = np.stack([x * y, np.sin(2 * z), x, x + 1e-9 * y, z**2, 1.0 + 0 * x])
    weights = np.random.default_rng(1).normal(size=(6, components))
    t = np.linspace(0.0, 1.0, 200)[:, None]
    coefficients = np.sin(2 * np.pi * t * np.arange(1, 7)) * 10.0 ** -np.arange(0, 6)
    return shapes[:, :, None] * weights[:, None], coefficients


@pytest.mark.parametrize(("components", "measure"), [(3, length_of), (6, stress_size)])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
def test_fields_of_a_run_are_within_the_tolerance_and_the_error_that_is_stated(components, measure, tolerance):
    given, coefficients = fields(components)
    found = run_field([given[:2], given[2:]], coefficients, lambda largest: tolerance * largest, measure)
    again = through({"fields": found.fields, "coefficients": found.coefficients})
    exact = np.tensordot(coefficients, given, axes=1)
    drawn = np.tensordot(again["coefficients"], again["fields"].reshape(found.count, -1, components), axes=1)
    assert found.largest == pytest.approx(measure(exact).max(), rel=1e-5)
    error = measure(drawn - exact).max()
    assert error == pytest.approx(found.error, rel=1e-2, abs=1e-6 * found.largest)
    assert 0.2 * tolerance * found.largest < found.error <= tolerance * found.largest
    assert found.count < 6  # the coarser, the fewer


def test_deformation_that_lasts_for_one_frame_is_within_the_tolerance():
    given, coefficients = fields(3)
    coefficients = np.concatenate([coefficients] * 5)
    coefficients[:, 4] = 0.0
    coefficients[617, 4] = 0.05  # a frame that no even sample of 250 holds
    found = run_field([given], coefficients, lambda largest: 1e-3 * largest, length_of)
    drawn = np.tensordot(found.coefficients.values(), found.fields.values(), axes=1)
    assert length_of(drawn - np.tensordot(coefficients, given, axes=1)).max() <= 1.01e-3 * found.largest


def test_fewer_fields_for_a_larger_tolerance():
    given, coefficients = fields(3)
    counts = [run_field([given], coefficients, lambda size, part=part: part * size, length_of).count for part in (1e-5, 1e-3, 0.1)]
    assert counts[0] > counts[1] > counts[2]


def test_body_that_never_deforms_has_no_fields():
    given, coefficients = fields(3)
    assert run_field([given], 0.0 * coefficients, lambda largest: 1e-3 * largest, length_of).count == 0


@pytest.mark.parametrize(("components", "measure"), [(3, length_of), (6, stress_size)])
def test_modes_are_within_a_part_of_their_own_largest_value(components, measure):
    given, _ = fields(components)
    peaks = 10.0 ** -np.arange(6.0)
    found = single_fields(given, peaks, np.diag(peaks), 1e-3, measure)
    again = through({"fields": found.fields, "coefficients": found.coefficients})
    drawn = np.diag(again["coefficients"])[:, None, None] * again["fields"].reshape(given.shape)
    for k in range(6):
        exact = peaks[k] * given[k]
        assert measure(drawn[k] - exact).max() <= 1e-3 * measure(exact).max()


def test_measure_of_stress_bounds_what_is_shown():
    stress = np.random.default_rng(2).normal(size=(500, 6))
    size = stress_size(stress) * (1 + 1e-9)
    ends = principal(stress)
    assert np.all(von_mises(stress) <= size)
    assert np.all(np.abs(ends).max(axis=1) <= size)
    found = principal_ends(stress)
    np.testing.assert_allclose(found, np.stack([ends.min(axis=1), ends.max(axis=1)], axis=1), atol=1e-12)
    assert np.all(principal_ends(np.zeros((2, 6), np.float32)) == 0.0)
