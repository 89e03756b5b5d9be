"""The connecting rod in a running slider-crank: joint forces of the rigid mechanism, stress of a static solution.

Joint forces: closed form of the rigid mechanism. Stress: CalculiX 2.20, static, under the same inertia forces
(data/slider_crank_static.py writes its input).
"""

import numpy as np
import pytest
from slider_crank import SPEED, Rod, ends_at_means, mechanism, pin_forces, rigid_forces

from flexmbs import ClampedFree, CraigBampton, SecondOrder, StaticModes, assemble, read_mesh, with_material
from flexmbs.fem.stress_field import von_mises
from flexmbs.reduction.reduce import reduce_model

REVOLUTION = 2.0 * np.pi / SPEED
# deflections stay below 1e-4 of the length; fields that matter less than 1e-6 there are left out
SECOND_ORDER = SecondOrder(tolerance=1e-6, deflection=1e-3, field_tolerance=1e-6)


def rod_of(fem, modes):
    """Ten per cent of damping: vibration of the start dies out within one revolution (less than 1e-6 is left)."""
    return reduce_model(fem, interfaces=ends_at_means(fem), modes=modes, second_order=SECOND_ORDER, damping=0.1)


@pytest.mark.slow
def test_joint_forces_are_those_of_a_rigid_rod(meshes):
    """They differ by the rod's flexibility: 1e-4 of the largest for steel, ten times that at a tenth of its modulus."""
    mesh, differences = read_mesh(meshes / "conrod.inp"), []
    modes = ClampedFree("big", count=4, static=StaticModes(["small"], acceleration=True))
    for youngs_modulus in (21e9, 210e9):
        fem = assemble(with_material(mesh, youngs_modulus=youngs_modulus))
        rod = Rod.of(fem)
        system = mechanism(rod_of(fem, modes), rod)
        result = system.simulate(2.0 * REVOLUTION, rtol=1e-6)
        times = result.trajectory.t
        settled = times > REVOLUTION
        exact = np.array([rigid_forces(rod, SPEED * t)[0] for t in times])
        differences.append(np.abs(pin_forces(system, result) - exact)[settled].max() / np.abs(exact).max())
    assert differences[1] < 1e-4
    assert differences[0] / differences[1] == pytest.approx(10.0, rel=0.1)


@pytest.mark.slow
def test_peak_stress_of_the_shank(meshes, reference, figures):
    """The issue asks for 2 %. What is left: vibration (first bending frequency between pins 30 times the crank's), and
    centrifugal forces, which the modes show in part.
    """
    expected = reference("slider_crank_static")
    fem = assemble(read_mesh(meshes / "conrod.inp"))
    rod, body = Rod.of(fem), rod_of(fem, CraigBampton("big", count=10))
    time = (1.0 + expected["crank_angle_degrees"] / 360.0) * REVOLUTION
    result = mechanism(body, rod).simulate(time, rtol=1e-6)
    low, high = expected["shank_x"]
    x = body.surface.points[:, 0]
    shank = np.flatnonzero((x > low) & (x < high))
    stress = von_mises(result.stress("rod", time)[shank])
    figures(
        "connecting rod in a slider-crank: peak von Mises stress of the shank",
        "CalculiX 2.20, static",
        stress.max(),
        expected["peak_von_mises"],
        0.01,
    )
    peak = fem.mesh.points[np.flatnonzero(fem.mesh.node_ids == expected["node"])[0]]
    np.testing.assert_allclose(body.surface.points[shank[np.argmax(stress)]], peak, atol=1e-9)
