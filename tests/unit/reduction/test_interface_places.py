"""Markers of sets on uneven meshes: on the axis of a bore, at the weighted mean of a face, or where they are put."""

from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import BodyError, ClampedFree, CraigBampton, Interface, box_mesh, load_body, read_npz, reduce, save_body, write_npz

from .conftest import STEEL

INNER, OUTER, LENGTH = 0.010, 0.016, 0.012


def half_ring(power=1.0):
    """Half a bearing shell about the axis through (0.1, 0, 0) along z, its nodes crowded to one side by ``power``."""
    mesh = box_mesh((1.0, 1.0, 1.0), (2, 8, 2), STEEL, kind="hex20")
    r, u, z = mesh.points.T
    radius, angle = INNER + (OUTER - INNER) * r, np.pi * u**power
    points = np.column_stack([0.1 + radius * np.cos(angle), radius * np.sin(angle), LENGTH * z])
    bore, back = (np.flatnonzero(np.abs(r - value) < 1e-9) for value in (0.0, 1.0))
    end = np.flatnonzero((np.abs(u) < 1e-9) & (r > 0.49))
    return replace(mesh, points=points, node_sets={"BORE": bore, "BACK": back, "END": end})


def crowded_bar():
    """A bar whose mesh is fine on one side."""
    mesh = box_mesh((0.2, 0.02, 0.02), (6, 4, 1), STEEL, kind="hex8")
    points = mesh.points.copy()
    points[:, 1] = 0.02 * (points[:, 1] / 0.02) ** 2
    return replace(mesh, points=points)


def reduced(mesh, **interfaces):
    modes = ClampedFree(next(iter(interfaces)), count=2)
    return reduce(mesh, interfaces=interfaces, modes=modes, second_order="none", cache=False, trust_units=True)


@pytest.mark.parametrize("power", [1.0, 1.6])
@pytest.mark.parametrize("kind", ["averaged", "rigid"])
def test_marker_of_a_bore_is_on_its_axis(power, kind):
    body = reduced(half_ring(power), end="END", pin=Interface(set="BORE", kind=kind))
    np.testing.assert_allclose(body.markers["pin"].position, [0.1, 0.0, 0.5 * LENGTH], atol=1e-12)
    place = body.places["pin"]
    assert place.by == "area" and place.shape.kind == "cylinder" and place.shape.largest < 1e-12
    # mean of a half circle: 2 r / pi beside the centre; facets of 22 degrees
    assert place.centroid[1] == pytest.approx(2.0 * INNER / np.pi, rel=0.01)
    (said,) = [warning for warning in body.warnings if "interface 'pin'" in warning]
    assert "cylinder of radius 0.01 m on an arc of 180 degrees" in said and "m from its centre" in said
    assert "cylinder, axis [0, 0, 1]" in str(body.advice())


def test_marker_of_an_uneven_face_is_in_its_middle_and_a_pull_there_does_not_bend():
    """An axial force at the mean of the area stretches the bar; at the mean of the nodes it would bend it too."""
    mesh = crowded_bar()
    ends = {"root": "ROOT", "tip": "TIP"}
    body = reduce(mesh, interfaces=ends, modes=CraigBampton("root", count=2), second_order="none", cache=False)
    marker = body.markers["tip"]
    np.testing.assert_allclose(marker.position, [0.2, 0.01, 0.01], atol=1e-12)
    assert mesh.points[np.unique(mesh.node_sets["TIP"])].mean(axis=0)[1] < 0.0085
    q = np.linalg.solve(body.Ke, marker.Phi[:, 0])
    stretch, turn = marker.Phi[:, 0] @ q, marker.Psi[:, 2] @ q
    assert stretch == pytest.approx(0.2 / (210e9 * 0.02**2), rel=5e-3)  # l / EA; forces at ends spread over one element
    # at 1.5 mm beside the middle: e l / (E I), 18 times as much as the bound
    assert abs(turn) < 0.05 * 0.0015 * 0.2 / (210e9 * 0.02**4 / 12)


def test_weights_are_shares_of_the_area():
    """The marker's displacement is the weighted mean, or with equal weights the plain one."""
    mesh = crowded_bar()
    nodes = np.unique(mesh.node_sets["TIP"])
    body = reduced(mesh, root="ROOT", tip="TIP")
    equal = reduced(mesh, root="ROOT", tip=Interface(set="TIP", weights="equal"))
    plain = equal.modes[:, nodes].mean(axis=1)
    np.testing.assert_allclose(equal.markers["tip"].Phi, plain, atol=1e-12)
    np.testing.assert_allclose(equal.markers["tip"].position, mesh.points[nodes].mean(axis=0), atol=1e-12)
    assert np.abs(body.markers["tip"].Phi - body.modes[:, nodes].mean(axis=1)).max() > 1e-3


