"""Bodies that were exchanged move as the ones they were made of."""

import numpy as np
import pytest

from flexmbs import Polynomial, RigidBody, System, read_mbdyn_fem, read_sid, write_mbdyn_fem, write_sid

SPIN = 40.0


def spinning_frequencies(body, spin):
    """Hz of the body held at a hub that turns about z."""
    system = System(gravity=(0.0, 0.0, 0.0))
    hub = system.add(RigidBody(mass=1.0, inertia=(1.0, 1.0, 1.0)), name="hub")
    blade = system.add(body, name="blade")
    turn = system.revolute(system.ground.marker("axle"), hub["origin"], axis="z", rate=spin, name="spin")
    turn.prescribe(Polynomial([0.0, spin]))
    system.fixed(hub["origin"], blade["1"], name="root")
    return np.asarray(system.linearize().frequencies)


def test_sid_stiffens_in_spin(blade, tmp_path):
    write_sid(blade, tmp_path / "b.SID_FEM")
    want = spinning_frequencies(blade, SPIN)
    got = spinning_frequencies(read_sid(tmp_path / "b.SID_FEM"), SPIN)
    np.testing.assert_allclose(got, want, rtol=1e-6)
    assert want[0] > 1.05 * spinning_frequencies(blade, 0.0)[0]


@pytest.mark.slow
def test_mbdyn_stiffens_in_spin_by_group_19_only(blade, tmp_path):
    write_mbdyn_fem(blade, tmp_path / "b.fem")
    body = read_mbdyn_fem(tmp_path / "b.fem")
    for spin in (0.0, SPIN):
        np.testing.assert_allclose(spinning_frequencies(body, spin), spinning_frequencies(blade, spin), rtol=1e-6)
    write_mbdyn_fem(blade, tmp_path / "b.fem", stress_stiffening=False)
    body = read_mbdyn_fem(tmp_path / "b.fem")
    assert spinning_frequencies(body, SPIN).min() < 0.5 * spinning_frequencies(blade, 0.0)[0]
