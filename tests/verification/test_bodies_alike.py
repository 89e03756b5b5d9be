"""One bar reduced from beams, shells and solids moves alike; a bar of very stiff material moves as a rigid body."""

from dataclasses import replace

import numpy as np
import pytest
from shell_meshes import sheet

import flexmbs as fm
from flexmbs import ClampedFree, FreeFree, assemble, rectangle
from flexmbs.reduction.reduce import reduce_model

STEEL = fm.Material("STEEL", 210e9, 0.3, 7850.0)
LENGTH, WIDTH, THICKNESS = 0.5, 0.02, 0.004
END, SPEED, RISE = 0.3, 60.0, 0.2  # s, rad/s, s


def bar(kind):
    """0.5 m x 20 mm x 4 mm from the origin along x, thin along z; sets ROOT and TIP."""
    if kind == "beams":
        return fm.line_mesh(LENGTH, 40, rectangle(WIDTH, THICKNESS), STEEL, start=(0.0, WIDTH / 2, THICKNESS / 2))
    if kind == "solids":
        return fm.box_mesh((LENGTH, WIDTH, THICKNESS), (40, 2, 1), STEEL)
    mesh, _ = sheet("quad8", (40, 2), lambda s, t: (LENGTH * s, WIDTH * t, 0.5 * THICKNESS + 0.0 * s), THICKNESS, STEEL)
    x = mesh.points[:, 0]
    return replace(mesh, node_sets={"ROOT": np.flatnonzero(x < 1e-9), "TIP": np.flatnonzero(x > LENGTH - 1e-9)})


def angle(t):
    """rad: from rest to ``SPEED`` within ``RISE``, with an angular acceleration that begins and ends at zero."""
    if t >= RISE:
        return SPEED * (t - 0.5 * RISE)
    return SPEED * (0.5 * t * t / RISE + RISE / (4.0 * np.pi**2) * (np.cos(2.0 * np.pi * t / RISE) - 1.0))


def spun_up(kind):
    """(nt, 3) tip displacement over the bar's length, body axes, at even times; driven about y from rest."""
    modes = ClampedFree("hinge", count=6)
    body = reduce_model(assemble(bar(kind)), interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=modes)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    arm = system.add(body, "arm")
    system.revolute(system.ground.marker("axle"), arm["hinge"], axis="y").prescribe(angle)
    result = system.simulate(END, rtol=1e-7)
    return history(result, "arm.tip.displacement", np.linspace(0.0, END, 61)) / LENGTH


def history(result, name, times):
    """(nt, 3) a vector's components."""
    run = result.resampled(times)
    return np.stack([run[f"{name}.{axis}"] for axis in "xyz"], axis=1)


def test_driven_bars_of_beams_shells_and_solids_move_alike(figures):
    """The tip lags by 10 % of the length while it is spun up, and swings with 13.3 Hz afterwards. The ends are held in
    the mean, which on shells and solids lets them give way: 0.7 and 0.3 % in the first frequency.
    """
    beams, shells, solids = (spun_up(kind) for kind in ("beams", "shells", "solids"))
    swing = np.abs(beams[:, 2]).max()
    assert swing > 0.1 and np.abs(beams[:, 0]).max() > 5e-3
    for kind, found in (("shells", shells), ("solids", solids)):
        figures(f"bar spun up: tip of {kind}", "the same of beams", found.ravel(), beams.ravel(), 0.02, scale=swing)


def struck(kind):
    """(nt, 3) and (nt, 3) m: displacement (body axes) and path of the tip of the free bar, struck there."""
    modes = FreeFree(count=4)
    body = reduce_model(assemble(bar(kind)), interfaces={"root": "ROOT", "tip": "TIP"}, modes=modes)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    arm = system.add(body, "arm", position=(0.0, 0.0, 0.0))
    system.force(arm["tip"], (0.0, 0.0, lambda t: 100.0 * np.sin(np.pi * t / 0.01) ** 2 if t < 0.01 else 0.0))
    result = system.simulate(0.1, rtol=1e-6, max_step=2e-3)
    return [history(result, f"arm.tip.{name}", np.linspace(0.0, 0.1, 51)) for name in ("displacement", "position")]


def test_free_bars_of_beams_shells_and_solids_move_alike(figures):
    """A blow of 10 ms across the end of a free bar: it turns, bends and flies away, held by nothing.

    The first free frequency agrees to 3e-4, the fourth to 2e-3; after 9 and 46 swings phases differ accordingly.
    """
    beams, shells, solids = (struck(kind) for kind in ("beams", "shells", "solids"))
    bend, way = np.abs(beams[0]).max(), np.abs(beams[1] - beams[1][0]).max()
    assert bend > 0.01 * LENGTH and way > 2.0 * bend
    for kind, found in (("shells", shells), ("solids", solids)):
        for i, what, scale in ((0, "displacement", bend), (1, "path", way)):
            figures(
                f"bar struck: {what} of the tip of {kind}",
                "the same of beams",
                found[i].ravel(),
                beams[i].ravel(),
                2e-2,
                scale=scale,
            )


@pytest.mark.parametrize("modes", [ClampedFree("hinge", count=4), FreeFree(count=4)])
def test_rigid_limit(modes):
    """A bar a million times stiffer than steel on a ball joint, thrown and falling, beside the rigid body of its mesh.

    They differ by 2e-10 of the length; 1e-8 leaves room for another step control.
    """
    mesh = fm.with_material(bar("solids"), youngs_modulus=210e15)
    body = reduce_model(assemble(mesh), interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=modes)
    paths = []
    for part in (body, fm.RigidBody.from_mesh(mesh)):
        system = fm.System()
        arm = system.add(part, "arm")
        root, tip = ("hinge", "tip")
        if part is not body:
            for name in (root, tip):
                arm.marker(name, position=body.markers[name].position)
        system.spherical(system.ground.marker("pivot"), arm[root], angular_velocity=(3.0, 5.0, 8.0))
        result = system.simulate(0.03, rtol=1e-7, integrator="radau")
        paths.append(history(result, "arm.tip.position", np.linspace(0.0, 0.03, 11)))
    difference = np.abs(np.subtract(*paths)).max() / LENGTH
    assert difference < 1e-8
