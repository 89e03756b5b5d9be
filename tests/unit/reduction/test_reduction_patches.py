"""Static modes of contact patches: the deflection under a load anywhere in the patch converges to that of the mesh."""

from dataclasses import replace

import numpy as np
import pytest
from shell_meshes import flat, sheet
from surface_loads import faces_where, pressure_loads

from flexmbs import BodyError, ClampedFree, CraigBampton, Interface, Material, Patch, StaticModes, assemble, box_mesh
from flexmbs.reduction.reduce import reduce_model

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)
SIDE, TOP = 0.05, 0.02


def patch_of(count, **options):
    """The four faces about the middle of the top."""
    return Patch(point=(0.5 * SIDE, 0.5 * SIDE, TOP), radius=0.0084, count=count, **options)


@pytest.fixture(scope="module")
def plate():
    """Block 50 mm x 50 mm x 20 mm, its lower face a node set, the upper one to be pressed on."""
    mesh = box_mesh((SIDE, SIDE, TOP), (6, 6, 3), STEEL)
    low = np.flatnonzero(mesh.points[:, 2] < 1e-9)
    high = np.flatnonzero(mesh.points[:, 2] > TOP - 1e-9)
    return assemble(replace(mesh, node_sets={"LOW": low, "HIGH": high}))


def reduced(fem, patch, count=3, basis=ClampedFree):
    static = StaticModes(patches={} if patch is None else {"top": patch})
    modes = basis("low", count=count, static=static)
    interfaces = {"low": Interface(set="LOW", kind="rigid")}
    return reduce_model(fem, interfaces=interfaces, modes=modes, second_order="none")


def pressed(fem, x, y, half):
    """(ndof,) N: 1 N of pressure on the faces of the top within a square about (x, y)."""
    points = fem.mesh.points
    inside = (points[:, 2] > TOP - 1e-9) & (np.abs(points[:, 0] - x) < half) & (np.abs(points[:, 1] - y) < half)
    loads = pressure_loads(points, faces_where(fem.mesh, inside), 1.0)
    return (loads / np.abs(loads.sum(axis=0)).max()).ravel()


def compliance(body, load):
    f = body.modes.reshape(body.mode_count, -1) @ load
    return f @ np.linalg.solve(body.Ke, f)


def exact_compliance(fem, load):
    from scipy.sparse.linalg import spsolve

    held = np.zeros((len(fem.mesh.points), 3), dtype=bool)
    held[fem.mesh.node_sets["LOW"]] = True
    free = np.flatnonzero(~held.ravel())
    return load[free] @ spsolve(fem.K[free][:, free].tocsc(), load[free])


def test_deflection_under_pressure_converges(plate):
    """Pressure on four faces of a patch of twelve, and on one: part of the deflection missing, by finer patterns."""
    wide = Patch(point=(0.5 * SIDE, 0.5 * SIDE, TOP), radius=0.0145)
    patches = (None, *(replace(wide, count=count) for count in (0, 6, 24)))
    for load, last in ((pressed(plate, 0.025, 0.025, 0.0084), 1e-3), (pressed(plate, 0.0292, 0.0208, 0.0043), 1e-2)):
        full = exact_compliance(plate, load)
        missing = [1.0 - compliance(reduced(plate, patch), load) / full for patch in patches]
        assert missing[0] > 0.3 and np.all(np.diff(missing) < 0.0) and -1e-9 < missing[-1] < last
        assert missing[2] < 0.15


def test_even_pressure_comes_first(plate):
    """Without friction and finer patterns: pressures that are uniform, or vary along two directions, exactly."""
    body = reduced(plate, Patch(set="HIGH", count=0), count=0)
    assert body.mode_count == 3
    load = pressed(plate, 0.025, 0.025, 1.0)
    assert compliance(body, load) == pytest.approx(exact_compliance(plate, load), rel=1e-8)


def test_all_patterns_show_every_load_on_the_patch(plate):
    load = pressed(plate, 0.025, 0.025, 0.0084)
    assert compliance(reduced(plate, patch_of(1000)), load) == pytest.approx(exact_compliance(plate, load), rel=1e-8)


def test_without_friction_there_are_fewer(plate):
    nodes = 21  # of four hex20 faces
    assert reduced(plate, patch_of(1000), count=0).mode_count == nodes
    assert reduced(plate, patch_of(1000, tangential=True), count=0).mode_count == 3 * nodes


def test_patches_of_shells_and_with_craig_bampton(plate):
    mesh, _ = sheet("quad4", (8, 8), flat(), material=STEEL)
    edge = np.flatnonzero(mesh.points[:, 0] < 1e-9)
    shell = assemble(replace(mesh, node_sets={"LOW": edge}))
    patch = Patch(point=(0.5, 0.5, 0.0), radius=0.2, count=4)
    assert reduced(shell, patch, count=2).mode_count == 2 + 3 + 4
    assert reduced(plate, patch_of(2), count=2, basis=CraigBampton).mode_count >= 2 + 3 + 2


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (Patch(), "give either set, or point and radius"),
        (Patch(set="HIGH", radius=1.0), "give either set, or point and radius"),
        (Patch(set="HIGHT"), "no node set 'HIGHT'.*HIGH"),
        (Patch(point=(0.0, 0.0), radius=1.0), "three finite coordinates"),
        (Patch(point=(1.0, 0.0, 0.0), radius=1e-3), "no outer face is within it"),
        (Patch(point=(0.0, 0.0, 0.0), radius=-1.0), "radius must be > 0"),
        (Patch(set="HIGH", count=-1), "count must be a whole number"),
    ],
)
def test_wrong_patch(plate, patch, message):
    with pytest.raises(BodyError, match=message):
        reduced(plate, patch)
