"""The error that the watch of deformations predicts, against exact rods (tests/rod_theory.py) under random dead loads."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from rod_theory import Rod
from solid_meshes import box

import flexmbs as fm

LENGTH = 1.0
WORTH_IT = 0.005  # true errors below are not compared: forces and moments that cancel each other leave next to nothing
STEEL = fm.Material("STEEL", 210e9, 0.3, 7850.0)
ELEMENTS, WIDTH, DEPTH = 20, 0.02, 0.01  # m, of the section


def cantilever(body, force, moment) -> fm.System:
    """Clamped at "root", with dead loads on "tip"."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    part = system.add(body, name="bar")
    system.fixed(system.ground.marker("wall", position=tuple(body.markers["root"].position)), part["root"])
    system.force(part["tip"], force)
    system.torque(part["tip"], moment)
    return system


def predicted_and_true(body, rod, force, moment) -> tuple[float, float]:
    """Error of the displacement of the tip under the loads, relative to the exact one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.ResultWarning)
        still = cantilever(body, force, moment).statics(stop_on_deformation=False)
    q, tip = np.array([still[f"bar.{label}"][0] for label in body.mode_labels]), body.markers["tip"]
    exact = rod.end(force, moment)[0]
    moved = q @ tip.Phi + body.quadratic_coordinates(q) @ tip.Zu
    return still.stats["deformation_error"], float(np.linalg.norm(moved - exact) / np.linalg.norm(exact))


def body_of(kind):
    """A bar with the static modes of loads at its tip; "root" and "tip" are its ends."""
    mesh = fm.line_mesh(LENGTH, ELEMENTS, fm.rectangle(WIDTH, DEPTH), STEEL)
    if kind == "solid":
        mesh = box("hex20", (ELEMENTS, 2, 1), (LENGTH, WIDTH, DEPTH), STEEL)
        x = mesh.points[:, 0]
        mesh = replace(mesh, node_sets={"ROOT": np.flatnonzero(x < 1e-9), "TIP": np.flatnonzero(x > LENGTH - 1e-9)})
    interfaces = {name: fm.Interface(set=name.upper(), kind="averaged") for name in ("root", "tip")}
    modes = fm.CraigBampton("root", count=0, frequency_tolerance=None)
    return fm.reduce(mesh, interfaces=interfaces if kind == "solid" else {"root": "ROOT", "tip": "TIP"}, modes=modes, cache=False)


def body_and_rod(kind):
    """A cantilever, and the rod with the flexibility that it shows in small deflections."""
    body = body_of(kind)
    found = body.flexibility[list(body.markers).index("tip")]
    return body, Rod(LENGTH, np.array([LENGTH / found[0, 0], np.inf, np.inf]), found[3:, 3:] / LENGTH)


def random_loads(rng, rod):
    """Force and moment in random directions and shares, for rotations of the tip by some tenths to one rad."""
    stiffness = 1.0 / rod.flexibility[1, 1]
    size, share = 10.0 ** rng.uniform(-0.5, 0.3), rng.uniform()
    force, moment = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
    return size * share * stiffness / LENGTH**2 * force, size * (1.0 - share) * stiffness / LENGTH * moment * (0.3, 1.0, 1.0)


@pytest.mark.parametrize("kind", ["beam", "solid"])
def test_predicted_errors_are_right_within_a_factor_of_three(kind):
    """Ten random loads on each body; the true errors are from 0.5 to about 40 %."""
    body, rod = body_and_rod(kind)
    rng, ratios = np.random.default_rng(40), []
    while len(ratios) < 10:
        predicted, true = predicted_and_true(body, rod, *random_loads(rng, rod))
        if true > WORTH_IT:
            ratios.append(predicted / true)
    assert min(ratios) > 1.0 / 3.0
    assert max(ratios) < 3.0