def test_a_position_and_an_axis_of_ones_own():
    mesh = half_ring()
    at = (0.1, 0.0, 0.002)
    body = reduced(mesh, end="END", pin=Interface(set="BORE", position=at, axis="fit"))
    np.testing.assert_allclose(body.markers["pin"].position, at, atol=0)
    plain = reduced(mesh, end="END", pin="BORE")
    arm = np.subtract(at, plain.markers["pin"].position)
    moved = plain.markers["pin"].Phi + np.cross(plain.markers["pin"].Psi, arm)
    np.testing.assert_allclose(body.markers["pin"].Phi, moved, atol=1e-9)
    off = reduced(mesh, end="END", pin=Interface(set="BORE", position=(0.1, 0.003, 0.006), axis=(0.0, 0.1, 1.0)))
    said = " ".join(off.warnings)
    assert "the marker was placed 0.003 m from the axis of the cylinder of radius 0.01 m" in said
    assert "the given axis is 5.71 degrees from that of the cylinder" in said
    system = fm.System()
    marker = system.add(off, name="shell")["pin"]
    np.testing.assert_allclose(marker.rotation[:, 2], np.array([0.0, 0.1, 1.0]) / np.sqrt(1.01), atol=1e-15)
    np.testing.assert_allclose(marker.rotation.T @ marker.rotation, np.eye(3), atol=1e-15)
    assert np.linalg.det(marker.rotation) == pytest.approx(1.0)
    np.testing.assert_array_equal(system.bodies["shell"]["end"].rotation, np.eye(3))


def test_a_skew_bore_turns_about_its_own_axis():
    """A ring whose axis is no axis of the mesh hangs in a revolute joint on axis="fit"."""
    turn = np.linalg.qr(np.array([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0], [1.0, 0.5, 0.2]]))[0]
    mesh = half_ring()
    body = reduced(replace(mesh, points=mesh.points @ turn.T), end=Interface(set="BORE", axis="fit"))
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    part = system.add(body, name="shell")
    axis = body.places["end"].axis
    assert abs(axis @ turn[:, 2]) == pytest.approx(1.0, abs=1e-9)
    system.revolute(system.ground.marker("wall"), part["end"], axis="z", name="hinge")
    result = system.assemble()
    np.testing.assert_allclose(result.rotation("shell")[0] @ axis, [0.0, 0.0, 1.0], atol=1e-9)


@pytest.mark.parametrize(
    ("interface", "message"),
    [
        (Interface(set="BORE", position=(100.0, 0.0, 6.0)), "more than the size of the body.*give it in m"),
        (Interface(set="BORE", position=(0.1, 0.0)), "position must be three finite coordinates in m"),
        (Interface(set="BORE", axis=(0.0, 0.0, 0.0)), "axis must be a direction"),
        (Interface(set="BORE", axis="bore"), 'axis must be a direction .* or "fit"'),
        (Interface(node=1, position=(0.1, 0.0, 0.0)), "position and weights are only for a set"),
        (Interface(set="BORE", weights="area"), 'weights must be None .* or "equal"'),
    ],
)
def test_wrong_positions_and_axes(interface, message):
    with pytest.raises(BodyError, match=f"interface 'pin': .*{message}"):
        reduced(half_ring(), end="END", pin=interface)


def test_places_are_kept_with_the_body(tmp_path):
    body = reduced(half_ring(1.6), end="END", pin=Interface(set="BORE", axis="fit"))
    save_body(body, tmp_path / "body.h5")
    write_npz(body, tmp_path / "body.npz")
    for found in (load_body(tmp_path / "body.h5"), read_npz(tmp_path / "body.npz")):
        assert list(found.places) == ["end", "pin"]
        for name, place in body.places.items():
            assert str(found.places[name]) == str(place)
            for field in ("position", "mean", "centroid", "axis"):
                np.testing.assert_array_equal(getattr(found.places[name], field), getattr(place, field))
        assert found.places["pin"].shape.radius == body.places["pin"].shape.radius


def test_damaged_places_in_files(tmp_path):
    import h5py

    body = reduced(half_ring(), end="END", pin="BORE")
    save_body(body, tmp_path / "body.h5")
    with h5py.File(tmp_path / "body.h5", "a") as file:
        texts = file["places"].asstr()[()]
        del file["places"]
        broken = [texts[0], texts[1].replace("cylinder", "cone")]
        file.create_dataset("places", data=np.array(broken, dtype=object), dtype=h5py.string_dtype())
    with pytest.raises(BodyError, match=r"body\.h5: places: .*unknown shape 'cone'.*damaged"):
        load_body(tmp_path / "body.h5")


def test_a_set_and_a_coupling_that_share_nodes_are_refused():
    from flexmbs import Coupling

    bar = box_mesh((0.2, 0.02, 0.02), (4, 2, 1), STEEL)
    tip = np.unique(bar.node_sets["TIP"])
    for kind in ("average", "rigid"):
        mesh = replace(
            bar,
            points=np.vstack([bar.points, [0.2, 0.01, 0.01]]),
            couplings=(Coupling("grip", kind, len(bar.points), tip),),
            node_ids=np.append(bar.node_ids, bar.node_ids.max() + 1),
            node_sets={**bar.node_sets, "HALF": tip[:8]},
        )
        with pytest.raises(BodyError, match="'grip' and 'half' overlap: they share 8 nodes"):
            reduced(mesh, root="ROOT", grip=Interface(coupling="grip"), half="HALF")
        alone = Interface(node=int(mesh.node_ids[tip[0]]))  # a contact point in it
        assert reduced(mesh, root="ROOT", grip=Interface(coupling="grip"), point=alone).mode_count == 2
