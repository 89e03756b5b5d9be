"""Timoshenko (1913): a steel sphere hits the middle of a simply supported square beam.

Reference with N odd modes of the Euler-Bernoulli beam, 1e-9. The supports come from one averaged interface of both end
nodes: what it forbids, mean displacement and mean rotation, leaves the symmetric modes exactly those of the simply
supported beam. The antisymmetric ones (ends that slide, same frequencies) are not reached by a blow in the middle.
"""

from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import line_mesh, rectangle

STEEL = fm.Material("steel", 215746300000.0, 0.3, 7960.0)
LENGTH, SIDE, RADIUS, SPEED = 0.1535, 0.01, 0.01, 0.01
ELEMENTS = 200


def simply_supported(modes):
    mesh = line_mesh(LENGTH, ELEMENTS, rectangle(SIDE, SIDE), STEEL)
    mesh = replace(mesh, node_sets={"ENDS": np.array([0, ELEMENTS]), "MIDDLE": np.array([ELEMENTS // 2])})
    return fm.reduce(
        mesh,
        interfaces={"supports": "ENDS", "middle": "MIDDLE"},
        modes=fm.ClampedFree(at="supports", bending=(modes, 0)),
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
    )


@pytest.mark.parametrize("odd_modes", [5, 10])
def test_impact(reference, odd_modes):
    (expected,) = reference("impact_timoshenko_sphere_beam")[f"N_odd_modes={odd_modes}"]
    beam = simply_supported(2 * odd_modes)
    wave_numbers = np.pi * (2 * np.arange(odd_modes) + 1) / LENGTH
    exact = wave_numbers**2 * np.sqrt(STEEL.youngs_modulus * SIDE**2 / (12.0 * STEEL.density))
    # each frequency twice (see above); error of cubic elements: (k L_e)^4 / 720, 1e-5 for the 19th half wave
    assert 2.0 * np.pi * beam.frequencies == pytest.approx(np.repeat(exact, 2), rel=1e-5)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    part = system.add(beam, name="beam")
    system.fixed(system.ground.marker("supports", position=beam.markers["supports"].position), part["supports"])
    sphere = system.add(fm.RigidBody.sphere(7960.0, RADIUS), name="sphere")
    start = system.ground.marker("start", position=(0.5 * LENGTH, RADIUS, 0.0))
    system.prismatic(start, sphere["origin"], axis="y", rate=-SPEED)
    law = fm.Hertz.from_materials(RADIUS, STEEL, STEEL)
    system.contact(fm.Sphere(sphere["origin"], RADIUS), fm.Plane(part["middle"]), law, name="blow")
    result = system.simulate(2.5e-4, rtol=1e-8, atol=1e-14)
    (contact,) = result.contacts
    assert contact.start == 0.0
    # discretisation of the mesh and tolerance of the run; geometric stiffness is nothing at 0.6 um
    assert contact.duration == pytest.approx(expected["duration"], rel=1e-5)
    assert contact.peak_force == pytest.approx(expected["F_peak"], rel=1e-5)
    assert contact.peak_time == pytest.approx(expected["t_peak"], rel=1e-3)  # the peak is flat
    assert contact.impulse == pytest.approx(expected["impulse"], rel=1e-6)
