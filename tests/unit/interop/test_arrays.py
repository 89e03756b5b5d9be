"""A body from explicit arrays, and .npz files."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fm
from flexmbs import BodyError, Material, assemble, body_from_arrays, box_mesh, read_npz, write_npz
from flexmbs.interop.moments import moments_of_fields

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)


def arrays_of(body, fem):
    return dict(
        points=body.points,
        modes=body.modes,
        K=fem.K,
        M=fem.scalar_mass,
        pairs=body.pairs,
        quadratic=body.quadratic,
        node_ids=body.node_ids,
    )


@pytest.fixture(scope="module")
def fem():
    return assemble(box_mesh((0.5, 0.02, 0.03), (8, 1, 1), STEEL))


def test_matrices_of_the_mesh_give_its_body(block, fem):
    """Mass properties and first-order integrals as of the reduction, whichever form M has."""
    want = moments_of_fields(block.inertia, block.mass)
    for M in (fem.scalar_mass, fem.scalar_mass.toarray(), fem.M):
        body = body_from_arrays(**arrays_of(block, fem) | {"M": M})
        got = moments_of_fields(body.inertia, body.mass)
        for name in ("mass", "first", "second", "mode_first", "mode_position", "mode_mode", "pair_first"):
            a, b = getattr(want, name), getattr(got, name)
            np.testing.assert_allclose(b, a, atol=1e-9 * np.abs(want.mode_mode).max(), err_msg=name)
        np.testing.assert_allclose(body.Ke, block.Ke, atol=1e-9 * np.abs(block.Ke).max())
        np.testing.assert_allclose(body.frequencies, block.frequencies, rtol=1e-9)


def test_point_masses():
    body = body_from_arrays(
        points=[[0, 0, 0], [2, 0, 0]], modes=[[[0, 0, 0], [0, 1, 0]]], K=[[12.0]], M=[1.0, 3.0], markers={"end": 2}
    )
    assert body.mass == 4.0 and body.Me[0, 0] == pytest.approx(3.0) and list(body.markers) == ["end"]
    assert body.frequencies[0] == pytest.approx(1.0 / np.pi)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"M": None}, "either as M"),
        ({"M": np.ones(3)}, r"M must be \(2,\)"),
        ({"M": np.zeros(2)}, "mass of the body is 0"),
        ({"M": np.arange(36.0).reshape(6, 6)}, "couples the directions"),
        ({"K": np.ones((2, 2))}, r"K: expected finite numbers of shape \(1, 1\)"),
        ({"K": [[np.nan]]}, "K: expected finite numbers"),
        ({"M": np.array([1.0, np.nan])}, "moments.mass: expected .* finite"),
        ({"node_ids": [1.5, 2]}, "node_ids is an array of float64; expected an array of whole numbers"),
        ({"quadratic": np.zeros((1, 2, 3))}, r"quadratic has the shape \(1, 2, 3\); expected \(0, 2, 3\), as .*pairs"),
        ({"modes": np.ones((1, 3, 3))}, r"modes has the shape .* expected \(1, 2, 3\), as modes and points have it"),
        ({"points": [[0, 0, np.nan], [1, 0, 0]]}, "not finite"),
        ({"markers": {"end": 9}}, "node 9 does not exist"),
        ({"node_ids": [1, 1]}, "different numbers"),
        ({"pairs": [[0, 1]]}, "pairs must be"),
        ({"labels": ["a", "b"]}, "labels must be 1 names"),
        ({"labels": "a"}, "labels must be 1 names"),
        ({"K": np.array([[True]])}, "K: expected numbers, got bool"),
        ({"M": [[1, 2], [3]]}, "M: the rows of the list differ in length"),
        ({"points": [[0, 0, 0], [1]]}, "points: the rows of the list differ in length"),
        ({"markers": {"end": "tip"}}, "node tip does not exist"),
        ({"markers": {"end": 1.5}}, "node 1.5 does not exist"),
        ({"markers": ["end"]}, "markers are given as"),
    ],
)
def test_arrays_that_do_not_fit(change, what):
    good = dict(points=[[0, 0, 0], [2, 0, 0]], modes=[[[0, 0, 0], [0, 1, 0]]], K=[[12.0]], M=[1.0, 3.0])
    with pytest.raises(BodyError, match=what):
        body_from_arrays(**good | change)


def same(first, second):
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second)
    if hasattr(first, "__dataclass_fields__"):
        return all(same(value, getattr(second, key)) for key, value in vars(first).items())
    if isinstance(first, dict):
        return list(first) == list(second) and all(same(value, second[key]) for key, value in first.items())
    return first == second


def test_npz_keeps_every_bit(body, tmp_path):
    write_npz(body, tmp_path / "b.npz")
    assert same(body, read_npz(tmp_path / "b.npz"))


@pytest.mark.parametrize("part", ["Me", "inertia.P", "surface.points", "places", "marker_names", "markers.0.Phi", "absent"])
def test_npz_that_lacks_a_part_is_refused(body, tmp_path, part):
    write_npz(body, tmp_path / "b.npz")
    with np.load(tmp_path / "b.npz") as file:
        arrays = {name: file[name] for name in file.files}
    np.savez(tmp_path / "c.npz", **{name: array for name, array in arrays.items() if name != part})
    with pytest.raises(BodyError, match=rf"c\.npz: the body is incomplete \('{part}' is missing\): .*: reduce again"):
        read_npz(tmp_path / "c.npz")
    np.savez(tmp_path / "c.npz", **{**arrays, "format": "flexmbs body 1"})
    with pytest.raises(BodyError, match="contains 'flexmbs body 1'; expected 'flexmbs body 2'.*reduce again"):
        read_npz(tmp_path / "c.npz")


def test_npz_of_plain_arrays(tmp_path):
    arrays = dict(points=[[0, 0, 0], [2, 0, 0]], modes=[[[0, 0, 0], [0, 1.0, 0]]], K=[[12.0]], M=[1.0, 3.0])
    np.savez(tmp_path / "a.npz", **arrays, marker_names=["end"], marker_nodes=[2])
    body = read_npz(tmp_path / "a.npz")
    assert body.name == "a" and body.mass == 4.0 and list(body.markers) == ["end"]
    np.savez(tmp_path / "a.npz", **arrays, Q=1.0)
    with pytest.raises(BodyError, match="unknown array 'Q'"):
        read_npz(tmp_path / "a.npz")
    del arrays["K"]
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(BodyError, match="'K' is missing"):
        read_npz(tmp_path / "a.npz")


@pytest.mark.parametrize("content", [b"", b"PK\3\4rubbish", b"hello"])
def test_files_that_are_no_npz(tmp_path, content):
    (tmp_path / "bad.npz").write_bytes(content)
    with pytest.raises(BodyError, match="bad.npz"):
        read_npz(tmp_path / "bad.npz")


def test_cubic_strain_energy_drives_the_modes():
    """Two modes of two point masses with W = q K q / 2 + c q1^2 q2 + d q1 q2 q1: two coupled oscillators."""
    k, c, d = (30.0, 80.0), 400.0, 150.0
    modes = np.zeros((2, 3, 3))
    modes[0, 1, 1] = modes[1, 2, 1] = 1.0
    cubic = np.array([[0.0, c], [d, 0.0]])
    body = body_from_arrays(
        points=[(0, 0, 0), (1, 0, 0), (2, 0, 0)],
        modes=modes,
        K=np.diag(k),
        M=np.array([1.0, 2.0, 3.0]),
        pairs=[(0, 0), (0, 1)],
        cubic=cubic,
        markers={"end": 1},
    )
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    part = system.add(body, "body", modal_coordinates=(0.02, -0.01))
    system.fixed(system.ground.marker("wall"), part["end"])
    result = system.simulate(2.0, rtol=1e-9, atol=1e-12)

    def rates(t, y):
        x, z = y[:2]
        return [*y[2:], -(k[0] * x + 2.0 * (c + d) * x * z) / 2.0, -(k[1] * z + (c + d) * x * x) / 3.0]

    exact = solve_ivp(rates, (0.0, 2.0), (0.02, -0.01, 0.0, 0.0), rtol=1e-12, atol=1e-14).y[:2, -1]
    assert [result["body.mode 1"][-1], result["body.mode 2"][-1]] == pytest.approx(exact, abs=1e-9)
    assert np.ptp(result["energy.total"]) < 1e-8 * result["energy.kinetic"].max()
    with pytest.raises(BodyError, match=r"cubic has the shape \(1, 2\); expected \(2, 2\), as modes and pairs have it"):
        body_from_arrays(
            points=[(0, 0, 0), (1, 0, 0), (2, 0, 0)],
            modes=modes,
            K=np.diag(k),
            M=np.array([1.0, 2.0, 3.0]),
            pairs=[(0, 0), (0, 1)],
            cubic=cubic[:1],
        )
