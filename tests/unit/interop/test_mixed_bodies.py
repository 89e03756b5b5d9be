"""Bodies of several families keep their nodal rotations in every format."""

import numpy as np
import pytest
from mixed_meshes import bar_and_beam

from flexmbs import (
    ClampedFree,
    Interface,
    load_body,
    read_mbdyn_fem,
    read_npz,
    read_sid,
    reduce,
    save_body,
    write_mbdyn_fem,
    write_npz,
    write_sid,
)


@pytest.fixture(scope="module")
def body():
    interfaces = {"hinge": Interface(set="ROOT", kind="rigid"), "tip": "BEAM TIP", "joint": Interface(coupling="joint")}
    return reduce(bar_and_beam("rigid", (4, 1, 1), 4), interfaces=interfaces, modes=ClampedFree("hinge", count=4))


def test_rotations_are_those_of_beams_and_of_reference_nodes(body):
    turning = np.abs(body.rotations).max(axis=(0, 2)) > 0.0
    # five nodes of beams, the first of which is the reference node of the coupling; nodes of solids have none
    assert turning.sum() == 5 and np.all(body.points[turning, 1] == body.points[turning, 1][0])


@pytest.mark.parametrize(
    ("write", "read", "name", "digits"),
    [
        (write_sid, read_sid, "b.sid", 1e-10),
        (write_mbdyn_fem, read_mbdyn_fem, "b.fem", 1e-10),
        (write_npz, read_npz, "b.npz", 0.0),
        (save_body, load_body, "b.h5", 0.0),
    ],
)
def test_round_trip(body, tmp_path, write, read, name, digits):
    write(body, tmp_path / name)
    found = read(tmp_path / name)
    assert found.mass == pytest.approx(body.mass, rel=1e-12)
    assert found.Ke == pytest.approx(body.Ke, rel=1e-9, abs=1e-9 * np.abs(body.Ke).max())
    for marker, place in (("tip", body.markers["tip"].position), ("joint", body.markers["joint"].position)):
        own = next(m for m in found.markers.values() if np.allclose(m.position, place, atol=1e-9))
        for field in ("Phi", "Psi"):
            expected = getattr(body.markers[marker], field)
            assert getattr(own, field) == pytest.approx(expected, abs=digits * np.abs(expected).max() + 1e-300)
