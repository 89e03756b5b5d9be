"""Deformation drawn too large does not tear joints apart: chains close exactly, loops along the freedoms of joints."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.view.exaggerated_motion import drawing, marker_in_world

SCALE = 5.0


@pytest.fixture(scope="module")
def arm():
    """A flexible arm carries a payload on its tip, which carries a link on a hinge; everything sags."""
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    bar = fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree(at="hinge", bending=(2, 0)))
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    arm = system.add(bar, name="arm")
    payload = system.add(fm.RigidBody.box(7850.0, (0.02, 0.02, 0.02)), name="payload")
    link = system.add(fm.RigidBody.box(7850.0, (0.01, 0.1, 0.01), center=(0.0, -0.05, 0.0)), name="link")
    system.fixed(system.ground["origin"], arm["hinge"], name="wall")
    system.fixed(arm["tip"], payload["origin"], name="mount")
    system.revolute(payload.marker("side", position=(0.01, 0.0, 0.0)), link["origin"], axis="z", name="hinge")
    return system.statics()


@pytest.fixture(scope="module")
def engine():
    """A slider-crank whose rod bends and stretches."""
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    modes = fm.CraigBampton(count=2, at="root")
    rod = fm.reduce(mesh, interfaces={"root": "ROOT", "tip": "TIP"}, modes=modes)
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    crank = system.add(fm.RigidBody.box(7850.0, (0.3, 0.02, 0.02), center=(0.15, 0.0, 0.0)), name="crank")
    rod = system.add(rod, name="rod")
    piston = system.add(fm.RigidBody.box(7850.0, (0.05, 0.05, 0.05)), name="piston")
    theta, length = 0.8, 1.0
    tilt = -np.arcsin(0.3 * np.sin(theta) / length)
    bearing = system.revolute(system.ground["origin"], crank["origin"], angle=theta, name="bearing")
    bearing.prescribe(fm.Polynomial([theta, 20.0]))
    pin = crank.marker("pin", position=(0.3, 0.0, 0.0))
    system.revolute(pin, rod["root"], angle=tilt - theta, name="big end")
    place = 0.3 * np.cos(theta) + length * np.cos(tilt)
    system.prismatic(system.ground["origin"], piston["origin"], axis="x", displacement=place, name="guide")
    system.revolute(rod["tip"], piston["origin"], name="small end")
    return system.simulate(0.05, rtol=1e-5)


def openings(here, scale):
    """Distance (m) between the markers of every joint, less its true one in free directions."""
    structure, found = here.structure, {}
    for joint in structure.joints:
        (a, axes), (b, _) = (marker_in_world(here, index, scale) for index in (joint.marker_a, joint.marker_b))
        held = np.eye(3) - joint.free_translations.T @ joint.free_translations
        found[joint.name] = float(np.linalg.norm(held @ axes.T @ (b - a)))
    return found


@pytest.mark.parametrize(("name", "torn"), [("arm", "mount"), ("engine", "small end")])
def test_joints_stay_closed(name, torn, request):
    result = request.getfixturevalue(name)
    here = result.resampled([float(result.t[-1])])
    assert max(openings(here, 1.0).values()) < 1e-6
    assert openings(here, SCALE)[torn] > 1e-3  # m: what the picture showed
    drawn = drawing(here, SCALE)
    # rounding of a least squares problem whose damping is 1e-10
    assert max(openings(drawn.here, SCALE).values()) < 1e-7 and drawn.opening < 1e-7


def test_what_a_fixed_joint_carries_turns_with_the_drawn_tip(arm):
    here = arm.resampled(arm.t)
    drawn = drawing(here, SCALE).here
    names = {f"{marker.body}.{marker.name}": index for index, marker in enumerate(here.structure.markers)}
    _, tip = marker_in_world(drawn, names["arm.tip"], SCALE)
    _, payload = marker_in_world(drawn, names["payload.origin"], SCALE)
    assert payload == pytest.approx(tip, abs=1e-8)
    turned = np.arctan2(tip[1, 0], tip[0, 0])
    _, true = marker_in_world(here, names["arm.tip"], 1.0)
    assert turned == pytest.approx(SCALE * np.arctan2(true[1, 0], true[0, 0]), rel=0.05)
    # the hinge is free: the link hangs as it does
    _, link = marker_in_world(drawn, names["link.origin"], SCALE)
    _, hanging = marker_in_world(here, names["link.origin"], 1.0)
    assert link == pytest.approx(hanging, abs=1e-3)


def test_true_deformation_is_drawn_as_it_is(engine):
    here = engine.resampled([0.02])
    assert drawing(here, 1.0).here is here
